package ingest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// git runs git in dir; the test is skipped where git isn't installed.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git isn't installed")
	}
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ann", "-c", "user.email=ann@example.com",
		"-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v in %s: %v\n%s", args, dir, err, out)
	}
}

// repo makes a repository with one commit.
func repo(t *testing.T, dir string) string {
	t.Helper()
	mkdir(t, dir)
	git(t, dir, "init", "-q")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "begin "+dir)
	return dir
}

func mkdir(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// tempDir is a temporary folder by its real name.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func ran(dirs ...string) *Session {
	s := &Session{Source: ClaudeCode}
	for i, d := range dirs {
		s.Where.Cwds = append(s.Where.Cwds, CwdCount{Dir: d, Turns: len(dirs) - i})
	}
	return s
}

func wantProject(t *testing.T, s *Session, known []Root, root, name, how string) Project {
	t.Helper()
	got := ProjectOf(s, known)
	want := Project{Root: root, Name: name, How: how, Was: got.Was, Remote: got.Remote, Birth: got.Birth}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ProjectOf(%+v), -want +got:\n%s", s.Where, diff)
	}
	return got
}

func TestProjectOfRepository(t *testing.T) {
	tmp := tempDir(t)
	app := repo(t, filepath.Join(tmp, "app"))
	sub := mkdir(t, filepath.Join(app, "cmd", "server"))
	wantProject(t, ran(app), nil, app, "app", "repository")
	wantProject(t, ran(sub), nil, app, "app", "repository")
	wantProject(t, ran(filepath.Join(app, "deleted", "folder")), nil, app, "app", "repository")
	if err := os.Symlink(app, filepath.Join(tmp, "link")); err == nil {
		wantProject(t, ran(filepath.Join(tmp, "link", "cmd")), nil, app, "app", "repository")
	}
}

func TestProjectOfWorktrees(t *testing.T) {
	tmp := tempDir(t)
	app := repo(t, filepath.Join(tmp, "app"))
	beside := filepath.Join(tmp, "elsewhere", "fix-queue")
	inside := filepath.Join(app, ".claude", "worktrees", "w1")
	git(t, app, "worktree", "add", "-q", beside, "-b", "fix")
	git(t, app, "worktree", "add", "-q", inside, "-b", "w1")
	sub := mkdir(t, filepath.Join(beside, "cmd"))
	for _, dir := range []string{beside, inside, sub} {
		wantProject(t, ran(dir), nil, app, "app", "worktree")
	}

	t.Run("removed", func(t *testing.T) {
		git(t, app, "worktree", "remove", "--force", inside)
		git(t, app, "worktree", "remove", "--force", beside)
		wantProject(t, ran(inside), nil, app, "app", "worktree")
		s := ran(sub)
		s.Where.Worktree = &Worktree{Path: beside, Original: app}
		wantProject(t, s, nil, app, "app", "worktree")
	})
	t.Run("of a bare repository", func(t *testing.T) {
		hub := mkdir(t, filepath.Join(tmp, "hub"))
		git(t, tmp, "clone", "-q", "--bare", app, filepath.Join(hub, ".bare"))
		git(t, filepath.Join(hub, ".bare"), "worktree", "add", "-q", filepath.Join(hub, "main"))
		wantProject(t, ran(filepath.Join(hub, "main")), nil, hub, "hub", "worktree")

		bare := filepath.Join(tmp, "plain.git")
		git(t, tmp, "clone", "-q", "--bare", app, bare)
		git(t, bare, "worktree", "add", "-q", filepath.Join(tmp, "checkout"))
		wantProject(t, ran(filepath.Join(tmp, "checkout")), nil, bare, "plain", "worktree")
		wantProject(t, ran(bare), nil, bare, "plain", "repository")
	})
	t.Run("whose repository is gone", func(t *testing.T) {
		old := repo(t, filepath.Join(tmp, "old"))
		left := filepath.Join(tmp, "left")
		git(t, old, "worktree", "add", "-q", left)
		if err := os.RemoveAll(old); err != nil {
			t.Fatal(err)
		}
		wantProject(t, ran(left), nil, old, "old", "worktree")
	})
}

