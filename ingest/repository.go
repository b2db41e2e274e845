package ingest

import (
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// A Repository is what git's own files say about the repository around a directory. git itself is never run: it need
// not be installed, and a repository's configuration could make it run something.
type Repository struct {
	Root   string // main working tree; for a bare repository its own folder
	Tree   string // the working tree that contains the directory asked about
	Linked bool   // Tree is a linked working tree
	Branch string // checked out in Tree; "" if none is
	Remote string // origin, else the first remote: "github.com/ann/app"; "" if none
	Birth  string // first entry of HEAD's log, "<commit>@<unix time>": moves with the folder; "" if there is no log
}

// gitFileMax bounds how much of git's small files is read.
const gitFileMax = 64 << 10

// RepositoryOf finds the repository around a directory of this machine; false if there is none.
func RepositoryOf(dir string) (r Repository, ok bool) {
	at, err := filepath.EvalSymlinks(dir)
	for err == nil {
		if r, ok = repositoryAt(at); ok || at == filepath.Dir(at) {
			return r, ok
		}
		at = filepath.Dir(at)
	}
	return r, false
}

// repositoryAt examines one directory: a main working tree (.git is a folder), a linked worktree or a submodule (.git
// is a file), or a bare repository.
func repositoryAt(dir string) (Repository, bool) {
	r := Repository{Root: dir, Tree: dir}
	gitDir := filepath.Join(dir, ".git")
	fi, err := os.Stat(gitDir)
	switch {
	case err != nil:
		r.Root, gitDir = bareRoot(dir), dir
	case !fi.IsDir():
		return r.followGitFile(gitDir)
	}
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(gitDir, name)); err != nil {
			return Repository{}, false
		}
	}
	return r.readGitFiles(gitDir, gitDir), true
}

// followGitFile follows a .git file ("gitdir: PATH", gitrepository-layout(5)).
func (r Repository) followGitFile(dot string) (Repository, bool) {
	gitDir, ok := strings.CutPrefix(readSmall(dot), "gitdir:")
	if !ok {
		return Repository{}, false
	}
	gitDir = resolve(r.Tree, strings.TrimSpace(gitDir))
	common := strings.TrimSpace(readSmall(filepath.Join(gitDir, "commondir")))
	if common == "" { // a submodule, a separate git directory, or a worktree whose repository is gone
		if r.Root, r.Linked = mainOfWorktreeDir(gitDir); r.Linked {
			return r, true
		}
		r.Root = r.Tree
		return r.readGitFiles(gitDir, gitDir), true
	}
	common = resolve(gitDir, common)
	r.Root, r.Linked = mainRoot(common), true
	return r.readGitFiles(gitDir, common), true
}

// readGitFiles reads git's files: those of the working tree, and the common ones that it shares with others.
func (r Repository) readGitFiles(gitDir, common string) Repository {
	conf := gitConfig(common)
	r.Remote = CleanRemote(cmp.Or(conf["remote.origin.url"], conf["remote"]))
	r.Root, r.Birth = filepath.Clean(r.Root), birthOf(common)
	head := strings.TrimSpace(readSmall(filepath.Join(gitDir, "HEAD")))
	if branch, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		r.Branch = branch
	}
	return r
}

// mainOfWorktreeDir derives the main root from the mere name of a worktree's git directory,
// "<root>/.git/worktrees/<name>", which may no longer exist.
func mainOfWorktreeDir(gitDir string) (string, bool) {
	worktrees := filepath.Dir(gitDir)
	dot := filepath.Dir(worktrees)
	if filepath.Base(worktrees) != "worktrees" || filepath.Base(dot) != ".git" {
		return "", false
	}
	return filepath.Dir(dot), true
}

// mainRoot returns the main working tree of a common git directory.
func mainRoot(common string) string {
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	if tree := gitConfig(common)["core.worktree"]; tree != "" { // a submodule's
		return resolve(common, tree)
	}
	return bareRoot(common)
}

// bareRoot returns the root of a bare repository: its own folder, or the parent of a dot folder (app/.bare).
func bareRoot(gitDir string) string {
	if base := filepath.Base(gitDir); strings.HasPrefix(base, ".") {
		return filepath.Dir(gitDir)
	}
	return gitDir
}

// resolve resolves p relative to dir.
func resolve(dir, p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(dir, p)
}

func birthOf(gitDir string) string {
	line, _, _ := strings.Cut(readSmall(filepath.Join(gitDir, "logs", "HEAD")), "\n")
	head, _, _ := strings.Cut(line, "\t")
	f := strings.Fields(head) // old new name… <mail> time zone
	if len(f) < 5 {
		return ""
	}
	return f[1] + "@" + f[len(f)-2]
}

// gitConfig reads the plain keys of a repository's config ("core.worktree", "remote.origin.url"), and under "remote"
// the URL of the first remote.
func gitConfig(gitDir string) map[string]string {
	conf := map[string]string{}
	section := ""
	for line := range strings.Lines(readSmall(filepath.Join(gitDir, "config"))) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			name, _, _ = strings.Cut(name, "]")
			kind, sub, _ := strings.Cut(name, " ")
			section = strings.ToLower(kind) + "."
			if sub != "" {
				section += strings.Trim(sub, `"`) + "."
			}
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		key, value = section+strings.ToLower(strings.TrimSpace(key)), strings.Trim(strings.TrimSpace(value), `"`)
		conf[key] = value
		if strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".url") && conf["remote"] == "" {
			conf["remote"] = value
		}
	}
	return conf
}

// CleanRemote normalizes the spellings of a remote, without user and password: "git@github.com:ann/app.git" and
// "https://token@github.com/ann/app" become "github.com/ann/app".
func CleanRemote(remote string) string {
	remote = strings.TrimSuffix(strings.TrimRight(remote, "/"), ".git")
	if u, err := url.Parse(remote); err == nil && u.Host != "" {
		return strings.ToLower(u.Hostname()) + strings.TrimRight(u.Path, "/")
	}
	host, p, ok := strings.Cut(remote, ":")
	if ok && len(host) > 1 && !strings.ContainsAny(host, `/\`) { // scp form; one letter is a drive
		return strings.ToLower(host[strings.Index(host, "@")+1:]) + "/" + strings.TrimLeft(p, "/")
	}
	return remote
}

func readSmall(name string) string { return ReadStart(name, gitFileMax) }
