package langchain

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms/ollama"

	"recall/llm"
	"recall/llm/wire"
)

// ollamaWindow is what Ollama is told to hold where nobody says: its own
// default of 4,096 cuts most windows of a session; each doubling takes memory.
const ollamaWindow = 16_384

// NewOllama asks Ollama in its own protocol (/api/chat), where alone the window
// can be set. Nothing is sent yet.
func NewOllama(o Options) (*Model, error) {
	o.URL = cmp.Or(o.URL, "http://127.0.0.1:11434")
	u, err := wire.Address(o.URL, "")
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		return nil, errors.New("ollama: no model named, such as qwen3:8b; ollama list shows them")
	}
	o.Window = cmp.Or(max(o.Window, 0), ollamaWindow)
	o.MaxOutput = cmp.Or(max(o.MaxOutput, 0), 8192)
	o.Timeout = cmp.Or(max(o.Timeout, 0), 5*time.Minute)
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1") // both are written
	m := &Model{o: o, name: "ollama/" + o.Model}
	m.wire = &wire.Transport{Model: m.name}
	m.lc, err = ollama.New(ollama.WithServerURL(u.String()), ollama.WithModel(o.Model),
		ollama.WithHTTPClient(wire.Client(&fixer{m.wire, m.o.Window})))
	return m, err
}

// mend makes the body that langchaingo sends into what it should be: the schema as
// format, which langchaingo has as a word only; one answer instead of a stream (it
// leaves "stream": false out, and Ollama's default is true); the window, and that what
// doesn't fit it is refused and not cut, as newer versions can; no thinking, which would
// use up the answer's tokens.
func (f *fixer) mend(body map[string]any, t *trip) {
	delete(body, "format")
	if t.schema != nil {
		body["format"] = t.schema.JSON
	}
	body["stream"], body["think"], body["truncate"], body["shift"] = false, false, false, false
	options, _ := body["options"].(map[string]any)
	if options == nil {
		options = map[string]any{}
	}
	options["num_ctx"] = f.window
	options["temperature"] = 0
	body["options"] = options
}

// ollamaAnswer is what /api/chat says.
type ollamaAnswer struct {
	Model   string `json:"model"`
	Message *struct {
		Content string `json:"content"`
	} `json:"message"`
	Done       bool   `json:"done"`
	DoneReason string `json:"done_reason"`
	In         int    `json:"prompt_eval_count"`
	Out        int    `json:"eval_count"`
}

// read takes what langchaingo would lose out of an answer, and leaves what it can read.
func (f *fixer) read(body []byte, t *trip) ([]byte, error) {
	var a ollamaAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, err
	}
	if a.Message == nil {
		return nil, errors.New("no message")
	}
	t.model, t.text, t.usage = a.Model, a.Message.Content, llm.Usage{In: a.In, Out: a.Out}
	switch {
	case !a.Done:
		t.fault, t.why = llm.Unreachable, "the answer broke off"
	case a.In > 0 && a.In+a.Out >= f.window-1:
		t.fault, t.why = llm.TooLong, fmt.Sprintf("request and answer fill the model's window of %d tokens; llm.context makes it longer", f.window)
	case a.DoneReason == "length":
		t.fault, t.why = llm.Cut, "the answer ran into its limit of tokens"
	}
	var line bytes.Buffer
	err := json.Compact(&line, body) // langchaingo reads line by line
	return line.Bytes(), err
}
