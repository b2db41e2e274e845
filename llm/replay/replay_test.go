package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/llm"
	"recall/llm/replay"
)

// parrot answers with what it was asked, once.
type parrot struct{ asked int }

func (p *parrot) Name() string { return "test/parrot" }
func (p *parrot) Window() int  { return 100 }
func (p *parrot) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	if p.asked++; r.Prompt == "fail" {
		return llm.Response{}, &llm.Error{Fault: llm.Overloaded, Model: p.Name()}
	}
	text, _ := json.Marshal(map[string]string{"said": r.Prompt})
	return llm.Response{Text: string(text), Model: "parrot-1", Usage: llm.Usage{In: 7, CacheRead: 2, Out: 3}}, nil
}

func TestRecordAndReplay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	p := &parrot{}
	rec, err := replay.Record(p, dir)
	if err != nil {
		t.Fatal(err)
	}
	r := llm.Request{Task: "extract", System: "Be brief.", Prompt: "<b>hello</b> & so",
		Schema: &llm.Schema{Name: "s", JSON: json.RawMessage(`{"type":"object"}`)}}
	want, err := rec.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rec.Complete(t.Context(), llm.Request{Prompt: "fail"}); err == nil {
		t.Error("a failure became an answer")
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 || rec.Name() != "test/parrot" || rec.Window() != 100 {
		t.Errorf("got %d recordings of %s, want 1", len(files), rec.Name())
	}
	m, err := replay.New(replay.Options{Folder: dir, Model: "parrot"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Complete(t.Context(), r)
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("replayed %v (-want +got):\n%s", err, d)
	}
	if p.asked != 2 || m.Name() != "replay/parrot" {
		t.Errorf("%s: the model was asked %d times", m.Name(), p.asked)
	}
	b, _ := os.ReadFile(filepath.Join(dir, r.Hash()+".json"))
	if !strings.Contains(string(b), "<b>hello</b> & so") {
		t.Errorf("a recording can't be read: %s", b)
	}
}

func TestFaults(t *testing.T) {
	dir := t.TempDir()
	m, err := replay.New(replay.Options{Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	r := llm.Request{Task: "judge", Prompt: "Are these two\nthe same?"}
	name := filepath.Join(dir, r.Hash()+".json")
	for _, tc := range []struct {
		file string // "" for none
		want llm.Fault
		text string
	}{
		{"", llm.Rejected, `judge request "Are these two the same?"`},
		{`{"response":`, llm.Nonsense, "no recording"},
		{`{"response":{"text":" "}}`, llm.Nonsense, "no answer"},
	} {
		if tc.file != "" {
			if err := os.WriteFile(name, []byte(tc.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var e *llm.Error
		if _, err := m.Complete(t.Context(), r); !errors.As(err, &e) || e.Fault != tc.want ||
			!strings.Contains(e.Text, tc.text) || !strings.Contains(e.Text, name) {
			t.Errorf("%q: got %v, want %s", tc.file, err, tc.want)
		}
	}
	if _, err := replay.New(replay.Options{Folder: filepath.Join(dir, "none")}); err == nil {
		t.Error("a folder that isn't there is taken")
	}
}

// Answers are found by what was asked about; what isn't recorded is refused and counted.
func TestAnswers(t *testing.T) {
	a := replay.NewAnswers(map[string]json.RawMessage{"extract-1": json.RawMessage(`{"text":"yes"}`)}, "recorded")
	if data, ok, err := a.Answer("extract-1"); string(data) != `{"text":"yes"}` || !ok || err != nil || a.Missing() != 0 {
		t.Errorf("got %s, %v, %v and %d missing", data, ok, err, a.Missing())
	}
	if _, ok, _ := a.Answer("extract-2"); ok {
		t.Error("an answer that nobody gave")
	}
	var e *llm.Error
	_, err := a.Complete(t.Context(), llm.Request{Task: "extract", Prompt: "p"})
	if !errors.As(err, &e) || e.Passing() || e.Ends() || a.Missing() != 1 || a.Name() != "replay/recorded" {
		t.Errorf("got %v and %d missing: one request without an answer ends no others", err, a.Missing())
	}
	if err := a.KeepAnswer("extract-2", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := a.Answer("extract-2"); !ok {
		t.Error("what was kept is gone")
	}
}
