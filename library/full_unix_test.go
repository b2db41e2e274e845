//go:build unix

package library_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// On a full disk the error comes back, nothing that was archived is touched,
// and once there is room the next run completes. The process has a limit on
// the size of its files instead of a small disk.
func TestDiskFull(t *testing.T) {
	if dirs, ok := os.LookupEnv("RECALL_TEST_FULL"); ok {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 16 << 10, Max: 16 << 10}); err != nil {
			t.Fatal(err)
		}
		src, lib, _ := strings.Cut(dirs, "|")
		if err := syncAll(src, lib); !errors.Is(err, syscall.EFBIG) {
			t.Fatalf("got %v, want EFBIG", err)
		}
		return
	}
	src, lib, calm := t.TempDir(), filepath.Join(t.TempDir(), "lib"), filepath.Join(t.TempDir(), "lib")
	dirs := manySources(t, src, 4, "small")
	if err := errors.Join(syncAll(src, lib), syncAll(src, calm)); err != nil {
		t.Fatal(err)
	}
	before := tree(t, lib)
	big := make([]byte, 1<<20)
	for i := range big {
		big[i] = byte(i * i >> 7 * i >> 3)
	}
	old, _ := os.ReadFile(filepath.Join(dirs[0], "transcript.jsonl"))
	write(t, filepath.Join(dirs[0], "transcript.jsonl"), string(old)+string(big))
	cmd := exec.Command(os.Args[0], "-test.run=^TestDiskFull$")
	cmd.Env = append(os.Environ(), "RECALL_TEST_FULL="+src+"|"+lib)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if diff := cmp.Diff(before, tree(t, lib)); diff != "" {
		t.Errorf("the full disk changed the library (-before +after):\n%s", diff)
	}
	if err := errors.Join(syncAll(src, lib), syncAll(src, calm)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tree(t, calm), tree(t, lib)); diff != "" {
		t.Errorf("with room again (-undisturbed +now):\n%s", diff)
	}
}
