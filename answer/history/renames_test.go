package history

import "testing"

// An order that puts another name in a name's place gives the first one up; an edit of a file doesn't, nor a question
// whether to.
func TestRenamed(t *testing.T) {
	for said, want := range map[string][2]string{
		"Find any mention of pier.example/tide/gaugesync and replace it with pier.example/tide/gauge-sync": {
			"pier.example/tide/gaugesync", "pier.example/tide/gauge-sync"},
		"we renamed the repo from `git.example/tide` to `git.example/tides`": {"git.example/tide", "git.example/tides"},
		"ok, we need to change /lib/tides to /tides, can you help":           {"lib/tides", "tides"},
		"I'd go with renaming --dry to --dry-run":                            {"--dry", "--dry-run"},
		"we did a migration from tide/readings to tide/readings/v2":          {"tide/readings", "tide/readings/v2"},
		"can you change the module from git.example/a/b to git.example/c/b?": {"git.example/a/b", "git.example/c/b"},
		"we moved it from a/tide to b/tide, can you fix the names?":          {"a/tide", "b/tide"},
		"should we rename tide/readings to tide/levels?":                     {},
		"change tides.go to print metres":                                    {},
		"move the table in docs/tides.md to the end":                         {},
	} {
		if from, to := renamed(said); [2]string{from, to} != want {
			t.Errorf("%s: got %q, %q", said, from, to)
		}
	}
}
