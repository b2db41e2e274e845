package ingest

import (
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// A Repository is what git's own files say of the repository around a
// directory. git itself is never run: it need not be installed, and a
// repository's configuration could make it run something.
type Repository struct {
	Root   string // main working tree; for a bare repository its own folder
	Linked bool   // the directory asked about lies in a linked worktree
	Remote string // of origin, else the first one: "github.com/ann/app"; "" if none
	Birth  string // first entry of HEAD's log, "<commit>@<unix time>": moves with the folder; "" if there is no log
}

// gitFileMax bounds what is read of git's small files.
const gitFileMax = 64 << 10

// RepositoryOf finds the repository that a directory of this machine lies in;
// false if there is none.
func RepositoryOf(dir string) (Repository, bool) {
	return upward(dir, repositoryAt)
}

// upward looks at a directory of this machine and those above it until there is
// something to be found.
func upward[T any](dir string, look func(dir string) (T, bool)) (found T, ok bool) {
	at, err := filepath.EvalSymlinks(dir)
	for err == nil {
		if found, ok = look(at); ok || at == filepath.Dir(at) {
			return found, ok
		}
		at = filepath.Dir(at)
	}
	return found, false
}

// repositoryAt looks at one directory: a main working tree (.git is a folder), a
// linked worktree or a submodule (.git is a file), or a bare repository.
func repositoryAt(dir string) (Repository, bool) {
	dot := filepath.Join(dir, ".git")
	fi, err := os.Stat(dot)
	switch {
	case err != nil:
		if isGitDir(dir) {
			return repository(bareRoot(dir), dir), true
		}
		return Repository{}, false
	case fi.IsDir():
		if !isGitDir(dot) {
			return Repository{}, false
		}
		return repository(dir, dot), true
	}
	return repositoryOfFile(dir, dot)
}

// namedIn is the folder that a .git file names ("gitdir: PATH", gitrepository-layout(5)).
func namedIn(dot string) (gitDir string, ok bool) {
	target, ok := strings.CutPrefix(readSmall(dot), "gitdir:")
	return against(filepath.Dir(dot), strings.TrimSpace(target)), ok
}

// repositoryOfFile follows a .git file.
func repositoryOfFile(dir, dot string) (Repository, bool) {
	gitDir, ok := namedIn(dot)
	if !ok {
		return Repository{}, false
	}
	common := strings.TrimSpace(readSmall(filepath.Join(gitDir, "commondir")))
	if common == "" { // a submodule, a separate git directory, or a worktree whose repository is gone
		if main, ok := mainOfWorktreeDir(gitDir); ok {
			return Repository{Root: main, Linked: true}, true
		}
		return repository(dir, gitDir), true
	}
	common = against(gitDir, common)
	r := repository(mainRoot(common), common)
	r.Linked = true
	return r, true
}

// mainOfWorktreeDir tells the main root from the name alone of a worktree's
// git directory, "<root>/.git/worktrees/<name>", which may not exist any more.
func mainOfWorktreeDir(gitDir string) (string, bool) {
	worktrees := filepath.Dir(gitDir)
	dot := filepath.Dir(worktrees)
	if filepath.Base(worktrees) != "worktrees" || filepath.Base(dot) != ".git" {
		return "", false
	}
	return filepath.Dir(dot), true
}

// mainRoot is the main working tree of a common git directory.
func mainRoot(common string) string {
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	if tree := gitConfig(common)["core.worktree"]; tree != "" { // a submodule's
		return against(common, tree)
	}
	return bareRoot(common)
}

// bareRoot is the folder to call a bare repository by: the one above where it
// is hidden in a dot folder beside its worktrees (app/.bare), else its own.
func bareRoot(gitDir string) string {
	if base := filepath.Base(gitDir); strings.HasPrefix(base, ".") {
		return filepath.Dir(gitDir)
	}
	return gitDir
}

func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

func repository(root, gitDir string) Repository {
	return Repository{Root: filepath.Clean(root), Remote: remoteOf(gitDir), Birth: birthOf(gitDir)}
}

func against(dir, p string) string {
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

func remoteOf(gitDir string) string {
	conf := gitConfig(gitDir)
	if u := conf["remote.origin.url"]; u != "" {
		return cleanRemote(u)
	}
	return cleanRemote(conf["remote"])
}

// gitConfig reads the plain keys of a repository's config ("core.worktree",
// "remote.origin.url"), and under "remote" the first remote's address.
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

// cleanRemote brings the spellings of one remote together and leaves out user
// and password: "git@github.com:ann/app.git" and
// "https://token@github.com/ann/app" are both "github.com/ann/app".
func cleanRemote(remote string) string {
	remote = strings.TrimSuffix(strings.TrimRight(remote, "/"), ".git")
	if u, err := url.Parse(remote); err == nil && u.Host != "" {
		return strings.ToLower(u.Hostname()) + strings.TrimRight(u.Path, "/")
	}
	host, p, ok := strings.Cut(remote, ":")
	if ok && len(host) > 1 && !strings.ContainsAny(host, `/\`) { // scp form; one letter is a drive
		_, h, found := strings.Cut(host, "@")
		if !found {
			h = host
		}
		return strings.ToLower(h) + "/" + strings.TrimLeft(p, "/")
	}
	return remote
}

// readSmall is the beginning of a small file, "" if it can't be read.
func readSmall(name string) string {
	if fi, err := os.Stat(name); err != nil || !fi.Mode().IsRegular() { // a pipe would hang us
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, gitFileMax))
	return string(b)
}
