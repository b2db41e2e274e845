package hooks

import (
	"strings"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
)

// runs matches words of a command line that may name a script: after an interpreter, or a path in place of a
// program.
var runs = text.Pattern(`(?:^|[;&|(\n{])\s*` +
	`(?:(?:sudo|nohup|time|env|exec|nice|command|then|do|else)\s+(?:-\S+\s+)*)*` +
	`(?:(\S*(?:\b(?:ba|z|da|k|fi)?sh|python[0-9.]*|node|perl|ruby|deno|bun)|source|\.)\s+(?:-\S+\s+|run\s+)*)?` +
	`("[^"\n]+"|'[^'\n]+'|[^\s'";|&()<>]+)`)

// Limits for reading the scripts that a command runs, and those that they run; of each at most half of
// commandMost is read.
const (
	scriptsDeep = 3
	scriptsMost = 16
)

// withScripts returns a command line with the text of the scripts that it runs, as far as they exist and can be
// recognized.
func withScripts(command, dir string) string {
	known := map[string]bool{}
	text := command
	for part, deep := command, 0; deep < scriptsDeep && part != ""; deep++ {
		var more strings.Builder
		for _, path := range scriptsIn(part, dir) {
			if known[path] || len(known) == scriptsMost {
				continue
			}
			known[path] = true
			if script := ingest.ReadStart(path, commandMost/2); script != "" && !strings.Contains(script, "\x00") {
				more.WriteString("\n" + script)
			}
		}
		part = more.String()
		text += part
	}
	return text
}

// scriptsIn lists the files that a command line may run.
func scriptsIn(command, dir string) []string {
	var dirs, paths []string
	for _, m := range runs().FindAllStringSubmatch(command, -1) {
		word := strings.Trim(m[2], `"'`)
		if m[1] == "" && !strings.Contains(word, "/") && !strings.HasPrefix(strings.TrimLeft(m[0], ";&|({ \t\n"), ".") &&
			!strings.Contains(m[0], "source") {
			continue // a system program
		}
		if dirs == nil {
			dirs = dirsOf(command, dir)
		}
		for _, d := range dirs {
			paths = ingest.Union(paths, native(trace.Absolute(d, filled(word, dir))))
		}
	}
	return paths
}

// dirsOf lists the folders that a command line works in.
func dirsOf(command, dir string) []string {
	dirs := []string{dir}
	if len(command) > commandMost {
		return dirs
	}
	for _, a := range actionsOf(filled(command, dir), dir) {
		for _, st := range a.Steps() {
			if st.Dir != "" {
				dirs = ingest.Union(dirs, st.Dir)
			}
		}
	}
	return dirs
}
