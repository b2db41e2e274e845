package model

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"recall/cmd/recall/demo"
	"recall/distill"
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/payload"
)

// Every line that a model may quote can be quoted as it is shown: what it copies is
// found, in words that the turn holds.
func TestWhatIsShownCanBeQuoted(t *testing.T) {
	claude, _, err := demo.Write(filepath.Join(t.TempDir(), "demo"))
	if err != nil {
		t.Fatal(err)
	}
	dirs := []string{claude}
	if shared := os.Getenv("RECALL_SHARED"); shared != "" {
		dirs = append(dirs, filepath.Join(shared, "transcripts", "dev"), filepath.Join(shared, "silver"))
	}
	lines, lost := 0, 0
	for _, dir := range dirs {
		found, err := claudecode.Reader{}.Find(t.Context(), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			s, err := claudecode.Reader{}.Parse(t.Context(), f)
			if err != nil {
				continue // of a broken one: what can be read is tested where it is parsed
			}
			n, bad := quotedAll(t, s)
			lines, lost = lines+n, lost+bad
		}
	}
	t.Logf("%d of %d lines can be quoted", lines-lost, lines)
	if lines < 100 {
		t.Errorf("only %d lines looked at", lines)
	}
}

// oursAlone are lines of which the turn holds nothing: condense's own words.
var oursAlone = regexp.MustCompile(`^[+=|x>]\s+(?:\d+ still to do|task \S* \w+|and \d+ more files|no answer|` +
	`attached |Bash (?:git|gh) .* …|(?:\| )?\[…|\[\d+ bytes of |\[Request|\S+(?: -> .*)?$|.* -> [a-z ]+$)`)

func quotedAll(t *testing.T, s *ingest.Session) (lines, lost int) {
	blocks, _ := condense(s)
	src := sourcesOf(blocks)
	p := &payload.Payload{}
	for _, k := range blocks {
		for line := range strings.Lines(k.text) {
			line = strings.TrimRight(line, "\n")
			if !strings.ContainsRune("|>?=+x", rune(line[0])) || oursAlone.MatchString(line) {
				continue
			}
			_, rest, _ := strings.Cut(line, " ")
			for _, quote := range []string{cutAt(rest, 200), cutAt(line, 200)} {
				if utf8.RuneCountInString(bare(unmarked(quote))) < minQuote {
					continue
				}
				lines++
				at, got, fault := src.find(cited{word(label(k.turn)), word(quote)})
				if fault != "" {
					lost++
					t.Errorf("%s %s: %q: %s", s.ID, label(k.turn), quote, fault)
					continue
				}
				p.Items = append(p.Items, payload.Item{Kind: payload.Next, Evidence: []payload.Evidence{{Turn: string(at.turn.ID),
					Quote: got}}})
			}
		}
	}
	all := len(p.Items)
	if dropped := distill.Ground(s, p); len(p.Items) != all {
		t.Errorf("%s: quotes that the turns don't hold: %v", s.ID, dropped)
		lost += all - len(p.Items)
	}
	return lines, lost
}
