package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"recall/cmd/recall/demo"
	"recall/ingest"
	"recall/library"
	"recall/library/check"
)

// Kill -9 at random moments of sync and archive, while the sources grow, are
// rewritten and cut short: RECALL_KILLS of them, or else 4, with RECALL_LONG 24. After each,
// verify finds no damage; the next sync completes; and no content that was ever
// archived differs. docs/durability.md has the figures of a long run.
func TestKills(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	kills := 4
	if os.Getenv("RECALL_LONG") != "" {
		kills = 24
	}
	if n, err := strconv.Atoi(os.Getenv("RECALL_KILLS")); err == nil {
		kills = n
	}
	os.Unsetenv("RECALL_KILLS") // recall itself takes it for a setting
	sources, home := t.TempDir(), t.TempDir()
	claude, cowork, err := demo.Write(sources)
	must(t, err)
	dir := filepath.Join(home, "Recall")
	command := func(name string) []string { return []string{name, "--from", claude, "--from", cowork} }
	start := time.Now()
	if out, err := recallCmd(t, home, command("sync")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(start)
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 9))
	transcripts := transcriptsIn(t, sources)
	held := map[string]string{}
	var died, ended, unfinished, checked int
	for n := 0; died < kills && n < 4*kills; n++ {
		for range 1 + rng.IntN(3) {
			disturb(t, rng, transcripts)
		}
		cmd := recallCmd(t, home, command([]string{"sync", "sync", "archive"}[n%3])...)
		must(t, cmd.Start())
		time.Sleep(time.Duration(rng.Float64() * float64(whole)))
		cmd.Process.Kill()
		if cmd.Wait() == nil {
			ended++
		} else {
			died++
		}
		v, texts := lookAtLibrary(t, dir)
		for _, f := range v.Findings {
			switch f.State {
			case check.Damaged:
				t.Fatalf("seed %d, after %d kills: %+v", seed, died, f)
			case check.Unfinished:
				unfinished++
			}
		}
		checked += lostContents(t, held, texts)
		if died%10 == 0 || died == kills {
			if out, err := recallCmd(t, home, command("sync")...).CombinedOutput(); err != nil {
				t.Fatalf("seed %d: the sync after %d kills: %v\n%s", seed, died, err, out)
			}
			v, texts = lookAtLibrary(t, dir)
			if slices.ContainsFunc(v.Findings, func(f check.Finding) bool {
				return f.State != check.Unknown &&
					f.State != check.Leftover
			}) {
				t.Fatalf("seed %d, after %d kills and a sync: %+v", seed, died, v.Findings)
			}
			checked += lostContents(t, held, texts)
			atSource(t, transcripts, texts)
		}
	}
	t.Logf("seed %d: %d processes killed, %d were faster; %d saves found cut off, %d contents compared, 0 differ; an "+
		"undisturbed sync takes %v", seed, died, ended, unfinished, checked, whole)
}

// transcriptsIn lists the transcripts that the test may change.
func transcriptsIn(t *testing.T, sources string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(sources, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".jsonl") && !strings.HasSuffix(path, "audit.jsonl") {
			all = append(all, path)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatal("no transcripts", err)
	}
	return all
}

// disturb does to a transcript what clients do.
func disturb(t *testing.T, rng *rand.Rand, transcripts []string) {
	t.Helper()
	path := transcripts[rng.IntN(len(transcripts))]
	text, err := os.ReadFile(path)
	must(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	switch n := rng.IntN(10); {
	case n == 0 && len(lines) > 4: // overwritten by a shorter one
		text = []byte(strings.Join(lines[:len(lines)/2], ""))
	case n == 1 && len(lines) > 4: // rewritten in the middle
		text = []byte(strings.Join(slices.Delete(lines, len(lines)/2, len(lines)/2+1), ""))
	default:
		text = append(text, fmt.Sprintf(`{"type":"system","content":"%d","timestamp":"2026-10-19T10:00:00Z"}`+"\n",
			rng.Uint64())...)
	}
	must(t, os.WriteFile(path, text, 0o600))
}

// lookAtLibrary verifies a library and reads every version of every file.
func lookAtLibrary(t *testing.T, dir string) (check.Verified, map[string][]string) {
	t.Helper()
	l, err := library.Open(dir)
	must(t, err)
	defer l.Close()
	v, err := check.Verify(context.Background(), l, nil)
	must(t, err)
	all, err := l.Sessions()
	must(t, err)
	texts := map[string][]string{}
	for _, e := range all {
		versions, err := l.Versions(e.ID)
		must(t, err)
		for _, f := range versions {
			texts[string(e.ID)+" "+f.Name] = append(texts[string(e.ID)+" "+f.Name], contentOf(t, l, e.ID, f))
		}
	}
	return v, texts
}

func contentOf(t *testing.T, l *library.Library, id ingest.SessionID, f library.FileVersion) string {
	t.Helper()
	r, _, err := l.OpenVersion(id, f.Name, f.Version)
	must(t, err)
	text, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatalf("%s %s, version %d: %v", id, f.Name, f.Version, err)
	}
	return string(text)
}

// lostContents checks that all that was held is: as it was, or as the beginning
// of what it has grown to. It says how many contents it compared.
func lostContents(t *testing.T, held map[string]string, texts map[string][]string) int {
	t.Helper()
	for key, text := range held {
		name := key[:strings.LastIndexByte(key, ' ')]
		if !slices.ContainsFunc(texts[name], func(have string) bool { return strings.HasPrefix(have, text) }) {
			t.Fatalf("%s: %d bytes that were archived are gone", name, len(text))
		}
	}
	n := len(held)
	for name, all := range texts {
		for _, text := range all {
			held[fmt.Sprintf("%s %x", name, sha256.Sum256([]byte(text)))] = text
		}
	}
	return n
}

// atSource checks that every transcript is archived as it is now.
func atSource(t *testing.T, transcripts []string, texts map[string][]string) {
	t.Helper()
	for _, path := range transcripts {
		now, err := os.ReadFile(path)
		must(t, err)
		found := false
		for _, all := range texts {
			found = found || slices.Contains(all, string(now))
		}
		if !found {
			t.Errorf("%s isn't archived as it is", path)
		}
	}
}
