package ingest

import (
	"cmp"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"recall/internal/text"
)

// Directories come from transcripts of any machine: Linux has to read Windows paths and vice versa, so path/filepath
// can't be used on them.

// A dirPath is a parsed directory.
type dirPath struct {
	top     string   // "/", "C:\", "\\server\share\"; "" if relative
	parts   []string // the names below it
	windows bool
}

// parseDir parses a directory as a Windows path or not, depending on its spelling.
func parseDir(dir string) dirPath {
	switch {
	case len(dir) >= 2 && dir[1] == ':' && text.Letter(dir[0]):
		return dirPath{strings.ToUpper(dir[:1]) + `:\`, splitNames(dir[2:], `\/`), true}
	case strings.HasPrefix(dir, `\\`):
		all := splitNames(strings.TrimPrefix(dir, `\\?`), `\/`)
		if len(all) > 0 && len(all[0]) == 2 && all[0][1] == ':' { // \\?\C:\…
			return dirPath{strings.ToUpper(all[0]) + `\`, all[1:], true}
		}
		n := min(2, len(all))
		return dirPath{`\\` + strings.Join(all[:n], `\`) + `\`, all[n:], true}
	case strings.HasPrefix(dir, "/"):
		return dirPath{"/", splitNames(path.Clean(dir), "/"), false}
	}
	return dirPath{"", splitNames(path.Clean(dir), "/"), false}
}

func splitNames(s, separators string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(separators, r) })
}

func (p dirPath) String() string {
	if p.windows {
		return p.top + strings.Join(p.parts, `\`)
	}
	if p.top == "" && len(p.parts) == 1 && p.parts[0] == "." {
		return ""
	}
	return p.top + strings.Join(p.parts, "/")
}

// base returns the last element of the directory, "" for a root.
func (p dirPath) base() string {
	if len(p.parts) == 0 {
		return ""
	}
	return p.parts[len(p.parts)-1]
}

// shared counts the leading elements two places share, -1 if not even the root.
func (p dirPath) shared(q dirPath) int {
	if p.windows != q.windows || !p.same(p.top, q.top) {
		return -1
	}
	n := 0
	for n < len(p.parts) && n < len(q.parts) && p.same(p.parts[n], q.parts[n]) {
		n++
	}
	return n
}

// same compares names: on Windows and macOS, case doesn't matter, nor anywhere how an accent is written.
func (p dirPath) same(a, b string) bool {
	if a == b {
		return true
	}
	a, b = norm.NFC.String(a), norm.NFC.String(b)
	if p.windows || p.top == "/" && len(p.parts) > 0 && p.parts[0] == "Users" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// holds reports whether q is p or lies below it, by whatever system's name.
func (p dirPath) holds(q dirPath) bool {
	p, q = p.canonical(), q.canonical()
	return p.top != "" && p.shared(q) == len(p.parts)
}

// canonical returns a Windows folder as WSL, Cygwin and Git Bash name it, and one of WSL as Windows does, by its own
// system's name: /mnt/c/x, /cygdrive/c/x and /c/x are C:\x, \\wsl$\Ubuntu\home is /home. So it does a folder that macOS
// reaches in two ways: /System/Volumes/Data/Users is /Users, /private/tmp is /tmp.
func (p dirPath) canonical() dirPath {
	drive := func(at int) bool { return len(p.parts) > at && len(p.parts[at]) == 1 && text.Letter(p.parts[at][0]) }
	host, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(p.top, `\\`)), `\`)
	switch {
	case p.top == "/" && drive(1) && (p.parts[0] == "mnt" || p.parts[0] == "cygdrive"):
		return dirPath{strings.ToUpper(p.parts[1]) + `:\`, p.parts[2:], true}
	case p.top == "/" && drive(0) && len(p.parts) > 1:
		return dirPath{strings.ToUpper(p.parts[0]) + `:\`, p.parts[1:], true}
	case p.top == "/" && len(p.parts) > 3 && strings.Join(p.parts[:3], "/") == "System/Volumes/Data":
		return dirPath{"/", p.parts[3:], false}
	case p.top == "/" && len(p.parts) > 1 && p.parts[0] == "private":
		return dirPath{"/", p.parts[1:], false}
	case host == "wsl$" || host == "wsl.localhost":
		return dirPath{"/", p.parts, false}.canonical()
	}
	return p
}

// upTo returns the folder of the first n names.
func (p dirPath) upTo(n int) dirPath {
	p.parts = slices.Clone(p.parts[:n])
	return p
}

func (p dirPath) equal(q dirPath) bool { return p.holds(q) && q.holds(p) }

// temporary reports whether a directory is where systems keep what isn't to stay.
func (p dirPath) temporary() bool {
	name := strings.Join(p.parts, "/") + "/"
	return slices.ContainsFunc([]string{"tmp/", "var/tmp/", "var/folders/", "private/tmp/", "private/var/folders/"},
		func(dir string) bool { return strings.HasPrefix(name, dir) })
}

// wide reports whether a directory is a home, contains homes, or is where people usually keep all their projects. Such
// a directory isn't a project just because sessions ran below it. Homes of other machines are recognized by their usual
// locations.
func (p dirPath) wide() bool {
	if p = p.canonical(); len(p.parts) == 0 {
		return true
	}
	if home, err := os.UserHomeDir(); err == nil {
		h := parseDir(home)
		if p.holds(h) || h.holds(p) && len(p.parts) == len(h.parts)+1 && keepsProjects[strings.ToLower(p.base())] {
			return true
		}
	}
	homes := 0
	switch strings.ToLower(p.parts[0]) {
	case "home", "users", "documents and settings":
		homes = 2
	case "root":
		homes = 1
	default:
		return false
	}
	return len(p.parts) <= homes || len(p.parts) == homes+1 && keepsProjects[strings.ToLower(p.base())]
}

// keepsProjects names folders directly below a home that hold projects but aren't one.
var keepsProjects = text.Set(`code desktop dev developer development documents downloads git github go projects
	repos repositories source src tmp wks work workspace workspaces`)

// cleanDir normalizes a directory, "" if it isn't absolute.
func cleanDir(dir string) string {
	p := parseDir(dir)
	if p.top == "" {
		return ""
	}
	return p.String()
}

// SameDir reports whether two directories are the same: on Windows, case and kind of slash don't matter.
func SameDir(a, b string) bool {
	return a == b || parseDir(a).equal(parseDir(b))
}

// Wide reports whether a folder is a root, a home or holds all projects, so that its contents needn't belong together.
func Wide(dir string) bool { return parseDir(dir).wide() }

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
