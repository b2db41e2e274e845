package model

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/ingest"
	"recall/ingest/claudecode"
	_ "recall/library/ramdisk"
)

// A strong model's recorded answers to earlier requests about real sessions: each of
// their quotes that stands on a line it may quote now is taken, all but two of those that stood
// in the requests as they were; and asking the same now takes a fifth less.
func TestQuotesOfRecordedAnswers(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED not set")
	}
	type session struct {
		of        *ingest.Session
		src       *sources
		allowed   string // what may be quoted of its lines
		lines     map[string]bool
		then, now int // tokens of the requests
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
			lines, allowed := map[string]bool{}, ""
			for _, k := range blocks {
				allowed += face(k.text) + "\n"
				for line := range strings.Lines(k.text) {
					lines[bare(spoken(line))] = true
				}
			}
			sessions = append(sessions, session{of: s, src: sourcesOf(blocks), allowed: allowed, lines: lines})
		}
	}
	answers, err := filepath.Glob(filepath.Join(shared, "silver", "answers", "extract-*.answer.json"))
	if err != nil || len(answers) == 0 {
		t.Skipf("no recorded answers: %v", err)
	}
	quotes, stand, taken, items, without, stood, refused := 0, 0, 0, 0, 0, 0, 0
	for _, path := range answers {
		var request struct {
			System, Prompt string
			Schema         json.RawMessage
		}
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
		then, turn := map[string]string{}, "" // what might be quoted of each turn
		for line := range strings.Lines(shownText) {
			if head, ok := strings.CutPrefix(line, "## "); ok {
				turn, _, _ = strings.Cut(strings.TrimSpace(head), " ")
			} else {
				then[turn] += face(line)
			}
		}
		var of *session
		most := 0
		for i := range sessions {
			n := 0
			for line := range strings.Lines(shownText) {
				if said := bare(spoken(line)); said != "" && sessions[i].lines[said] {
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
		var form bytes.Buffer
		if err := json.Compact(&form, request.Schema); err != nil {
			t.Fatal(err)
		}
		of.then += tokens(request.System) + tokens(request.Prompt) + tokens(form.String())
		for _, f := range a.Items {
			items++
			has := false
			for _, c := range f.Evidence {
				quotes++
				_, _, fault := of.src.find(c)
				has = has || fault == ""
				want := bare(unmarked(string(c.Quote)))
				if strings.Contains(then[c.label()], want) {
					if stood++; fault != "" {
						refused++
						t.Logf("%s %s %q: %s", filepath.Base(path)[:16], c.Turn, c.Quote, fault)
					}
				}
				if len(want) >= minQuote && strings.Contains(of.allowed, want) &&
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
	m := New(Options{Model: &scripted{}, Store: newMemory()})
	n, then, now := 0, 0, 0
	for i := range sessions {
		if s := &sessions[i]; s.then > 0 {
			z, windows, _, err := m.cut(s.of, m.o.Window)
			if err != nil {
				t.Fatal(err)
			}
			for k := range windows {
				s.now += m.size(m.about(s.of, &windows[k], z, nil).request)
			}
			n, then, now = n+1, then+s.then, now+s.now
		}
	}
	t.Logf("%d answers, %d items, %d quotes; %d stand as shown, %d of them taken; of %d that stood then %d; "+
		"%d items need other quotes", len(answers), items, quotes, stand, taken, stood, stood-refused, without)
	t.Logf("%d sessions: %d tokens a session then, %d now (%.2f)", n, then/n, now/n, float64(now)/float64(then))
	if stand < 500 || stood < 1000 || refused > 3 {
		t.Errorf("%d quotes looked at; of %d that stood in their requests %d refused", stand, stood, refused)
	}
	if float64(now) > 0.8*float64(then) {
		t.Errorf("a session takes %d tokens, want at most 0.8 of %d", now/n, then/n)
	}
}

// face returns what may be quoted of a block's lines: without their marks and without tool output.
func face(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.ContainsRune("|>?=+x", rune(line[0])) {
			b.WriteString(bare(unmarked(line)))
		}
	}
	return b.String()
}
