package hooks

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/index"
	"recall/index/check"
	"recall/payload"
)

// What was ruled out three times is told once.
func TestSameSource(t *testing.T) {
	warning := func(id payload.ItemID, session, quote, name string) check.Warning {
		it := payload.Item{ID: id, Evidence: []payload.Evidence{{Quote: quote}}}
		return check.Warning{Placed: index.Placed{Place: index.Place{Session: session}, Item: it}, Name: name}
	}
	all := []check.Warning{
		warning("a", "s1", "no redis for this", "redis"), warning("b", "s2", "forget redis", "redis"),
		warning("c", "s1", "no redis for this", "compose.yaml"), warning("d", "s1", "kafka is out", "kafka"),
	}
	if d := cmp.Diff([]payload.ItemID{"a", "b", "c"}, sameSource(all, &all[0])); d != "" {
		t.Error(d)
	}
}

// Of many paths the first are named.
func TestListOfPaths(t *testing.T) {
	if got := list([]string{"a", "b", "c", "d", "e"}); got != "a, b, c, and 2 more" {
		t.Error(got)
	}
}
