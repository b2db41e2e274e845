// Package replay answers from files that were recorded before, so that tests
// and measurements ask no model. A recording is a file <hash of the request>.json:
//
//	{"request": {"task", "system", "prompt", "schema", "max"},
//	 "response": {"text", "model", "usage"}}
//
// The request is there to be read; only its hash counts.
package replay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"recall/llm"
)

// Options have "recorded" as model and 200,000 tokens as window, if nobody says otherwise.
type Options = llm.Options

// usualWindow is that of the models whose answers are recorded.
const usualWindow = 200_000

// Model is an llm.Model over recordings. Safe for concurrent use.
type Model struct {
	llm.Identity
	folder string
}

var _ llm.Model = (*Model)(nil)

// New needs a folder that is there; it is read when asked.
func New(o Options) (*Model, error) {
	if i, err := os.Stat(o.Folder); err != nil || !i.IsDir() {
		return nil, fmt.Errorf("replay: no folder of recordings %q", o.Folder)
	}
	who := llm.Identity{ID: "replay/" + cmp.Or(o.Model, "recorded"), Tokens: cmp.Or(max(o.Window, 0), usualWindow)}
	return &Model{who, o.Folder}, nil
}

// recording is a file's form.
type recording struct {
	Request struct {
		Task   string          `json:"task,omitempty"`
		System string          `json:"system,omitempty"`
		Prompt string          `json:"prompt"`
		Schema json.RawMessage `json:"schema,omitempty"`
		Max    int             `json:"max,omitempty"`
	} `json:"request"`
	Response struct {
		Text  string    `json:"text"`
		Model string    `json:"model,omitempty"`
		Usage llm.Usage `json:"usage"`
	} `json:"response"`
}

// Complete implements llm.Model. A request that was never recorded is an error
// that names it.
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	name := filepath.Join(m.folder, r.Hash()+".json")
	fault := func(f llm.Fault, text string, err error) (llm.Response, error) {
		return llm.Response{}, &llm.Error{Fault: f, Model: m.Name(), Text: text, Err: err}
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fault(llm.Rejected, fmt.Sprintf("no recording %s of the %s request %q", name, r.Task, start(r.Prompt)), err)
	}
	if err != nil {
		return fault(llm.Unreachable, "", err)
	}
	var rec recording
	if err := json.Unmarshal(data, &rec); err != nil {
		return fault(llm.Nonsense, fmt.Sprintf("%s is no recording: %v", name, err), err)
	}
	res := llm.Response{Text: strings.TrimSpace(rec.Response.Text), Model: rec.Response.Model, Usage: rec.Response.Usage}
	if r.Schema != nil {
		res.Text, _ = llm.FindJSON(res.Text)
	}
	if res.Text == "" {
		return fault(llm.Nonsense, name+" holds no answer", nil)
	}
	return res, nil
}

// start is how a prompt begins, for people.
func start(prompt string) string {
	prompt = strings.Join(strings.Fields(prompt), " ")
	if len(prompt) > 60 {
		prompt = strings.ToValidUTF8(prompt[:60], "") + "…"
	}
	return prompt
}
