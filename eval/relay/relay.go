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
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recall/internal/llm"
	"recall/internal/text"
	"recall/library/disk"
)

// window is taken to be that of whoever answers, in tokens.
const window = 200_000

// Model is an llm.Model over a folder. Safe for concurrent use, also by several processes.
type Model struct {
	llm.Identity
	folder string
	pause  time.Duration // between two looks
}

var _ llm.Model = (*Model)(nil)

// New creates the folder if necessary; model is whoever answers, "outside" by default.
func New(folder, model string) (*Model, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("relay: %w", err)
	}
	who := llm.Identity{ID: "relay/" + cmp.Or(model, "outside"), Tokens: window}
	return &Model{Identity: who, folder: folder, pause: 50 * time.Millisecond}, nil
}

// question is the content of a request's file.
type question struct {
	ID     string         `json:"id"`
	Task   string         `json:"task,omitempty"`
	System string         `json:"system,omitempty"`
	Prompt string         `json:"prompt"`
	Schema jsontext.Value `json:"schema,omitempty"` // of the answer; without it, text is expected
	Max    int            `json:"max_tokens,omitzero"`
}

// questionOf identifies a request by its task and a hash of its content.
func questionOf(r llm.Request) (question, error) {
	q := question{Task: r.Task, System: r.System, Prompt: r.Prompt, Max: r.Max}
	if r.Schema != nil {
		q.Schema = jsontext.Value(r.Schema.JSON)
	}
	content, err := json.Marshal(q)
	q.ID = r.Task + "-" + text.Hash(string(content), 16)
	return q, err
}

// Complete implements llm.Model. When the context ends, the request stays in the folder and can still be answered
// before it is asked again.
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	q, err := questionOf(r)
	base := filepath.Join(m.folder, q.ID)
	if err == nil {
		err = q.put(base + ".request.json")
	}
	if err != nil {
		return llm.Response{}, fmt.Errorf("relay: request %s: %w", q.ID, err)
	}
	looks := time.NewTicker(m.pause)
	defer looks.Stop()
	for {
		res, err := answer(base, r.Schema != nil)
		if !errors.Is(err, fs.ErrNotExist) {
			if e, ok := errors.AsType[*llm.Error](err); ok {
				e.Model = m.Name()
			}
			return res, err
		}
		select {
		case <-ctx.Done():
			return llm.Response{}, ctx.Err()
		case <-looks.C:
		}
	}
}

// put writes a request's file, unless it exists.
func (q question) put(name string) error {
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	data, err := json.Marshal(q, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return disk.Replace(name, data, 0o600)
}

// answer returns the answer to a request, fs.ErrNotExist if there is none yet.
func answer(base string, asJSON bool) (res llm.Response, err error) {
	for _, kind := range []string{".answer.json", ".answer.txt", ".error.txt"} {
		data, err := os.ReadFile(base + kind)
		said := strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff"))
		switch {
		case errors.Is(err, fs.ErrNotExist) || err == nil && said == "":
			continue
		case err != nil:
			return res, &llm.Error{Fault: llm.Unreachable, Err: err}
		case kind == ".error.txt":
			return res, &llm.Error{Fault: llm.Refused, Text: llm.Short(said)}
		}
		if usage, err := os.ReadFile(base + ".usage.json"); err == nil {
			if err := json.Unmarshal(usage, &res.Usage); err != nil {
				return res, &llm.Error{Fault: llm.Nonsense, Text: base + ".usage.json: " + err.Error()}
			}
		}
		res.Text = said
		if found, ok := llm.FindJSON(said); ok && asJSON {
			res.Text = found
		} else if asJSON {
			return llm.Response{}, &llm.Error{Fault: llm.Nonsense, Usage: res.Usage,
				Text: base + kind + " contains no JSON: fix or delete it, then ask again"}
		}
		return res, nil
	}
	return res, fs.ErrNotExist
}
