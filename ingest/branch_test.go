package ingest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func branchOf(dir string) string {
	r, _ := RepositoryOf(dir)
	return r.Branch
}

func TestBranch(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not installed")
	}
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"},
			args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "first")
	git("worktree", "add", "-q", "-b", "fix/queue", filepath.Join(dir, "wt"))
	if err := os.MkdirAll(filepath.Join(dir, "src", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{"src/deep": "main", "": "main", "wt": "fix/queue"} {
		if got := branchOf(filepath.Join(dir, at)); got != want {
			t.Errorf("branch of %q = %q, want %q", at, got, want)
		}
	}
	git("checkout", "-q", "--detach")
	if got := branchOf(dir); got != "" {
		t.Errorf("branch on no branch = %q, want none", got)
	}
	if got := branchOf(filepath.Join(dir, "nowhere")); got != "" {
		t.Errorf("branch of a missing folder = %q, want none", got)
	}
}
