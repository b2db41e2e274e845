package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/internal/llm"
)

var schema = &llm.Schema{Name: "a", JSON: json.RawMessage(`{"type":"object"}`)}

func relay(t *testing.T) *Model {
	t.Helper()
	m, err := New(filepath.Join(t.TempDir(), "relay"), "somebody")
	if err != nil {
		t.Fatal(err)
	}
	m.pause = time.Millisecond
	return m
}

// at is where a request's files are, without their endings.
func (m *Model) at(t *testing.T, r llm.Request) string {
	t.Helper()
	q, err := questionOf(r)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(m.folder, q.ID)
}

// write writes a file whole, as those who answer must.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.WriteFile(name+".tmp", []byte(text), 0o600), os.Rename(name+".tmp", name)); err != nil {
		t.Error(err)
	}
}

// Several requests wait at once; somebody outside reads them and answers in
// whatever order.
func TestSeveralWait(t *testing.T) {
	m := relay(t)
	const n = 5
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			got, err := m.Complete(t.Context(), llm.Request{Task: "extract", System: "Be brief.",
				Prompt: fmt.Sprint("question ", i), Schema: schema, Max: 9})
			if want := fmt.Sprintf(`{"to":"question %d"}`, i); err != nil || got.Text != want ||
				got.Usage != (llm.Usage{In: 3, Out: 4}) {
				t.Errorf("got %+v, %v, want %s", got, err, want)
			}
		})
	}
	var names []string
	for len(names) < n {
		names, _ = filepath.Glob(filepath.Join(m.folder, "*.request.json"))
		time.Sleep(time.Millisecond)
	}
	for i := range names {
		name := names[n-1-i]
		var q question
		b, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(b, &q)
		}
		if err != nil || q.System != "Be brief." || q.Task != "extract" || q.Max != 9 ||
			!strings.Contains(string(q.Schema), `"type": "object"`) || !strings.HasPrefix(q.ID, "extract-") {
			t.Fatalf("%s: got %+v, %v", name, q, err)
		}
		base := filepath.Join(m.folder, q.ID)
		write(t, base+".usage.json", `{"model":"me","in":3,"out":4}`)
		write(t, base+".answer.txt", "Here:\n```json\n{\"to\":\""+q.Prompt+"\"}\n```\n")
	}
	wg.Wait()
	if i, _ := os.Stat(names[0]); i.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read %s: %v", names[0], i.Mode())
	}
}

// A request that was given up is answered in the meantime; asked again, also
// by another process, it has its answer at once.
func TestRestart(t *testing.T) {
	m := relay(t)
	r := llm.Request{Task: "judge", Prompt: "the same?", Schema: schema}
	request := m.at(t, r) + ".request.json"
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // as soon as it is asked
		defer cancel()
		for _, err := os.Stat(request); err != nil && t.Context().Err() == nil; _, err = os.Stat(request) {
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := m.Complete(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after a cancel", err)
	}
	before, err := os.Stat(request)
	if err != nil {
		t.Fatal(err)
	}
	write(t, m.at(t, r)+".answer.json", `{"same": true}`)
	again, err := New(m.folder, "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := again.Complete(t.Context(), r)
	if d := cmp.Diff(llm.Response{Text: `{"same": true}`}, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	if after, _ := os.Stat(request); !after.ModTime().Equal(before.ModTime()) {
		t.Error("the request was written anew")
	}
}

func TestAnswers(t *testing.T) {
	for _, tc := range []struct {
		name, kind, text string
		schema           *llm.Schema
		want             string
		fault            llm.Fault
	}{
		{"text", ".answer.txt", "\ufeff Yes. \n", nil, "Yes.", ""},
		{"JSON though text is asked for", ".answer.json", `{"a":1}`, nil, `{"a":1}`, ""},
		{"a list", ".answer.json", `[1]`, schema, `[1]`, ""},
		{"no JSON", ".answer.txt", "Yes.", schema, "", llm.Nonsense},
		{"half a JSON", ".answer.json", `{"a":`, schema, "", llm.Nonsense},
		{"none to come", ".error.txt", "I won't\nsay.", schema, "", llm.Refused},
	} {
		m := relay(t)
		r := llm.Request{Prompt: tc.name, Schema: tc.schema}
		write(t, m.at(t, r)+tc.kind, tc.text)
		got, err := m.Complete(t.Context(), r)
		var e *llm.Error
		if got.Text != tc.want || tc.fault != "" && (!errors.As(err, &e) || e.Fault != tc.fault ||
			e.Model != "relay/somebody") {
			t.Errorf("%s: got %q, %v, want %q, %s", tc.name, got.Text, err, tc.want, tc.fault)
		}
	}
}

// A file that has only been opened for an answer holds none yet.
func TestEmptyAnswer(t *testing.T) {
	m := relay(t)
	r := llm.Request{Prompt: "hello"}
	write(t, m.at(t, r)+".answer.txt", "")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if got, err := m.Complete(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %q, %v", got.Text, err)
	}
}

// Whatever shapes an answer shapes the request's id.
func TestIDs(t *testing.T) {
	m, seen := relay(t), map[string]bool{}
	for _, r := range []llm.Request{
		{System: "ab", Prompt: "c", Max: 10},
		{System: "a", Prompt: "bc", Max: 10},
		{System: "ab", Prompt: "c", Max: 11},
		{System: "ab", Prompt: "c", Max: 10, Schema: schema},
	} {
		if id := m.at(t, r); seen[id] {
			t.Errorf("%+v: got %s, which another has", r, id)
		} else {
			seen[id] = true
		}
	}
}

func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	if _, err := New(file, ""); err == nil {
		t.Error("a file is taken for a folder")
	}
}
