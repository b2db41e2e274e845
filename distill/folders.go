package distill

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"recall/ingest"
)

// Roots returns the folders that a session's files are named relative to, so that a file has the same name in all
// sessions. First comes the folder that most turns ran in, preceded by the project's if that contains it (of two
// packages of one repository each may have a src/page.tsx), or by the one the session began in (a program that
// changed into a subfolder stays there); then a worktree's repository. A worktree that
// lies in its repository comes before all. Folders that contain these and were only passed through are omitted:
// relative to them, another repository's file would get a name as if it belonged to this one.
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
		for _, around := range []string{s.Where.Root, s.Where.Cwds[0].Dir} {
			dir := slashed(around)
			if i == 0 && dir != "" && !isHome(dir) && strings.HasPrefix(slashed(c.Dir), dir+"/") {
				add(around)
			}
		}
		// In Cowork's machine, the person's and the session's own files are below mnt.
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
		if i := inWorktree(r); i > 0 {
			add(r[:i])
		}
	}
	// A worktree in its repository is named from itself, as it is once it is merged.
	slices.SortStableFunc(roots, func(a, b string) int { return min(inWorktree(b), 1) - min(inWorktree(a), 1) })
	return roots
}

// inWorktree returns where the path of a worktree's repository ends, 0 if a folder isn't in a worktree by name.
func inWorktree(dir string) int {
	return max(strings.Index(dir, "/.worktrees/"), strings.Index(dir, "/.claude/worktrees/"), 0)
}

// isHome reports whether a folder looks like a home directory, which no project is named from.
func isHome(dir string) bool {
	parent := path.Base(path.Dir(dir))
	return parent == "Users" || parent == "home" || dir == "/root" || path.Dir(dir) == dir
}

// FileName names a file relative to the first root that contains it.
func FileName(roots []string, p string) string {
	p = strings.ReplaceAll(p, "\\", "/")
	for _, root := range roots {
		if rest, ok := strings.CutPrefix(p, root+"/"); ok {
			return rest
		}
	}
	return strings.TrimPrefix(p, "./")
}
