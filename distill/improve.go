package distill

import (
	"context"
	"errors"

	"recall/ingest"
	"recall/payload"
)

// An Improver makes a better payload of a session than rules can, by asking a
// model. Safe for concurrent use.
type Improver interface {
	Name() string   // as provenance names it: "model/anthropic/claude-haiku-4-5"
	Prompt() string // version of the prompts taken together

	// Ripe reports whether a session says enough to be worth asking about.
	Ripe(s *ingest.Session) bool

	// Estimate says what Improve would ask of the model now, answers that are
	// at hand already left out.
	Estimate(ctx context.Context, s *ingest.Session, rules *payload.Payload) (Estimate, error)

	// Improve gets a session whose text has been redacted and the payload that
	// rules made of it, and returns one whose items hold (see Hold)
	// but have no ids yet. It changes neither. What was asked before isn't
	// asked again. The error is, or wraps, ErrPending while answers are on
	// their way, and *llm.Error where the model failed.
	Improve(ctx context.Context, s *ingest.Session, rules *payload.Payload) (*payload.Payload, error)
}

// ErrPending is returned while answers are waited for that come with a batch.
var ErrPending = errors.New("waiting for a batch of the model's answers")

// Estimate is what asking a model would take.
type Estimate struct {
	Requests int `json:"requests"`
	In       int `json:"in"`  // tokens
	Out      int `json:"out"` // tokens, as is usual
}
