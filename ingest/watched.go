package ingest

import (
	"path/filepath"
)

// WatchedIn lists the folders of a root in which sessions are written: of a client's configuration folder only those.
func WatchedIn(s Source, root string) []string {
	kept := map[Source][]string{ClaudeCode: {"projects", "todos", "tasks", "plans", "file-history"},
		Codex: {"sessions", "archived_sessions"}, Gemini: {"tmp"}}[s]
	if len(kept) == 0 {
		return []string{root}
	}
	if !IsFolder(filepath.Join(root, kept[0])) {
		return []string{root}
	}
	var dirs []string
	for _, name := range kept {
		dirs = append(dirs, filepath.Join(root, name))
	}
	return dirs
}
