package distill

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"recall/ingest"
)

// Roots are the folders that a session's files are named from, so that a file has one name in
// all sessions: the one that most turns ran in, but before it the one that the session began in
// if it lies around it (a program that went into a folder stays there); then that of the
// repository of a worktree. From a folder around those, which the session only passed
// through, a file of another repository would get a name as if it were one of this.
func Roots(s *ingest.Session) []string {
	cwds := slices.Clone(s.Where.Cwds)
	slices.SortStableFunc(cwds, func(a, b ingest.CwdCount) int { return cmp.Compare(b.Turns, a.Turns) })
	var roots []string
	slashed := func(dir string) string { return strings.TrimRight(strings.ReplaceAll(dir, "\\", "/"), "/") }
	add := func(dir string) {
		if dir = slashed(dir); dir != "" {
			roots = append(roots, dir)
		}
	}
	for i, c := range cwds {
		began := slashed(s.Where.Cwds[0].Dir)
		if i == 0 && strings.HasPrefix(slashed(c.Dir), began+"/") && !isHome(began) {
			add(began)
		}
		// Cowork's machine: what lies below mnt is the person's and the session's own
		cowork := strings.HasPrefix(c.Dir, "/sessions/")
		if cowork {
			add(c.Dir + "/mnt")
		}
		if cowork || len(roots) == 0 || !strings.HasPrefix(roots[0], slashed(c.Dir)+"/") && !isHome(slashed(c.Dir)) {
			add(c.Dir)
		}
	}
	if w := s.Where.Worktree; w != nil {
		add(w.Path)
		add(w.Original)
	}
	for _, r := range roots {
		for _, mark := range []string{"/.worktrees/", "/.claude/worktrees/"} {
			if i := strings.Index(r, mark); i > 0 {
				add(r[:i])
			}
		}
	}
	return roots
}

// isHome reports whether a folder looks like a person's own, which no project's name begins with.
func isHome(dir string) bool {
	parent := path.Base(path.Dir(dir))
	return parent == "Users" || parent == "home" || dir == "/root" || path.Dir(dir) == dir
}

// FileName names a file from the first of the folders that it lies in.
func FileName(roots []string, p string) string {
	p = strings.ReplaceAll(p, "\\", "/")
	for _, root := range roots {
		if rest, ok := strings.CutPrefix(p, root+"/"); ok {
			return rest
		}
	}
	return strings.TrimPrefix(p, "./")
}
