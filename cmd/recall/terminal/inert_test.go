package terminal

import "testing"

// What is pasted into a forge calls nobody, closes nothing and fetches nothing; code stays as it is.
func TestInert(t *testing.T) {
	for text, want := range map[string]string{
		"Fixes #48, as @ann says":       "Fixes #<!-- -->48, as @<!-- -->ann says",
		"see `#48` and `@expo/sqlite`":  "see `#48` and `@expo/sqlite`",
		"<img src=x> ![a](https://b/c)": "&lt;img src=x> !\\[a](https://b/c)",
		"a ` alone, then #7 and <b>":    "a ` alone, then #<!-- -->7 and &lt;b>",
		"`a` # b @ c":                   "`a` # b @ c",
	} {
		if got := inert(text); got != want {
			t.Errorf("inert(%q) = %q, want %q", text, got, want)
		}
	}
}
