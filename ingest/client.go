package ingest

import (
	"path/filepath"
	"slices"
	"strings"
)

// A Client is the program that wrote a session.
type Client struct {
	Name string // as people call it
	Home string // its folder below the home folder, "" if it has none there
	Env  string // the variable that overrides Home, "" if none does
	// the command that resumes a session, given its id, in the folder it worked in; "" if there is none
	Resume string
	// where its agent's notes, and plans, lie below Home: files, and folders with all that they hold
	notes []string
	kept  []string // folders of Home that sessions are written to, first one that always exists; none: anywhere
}

// Client returns the program that writes sessions of a source, or what it remembers beside them.
func (s Source) Client() Client {
	if of, ok := strings.CutSuffix(string(s), memoryEnd); ok {
		c := Source(of).Client()
		c.Resume = ""
		return c
	}
	switch s {
	case ClaudeCode:
		return Client{Name: "Claude Code", Home: ".claude", Env: "CLAUDE_CONFIG_DIR", Resume: "claude --resume",
			kept: []string{"projects", "tasks"}, notes: []string{"projects/*/memory", "plans"}}
	case Codex:
		return Client{Name: "Codex", Home: ".codex", Env: "CODEX_HOME", Resume: "codex resume",
			kept: []string{"sessions", "archived_sessions"}, notes: []string{"memories"}}
	case Gemini:
		return Client{Name: "Gemini CLI", Home: ".gemini", Resume: "gemini --resume", kept: []string{"tmp"},
			notes: []string{"GEMINI.md", "tmp/*/memory", "tmp/*/plans", "tmp/*/*/plans"}}
	case OpenCode:
		return Client{Name: "OpenCode", Home: ".local/share/opencode", Resume: "opencode --session"}
	}
	return Client{Name: "Cowork"}
}

// OwnFolder reports whether a root, without links, is its client's own folder, in which sessions are searched for only
// where the client keeps them.
func (s Source) OwnFolder(root string) bool {
	has := func(name string) bool {
		return IsFolder(filepath.Join(root, name))
	}
	base := filepath.Base(root)
	switch s {
	case ClaudeCode:
		return has("projects") && (base == ".claude" || base == "claude" ||
			slices.ContainsFunc([]string{"settings.json", "history.jsonl", ".claude.json"}, func(name string) bool {
				return IsFile(filepath.Join(root, name))
			}))
	case Codex:
		return has("sessions") || has("archived_sessions")
	case Gemini:
		return base == s.Client().Home && IsFolder(filepath.Join(root, "tmp"))
	}
	return false
}

// WatchedIn lists the folders or files from which Find takes the sessions of a root without links.
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
	keeps := func(root string) {
		for _, name := range s.Client().kept {
			dirs = append(dirs, filepath.Join(root, name))
		}
	}
	if s.OwnFolder(root) {
		keeps(root)
		return dirs
	}
	dirs = []string{root}
	for _, at := range []string{root, filepath.Dir(root)} {
		if s == ClaudeCode && filepath.Base(at) == "projects" { // what a session has elsewhere is taken too
			keeps(filepath.Dir(at))
		}
	}
	return dirs
}
