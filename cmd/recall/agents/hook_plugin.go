package agents

import (
	"os"
	"path/filepath"

	"recall/hooks"
	"recall/library"
)

// EnvPlugin is set for the hooks of a plugin.
const EnvPlugin = "CLAUDE_PLUGIN_ROOT"

// pluginOn reports whether Claude Code's settings, the user's or those of the
// current folder, have recall's plugin on.
func pluginOn() bool {
	for _, s := range []scope{{user: true}, {project: true}, {}} {
		path, err := s.path()
		if err != nil {
			continue
		}
		if c, err := hooks.PlanUninstall(path); err == nil && c.Plugin {
			return true
		}
	}
	return false
}

// CalledTwice says that the plugin calls, and that the settings' own hooks call
// too: whoever has both must not be told everything twice.
func CalledTwice() bool {
	if os.Getenv(EnvPlugin) == "" {
		return false
	}
	var paths []string
	for _, s := range []scope{{user: true}, {project: true}} {
		if path, err := s.path(); err == nil {
			paths = append(paths, path)
		}
	}
	if dir := os.Getenv("CLAUDE_PROJECT_DIR"); dir != "" { // where the session began; it may have gone elsewhere since
		paths = append(paths, filepath.Join(dir, ".claude", "settings.json"),
			filepath.Join(dir, ".claude", "settings.local.json"))
	}
	for _, path := range paths {
		text, err := library.ReadRegular(path, hooks.MostOfSettings)
		if err != nil {
			continue
		}
		if events, _, err := hooks.Installed(text); err == nil && len(events) > 0 {
			return true
		}
	}
	return false
}
