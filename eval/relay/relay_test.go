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
	m, err := New(Options{Folder: filepath.Join(t.TempDir(), "relay"), Model: "somebody"})
	if err != nil {
		t.Fatal(err)
	}
	m.first, m.last, m.minUnchanged = time.Millisecond, 5*time.Millisecond, 50*time.Millisecond
	return m
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
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
		names, _ = filepath.Glob(filepath.Join(m.o.Folder, "*.request.json"))
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
		base := filepath.Join(m.o.Folder, q.ID)
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
	request := filepath.Join(m.o.Folder, ID(r)+".request.json")
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
	m.o.Timeout = 10 * time.Millisecond
	var e *llm.Error
	if _, err := m.Complete(t.Context(), r); !errors.As(err, &e) || e.Fault != llm.TimedOut ||
		!strings.Contains(err.Error(), request) {
		t.Errorf("got %v, want %s", err, llm.TimedOut)
	}
	write(t, filepath.Join(m.o.Folder, ID(r)+".answer.json"), `{"same": true}`)
	again, err := New(m.o)
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

// old makes a file one that nobody has written to for an hour.
func old(name string) {
	then := time.Now().Add(-time.Hour)
	os.Chtimes(name, then, then)
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
		{"empty", ".answer.txt", "", nil, "", llm.Nonsense},
		{"none to come", ".error.txt", "I won't\nsay.", schema, "", llm.Refused},
	} {
		m := relay(t)
		r := llm.Request{Prompt: tc.name, Schema: tc.schema}
		name := filepath.Join(m.o.Folder, ID(r)+tc.kind)
		write(t, name, tc.text)
		old(name)
		got, err := m.Complete(t.Context(), r)
		var e *llm.Error
		if got.Text != tc.want || tc.fault != "" && (!errors.As(err, &e) || e.Fault != tc.fault ||
			e.Model != "relay/somebody") {
			t.Errorf("%s: got %q, %v, want %q, %s", tc.name, got.Text, err, tc.want, tc.fault)
		}
	}
}

// An answer that is still being written isn't taken.
func TestWrittenSlowly(t *testing.T) {
	for _, tc := range []struct {
		kind, half, whole string
		rests             bool // it isn't seen to be whole until it is left alone
	}{
		{".answer.json", `{"a":`, `{"a":1}`, false},
		{".answer.txt", `{"a":[{"b":1}`, `{"a":1}`, false},
		{".answer.txt", `Sure: [{"b":1}, and`, `Sure: {"a":1}`, true},
		{".answer.txt", "", `{"a":1} and`, true},
	} {
		m := relay(t)
		m.minUnchanged = 10 * time.Minute
		r := llm.Request{Prompt: "hello", Schema: schema}
		name := filepath.Join(m.o.Folder, ID(r)+tc.kind)
		write(t, name, tc.half)
		done := make(chan struct{})
		go func() {
			defer close(done)
			time.Sleep(15 * time.Millisecond)
			write(t, name, tc.whole)
			if tc.rests {
				old(name)
			}
		}()
		if got, err := m.Complete(t.Context(), r); err != nil || got.Text != `{"a":1}` {
			t.Errorf("%s: got %q, %v", tc.whole, got.Text, err)
		}
		<-done
	}
}

func TestOptions(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("no folder is taken")
	}
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	if _, err := New(Options{Folder: file}); err == nil {
		t.Error("a file is taken for a folder")
	}
}
