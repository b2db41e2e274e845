package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
)

// FileNames are the names that one file goes by: where it is, where it lay in
// the project's former folders and worktrees, what it was called before.
type FileNames struct {
	Asked   string
	Project *library.Project // that it lies in; nil if none is known
	Roots   []string         // the project's folders, slash-separated, and the worktree that it was asked from
	Rels    []string         // below any of them: the present name first
	exact   []string         // whole paths
}

// NameFile finds out what a path on the command line stands for. The path of a
// file that isn't here, and lies in no project that the library knows, is known by
// its end alone; one that is here is no other project's.
func NameFile(l *library.Library, asked string) (*FileNames, error) {
	abs, err := filepath.Abs(asked)
	if err != nil {
		return nil, err
	}
	n := &FileNames{Asked: asked, exact: []string{Slashed(abs)}}
	if real, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		n.addExact(Slashed(filepath.Join(real, filepath.Base(abs))))
	}
	projects, err := l.Projects()
	if err != nil {
		return nil, err
	}
	tree, main := workTree(abs)
	for i := range projects {
		p := &projects[i]
		var roots []string
		for _, r := range p.Roots() {
			roots = append(roots, Slashed(r))
		}
		if tree != "" && slices.Contains(roots, Slashed(main)) {
			roots = append(roots, Slashed(tree))
		}
		for _, abs := range n.exact {
			if rel, ok := BelowAny(abs, roots); ok && (n.Project == nil || len(n.Rels[0]) > len(rel)) {
				n.Project, n.Roots, n.Rels = p, roots, []string{rel}
			}
		}
	}
	if n.Project == nil && !IsRegular(asked) && !filepath.IsAbs(asked) && !strings.HasPrefix(asked, "..") {
		n.Rels = []string{Slashed(filepath.Clean(asked))}
	}
	return n, nil
}

// Slashed is a path as the index compares it.
func Slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// workTree is the root of the git work tree around a path, and that of its
// repository; "" if there is none.
func workTree(abs string) (tree, main string) {
	dir := filepath.Dir(abs)
	for {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ""
		}
		dir = up
	}
	if r, ok := ingest.RepositoryOf(dir); ok {
		return dir, r.Root
	}
	return "", ""
}

// BelowAny is a path relative to the first of the folders that holds it, the
// folder of a worktree inside it left out.
func BelowAny(p string, roots []string) (string, bool) {
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

// Is reports whether a session's path is this file. In the project's own folders
// the place must be the same; elsewhere (a virtual machine, a worktree beside
// it) the end of the path must, if the session is of the project.
func (n *FileNames) Is(p, project string) bool {
	p = Slashed(p)
	if slices.Contains(n.exact, p) {
		return true
	}
	if rel, ok := BelowAny(p, n.Roots); ok {
		return slices.Contains(n.Rels, rel)
	}
	if n.Project != nil && n.Project.Name != project {
		return false
	}
	return slices.ContainsFunc(n.Rels, func(rel string) bool { return p == rel || strings.HasSuffix(p, "/"+rel) })
}

func (n *FileNames) addExact(p string) bool {
	if slices.Contains(n.exact, p) {
		return false
	}
	n.exact = append(n.exact, p)
	return true
}

// bases are the last names that it goes by.
func (n *FileNames) bases() []string {
	var out []string
	for _, p := range slices.Concat(n.exact, n.Rels) {
		if b := p[strings.LastIndexByte(p, '/')+1:]; !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	return out
}

// Touched lists who touched the file, under whatever name it had then, the
// newest first.
func (n *FileNames) Touched(ctx context.Context, x *index.Index) ([]index.Touched, error) {
	var all []index.Touched
	seen := map[string]bool{}
	for round := 0; round < 8; round++ { // a file is renamed now and then, not forever
		var fresh []string
		for _, base := range n.bases() {
			found, err := x.Files(ctx, base)
			if err != nil {
				return nil, err
			}
			for _, t := range found {
				if key := t.Session + "\x00" + t.Path; n.Is(t.Path, t.Project) && !seen[key] {
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
	slices.SortStableFunc(all, func(a, b index.Touched) int { return b.At.Compare(a.At) })
	return all, nil
}

// follow adds the names that the file had before and after it, or a folder
// around it, was renamed.
func (n *FileNames) follow(ctx context.Context, x *index.Index, paths []string) (bool, error) {
	more := false
	done := map[string]bool{}
	for _, p := range paths {
		if done[p] {
			continue
		}
		done[p] = true
		rest := ""
		for at := p; len(at) > 1; {
			moves, err := x.Moves(ctx, []string{at})
			if err != nil {
				return false, err
			}
			for _, m := range moves {
				other := m.Old
				if m.Old == at {
					other = m.New
				}
				more = n.addExact(Slashed(other+rest)) || more
				if rel, ok := BelowAny(Slashed(other+rest), n.Roots); ok && !slices.Contains(n.Rels, rel) {
					n.Rels = append(n.Rels, rel)
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

// bareNames are names so common that a text which mentions one alone says
// nothing of which file it means.
var bareNames = map[string]bool{"readme.md": true, "main.go": true, "index.ts": true, "index.js": true,
	"index.tsx": true, "index.html": true, "mod.rs": true, "lib.rs": true,
	"main.rs": true, "main.py": true, "__init__.py": true, "package.json": true, "go.mod": true, "go.sum": true,
	"makefile": true, "dockerfile": true, "cargo.toml": true, ".gitignore": true, "types.ts": true, "utils.ts": true,
	"app.tsx": true}

// Concerns reports whether an item speaks of the file: it names it, or its
// evidence does.
func (n *FileNames) Concerns(it payload.Item) bool {
	for _, p := range append([]string{it.Path}, it.About...) {
		if n.Meets(p) {
			return true
		}
	}
	texts := []string{it.Text, it.Why, it.Scope}
	for _, e := range it.Evidence {
		texts = append(texts, e.Quote)
	}
	for _, text := range texts {
		for _, word := range strings.FieldsFunc(text,
			func(r rune) bool { return strings.ContainsRune(" \t\n`'\"()[]{}<>,;:!?*“”‘’„", r) }) {
			if n.Meets(strings.TrimRight(word, ".")) {
				return true
			}
		}
	}
	return false
}

// Meets reports whether a name in a text is one of the file's: the same end, from
// the last name upwards.
func (n *FileNames) Meets(word string) bool {
	word = strings.TrimPrefix(strings.TrimPrefix(Slashed(word), "./"), "/")
	if word == "" {
		return false
	}
	alone := !strings.Contains(word, "/")
	for _, p := range slices.Concat(n.Rels, n.exact) {
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
