package ingest

// A Client is the program that wrote a session.
type Client struct {
	Name   string // as people call it
	Home   string // its folder below a person's home, "" if it isn't there
	Env    string // the variable that names another, "" if none does
	Resume string // the command that goes on with a session, by its id; "" if there is none
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