func TestProjectOfSubmodule(t *testing.T) {
	tmp := tempDir(t)
	lib := repo(t, filepath.Join(tmp, "lib"))
	app := repo(t, filepath.Join(tmp, "app"))
	git(t, app, "submodule", "--quiet", "add", lib, "third/lib")
	in := filepath.Join(app, "third", "lib")
	wantProject(t, ran(in), nil, in, "lib", "repository")

	work := filepath.Join(tmp, "lib-fix")
	git(t, in, "worktree", "add", "-q", work, "-b", "fix")
	wantProject(t, ran(work), nil, in, "lib", "worktree")
}

func TestProjectOfMajority(t *testing.T) {
	tmp := tempDir(t)
	app, other := repo(t, filepath.Join(tmp, "app")), repo(t, filepath.Join(tmp, "other"))
	s := &Session{Source: ClaudeCode, Where: Where{Cwds: []CwdCount{
		{app, 3}, {other, 4}, {mkdir(t, filepath.Join(app, "web")), 2},
	}}}
	wantProject(t, s, nil, app, "app", "repository")
	s.Where.Cwds[2].Turns = 1
	wantProject(t, s, nil, app, "app", "repository") // of equals the first
	s.Where.Cwds[2].Turns = 0
	wantProject(t, s, nil, other, "other", "repository")
}

func TestProjectOfMovedRepository(t *testing.T) {
	tmp := tempDir(t)
	was, is := repo(t, filepath.Join(tmp, "was")), filepath.Join(tmp, "is")
	first := wantProject(t, ran(was), nil, was, "was", "repository")
	if first.Birth == "" {
		t.Fatalf("no birth of %s", was)
	}
	known := []Root{{Dir: was, Birth: first.Birth, Remote: first.Remote}}
	if err := os.Rename(was, is); err != nil {
		t.Fatal(err)
	}
	moved := wantProject(t, ran(is), known, is, "is", "repository")
	if moved.Was != was {
		t.Errorf("moved from %q, want %q", moved.Was, was)
	}

	known = []Root{{Dir: is, Former: []string{was}, Birth: first.Birth}}
	wantProject(t, ran(filepath.Join(was, "cmd")), known, is, "is", "known")

	t.Run("another repository at the old place", func(t *testing.T) {
		repo(t, was)
		p := wantProject(t, ran(was), known, was, "was", "repository")
		if p.Was != "" {
			t.Errorf("a second repository was taken for %q moved", p.Was)
		}
	})
	t.Run("what ran there before it", func(t *testing.T) {
		repo(t, was)
		s := ran(was)
		s.End = time.Now().AddDate(0, -1, 0)
		wantProject(t, s, known, is, "is", "repository")
		both := append(slices.Clone(known), Root{Dir: was})
		wantProject(t, s, both, is, "is", "repository")
		s.End = time.Now().Add(time.Hour)
		wantProject(t, s, both, was, "was", "repository")
	})
	t.Run("by its remote", func(t *testing.T) {
		a := repo(t, filepath.Join(tmp, "a"))
		git(t, a, "remote", "add", "origin", "https://ann:secret@GitHub.com/ann/app.git")
		p := wantProject(t, ran(a), nil, a, "a", "repository")
		if p.Remote != "github.com/ann/app" {
			t.Errorf("remote %q, want github.com/ann/app", p.Remote)
		}
		gone := filepath.Join(tmp, "gone")
		p = ProjectOf(ran(a), []Root{{Dir: gone, Remote: p.Remote}})
		if p.Was != gone || p.Root != a {
			t.Errorf("got %+v, want root %s moved from %s", p, a, gone)
		}
		p = ProjectOf(ran(a), []Root{{Dir: is, Remote: p.Remote}})
		if p.Was != "" {
			t.Errorf("a second clone was taken for %q moved, which still stands", p.Was)
		}
	})
	t.Run("merged by a person", func(t *testing.T) {
		b := repo(t, filepath.Join(tmp, "b"))
		wantProject(t, ran(b), []Root{{Dir: is, Merged: []string{b}}}, is, "is", "repository")
	})
}

