package model

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/ingest/claudecode"
)

// A strong model's recorded answers to earlier requests about real sessions: each of
// their quotes that stands on a line it may quote now is taken.
func TestQuotesOfRecordedAnswers(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED not set")
	}
	type session struct {
		src   *sources
		lines map[string]bool
	}
	var sessions []session
	for _, dir := range []string{"silver", filepath.Join("transcripts", "dev")} {
		found, err := claudecode.Reader{}.Find(t.Context(), filepath.Join(shared, dir), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			s, err := claudecode.Reader{}.Parse(t.Context(), f)
			if err != nil {
				continue
			}
			blocks, _ := condense(s)
			lines := map[string]bool{}
			for _, k := range blocks {
				for line := range strings.Lines(k.text) {
					lines[bare(line)] = true
				}
			}
			sessions = append(sessions, session{sourcesOf(blocks), lines})
		}
	}
	answers, err := filepath.Glob(filepath.Join(shared, "silver", "answers", "extract-*.answer.json"))
	if err != nil || len(answers) == 0 {
		t.Skipf("no recorded answers: %v", err)
	}
	quotes, stand, taken, items, without := 0, 0, 0, 0, 0
	for _, path := range answers {
		var request struct{ Prompt string }
		data, err := os.ReadFile(strings.Replace(path, ".answer.", ".request.", 1))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &request); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		given, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, shownText, _ := strings.Cut(request.Prompt, "<transcript>\n")
		var of *session
		most := 0
		for i := range sessions {
			n := 0
			for line := range strings.Lines(shownText) {
				if sessions[i].lines[bare(line)] {
					n++
				}
			}
			if n > most {
				of, most = &sessions[i], n
			}
		}
		a, err := decodeAnswer(string(given))
		if err != nil || of == nil {
			t.Logf("%s: %v", filepath.Base(path), err)
			continue
		}
		allowed := ""
		for _, src := range of.src.order {
			allowed += src.face + "\n"
		}
		for _, f := range a.Items {
			items++
			has := false
			for _, c := range f.Evidence {
				quotes++
				_, _, fault := of.src.find(c)
				has = has || fault == ""
				if want := bare(unmarked(string(c.Quote))); len(want) >= leastQuote && strings.Contains(allowed, want) &&
					!oursAlone.MatchString("+ "+string(c.Quote)) {
					stand++
					if fault == "" {
						taken++
					} else {
						t.Errorf("%s %s %q: %s", filepath.Base(path)[:16], c.Turn, c.Quote, fault)
					}
				}
			}
			if !has {
				without++
			}
		}
	}
	t.Logf("%d answers, %d items, %d quotes; %d stand as shown, %d of them taken; %d items need other quotes",
		len(answers), items, quotes, stand, taken, without)
	if stand < 500 {
		t.Errorf("only %d quotes looked at", stand)
	}
}
