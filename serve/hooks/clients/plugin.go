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

// inPlugin manages OpenCode's plugin, which is a file of recall's own.
var inPlugin = entry{
	add: func(_ []byte, p Program) ([]byte, error) {
		words, err := json.Marshal(append([]string{p.Path}, p.Args...))
		return []byte(strings.Replace(pluginText, pluginLine+"[]", pluginLine+string(words), 1)), err
	},
	remove: func([]byte) ([]byte, error) { return nil, nil },
	in: func(text []byte) (*Program, error) {
		_, rest, ok := bytes.Cut(text, []byte("\n"+pluginLine))
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		var words []string
		if json.Unmarshal(line, &words) != nil || !ok || len(words) == 0 {
			return nil, nil
		}
		return &Program{words[0], words[1:]}, nil
	},
}
