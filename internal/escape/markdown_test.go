package escape

import "testing"

// What is pasted into a forge calls nobody, closes nothing and fetches nothing; code stays as it is.
func TestInert(t *testing.T) {
	for text, want := range map[string]string{
		"Fixes #48, as @ann says":         "Fixes #<!-- -->48, as @<!-- -->ann says",
		"see `#48` and `@expo/sqlite`":    "see `#48` and `@expo/sqlite`",
		"<img src=x> ![a](https://b/c)":   "&lt;img src=x> !\\[a](https://b/c)",
		"a ` alone, then #7 and <b>":      "a \\` alone, then #<!-- -->7 and &lt;b>",
		"``` `x` @octocat ` ```":          "\\`\\`\\` \\`x\\` @<!-- -->octocat \\` \\`\\`\\`",
		"\\` @ann ` and \\\\` #7 `":       "\\\\\\` @<!-- -->ann \\` and \\\\\\\\\\` #<!-- -->7 \\`",
		"&commat;ann fixes &num;7, gh-7":  "&amp;commat;ann fixes &amp;num;7, gh-<!-- -->7",
		"closes https://a.b/c/d/issues/7": "closes https://a.b/c/d/issues/<!-- -->7",
		"`a` # b @ c":                     "`a` # b @ c",
	} {
		if got := Inert(text); got != want {
			t.Errorf("Inert(%q) = %q, want %q", text, got, want)
		}
	}
}

// A file's name calls nobody either, whatever it is called.
func TestCode(t *testing.T) {
	for name, want := range map[string]string{"a.go": "`a.go`", "x`@octocat `y.go": "`` x`@octocat `y.go ``",
		"`": "`` ` ``", "a``b`": "``` a``b` ```"} {
		if got := Code(name); got != want {
			t.Errorf("Code(%q) = %q, want %q", name, got, want)
		}
	}
}
