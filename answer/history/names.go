package history

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/index"
	"recall/ingest"
	"recall/internal/text"
	"recall/library"
	"recall/payload"
)

// fileNames are the names of one file: its current path, those in former folders and worktrees, and those before
// renames.
type fileNames struct {
	project *library.Project // that contains it; nil if unknown
	roots   []string         // the project's folders, slash-separated, and the current worktree
	rels    []string         // names below any of them, the current one first
	exact   []string         // full paths
}

// nameFile determines what a path on the command line stands for. One that neither exists here nor is in a known
// project is matched by its end; one that exists here belongs to no other project.
func nameFile(l *library.Library, asked string) (*fileNames, error) {
	abs, err := filepath.Abs(asked)
	if err != nil {
		return nil, err
	}
	n := &fileNames{exact: []string{slashed(abs)}}
	if real, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		n.addExact(slashed(filepath.Join(real, filepath.Base(abs))))
	}
	projects, err := l.Projects()
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(abs)
	for _, err := os.Stat(dir); err != nil && dir != filepath.Dir(dir); _, err = os.Stat(dir) {
		dir = filepath.Dir(dir)
	}
	repo, inRepo := ingest.RepositoryOf(dir)
	for i := range projects {
		p := &projects[i]
		var roots []string
		for _, r := range p.Roots() {
			roots = append(roots, slashed(r))
		}
		if inRepo && slices.Contains(roots, slashed(repo.Root)) {
			roots = append(roots, slashed(repo.Tree))
		}
		for _, abs := range n.exact {
			if rel, ok := belowAny(abs, roots); ok && (n.project == nil || len(n.rels[0]) > len(rel)) {
				n.project, n.roots, n.rels = p, roots, []string{rel}
			}
		}
	}
	if n.project == nil && !ingest.IsFile(asked) && !filepath.IsAbs(asked) && !strings.HasPrefix(asked, "..") {
		n.rels = []string{slashed(filepath.Clean(asked))}
	}
	return n, nil
}

// slashed returns a path as the index compares it.
func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// belowAny returns a path relative to the innermost of the folders that contain it, without the folder of a worktree
// inside.
func belowAny(p string, roots []string) (string, bool) {
	best := ""
	for _, r := range roots {
		if rest, ok := strings.CutPrefix(p, strings.TrimRight(r, "/")+"/"); ok && (best == "" || len(rest) < len(best)) {
			best = rest
		}
	}
	for _, dir := range []string{".claude/worktrees/", ".worktrees/"} {
		if rest, ok := strings.CutPrefix(best, dir); ok {
			if _, rest, ok = strings.Cut(rest, "/"); ok {
				best = rest
			}
		}
	}
	return best, best != ""
}

// is reports whether a session's path is this file: in the project's folders by its place; elsewhere (a virtual
// machine, a worktree beside it) by the path's end, if the session belongs to the project.
func (n *fileNames) is(p, project string) bool {
	p = slashed(p)
	if slices.Contains(n.exact, p) {
		return true
	}
	if rel, ok := belowAny(p, n.roots); ok {
		return slices.Contains(n.rels, rel)
	}
	if n.project != nil && n.project.Name != project {
		return false
	}
	return slices.ContainsFunc(n.rels, func(rel string) bool { return p == rel || strings.HasSuffix(p, "/"+rel) })
}

func (n *fileNames) addExact(p string) bool {
	if slices.Contains(n.exact, p) {
		return false
	}
	n.exact = append(n.exact, p)
	return true
}

// bases returns the file's base names.
func (n *fileNames) bases() []string {
	var out []string
	for _, p := range slices.Concat(n.exact, n.rels) {
		out = ingest.Union(out, p[strings.LastIndexByte(p, '/')+1:])
	}
	return out
}

// touched lists who touched the file, under any of its names, newest first.
func (n *fileNames) touched(ctx context.Context, x *index.Index) ([]index.FileTouch, error) {
	var all []index.FileTouch
	seen := map[string]bool{}
	for round := 0; round < 8; round++ { // bound the number of renames followed
		var fresh []string
		for _, base := range n.bases() {
			found, err := x.Files(ctx, base)
			if err != nil {
				return nil, err
			}
			for _, t := range found {
				if key := t.Session + "\x00" + t.Path; n.is(t.Path, t.Project) && !seen[key] {
					seen[key] = true
					all = append(all, t)
					fresh = append(fresh, t.Path)
				}
			}
		}
		more, err := n.follow(ctx, x, fresh)
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b index.FileTouch) int { return b.At.Compare(a.At) })
	return all, nil
}

// follow adds the names that the file had before and after it, or a folder around it, was renamed.
func (n *fileNames) follow(ctx context.Context, x *index.Index, paths []string) (bool, error) {
	more := false
	done := map[string]bool{}
	for _, p := range paths {
		if done[p] {
			continue
		}
		done[p] = true
		rest := ""
		for at := p; len(at) > 1; {
			moves, err := x.Moves(ctx, at)
			if err != nil {
				return false, err
			}
			for _, m := range moves {
				other := m.Old
				if m.Old == at {
					other = m.New
				}
				more = n.addExact(slashed(other+rest)) || more
				if rel, ok := belowAny(slashed(other+rest), n.roots); ok {
					n.rels = ingest.Union(n.rels, rel)
				}
			}
			i := strings.LastIndexAny(at, `/\`)
			if i <= 0 {
				break
			}
			at, rest = at[:i], at[i:]+rest
		}
	}
	return more, nil
}

// bareNames are too common to identify a file when mentioned alone.
var bareNames = text.Set(`readme.md main.go index.ts index.js index.tsx index.html mod.rs lib.rs main.rs main.py
	__init__.py package.json go.mod go.sum makefile dockerfile cargo.toml .gitignore types.ts utils.ts app.tsx`)

// concerns reports whether an item or its evidence names the file.
func (n *fileNames) concerns(it payload.Item) bool {
	if slices.ContainsFunc(append([]string{it.Path}, it.About...), n.meets) {
		return true
	}
	for _, text := range append(it.Quotes(), it.Text, it.Why, it.Scope) {
		for _, word := range strings.FieldsFunc(text,
			func(r rune) bool { return strings.ContainsRune(" \t\n`'\"()[]{}<>,;:!?*“”‘’„", r) }) {
			if n.meets(strings.TrimRight(word, ".")) {
				return true
			}
		}
	}
	return false
}

// meets reports whether a name in a text is one of the file's, comparing path elements from the end.
func (n *fileNames) meets(word string) bool {
	word = strings.TrimPrefix(strings.TrimPrefix(slashed(word), "./"), "/")
	if word == "" {
		return false
	}
	alone := !strings.Contains(word, "/")
	for _, p := range slices.Concat(n.rels, n.exact) {
		p = strings.TrimPrefix(p, "/")
		base := p[strings.LastIndexByte(p, '/')+1:]
		switch {
		case alone && word == base:
			return !bareNames[strings.ToLower(base)] || p == base
		case !alone && (p == word || strings.HasSuffix(p, "/"+word) || strings.HasSuffix(word, "/"+p)):
			return true
		}
	}
	return false
}