func TestProjectOfSameNames(t *testing.T) {
	tmp := tempDir(t)
	a, b := repo(t, filepath.Join(tmp, "a", "api")), repo(t, filepath.Join(tmp, "b", "api"))
	pa := wantProject(t, ran(a), nil, a, "api", "repository")
	pb := wantProject(t, ran(b), []Root{{Dir: a, Birth: pa.Birth}}, b, "api", "repository")
	if pa.Root == pb.Root || pb.Was != "" {
		t.Errorf("two repositories of one name were taken for one: %+v, %+v", pa, pb)
	}
}

func TestProjectOfGoneFolders(t *testing.T) {
	tests := []struct {
		name       string
		cwds       []CwdCount
		known      []Root
		root, proj string
		how        string
	}{
		{"itself", []CwdCount{{"/Users/soph/Work/cli", 9}}, nil, "/Users/soph/Work/cli", "cli", "gone"},
		{"sub-folder of another of its folders", []CwdCount{{"/home/bob/app/cmd", 9}, {"/home/bob/app", 1}}, nil,
			"/home/bob/app", "app", "gone"},
		{"what sub-folders share", []CwdCount{{"/home/bob/app/api", 5}, {"/home/bob/app/web", 5}}, nil, "/home/bob/app",
			"app", "gone"},
		{"majority over what siblings share", []CwdCount{{"/Users/soph/Work/devenv/git-sync", 31},
			{"/Users/soph/Work/devenv/gitsync", 8}, {"/Users/soph", 1}}, nil,
			"/Users/soph/Work/devenv/git-sync", "git-sync", "gone"},
		{"home isn't shared", []CwdCount{{"/home/bob/api", 5}, {"/home/bob/web", 5}}, nil, "/home/bob/api", "api", "gone"},
		{"nor is the folder of all projects", []CwdCount{{"/home/bob/src/api", 5}, {"/home/bob/src/web", 5}}, nil,
			"/home/bob/src/api", "api", "gone"},
		{"home doesn't swallow", []CwdCount{{"/home/bob/api", 5}, {"/home/bob", 4}}, nil, "/home/bob/api", "api", "gone"},
		{"home itself", []CwdCount{{"/home/bob", 4}}, nil, "/home/bob", "bob", "gone"},
		{"known root", []CwdCount{{"/home/bob/app/cmd", 4}}, []Root{{Dir: "/home/bob/app"}}, "/home/bob/app", "app", "known"},
		{"longest known root", []CwdCount{{"/home/bob/mono/app/cmd", 4}},
			[]Root{{Dir: "/home/bob/mono"}, {Dir: "/srv/app", Former: []string{"/home/bob/mono/app"}}}, "/srv/app", "app",
			"known"},
		{"known home holds only itself", []CwdCount{{"/home/bob/app", 4}}, []Root{{Dir: "/home/bob"}}, "/home/bob/app",
			"app", "gone"},
		{"not a prefix of letters", []CwdCount{{"/home/bob/app2", 4}}, []Root{{Dir: "/home/bob/app"}}, "/home/bob/app2",
			"app2", "gone"},
		{"client's worktree", []CwdCount{{"/home/bob/app/.claude/worktrees/x/cmd", 4}}, nil, "/home/bob/app", "app",
			"worktree"},
		{"hidden worktrees", []CwdCount{{"/Users/alex/workspace/cli/.worktrees/1", 4}}, nil, "/Users/alex/workspace/cli",
			"cli", "worktree"},
		{"worktrees beside", []CwdCount{{"/home/u/spotter-worktrees/gqc", 4}}, []Root{{Dir: "/home/u/spotter"}},
			"/home/u/spotter", "spotter", "worktree"},
		{"Windows", []CwdCount{{`C:\Users\Ann\repo\cmd`, 2}, {`c:\users\ann\repo\`, 2}}, nil, `C:\users\ann\repo`, "repo",
			"gone"},
		{"Windows, shared", []CwdCount{{`C:\Users\Ann\repo\a`, 2}, {`C:\Users\Ann\repo\b`, 2}}, nil, `C:\Users\Ann\repo`,
			"repo", "gone"},
		{"Windows, known", []CwdCount{{`C:\Users\Ann\Repo\a`, 2}}, []Root{{Dir: `c:\users\ann\repo`}}, `c:\users\ann\repo`,
			"repo", "known"},
		{"Windows, two drives", []CwdCount{{`C:\w\a`, 2}, {`D:\w\a`, 2}}, nil, `C:\w\a`, "a", "gone"},
		{"UNC", []CwdCount{{`\\server\share\team\repo`, 2}}, nil, `\\server\share\team\repo`, "repo", "gone"},
		{"long Windows path", []CwdCount{{`\\?\C:\w\a`, 2}}, nil, `C:\w\a`, "a", "gone"},
		{"worktrees of all", []CwdCount{{"/home/bob/.worktrees/app/fix/cmd", 4}}, nil, "/home/bob/.worktrees/app", "app",
			"worktree"},
		{"worktrees of all, known", []CwdCount{{"/home/bob/.worktrees/app/fix", 4}}, []Root{{Dir: "/home/bob/src/app"}},
			"/home/bob/src/app", "app", "worktree"},
		{"of all, in one name", []CwdCount{{"/home/bob/git/.worktrees/app-fix-6", 4}}, []Root{{Dir: "/home/bob/git/app"}},
			"/home/bob/git/app", "app", "worktree"},
		{"a client's", []CwdCount{{"/Users/bob/.cursor/worktrees/app/x9k", 4}}, nil, "/Users/bob/.cursor/worktrees/app",
			"app", "worktree"},
		{"an app's", []CwdCount{{"/Users/bob/conductor/workspaces/app/zurich", 4}}, nil,
			"/Users/bob/conductor/workspaces/app", "app", "worktree"},
		{"Codex's", []CwdCount{{"/home/bob/.codex/worktrees/8f2e/app", 4}}, nil, "/home/bob/.codex/worktrees/8f2e/app", "app",
			"worktree"},
		{"a plain folder of that name", []CwdCount{{"/home/bob/src/tool/workspaces/a/b", 4}}, nil,
			"/home/bob/src/tool/workspaces/a/b", "b", "gone"},
		{"Windows, from WSL", []CwdCount{{"/mnt/C/w/app/cmd", 2}}, []Root{{Dir: `c:\w\app`}}, `c:\w\app`, "app", "known"},
		{"Windows, from Git Bash", []CwdCount{{"/c/Users/bob/app", 2}}, []Root{{Dir: `C:\Users\Bob\app`}},
			`C:\Users\Bob\app`, "app", "known"},
		{"Windows, from Cygwin", []CwdCount{{"/cygdrive/c/w/app", 2}}, []Root{{Dir: `C:\w\app`}}, `C:\w\app`, "app", "known"},
		{"Windows, from MSYS", []CwdCount{{"/c/w/app/cmd", 2}}, []Root{{Dir: `C:\w\app`}}, `C:\w\app`, "app", "known"},
		{"Windows, from WSL, from Windows", []CwdCount{{`\\wsl.localhost\Ubuntu\mnt\c\w\app`, 2}}, []Root{{Dir: `C:\w\app`}},
			`C:\w\app`, "app", "known"},
		{"WSL, from Windows", []CwdCount{{`\\wsl$\Ubuntu\home\bob\app`, 2}}, []Root{{Dir: "/home/bob/app"}},
			"/home/bob/app", "app", "known"},
		{"macOS", []CwdCount{{"/Users/bob/Code/App", 2}}, []Root{{Dir: "/Users/bob/code/app"}}, "/Users/bob/code/app", "app",
			"known"},
		{"macOS, otherwise", []CwdCount{{"/System/Volumes/Data/Users/bob/app", 2}}, []Root{{Dir: "/Users/bob/app"}},
			"/Users/bob/app", "app", "known"},
		{"an accent in two ways", []CwdCount{{"/Users/bob/Bu\u0308ro", 2}}, []Root{{Dir: "/Users/bob/Büro"}},
			"/Users/bob/Büro", "Büro", "known"},
		{"an app's within", []CwdCount{{"/home/bob/app/.conductor/oslo", 2}, {"/home/bob/app/.gemini/worktrees/x", 2}},
			nil,
			"/home/bob/app", "app", "worktree"},
		{"a Windows home, from WSL", []CwdCount{{"/mnt/c/Users/bob/app", 2}}, []Root{{Dir: "/mnt/c/Users/bob"}},
			"/mnt/c/Users/bob/app", "app", "gone"},
		{"relative is nothing", []CwdCount{{"app", 4}}, nil, "", "none", "none"},
		{"nothing", nil, nil, "", "none", "none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantProject(t, &Session{Source: ClaudeCode, Where: Where{Cwds: tt.cwds}}, tt.known, tt.root, tt.proj, tt.how)
		})
	}
}

func TestProjectOfPlainFolder(t *testing.T) {
	tmp := tempDir(t)
	notes := mkdir(t, filepath.Join(tmp, "notes"))
	deep := mkdir(t, filepath.Join(notes, "2026"))
	wantProject(t, ran(notes), nil, notes, "notes", "folder")
	wantProject(t, ran(deep, notes), nil, notes, "notes", "folder")
	wantProject(t, ran(deep), []Root{{Dir: notes}}, notes, "notes", "known")
	if err := os.WriteFile(filepath.Join(notes, ".git"), []byte("not a gitdir line"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantProject(t, ran(notes), nil, notes, "notes", "folder")
}

func TestProjectOfCowork(t *testing.T) {
	tmp := tempDir(t)
	app := repo(t, filepath.Join(tmp, "app"))
	s := &Session{Source: Cowork, Where: Where{
		Cwds:    []CwdCount{{"/sessions/calm-bright-noether", 9}},
		Folders: []string{"/Users/ann/Documents/Vendors", "/Users/ann/Documents/Tenders"},
		Space:   "Procurement",
	}}
	wantProject(t, s, nil, "/Users/ann/Documents/Vendors", "Vendors", "gone")
	s.Where.Folders = []string{filepath.Join(app, "docs")}
	mkdir(t, s.Where.Folders[0])
	wantProject(t, s, nil, app, "app", "repository")
	s.Where.Folders = []string{mkdir(t, filepath.Join(tmp, "Vendors"))}
	wantProject(t, s, nil, s.Where.Folders[0], "Vendors", "cowork-folder")
	s.Where.Folders = nil
	wantProject(t, s, nil, "", "Procurement", "space")
	s.Where.Space = ""
	wantProject(t, s, nil, "", "none", "none")
}

func TestCleanRemote(t *testing.T) {
	for remote, want := range map[string]string{
		"git@github.com:ann/app.git":             "github.com/ann/app",
		"ssh://git@GitHub.com:22/ann/app.git":    "github.com/ann/app",
		"https://token@github.com/ann/app/":      "github.com/ann/app",
		"https://ann:pass@git.example.com/x.git": "git.example.com/x",
		"/srv/git/app.git":                       "/srv/git/app",
		`C:\git\app`:                             `C:\git\app`,
		"work-host:ann/app":                      "work-host/ann/app",
		"":                                       "",
	} {
		if got := CleanRemote(remote); got != want {
			t.Errorf("CleanRemote(%q) = %q, want %q", remote, got, want)
		}
	}
}

// A session is found from each repository that it worked in, not from folders within one, from a folder that it only
// looked into, or one that isn't to stay.
func TestProjectsAlsoWorkedIn(t *testing.T) {
	for name, tt := range map[string]struct {
		ran  []CwdCount
		want []string
	}{
		"two":            {[]CwdCount{{"/w/one", 6}, {"/w/two", 4}}, []string{"two"}},
		"three":          {[]CwdCount{{"/w/two", 4}, {"/w/one", 6}, {"/w/three", 2}}, []string{"two", "three"}},
		"below":          {[]CwdCount{{"/w/one", 6}, {"/w/one/api", 4}}, nil},
		"around":         {[]CwdCount{{"/w/one/api", 6}, {"/w/one", 4}}, nil},
		"parts of one":   {[]CwdCount{{"/w/app/api", 4}, {"/w/app/web", 4}}, nil},
		"looked into":    {[]CwdCount{{"/w/one", 6}, {"/w/two", 1}}, nil},
		"a visit":        {[]CwdCount{{"/w/one", 60}, {"/w/two", 2}}, nil},
		"temporary":      {[]CwdCount{{"/w/one", 6}, {"/tmp/none/x1", 4}}, nil},
		"a home":         {[]CwdCount{{"/w/one", 6}, {"/home/ann", 4}}, nil},
		"gone worktrees": {[]CwdCount{{"/w/one", 6}, {"/w/two/.worktrees/fix", 2}, {"/w/two", 2}}, []string{"two"}},
	} {
		got, _ := alsoIn(&Session{Where: Where{Cwds: tt.ran}}, nil, Work{})
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// alsoIn returns the names of the other projects that a session worked in.
func alsoIn(s *Session, known []Root, did Work) (names, briefly []string) {
	also, brief := AlsoIn(s, known, ProjectOf(s, known), did)
	for _, p := range also {
		names = append(names, p.Name)
	}
	for _, p := range brief {
		briefly = append(briefly, p.Name)
	}
	return names, briefly
}

// What was done in another repository counts, however short it was, except in a place that is no project.
func TestProjectsAlsoChanged(t *testing.T) {
	root := tempDir(t)
	lib, dots := repo(t, filepath.Join(root, "lib")), repo(t, filepath.Join(root, ".dots"))
	s := &Session{Where: Where{Cwds: []CwdCount{{"/w/one", 60}, {"/w/two", 2}}}}
	for name, tt := range map[string]struct {
		did  Work
		want []string
	}{
		"asked there":         {Work{In: []string{"/w/one", "/w/two"}}, []string{"two"}},
		"committed there":     {Work{In: []string{"/w/three"}}, []string{"three"}},
		"known":               {Work{Changed: []string{"/w/four/cmd/a.go", "/w/one/a.go"}}, []string{"four"}},
		"a vanished file":     {Work{Changed: []string{"/w/five/cmd/a.go"}}, nil},
		"a client's own":      {Work{Changed: []string{filepath.Join(dots, "plan.md")}}, nil},
		"the person's home":   {Work{In: []string{"/home/ann"}}, nil},
		"elsewhere for tests": {Work{In: []string{"/tmp/x1"}}, nil},
	} {
		if _, got := alsoIn(s, []Root{{Dir: "/w/four"}}, tt.did); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
	at := &Session{Where: Where{Cwds: []CwdCount{{filepath.Join(root, "app"), 9}}}}
	_, got := alsoIn(at, nil, Work{Changed: []string{filepath.Join(lib, "a.go")}})
	if !slices.Equal(got, []string{"lib"}) {
		t.Errorf("a repository beside it: got %q", got)
	}
}
