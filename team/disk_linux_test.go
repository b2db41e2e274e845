package team

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"recall/index"
	"recall/team/pgtest"
)

// A server whose disk is full refuses what it can't keep. With room again it has what it took, and the rest comes with
// the next try, once.
func TestFullDisk(t *testing.T) {
	if os.Getenv("RECALL_LONG") == "" {
		t.Skip("skipped: no RECALL_LONG, and it takes a server of its own")
	}
	dir, err := os.MkdirTemp("", "full")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(dir) })
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=100m"); err != nil {
		t.Skipf("no small disk can be made: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	s := pgtest.Start(t, dir, "max_wal_size = 32MB", "min_wal_size = 32MB")
	t.Cleanup(s.End)
	c := newCrewOn(t, s.Database(t))
	ana := c.owner()
	app := ana.project(t, "app")
	box := NewOutbox(filepath.Join(t.TempDir(), "sent.jsonl"), ana.device)
	last := map[string]Sent{}
	random := rand.New(rand.NewSource(1))
	noise := func() string { // that can't be compressed by much
		b := make([]byte, 300<<10)
		random.Read(b)
		return hex.EncodeToString(b)
	}
	var all []Session
	var want []string
	send := func(s Session) error {
		_, err := box.Send(t.Context(), ana.Team, last[s.ID], func() (Shared, error) { return Ready(c.rules, s) })
		return err
	}
	for err == nil && len(all) < 400 {
		s := said(fmt.Sprint("s", 100+len(all)), app, fmt.Sprint("Retry ", len(all)), "Never")
		s.Transcript = noise()
		all = append(all, s)
		want = append(want, fmt.Sprintf("%s %[1]s000 Retry %d", s.ID, len(want)/2), fmt.Sprintf("%s %[1]s001 Never", s.ID))
		err = send(s)
	}
	if !errors.Is(err, ErrUnreachable) {
		t.Errorf("after %d sessions: %v", len(all), err)
	}
	if strings.Contains(err.Error(), "53100") { // no room for a table; for the log, the server stops until there is
		a, err := ana.Search(t.Context(), index.Query{Text: "retry"})
		if !errors.Is(err, ErrUnreachable) && (err != nil || len(a.Ranked) == 0) { // its log may be next
			t.Errorf("what it has can't be read: %v", err)
		}
	}
	if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT, "size=400m"); err != nil {
		t.Fatal(err)
	}
	c.Restart(t)
	c.holds(want[:len(want)-2]...)
	if err := again(func() (err error) {
		last, err = box.Reconcile(context.Background(), ana.Team)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if err := send(s); err != nil {
			t.Fatal(err)
		}
	}
	c.holds(want...)
}
