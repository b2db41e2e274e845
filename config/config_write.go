package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"recall/hint"
	"recall/library"
)

// Written is a setting to be put into config.yaml; with no value, to be taken
// out.
type Written struct{ Key, Value string }

// OwnConfig is the file that settings are written to: the one that was read, if
// it is the user's, else the one of the user's configuration folder.
func (c *Config) OwnConfig(at Surroundings) (string, error) {
	if own := c.Own(); own != "" {
		return own, nil
	}
	if at.User == "" {
		return "", hint.With(errors.New("no configuration folder is known"),
			"name a file: recall init --config FILE")
	}
	return filepath.Join(at.User, "recall", configName), nil
}

// WriteConfig puts settings into config.yaml, line by line: comments, order and
// everything else stay as they are. The file is made if there is none. What
// wouldn't load afterwards isn't written.
func WriteConfig(name string, wanted []Written, at Surroundings) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real // a link stays one
	}
	mode := fs.FileMode(0o600)
	text, err := library.ReadRegular(name, mostOfConfig)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		if info, err := os.Stat(name); err == nil {
			mode = info.Mode().Perm()
		}
	}
	out := string(text)
	for _, s := range wanted {
		if out, err = withSetting(out, s); err != nil {
			return hint.With(fmt.Errorf("%s: %w", name, err), "put it in by hand: %s: %s", s.Key, s.Value)
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), ".config-*.yaml")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(out)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	var check settings
	check.file(tmp.Name(), Surroundings{Home: at.Home, Working: at.Working})
	if err := check.err(); err != nil {
		return fmt.Errorf("%s isn't changed: with the new settings it wouldn't load: %w", name, err)
	}
	return os.Rename(tmp.Name(), name)
}

// withSetting returns the text of a config.yaml with one setting put in: in
// place of the value that it has, else as the first line of its section, else
// as a section at the end.
func withSetting(text string, s Written) (string, error) {
	section, key, _ := strings.Cut(s.Key, ".")
	value, err := yaml.Marshal(s.Value)
	if err != nil {
		return "", err
	}
	line := "  " + key + ": " + strings.TrimSpace(string(value))
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	at, old, err := findSetting(text, section, key)
	if err != nil {
		return "", err
	}
	lines := strings.SplitAfter(text, "\n")
	switch {
	case s.Value == "" && old == nil:
	case s.Value == "":
		lines[old.Line-1] = ""
	case old != nil:
		i := old.Line - 1
		prefix := lines[i][:strings.Index(lines[i], key)+len(key)]
		lines[i] = prefix + ": " + strings.TrimSpace(string(value)) + comment(lines[i], old) + end
	case at > 0:
		if !strings.HasSuffix(lines[at-1], "\n") {
			lines[at-1] += end
		}
		lines[at-1] += line + end
	default:
		if text != "" && !strings.HasSuffix(text, "\n") {
			lines = append(lines, end)
		}
		lines = append(lines, section+":"+end+line+end)
	}
	return strings.Join(lines, ""), nil
}

// findSetting says at which line a section begins, from 1, and where its key's
// value stands; 0 and nil if they aren't there.
func findSetting(text, section, key string) (at int, value *yaml.Node, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return 0, nil, err
	}
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		return 0, nil, nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 {
		return 0, nil, errors.New("not a list of \"key: value\" lines")
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != section {
			continue
		}
		below := root.Content[i+1]
		switch {
		case below.Tag == "!!null" && below.Value == "":
			return root.Content[i].Line, nil, nil
		case below.Kind != yaml.MappingNode || below.Style&yaml.FlowStyle != 0 || below.Column != 3 && len(below.Content) > 0:
			return 0, nil, fmt.Errorf("line %d: %s isn't written as lines indented by two", root.Content[i].Line, section)
		}
		for j := 0; j+1 < len(below.Content); j += 2 {
			if k, v := below.Content[j], below.Content[j+1]; k.Value == key {
				if v.Kind != yaml.ScalarNode || v.Line != k.Line || v.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
					return 0, nil, fmt.Errorf("line %d: %s.%s isn't a word on one line", k.Line, section, key)
				}
				return root.Content[i].Line, v, nil
			}
		}
		return root.Content[i].Line, nil, nil
	}
	return 0, nil, nil
}

// comment is what stands behind a value on its line.
func comment(line string, value *yaml.Node) string {
	if value.LineComment == "" {
		return ""
	}
	return " " + strings.TrimRight(value.LineComment, "\r\n")
}
