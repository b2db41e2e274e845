package payload

import "testing"

func TestRuledOut(t *testing.T) {
	for _, c := range []struct {
		text, thing string
		no          bool
	}{
		{"No Redis for the cache", "Redis for the cache", false},
		{"Don't use a global lock", "a global lock", false},
		{"redis", "redis", false},
		{"A lock doesn't help", "A lock doesn't help", true},
		{"Background sync is out", "Background sync is out", true},
		{"The cache is not the cause", "The cache is not the cause", true},
		{"No ", "No ", false},
	} {
		if got := RuledOutThing(c.text); got != c.thing {
			t.Errorf("%q: got %q, want %q", c.text, got, c.thing)
		}
		if got := SaysNo(c.text); got != c.no {
			t.Errorf("%q says no itself: got %v, want %v", c.text, got, c.no)
		}
	}
}
