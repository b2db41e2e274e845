package ingest

import (
	"path/filepath"
	"slices"
)

// WatchedIn lists the folders or files of a root in which sessions are written: of a client's configuration folder only
// those.
func WatchedIn(s Source, root string) []string {
	if s == OpenCode {
		dbs := []string{root}
		if IsFolder(root) {
			dbs, _ = filepath.Glob(filepath.Join(root, "opencode*.db"))
		}
		for _, path := range slices.Clone(dbs) {
			dbs = append(dbs, path+"-wal")
		}
		return dbs
	}
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
