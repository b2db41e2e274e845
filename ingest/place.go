package ingest

import (
	"os"
	"path"
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

func (p dirPath) same(a, b string) bool {
	if p.windows {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// holds reports whether q is p or lies below it.
func (p dirPath) holds(q dirPath) bool { return p.top != "" && p.shared(q) == len(p.parts) }

func (p dirPath) equal(q dirPath) bool { return p.holds(q) && q.holds(p) }

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
	return a == b || !strings.HasPrefix(a, "/") && parseDir(a).equal(parseDir(b))
}

// Wide reports whether a folder is a root, a home or holds all projects, so that its contents needn't belong together.
func Wide(dir string) bool { return parseDir(dir).wide() }
