//go:build unix

package redact

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// decoded returns all strings of the values of JSON lines.
func decoded(data []byte) []string {
	var all []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	for line := range bytes.Lines(data) {
		var v any
		if json.Unmarshal(line, &v) == nil {
			walk(v)
		}
	}
	return all
}

// Real transcripts, whose secrets were masked before they were published: what
// is found there is mostly wrong. Only counts are printed, never text.
func TestSharedTranscriptsHoldFewSecrets(t *testing.T) {
	dir := os.Getenv("RECALL_SHARED")
	if dir == "" {
		t.Skip("RECALL_SHARED isn't set")
	}
	s, bytes := New(), 0
	for _, text := range sharedTexts(t, dir) {
		bytes += len(text)
		s.Text(text)
	}
	total := 0
	for kind, n := range s.Counts() {
		t.Logf("%s: %d", kind, n)
		total += n
	}
	if most := bytes / (2 << 20); total > most {
		t.Errorf("%d different secrets in %d bytes, want at most %d", total, bytes, most)
	}
}
