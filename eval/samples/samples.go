// Package samples makes the sample sessions of recall demo, transcripts as Claude Code and Cowork write them, of short
// scripts (testdata/scripts), and holds the gold sets about them to what they say.
package samples

// packed is where the program has them, and claudeDir and coworkDir where they are in it.
const (
	packed    = "../../cmd/recall/demo/samples.zip"
	claudeDir = "claude"
	coworkDir = "Claude/local-agent-mode-sessions"
)
