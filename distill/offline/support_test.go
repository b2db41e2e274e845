package offline_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode"

	"recall/cmd/recall/demo"
	"recall/distill/offline"
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/cowork"
	"recall/payload"
)

// The first quote of an item is what a person is shown as its proof: it must
// be about what the item says, not merely stand near it.
func TestFirstQuoteSupportsItsItem(t *testing.T) {
	claude, coworkRoot, err := demo.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	items, lost := 0, 0
	for _, src := range []struct {
		reader ingest.Reader
		root   string
	}{{claudecode.Reader{}, claude}, {cowork.Reader{}, coworkRoot}} {
		found, _ := src.reader.Find(context.Background(), src.root, nil)
		for _, f := range found {
			s, err := src.reader.Parse(context.Background(), f)
			if err != nil {
				t.Fatal(err)
			}
			p, err := offline.Distiller{}.Distill(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range p.Items {
				items++
				if it.Kind == payload.File || len(it.Evidence) == 0 {
					continue
				}
				if !slices.ContainsFunc(it.Evidence, func(e payload.Evidence) bool { return supports(e.Quote, it) }) {
					lost++
					t.Errorf("%s %s (%s): %q\n  is not what %q says", f.ID, it.Kind, it.Rule, it.Text, it.Evidence[0].Quote)
				}
			}
		}
	}
	if items == 0 {
		t.Error("no items at all")
	}
}

// supports asks for two content words in common, or one where there are few.
func supports(quote string, it payload.Item) bool {
	said := contentWords(quote)
	text := contentWords(it.Text)
	common := 0
	for _, w := range text {
		if slices.Contains(said, w) {
			common++
		}
	}
	return common >= min(2, len(said), len(text))
}

func contentWords(s string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if (len(w) > 3 || strings.ContainsFunc(w, unicode.IsDigit)) && !slices.Contains(out, w[:min(len(w), 5)]) {
			out = append(out, w[:min(len(w), 5)])
		}
	}
	return out
}
