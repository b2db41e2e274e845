package web

import (
	"testing"

	"recall/payload"
)

// A quote is shown unless the line above it says the same.
func TestQuoteOf(t *testing.T) {
	for _, c := range []struct {
		line, quote string
		shown       bool
	}{
		{"Use plain files for the cache", "Let's use plain files for the cache.", false},
		{"Use plain files for the cache", "No, don't use plain files for the cache.", true},
		{"Keep postgres instead of sqlite", "Keep sqlite instead of postgres", true},
		{"Use plain files", "Use plain files, since the index is rebuilt every night and the vendor bills each write", true},
	} {
		it := payload.Item{Kind: payload.Decision, Text: c.line, Evidence: []payload.Evidence{{Quote: c.quote}}}
		if got := quoteOf(it) != ""; got != c.shown {
			t.Errorf("%q under %q: shown %v", c.quote, c.line, got)
		}
	}
}
