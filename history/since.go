package history

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"recall/index"
	"recall/library"
	"recall/payload"
)

// sinceWait is how long an answer waits for git to say what changed.
const sinceWait = 500 * time.Millisecond

// sinceFiles is of how many files that is asked.
const sinceFiles = 8

// ChangedSince counts the commits, since an item was said, to the files it speaks of, where the project's repository is
// at hand. Files without any are left out, all where git can't tell.
func ChangedSince(ctx context.Context, l *library.Library, p index.Placed) map[string]int {
	if p.Item.Kind != payload.Decision && p.Item.Kind != payload.Eliminated || p.Item.At.IsZero() {
		return nil
	}
	of, err := l.Project(p.Project)
	if err != nil || of.Root == "" {
		return nil
	}
	files := filesOf(of.Root, p.Item)
	if len(files) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sinceWait)
	defer cancel()
	repo, err := openRepository(ctx, of.Root)
	if err != nil {
		return nil
	}
	defer repo.close()
	args := []string{"log", "--no-renames", "--format=%x00", "--name-only",
		"--since=" + p.Item.At.UTC().Format(time.RFC3339), "--"}
	byName := map[string]string{}
	root, err := filepath.EvalSymlinks(of.Root)
	if err != nil {
		return nil
	}
	for _, f := range files {
		name, err := repo.name(filepath.Join(root, filepath.FromSlash(f)))
		if err != nil {
			return nil
		}
		byName[name] = f
		args = append(args, name)
	}
	out, err := repo.git(ctx, nil, args...)
	if err != nil {
		return nil
	}
	return countCommits(string(out), byName)
}

// filesOf are the paths that an item speaks of and that exist below the root.
func filesOf(root string, it payload.Item) []string {
	var files []string
	for _, name := range append([]string{it.Path}, it.About...) {
		name, _ = FileLine(name)
		if filepath.IsAbs(name) {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				continue
			}
			name = rel
		}
		name = filepath.ToSlash(filepath.Clean(name))
		if !filepath.IsLocal(name) || name == "." || !strings.ContainsAny(name, "./") || len(files) == sinceFiles {
			continue
		}
		if fi, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name))); err == nil && fi.Mode().IsRegular() {
			files = append(files, name)
		}
	}
	return files
}

// countCommits counts the commits of files by their names in the repository. A zero byte parts commits.
func countCommits(out string, files map[string]string) map[string]int {
	counts := map[string]int{}
	for commit := range strings.SplitSeq(out, "\x00") {
		for name := range strings.Lines(commit) {
			if f := files[strings.TrimRight(name, "\r\n")]; f != "" {
				counts[f]++
			}
		}
	}
	return counts
}
