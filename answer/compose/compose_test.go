package compose

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"recall/index"
	"recall/internal/llm"
	"recall/payload"
)

// says is a model that always says the same, of a window of so many tokens.
type says struct {
	text   string
	window int
	asked  []llm.Request
}

func (s *says) Name() string { return "test/says" }
func (s *says) Window() int  { return s.window }
func (s *says) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	s.asked = append(s.asked, r)
	return llm.Response{Text: s.text}, nil
}

// memory is an llm.Store.
type memory map[string][]byte

func (m memory) Answer(key string) ([]byte, bool, error)  { d, ok := m[key]; return d, ok, nil }
func (m memory) KeepAnswer(key string, data []byte) error { m[key] = data; return nil }

// What a model says in another form is an error, and isn't kept.
func TestAnswersOfOtherForms(t *testing.T) {
	for text, want := range map[string]string{
		`{"order": [2, 2, 0, -1, 77, 1], "found": "answer"}`:         "[1 0] true",
		"Sure! ```json\n{\"order\": [1,], \"found\": \"none\"}\n```": "[0] false",
		`{"order": [], "found": "answer"}`:                           "[] false",
		`{"order": [1], "found": "perhaps"}`:                         "nonsense",
		`{"order": [1]}`:                                             "nonsense",
		`{"order": "1", "found": "none"}`:                            "nonsense",
		`I can't help with that.`:                                    "nonsense",
	} {
		m := memory{}
		a := &Asker{Model: &says{text: text}, Kept: m}
		look, err := a.Look(t.Context(), "what about the cache?", said())
		got := fmt.Sprint(look.Order, " ", look.Answers)
		var e *llm.Error
		if errors.As(err, &e) {
			got = string(e.Fault)
		}
		if kept := len(m) > 0; got != want || kept == (want == "nonsense") {
			t.Errorf("%s: got %s (%v), want %s", text, got, err, want)
		}
	}
}

// What was asked before isn't asked again; what is sent is redacted, and no
// more than the model can hold.
func TestAsking(t *testing.T) {
	model := &says{text: `{"order": [1], "found": "answer"}`}
	a := &Asker{Model: model, Kept: memory{}}
	for range 2 {
		if _, err := a.Look(t.Context(), "is password=hunter2-Falcon89 the cache?", said()); err != nil {
			t.Fatal(err)
		}
	}
	if len(model.asked) != 1 || strings.Contains(model.asked[0].Prompt, "Falcon89") ||
		!strings.Contains(model.asked[0].Prompt, "‹password 1› the cache") {
		t.Errorf("asked %d times, first of %q", len(model.asked), model.asked[0].Prompt)
	}
	var many []*index.Result
	for i := range 80 {
		many = append(many, &index.Result{Item: &payload.Item{ID: payload.ItemID(fmt.Sprint(i)),
			Kind: payload.Decision, Text: strings.Repeat("words ", 100)}})
	}
	for _, window := range []int{0, 2000} {
		model := &says{text: `{"order": [50, 4], "found": "answer"}`, window: window}
		a := &Asker{Model: model, Kept: memory{}}
		look, err := a.Look(t.Context(), "what?", many)
		if err != nil {
			t.Fatal(err)
		}
		lines := len(numbered(model.asked[0].Prompt))
		if window == 0 && (lines != Looked || look.Order[0] != 49) {
			t.Errorf("shown %d lines, first %v, want %d", lines, look.Order, Looked)
		}
		for _, r := range model.asked {
			if size := llm.Tokens(len(r.System)+len(r.Prompt)+len(r.Schema.JSON)) + r.Max; window > 0 && size > window {
				t.Errorf("%s: %d tokens for a window of %d", r.Task, size, window)
			}
		}
	}
}

// Of the first ten passages it is shown all, of the others what says most of the question.
func TestPassagesShown(t *testing.T) {
	var found []*index.Result
	for range 12 {
		found = append(found, &index.Result{Type: "turn", Role: "user", Text: "Hm. We pin it. To v2.",
			Passage: "We pin it. To v2.", Brief: "We pin it."})
	}
	model := &says{text: `{"order": [1], "found": "answer"}`}
	a := &Asker{Model: model, Kept: memory{}}
	if _, err := a.Look(t.Context(), "is it pinned?", found); err != nil {
		t.Fatal(err)
	}
	for i, got := range numbered(model.asked[0].Prompt) {
		want := "We pin it. To v2."
		if i >= readWhole {
			want = "We pin it."
		}
		if _, got, _ = strings.Cut(got, ") "); got != want {
			t.Errorf("line %d: got %q, want %q", i+1, got, want)
		}
	}
}

func numbered(prompt string) (lines []string) {
	for l := range strings.SplitSeq(prompt, "\n") {
		if _, rest, ok := strings.Cut(l, ". ("); ok {
			lines = append(lines, rest)
		}
	}
	return lines
}
