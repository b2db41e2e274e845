package ingest

import (
	"os"
	"path"
	"slices"
	"strings"

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

// same compares names: on Windows and macOS, case doesn't matter.
func (p dirPath) same(a, b string) bool {
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
// system's name: /mnt/c/x, /cygdrive/c/x and /c/x are C:\x, \\wsl$\Ubuntu\home is /home.
func (p dirPath) canonical() dirPath {
	drive := func(at int) bool { return len(p.parts) > at && len(p.parts[at]) == 1 && text.Letter(p.parts[at][0]) }
	host, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(p.top, `\\`)), `\`)
	switch {
	case p.top == "/" && drive(1) && (p.parts[0] == "mnt" || p.parts[0] == "cygdrive"):
		return dirPath{strings.ToUpper(p.parts[1]) + `:\`, p.parts[2:], true}
	case p.top == "/" && drive(0) && len(p.parts) > 1:
		return dirPath{strings.ToUpper(p.parts[0]) + `:\`, p.parts[1:], true}
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
	if len(p.parts) == 0 {
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
