// Package clients holds what hooks and the MCP server must know of each client, in one table: which of its events
// is which of recall's, how a text goes in, how a refusal is said, and which files have it call recall. A new client is
// one entry of All.
package clients

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"recall/ingest/cowork"
	geminicli "recall/ingest/gemini"
	"recall/library/disk"
	"recall/serve/hooks"
)

// A Client is a program whose sessions recall takes part in.
type Client struct {
	Word string // on the command line; also its source of sessions
	Name string

	events  []event                                  // that recall is called at; none if it has no hooks
	tools   map[string]string                        // its names of the tools that hooks look at, in recall's words
	plainly bool                                     // it takes a refusal as a decision of the whole answer
	Late    bool                                     // it takes no text before a tool, only after it
	stored  bool                                     // it names no transcript: its source's folder has a database of all
	asks    string                                   // its user, about hooks; "" if it doesn't
	typed   func(prompt string) (typed, told string) // parts a prompt from what other hooks put around it

	command  string // the program; "" if it has none
	variable string // of the environment, that names its folder
	folder   func(home string) string
	files    func(c *Client, dir string) []File
}

// An event is one at which the client calls recall.
type event struct {
	name    string // the client's
	is      hooks.Event
	matcher string // "" is everything
	timeout int    // in seconds; for some clients in milliseconds
	async   bool   // nobody waits: else HandOn does what takes long
}

// All lists the clients, in the order in which they are shown.
var All = []*Client{ClaudeCode, claudeDesktop, codex, gemini, openCode}

// usual is the word of the client that a hook is for if it names none.
const usual = "claude-code"

// ClaudeCode, without async, would kill a SessionEnd after 1.5 s, and what a PreCompact prints would enter the summary.
var ClaudeCode = &Client{Word: usual, Name: "Claude Code",
	events: []event{
		{name: "SessionStart", is: hooks.SessionStart, timeout: 10},
		{name: "UserPromptSubmit", is: hooks.UserPromptSubmit, timeout: 5},
		{name: "PreToolUse", is: hooks.PreToolUse, matcher: "Edit|Write|NotebookEdit|Bash|Agent|Task", timeout: 15},
		{name: "SubagentStart", is: hooks.SubagentStart, timeout: 5},
		{name: "PreCompact", is: hooks.PreCompact, timeout: 120, async: true},
		{name: "SessionEnd", is: hooks.SessionEnd, timeout: 300, async: true},
	},
	command: "claude", variable: "CLAUDE_CONFIG_DIR", folder: below(".claude"),
	files: func(c *Client, dir string) []File {
		servers := filepath.Join(filepath.Dir(dir), ".claude.json")
		if os.Getenv(c.variable) != "" {
			servers = filepath.Join(dir, ".claude.json")
		}
		return []File{{Path: filepath.Join(dir, "settings.json"), entries: entries{Hooks: c.inJSON(argued)}},
			{Path: servers, entries: entries{Server: inServers("mcpServers", stdio)}}}
	},
}

// claudeDesktop has one configuration for each of its folders that exists, else the usual one.
var claudeDesktop = &Client{Word: "claude-desktop", Name: "Claude Desktop",
	files: func(_ *Client, _ string) (list []File) {
		for _, dir := range cowork.AppData() {
			list = append(list, File{Path: filepath.Join(dir, "claude_desktop_config.json"),
				entries: entries{Server: inServers("mcpServers", plain)}, there: disk.Exists(dir)})
		}
		if used := slices.DeleteFunc(slices.Clone(list), func(f File) bool { return !f.there }); len(used) > 0 {
			return used
		}
		return list[:min(len(list), 1)]
	},
}

// codex takes Claude Code's forms, and asks its user once whether to trust a hook. A SessionEnd may take 3 s.
var codex = &Client{Word: "codex", Name: "Codex",
	events: []event{
		{name: "SessionStart", is: hooks.SessionStart, timeout: 10},
		{name: "UserPromptSubmit", is: hooks.UserPromptSubmit, timeout: 5},
		{name: "PreToolUse", is: hooks.PreToolUse, matcher: "Bash|apply_patch", timeout: 15},
		{name: "PreCompact", is: hooks.PreCompact, timeout: 10},
		{name: "SessionEnd", is: hooks.SessionEnd, timeout: 3},
	},
	asks:    "it asks once whether to trust them",
	command: "codex", variable: "CODEX_HOME", folder: below(".codex"),
	files: func(c *Client, dir string) []File {
		return []File{{Path: filepath.Join(dir, "hooks.json"), entries: entries{Hooks: c.inJSON(asLine)}},
			{Path: filepath.Join(dir, "config.toml"), entries: entries{Server: inTOML}}}
	},
}

