package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/demo"
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
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
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
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
	return files
}
