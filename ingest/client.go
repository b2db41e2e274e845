package ingest

import (
	"path/filepath"
	"slices"
)

// A Client is the program that wrote a session.
type Client struct {
	Name string // as people call it
	Home string // its folder below a person's home, "" if it isn't there
	Env  string // the variable that names another, "" if none does
	// the command that goes on with a session, by its id, in the folder that it worked in; "" if there is none
	Resume string
}

// Client is the program that writes sessions of a source.
func (s Source) Client() Client {
	switch s {
	case ClaudeCode:
		return Client{Name: "Claude Code", Home: ".claude", Env: "CLAUDE_CONFIG_DIR", Resume: "claude --resume"}
	case Codex:
		return Client{Name: "Codex", Home: ".codex", Env: "CODEX_HOME", Resume: "codex resume"}
	case Gemini:
		return Client{Name: "Gemini CLI", Home: ".gemini", Resume: "gemini --resume"}
	case OpenCode:
		return Client{Name: "OpenCode", Home: ".local/share/opencode", Resume: "opencode --session"}
	}
	return Client{Name: "Cowork"}
}

// WatchedIn lists the folders or files of a root in which sessions are written: of a client's configuration folder only
// those.
func WatchedIn(s Source, root string) []string {
	if s == OpenCode {
		dbs := []string{root}
		if IsFolder(root) {
			dbs, _ = filepath.Glob(filepath.Join(root, "*.db")) // OPENCODE_DB names any
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
