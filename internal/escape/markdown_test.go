package escape

import "testing"

// A file's name calls nobody, whatever it is called.
func TestCode(t *testing.T) {
	for name, want := range map[string]string{"a.go": "`a.go`", "x`@octocat `y.go": "`` x`@octocat `y.go ``",
		"`": "`` ` ``", "a``b`": "``` a``b` ```"} {
		if got := Code(name); got != want {
			t.Errorf("Code(%q) = %q, want %q", name, got, want)
		}
	}
}
