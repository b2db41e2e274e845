// Package model distills a session by asking a language model. It condenses the transcript to turns with short ids,
// cuts it into windows that fit the model, asks about each, grounds the answers in the turns and merges them into one
// payload. See Improver.
//
// # Stored answers
//
// An answer is stored under what was asked about: the turns of a window and those before it, but not the prompt's
// wording, the model, or how recall condenses. So nothing is asked twice, a session that grew is asked about from
// where it ended, and a new prompt or model costs nothing unless requested (Options.Anew).
package model

import (
	"recall/distill"
	"recall/internal/llm"
	"recall/prompts"
)

// Options configures an Improver. Zero numbers mean the defaults.
type Options struct {
	Model llm.Model
	Store llm.Store
	// most tokens of a transcript to ask about at once, fewer if the model's context window is smaller
	Window int
	Max    int  // most tokens in an answer
	Small  bool // the model has few parameters and is shown complete examples
	Anew   bool // ask again if a stored answer is from another prompt or model
}

const (
	defaultWindow = 24_000 // few sessions say more, and models overlook things beyond it
	defaultMax    = 8_000  // 40 items of 200 tokens
)

// An Improver makes payloads by asking a model. Safe for concurrent use.
type Improver struct {
	o Options
}

var _ distill.Improver = (*Improver)(nil)

// New returns an Improver. Model and Store must be given.
func New(o Options) *Improver {
	if o.Window <= 0 {
		o.Window = defaultWindow
	}
	if o.Max <= 0 {
		o.Max = defaultMax
	}
	return &Improver{o: o}
}

// Name implements distill.Improver.
func (m *Improver) Name() string { return "model/" + m.o.Model.Name() }

// Prompt implements distill.Improver.
func (m *Improver) Prompt() string { return prompts.Version(prompts.Extract.Text()) }

// tokens estimates a text's tokens by bytes: about four per token in English prose, three in code and paths, fewer
// elsewhere. It tends to overestimate.
func tokens(s string) int {
	ascii := 0
	for i := range len(s) {
		if s[i] < 0x80 {
			ascii++
		}
	}
	return (ascii*10+34)/35 + (len(s)-ascii+1)/2
}
