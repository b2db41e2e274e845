package terminal

import (
	"slices"
	"sync"

	"recall/ingest"
	"recall/redact"
)

// ShownPath is a path of this machine as it may be printed. Claude Code calls the
// folder of a transcript by the working directory, and that may be called by a
// secret; what is printed may be read by an agent.
func ShownPath(path string) string {
	rules, err := shownRules()
	if err != nil {
		return "a path that can't be shown"
	}
	return ingest.MapPath(path, rules.Session().Name)
}

func ShowAll(paths []string) []string { return ShowEach(paths, ShownPath) }

func ShowEach(paths []string, show func(string) string) []string {
	paths = slices.Clone(paths)
	for i := range paths {
		paths[i] = show(paths[i])
	}
	return paths
}

var shownRules = sync.OnceValues(redact.New)
