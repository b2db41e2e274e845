package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/internal/hint"
	"recall/library/disk"
)

// EnvPlugin is set for the hooks of a plugin.
const EnvPlugin = "CLAUDE_PLUGIN_ROOT"

// Dir is where hooks keep their memos and their log.
func Dir() string {
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	return filepath.Join(base, "recall", "hooks")
}

// SettingsFile returns the path of Claude Code's settings: the user's, or those of the current folder.
func SettingsFile(project bool) (string, error) {
	if project {
		dir, err := os.Getwd()
		return filepath.Join(dir, ".claude", "settings.json"), err
	}
	if dir := os.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, "settings.json"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", hint.With(err, "set HOME, or CLAUDE_CONFIG_DIR to the folder of Claude Code's settings")
	}
	return filepath.Join(home, ".claude", "settings.json"), nil
}

// settingsFiles lists the user's and the current folder's, as far as they are known; in the home folder they are the
// same file.
func settingsFiles() []string {
	var files []string
	for _, project := range []bool{false, true} {
		if path, err := SettingsFile(project); err == nil && (len(files) == 0 || files[0] != path) {
			files = append(files, path)
		}
	}
	return files
}

// StaysInside returns an error if a project's file, existing or not, is behind a link that leads out of the project,
// as a cloned repository may contain: nothing is written there.
func StaysInside(project, file string) error {
	root, err := disk.OpenRoot(project)
	if err != nil {
		return err
	}
	defer root.Close()
	name, err := filepath.Rel(project, file)
	if err == nil {
		_, err = root.Stat(name)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return hint.With(fmt.Errorf("%s: %w", file, err),
		"a link that leads out of the project isn't followed; put a file in its place")
}

// PluginOn reports whether Claude Code's settings, the user's or the current folder's, enable recall's plugin.
func PluginOn() bool {
	return slices.ContainsFunc(settingsFiles(), func(path string) bool {
		c, err := open(path)
		return err == nil && c.Plugin
	})
}

// CalledTwice reports whether this is the plugin's call and the settings have hooks too: then everything would be
// said twice.
func CalledTwice() bool {
	if os.Getenv(EnvPlugin) == "" {
		return false
	}
	paths := settingsFiles()
	if dir := os.Getenv("CLAUDE_PROJECT_DIR"); dir != "" { // where the session began; it may be elsewhere now
		paths = append(paths, filepath.Join(dir, ".claude", "settings.json"),
			filepath.Join(dir, ".claude", "settings.local.json"))
	}
	return slices.ContainsFunc(paths, func(path string) bool {
		text, err := disk.ReadRegular(path, MostOfSettings)
		if err != nil {
			return false
		}
		events, _, err := Installed(text)
		return err == nil && len(events) > 0
	})
}

// Status reports whether Claude Code calls recall, and what went wrong when it did.
type Status struct {
	Installed bool         `json:"installed"`
	Plugin    bool         `json:"plugin"` // recall's plugin is enabled in Claude Code and calls them too
	Settings  []FileStatus `json:"settings"`
	Log       string       `json:"log"`
	Faults    []string     `json:"faults"` // the last lines of the log
}

// FileStatus describes recall's hooks in a settings file.
type FileStatus struct {
	Path     string   `json:"path"`
	Events   []string `json:"events"`
	Programs []string `json:"programs"`
	Stale    bool     `json:"stale"` // not as this program would install them
	Off      bool     `json:"off"`   // the file says disableAllHooks
	Problem  string   `json:"problem,omitempty"`
}

// Look reads the user's settings, those of the current folder, and the log; program is what an install would enter.
func Look(program Program) (Status, error) {
	s := Status{Plugin: PluginOn(), Log: filepath.Join(Dir(), LogName)}
	if _, err := SettingsFile(false); err != nil {
		return s, err
	}
	for _, path := range settingsFiles() {
		f := FileStatus{Path: path}
		c, err := PlanInstall(path, program)
		if err != nil {
			f.Problem = err.Error()
		} else if events, programs, err := Installed(c.Before); err == nil && len(events) > 0 {
			for _, e := range events {
				f.Events = append(f.Events, string(e))
			}
			f.Programs, f.Stale, f.Off = programs, c.Differs(), c.Off
			s.Installed = true
		}
		s.Settings = append(s.Settings, f)
	}
	s.Faults = Faults()
	return s, nil
}

// Faults returns the last lines of the log, nil if nothing went wrong yet.
func Faults() []string {
	text, err := disk.ReadPlain(filepath.Join(Dir(), LogName))
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[max(0, len(lines)-5):]
}