// gemini counts in milliseconds, and has both in one file. It waits for no SessionEnd.
var gemini = &Client{Word: "gemini", Name: "Gemini CLI",
	events: []event{
		{name: "SessionStart", is: hooks.SessionStart, timeout: 10_000},
		{name: "BeforeAgent", is: hooks.UserPromptSubmit, timeout: 5_000},
		{name: "BeforeTool", is: hooks.PreToolUse, matcher: "run_shell_command|write_file|replace", timeout: 15_000},
		{name: "AfterTool", is: hooks.PostToolUse, matcher: "run_shell_command|write_file|replace", timeout: 5_000},
		{name: "PreCompress", is: hooks.PreCompact, timeout: 10_000},
		{name: "SessionEnd", is: hooks.SessionEnd, timeout: 10_000},
	},
	tools:   map[string]string{"run_shell_command": "Bash", "write_file": "Write", "replace": "Edit"},
	plainly: true, Late: true, typed: geminicli.Typed,
	command: "gemini", variable: "GEMINI_CLI_HOME", folder: below(".gemini"),
	files: func(c *Client, dir string) []File {
		if os.Getenv(c.variable) != "" {
			dir = filepath.Join(dir, ".gemini")
		}
		return []File{{Path: filepath.Join(dir, "settings.json"),
			entries: entries{Hooks: c.inJSON(asNamedLine), Server: inServers("mcpServers", plain)}}}
	},
}

// openCode runs a plugin, opencode.js, which speaks Claude Code's forms.
var openCode = &Client{Word: "opencode", Name: "OpenCode",
	events: []event{
		{name: "SessionStart", is: hooks.SessionStart}, {name: "UserPromptSubmit", is: hooks.UserPromptSubmit},
		{name: "PreToolUse", is: hooks.PreToolUse}, {name: "PreCompact", is: hooks.PreCompact},
		{name: "SessionEnd", is: hooks.SessionEnd},
	},
	tools:  map[string]string{"bash": "Bash", "write": "Write", "edit": "Edit"},
	stored: true, command: "opencode", variable: "OPENCODE_CONFIG_DIR",
	folder: func(home string) string {
		return filepath.Join(cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "opencode")
	},
	files: func(c *Client, dir string) []File {
		config := filepath.Join(dir, "opencode.jsonc")
		if !disk.Exists(config) {
			config = filepath.Join(dir, "opencode.json")
		}
		return []File{{Path: filepath.Join(dir, "plugins", "recall.js"), apart: true, entries: entries{Hooks: inPlugin}},
			{Path: config, entries: entries{Server: inServers("mcp", local)}}}
	},
}

func below(name string) func(home string) string {
	return func(home string) string { return filepath.Join(home, name) }
}

// nameOf returns the client's name of an event.
func (c *Client) nameOf(e hooks.Event) string {
	for _, own := range c.events {
		if own.is == e {
			return own.name
		}
	}
	return string(e)
}

// Words lists the names on the command line of the clients that can have a kind of entry.
func Words(kinds ...Kind) (words []string) {
	for _, c := range All {
		if slices.Contains(kinds, Server) || len(c.events) > 0 {
			words = append(words, c.Word)
		}
	}
	return words
}

// Named returns the client of a word.
func Named(word string) (*Client, bool) {
	i := slices.IndexFunc(All, func(c *Client) bool { return c.Word == word })
	return All[max(i, 0)], i >= 0
}

// Waits reports whether the client waits until an event was dealt with.
func (c *Client) Waits(e hooks.Event) bool {
	return slices.ContainsFunc(c.events, func(own event) bool { return own.is == e && !own.async })
}

// dir is the client's folder, "" if nothing says where that is.
func (c *Client) dir() string {
	if dir := os.Getenv(c.variable); dir != "" && c.variable != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil || c.folder == nil {
		return ""
	}
	return c.folder(home)
}

// Files lists the files that have the client call recall.
func (c *Client) Files() []File {
	dir := c.dir()
	if dir == "" && c.folder != nil {
		return nil
	}
	files := c.files(c, dir)
	_, missing := exec.LookPath(cmp.Or(c.command, "\x00"))
	for i := range files {
		f := &files[i]
		f.Client = c
		f.there = f.there || missing == nil || c.folder != nil && (disk.Exists(dir) || disk.Exists(f.Path))
	}
	return files
}

// Found reports whether the client is in use here.
func (c *Client) Found() bool {
	return slices.ContainsFunc(c.Files(), func(f File) bool { return f.there })
}
