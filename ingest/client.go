package ingest

import (
	"path/filepath"
	"slices"
)

// A Client is the program that wrote a session.
type Client struct {
	Name string // as people call it
	Home string // its folder below the home folder, "" if it has none there
	Env  string // the variable that overrides Home, "" if none does
	// the command that resumes a session, given its id, in the folder it worked in; "" if there is none
	Resume string
	kept   []string // folders of Home that sessions are written to, first one that always exists; none: anywhere
}

// Client returns the program that writes sessions of a source.
func (s Source) Client() Client {
	switch s {
	case ClaudeCode:
		return Client{Name: "Claude Code", Home: ".claude", Env: "CLAUDE_CONFIG_DIR", Resume: "claude --resume",
			kept: []string{"projects", "todos", "tasks", "plans", "file-history"}}
	case Codex:
		return Client{Name: "Codex", Home: ".codex", Env: "CODEX_HOME", Resume: "codex resume",
			kept: []string{"sessions", "archived_sessions"}}
	case Gemini:
		return Client{Name: "Gemini CLI", Home: ".gemini", Resume: "gemini --resume", kept: []string{"tmp"}}
	case OpenCode:
		return Client{Name: "OpenCode", Home: ".local/share/opencode", Resume: "opencode --session"}
	}
	return Client{Name: "Cowork"}
}

// WatchedIn lists the folders or files of a root to which sessions are written; in a client's configuration folder,
// only those.
func WatchedIn(s Source, root string) []string {
	if s == OpenCode {
		dbs := []string{root}
		if IsFolder(root) {
			dbs, _ = filepath.Glob(filepath.Join(root, "*.db")) // OPENCODE_DB can name any of them
		}
		for _, path := range slices.Clone(dbs) {
			dbs = append(dbs, path+"-wal")
		}
		return dbs
	}
	var dirs []string
	for _, name := range s.Client().kept {
		dirs = append(dirs, filepath.Join(root, name))
	}
	if len(dirs) == 0 || !IsFolder(dirs[0]) {
		return []string{root}
	}
	return dirs
}
