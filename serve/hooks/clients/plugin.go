package clients

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"strings"
)

//go:embed opencode.js
var pluginText string

// pluginLine begins the plugin's line that names the program.
const pluginLine = "const recall = "

// inPlugin is the entry of OpenCode's plugin, which is a file of recall's own.
func inPlugin(text []byte, p *Program) (after []byte, was *Program, err error) {
	_, rest, _ := bytes.Cut(text, []byte("\n"+pluginLine))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	var words []string
	if json.Unmarshal(line, &words) == nil && len(words) > 0 {
		was = &Program{words[0], words[1:]}
	}
	if p == nil {
		return nil, was, nil
	}
	made, err := json.Marshal(append([]string{p.Path}, p.Args...))
	return []byte(strings.Replace(pluginText, pluginLine+"[]", pluginLine+string(made), 1)), was, err
}
