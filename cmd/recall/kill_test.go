package main

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/cmd/recall/demo"
)

// TestMain of script_test.go makes a "recall" program of this test binary and
// puts it on PATH only inside of scripts; here the binary runs itself.
const asRecall = "RECALL_TEST_AS_RECALL"

func init() {
	if os.Getenv(asRecall) != "" {
		os.Unsetenv(asRecall)
		os.Exit(Main())
	}
}

// recallCmd is recall as a process, with a home of its own.
func recallCmd(t *testing.T, home string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asRecall+"=1", "HOME="+home, "USERPROFILE="+home,
		"XDG_CACHE_HOME="+filepath.Join(home, "cache"),
		"LocalAppData="+filepath.Join(home, "cache"), "XDG_CONFIG_HOME="+filepath.Join(home, "config"),
		"AppData="+filepath.Join(home, "config"), "TZ=UTC")
	return cmd
}

// Killed at any moment, over and over, a sync loses nothing: the next one
// gives byte for byte the library that an undisturbed one gives.
func TestKilledSync(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	sources := t.TempDir()
	claude, cowork, err := demo.Write(sources)
	must(t, err)
	sync := func(home string) *exec.Cmd {
		return recallCmd(t, home, "sync", "--from", claude, "--from", cowork)
	}
	calm := t.TempDir()
	start := time.Now()
	if out, err := sync(calm).CombinedOutput(); err != nil {
		t.Fatalf("undisturbed sync: %v\n%s", err, out)
	}
	whole := time.Since(start)
	want := tree(t, filepath.Join(calm, "Recall"))

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d, an undisturbed sync takes %v", seed, whole)
	rnd := rand.New(rand.NewPCG(seed, 1))
	home := t.TempDir()
	killed := 0
	times := 4
	if os.Getenv("RECALL_LONG") != "" {
		times = 12
	}
	for range times {
		cmd := sync(home)
		must(t, cmd.Start())
		time.Sleep(time.Duration(rnd.Float64() * float64(whole)))
		if cmd.Process.Kill() == nil {
			if err := cmd.Wait(); err != nil {
				killed++
			}
		}
	}
	if out, err := sync(home).CombinedOutput(); err != nil {
		t.Fatalf("sync after %d kills: %v\n%s", killed, err, out)
	}
	t.Logf("%d of 10 syncs were killed before they ended", killed)
	if d := cmp.Diff(want, tree(t, filepath.Join(home, "Recall"))); d != "" {
		t.Errorf("after kills (seed %d) the library differs (-undisturbed +killed):\n%s", seed, d)
	}
}

// Killed after the library forgot a session and before the index did, a forgetting is finished by whatever reads the
// index next: no word of the session is shown, or left in the index's file.
func TestKilledForget(t *testing.T) {
	t.Parallel()
	sources := t.TempDir()
	claude, cowork, err := demo.Write(sources)
	must(t, err)
	for name, next := range map[string]func(gone killedSession, other string) []string{
		"query":  func(gone killedSession, _ string) []string { return []string{"query", "--no-sync", gone.title} },
		"sync":   func(killedSession, string) []string { return []string{"sync"} },
		"forget": func(_ killedSession, other string) []string { return []string{"forget", other, "--yes"} },
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			run := func(args ...string) string {
				t.Helper()
				out, err := recallCmd(t, home, args...).CombinedOutput()
				if err != nil {
					t.Fatalf("recall %s: %v\n%s", args, err, out)
				}
				return string(out)
			}
			run("sync", "--from", claude, "--from", cowork)
			all := indexedSessions(t, home)
			gone, other := all[0], all[1].id
			killForgetting(t, home, gone.id)
			if !slices.Contains(indexedSessions(t, home), gone) {
				t.Fatal("it was killed too late: this test proves nothing")
			}

			out := run(next(gone, other)...)
			if strings.Contains(out, gone.id[:8]) || strings.Contains(out, "must be made again") {
				t.Errorf("recall %s shows what was forgotten, or makes the whole index again:\n%s", name, out)
			}
			if slices.Contains(indexedSessions(t, home), gone) {
				t.Errorf("after recall %s the index still has it", name)
			}
			if text, err := os.ReadFile(indexFile(t, home)); err != nil || bytes.Contains(text, []byte(gone.title)) {
				t.Errorf("after recall %s the index's file holds %q (%v)", name, gone.title, err)
			}
		})
	}
}

type killedSession struct{ id, title string }

func indexFile(t *testing.T, home string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(home, "cache", "recall", "*", "index.db"))
	if err != nil || len(found) != 1 {
		t.Fatalf("index.db: %q, %v", found, err)
	}
	return filepath.ToSlash(found[0])
}

func indexedSessions(t *testing.T, home string) (all []killedSession) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+indexFile(t, home)+"?mode=ro")
	must(t, err)
	defer db.Close()
	rows, err := db.Query(`SELECT sid, title FROM session ORDER BY sid`)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var s killedSession
		must(t, rows.Scan(&s.id, &s.title))
		all = append(all, s)
	}
	return all
}

// killForgetting kills a forgetting that waits for the index, which somebody else writes to.
func killForgetting(t *testing.T, home, id string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+indexFile(t, home)+"?_txlock=immediate")
	must(t, err)
	defer db.Close()
	writing, err := db.Begin()
	must(t, err)
	defer writing.Rollback()
	forget := recallCmd(t, home, "forget", id, "--yes")
	must(t, forget.Start())
	defer forget.Wait()
	defer forget.Process.Kill()
	folders := filepath.Join(home, "Recall", "*", "* "+id[:8], "session.json")
	if there, _ := filepath.Glob(folders); len(there) != 1 {
		t.Fatalf("%s: %q", folders, there)
	}
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		there, _ := filepath.Glob(folders)
		if len(there) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("its folder is still there")
		}
	}
}

// tree is a library's files with the hash of each; the journal and the id of
// the library, which are its own, left out.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if name == "journal.jsonl" || name == "library.toml" || strings.HasPrefix(name, ".locks/") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		files[name] = fmt.Sprintf("%d %s", len(data), hex.EncodeToString(sum[:8]))
		return nil
	})
	must(t, err)
	return files
}
