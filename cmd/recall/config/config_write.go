package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"recall/internal/hint"
	"recall/library/disk"
)

// Written is a setting to write to config.yaml; without a value, to remove from it.
type Written struct{ Key, Value string }

// OwnConfig returns the file that settings are written to: the user's file that was read, else the one in their
// configuration folder.
func (c *Config) OwnConfig(at Surroundings) (string, error) {
	if own := c.File; own != "" {
		return own, nil
	}
	if at.User == "" {
		return "", hint.With(errors.New("no configuration folder is known"),
			"name a file: recall init --config FILE")
	}
	return filepath.Join(at.User, "recall", configName), nil
}

// Places lists where recall stores anything on this machine besides the program: library, configuration, cache.
func (c *Config) Places(at Surroundings) []string {
	places := []string{c.Library.Dir}
	if file, err := c.OwnConfig(at); err == nil {
		if dir := filepath.Dir(file); filepath.Base(dir) == "recall" {
			file = dir
		}
		places = append(places, file)
	}
	if caches, err := os.UserCacheDir(); err == nil {
		places = append(places, filepath.Join(caches, "recall"))
	}
	return places
}

// WriteConfig writes settings to config.yaml, creating it if missing, and keeps all other lines. It refuses a change
// that would make the file fail to load.
func WriteConfig(name string, wanted []Written, at Surroundings) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real // keep a symbolic link
	}
	mode := fs.FileMode(0o600)
	text, err := disk.ReadRegular(name, mostOfConfig)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	out := string(text)
	for _, s := range wanted {
		if out, err = withSetting(out, s); err != nil {
			return err
		}
	}
	if err := (&Config{File: name, text: []byte(out)}).decodeAll(nil, at); err != nil {
		return hint.With(fmt.Errorf("%s isn't changed: with the new settings it wouldn't load: %w", name, err),
			"add them by hand: recall config --help lists every key")
	}
	return disk.Replace(name, []byte(out), mode)
}

// withSetting returns a config.yaml with one setting changed: its value replaced, else added first in its section,
// else in a new section at the end. It only knows sections with lines indented by two; in others the result doesn't
// load.
func withSetting(text string, s Written) (string, error) {
	section, key, _ := strings.Cut(s.Key, ".")
	value, err := yaml.Marshal(s.Value)
	if err != nil {
		return "", err
	}
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	line := "  " + key + ": " + strings.TrimSpace(string(value))
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += end
	}
	lines := strings.SplitAfter(text, "\n")
	head := regexp.MustCompile(`^` + section + `:\s*(#.*)?$`)
	at := slices.IndexFunc(lines, head.MatchString)
	if at < 0 {
		if s.Value != "" {
			text += section + ":" + end + line + end
		}
		return text, nil
	}
	has := regexp.MustCompile(`^  ` + key + `:.*?(\s+#.*?)?\s*$`)
	for i, l := range lines[at+1:] {
		if l != "" && !strings.ContainsAny(l[:1], " #\r\n") {
			break // another section
		}
		if m := has.FindStringSubmatch(l); m != nil {
			lines[at+1+i] = ""
			if s.Value != "" {
				lines[at+1+i] = line + m[1] + end
			}
			return strings.Join(lines, ""), nil
		}
	}
	if s.Value != "" {
		lines[at] += line + end
	}
	return strings.Join(lines, ""), nil
}
