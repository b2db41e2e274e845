// Package model distills a session by asking a language model: what transcripts
// say is condensed to turns with short ids, cut into windows that fit the
// model, asked about, grounded in the turns and merged to one payload. See
// Improver.
//
// # Answers are kept
//
// An answer is kept in the Store by what was asked about: the turns of a window
// and those before it, not the prompt's wording, the model or how recall
// condenses. So nothing is asked twice, a session that grew is asked about from
// where it ended, and a new prompt or model costs nothing until somebody wants
// it to (Options.Anew).
//
// # Batches
//
// With Options.Batch nothing is asked at once: requests without an answer
// gather in an Outbox, Improve returns distill.ErrPending, and whoever sends the
// requests hands the answers in by Answered and Failed. Then windows can't know
// one another's items: each is told the person's words before it instead. A
// session takes one night, a second if an answer had to be mended.
package model

import (
	"strings"

	"recall/distill"
	"recall/llm"
	"recall/prompts"
)

// Options are what an Improver works with. The zero values of numbers mean the
// defaults.
type Options struct {
	Model llm.Model
	Store llm.Store
	// most tokens of a transcript that are asked about at once; less where the model's own window is smaller
	Window int
	Max    int              // most tokens of an answer
	Tokens func(string) int // counts as the model does, roughly; nil guesses by bytes
	Batch  bool             // ask nothing at once: see Outbox
	Small  bool             // the model has few parameters: it is shown examples in full
	Anew   bool             // ask again where a kept answer is another prompt's or model's
}

const (
	defaultWindow = 24_000 // few sessions say more; beyond it models overlook things
	defaultMax    = 8_000  // 40 items of 200 tokens
)

// An Improver makes payloads by asking a model. Safe for concurrent use.
type Improver struct {
	o      Options
	outbox *Outbox
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
	if o.Tokens == nil {
		o.Tokens = guess
	}
	return &Improver{o: o, outbox: newOutbox()}
}

// Name implements distill.Improver.
func (m *Improver) Name() string { return "model/" + m.o.Model.Name() }

// Prompt implements distill.Improver: it changes with any of the prompts.
func (m *Improver) Prompt() string {
	texts := []string{prompts.Extract.Text(), prompts.Repair.Text()}
	return prompts.Version(strings.Join(texts, "\x00"))
}

// Outbox is where a batch's requests gather.
func (m *Improver) Outbox() *Outbox { return m.outbox }

// guess counts tokens by bytes: a token has some four of English prose, three
// of code and paths, fewer bytes elsewhere. It errs on the side of too many.
func guess(s string) int {
	ascii := 0
	for i := range len(s) {
		if s[i] < 0x80 {
			ascii++
		}
	}
	return (ascii*10+34)/35 + (len(s)-ascii+1)/2
}
