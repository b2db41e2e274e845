// Package relay writes each request to a file in a folder and waits for the answer next to it, so that any external
// model, or a person, can answer. The files are described in docs/internals/relay.md:
//
//	<id>.request.json   the request
//	<id>.answer.json    the answer, if JSON is asked for
//	<id>.answer.txt     the answer as text; JSON in it is found
//	<id>.error.txt      why there will be no answer
//	<id>.usage.json     optional: what it took, written before the answer
//
// An id depends on the request alone, so that a request repeated after a restart finds an answer that came in the
// meantime.
package relay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"recall/internal/llm"
	"recall/internal/text"
)

// Options say where requests go.
type Options struct {
	Folder  string
	Model   string        // whoever answers, "outside" by default
	Timeout time.Duration // 0: answers are awaited as long as the context lasts
}

// window is taken to be that of whoever answers, in tokens.
const window = 200_000

// Model is an llm.Model over a folder. Safe for concurrent use, also by several processes.
type Model struct {
	llm.Identity
	o            Options
	first, last  time.Duration // growing interval between two looks
	minUnchanged time.Duration
}

var _ llm.Model = (*Model)(nil)

// New creates the folder if necessary.
func New(o Options) (*Model, error) {
	if o.Folder == "" {
		return nil, errors.New("relay: no folder is set for the requests")
	}
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("relay: %w", err)
	}
	who := llm.Identity{ID: "relay/" + cmp.Or(o.Model, "outside"), Tokens: window}
	return &Model{Identity: who, o: o, first: 20 * time.Millisecond, last: 2 * time.Second,
		minUnchanged: minUnchanged}, nil
}

// question is the content of a request's file.
type question struct {
	ID     string          `json:"id"`
	Task   string          `json:"task,omitempty"`
	System string          `json:"system,omitempty"`
	Prompt string          `json:"prompt"`
	Schema json.RawMessage `json:"schema,omitempty"` // of the answer; without it, text is expected
	Max    int             `json:"max_tokens,omitempty"`
}

// ID returns a request's id: its task and a hash of its content.
func ID(r llm.Request) string {
	id := idOf(r)
	if task().MatchString(r.Task) {
		id = r.Task + "-" + id
	}
	return id
}

var task = text.Pattern(`^[a-z]{1,20}$`)

// Complete implements llm.Model. When the context ends, the request stays in the folder and can still be answered
// before it is asked again.
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	id := ID(r)
	look := &look{base: filepath.Join(m.o.Folder, id), json: r.Schema != nil, minUnchanged: m.minUnchanged}
	res, ok, err := look.answer()
	if !ok && err == nil {
		if err := m.put(id, r); err != nil {
			return llm.Response{}, fmt.Errorf("relay: request %s: %w", id, err)
		}
		res, err = m.wait(ctx, look)
	}
	if e, ok := errors.AsType[*llm.Error](err); ok {
		e.Model = m.Name()
	}
	return res, err
}

// wait polls for the answer, at first frequently.
func (m *Model) wait(ctx context.Context, l *look) (llm.Response, error) {
	if m.o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, m.o.Timeout)
		defer cancel()
	}
	pause := time.NewTimer(m.first)
	defer pause.Stop()
	for d := m.first; ; d = min(d*3/2, m.last) {
		pause.Reset(d)
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return llm.Response{}, ctx.Err()
			}
			return llm.Response{}, &llm.Error{Fault: llm.TimedOut, Text: "nobody answered " + l.base + ".request.json",
				Err: ctx.Err()}
		case <-pause.C:
		}
		if res, ok, err := l.answer(); ok || err != nil {
			return res, err
		}
	}
}

// put atomically writes a request's file, unless it exists.
func (m *Model) put(id string, r llm.Request) error {
	name := filepath.Join(m.o.Folder, id+".request.json")
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	q := question{ID: id, Task: r.Task, System: r.System, Prompt: r.Prompt, Max: r.Max}
	if r.Schema != nil {
		q.Schema = r.Schema.JSON
	}
	f, err := os.CreateTemp(m.o.Folder, ".writing-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails harmlessly after the rename
	e := json.NewEncoder(f)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := errors.Join(e.Encode(q), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
