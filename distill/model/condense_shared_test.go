package model

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What condensing costs: of a transcript's bytes 5 % may be left, and the quotes
// of 97 in 100 items that must be kept have to stand in it.
func TestCondenseKeepsWhatMustBeKept(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED not set")
	}
	dev := filepath.Join(shared, "transcripts")
	raw, left, must, kept := 0, 0, 0, 0
	for _, c := range goldCases(t, shared, peoples) {
		info, err := os.Stat(filepath.Join(dev, filepath.FromSlash(c.gold.Transcript)))
		if err != nil {
			t.Fatal(err)
		}
		blocks, _ := condense(c.session)
		var b strings.Builder
		for _, k := range blocks {
			b.WriteString(k.text)
		}
		raw, left = raw+int(info.Size()), left+b.Len()
		text := plain(b.String())
		lost := 0
		for _, it := range c.gold.Items {
			if !it.Must {
				continue
			}
			must++
			if strings.Contains(text, plain(it.Quote)) {
				kept++
				continue
			}
			lost++
			t.Logf("%.8s %s lost: %s", c.gold.Session, it.ID, it.Quote)
		}
		t.Logf("%.8s %d of %d bytes (%.1f %%), %d quotes lost", c.gold.Session, b.Len(), info.Size(),
			100*float64(b.Len())/float64(info.Size()), lost)
	}
	t.Logf("%d of %d bytes (%.2f %%), %d of %d quotes", left, raw, 100*float64(left)/float64(raw), kept, must)
	if float64(left) > 0.05*float64(raw) {
		t.Errorf("got %d of %d bytes, want at most 5 %%", left, raw)
	}
	if float64(kept) < 0.97*float64(must) {
		t.Errorf("got %d of %d quotes, want 97 %%", kept, must)
	}
}

// plain is a text without marks of lines and without white space.
func plain(text string) string {
	var b strings.Builder
	for line := range strings.Lines(visible(text)) {
		for _, mark := range []string{"|   ", "| ", "> ", "+   message: ", "+   | ", "= user: ", "? ", "+ "} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				line = rest
				break
			}
		}
		b.WriteString(strings.Join(strings.Fields(line), ""))
	}
	return b.String()
}
