package app

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"recall/cmd/recall/config"
	"recall/library"
	"recall/team"
)

// A team that isn't asked for a session, as it was out of reach just now, isn't noted as asked: it is asked again once
// that is long enough ago, however often a person tries meanwhile.
func TestTeamNotAskedIsntNoted(t *testing.T) {
	l, err := library.Create(filepath.Join(t.TempDir(), "Recall"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m := &team.Membership{Address: "postgres://ana@127.0.0.1:1/x?sslmode=disable", Team: "t", Name: "Grain", Device: "d"}
	if err := m.Keep(l.Dir()); err != nil {
		t.Fatal(err)
	}
	a := &App{Config: &config.Config{}, Lib: l}
	for _, of := range []struct {
		ago   time.Duration
		asked bool
	}{{0, false}, {50 * time.Second, false}, {2 * time.Minute, true}} {
		m.NoteReached(false)
		then := time.Now().Add(-of.ago)
		if err := os.Chtimes(m.Path("unreached"), then, then); err != nil {
			t.Fatal(err)
		}
		before := m.Unreached(of.ago + time.Second)
		_, err := a.SharedSession(t.Context(), "x")
		again := of.ago > time.Second && m.Unreached(time.Second)
		if !before || !errors.Is(err, team.ErrUnreachable) || again != of.asked {
			t.Errorf("out of reach %v ago: %v; noted again %v", of.ago, err, again)
		}
	}
	m.NoteReached(true)
	if _, err := a.SyncTeam(t.Context()); !errors.Is(err, team.ErrUnreachable) || m.Synced() == nil {
		t.Errorf("asked by a person: %v", err)
	}
}
