package main

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

// sinceWait is how long git may take to say what changed: an answer doesn't wait
// for it longer.
const sinceWait = 500 * time.Millisecond

// sinceFiles is of how many files that is asked.
const sinceFiles = 8

// changedSince counts for the files that an item speaks of the commits since it
// was said, where the project's repository is at hand. Files without any are
// left out, and all where git can't tell.
func changedSince(ctx context.Context, l *library.Library, h index.Hit) map[string]int {
	if h.Item.Kind != payload.Decision && h.Item.Kind != payload.Eliminated || h.Item.At.IsZero() {
		return nil
	}
	p, err := l.Project(h.Project)
	if err != nil || p.Root == "" {
		return nil
	}
	files := filesOf(p.Root, h.Item)
	if len(files) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sinceWait)
	defer cancel()
	args := append([]string{"--literal-pathspecs", "log", "--no-textconv", "--no-renames", "--format=%x00", "--name-only", "--relative", "--since=" + h.Item.At.UTC().Format(time.RFC3339), "--"}, files...)
	out, err := git(ctx, p.Root, args...)
	if err != nil {
		return nil
	}
	return countCommits(string(out), files)
}

// filesOf are the paths that an item speaks of and that exist below the root.
func filesOf(root string, it payload.Item) []string {
	var files []string
	for _, name := range append([]string{it.Path}, it.About...) {
		name, _ = fileLine(name)
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

// countCommits reads the names of each commit, commits being parted by a zero byte.
func countCommits(out string, files []string) map[string]int {
	wanted := map[string]bool{}
	for _, f := range files {
		wanted[f] = true
	}
	counts := map[string]int{}
	for commit := range strings.SplitSeq(out, "\x00") {
		for name := range strings.Lines(commit) {
			if name = strings.TrimRight(name, "\r\n"); wanted[name] {
				counts[name]++
			}
		}
	}
	return counts
}
