package ingest

import (
	"path/filepath"
)

// WatchedIn lists the folders in which sessions of a root are written to: all
// of it, but of Claude Code's configuration folder only those where its
// sessions are.
func WatchedIn(s Source, root string) []string {
	if s != ClaudeCode {
		return []string{root}
	}
	if !IsFolder(filepath.Join(root, "projects")) {
		return []string{root}
	}
	var dirs []string
	for _, name := range []string{"projects", "todos", "tasks", "plans", "file-history"} {
		dirs = append(dirs, filepath.Join(root, name))
	}
	return dirs
}
