// Package distill turns one session into its payload. The ways to do it are
// in its sub-packages: offline by rules, model by an LLM. What they share
// stands here: the port, and the check that every item's evidence is true.
package distill

import (
	"context"
	"errors"
	"strings"

	"recall/ingest"
	"recall/llm"
	"recall/payload"
)

// ShownRule is the Rule of a file that was put before the person as a result: that is on record.
const ShownRule = "file-shown"

// FolderRule is the Rule of what was done to a folder of the person's, and of what was said of that.
const FolderRule = "folder-work"

// Fleeting is said of a file that no folder of the person's, and no output, holds.
const Fleeting = "only in its virtual machine, and lost with it"

// IsFleeting reports whether a path is on the disk of Cowork's machine: what lies below mnt is the host's.
func IsFleeting(p string) bool {
	rest, ok := strings.CutPrefix(p, "/sessions/")
	_, rest, _ = strings.Cut(rest, "/")
	return ok && !strings.HasPrefix(rest, "mnt/")
}

// A Distiller makes the payload of one session.
//
// Distill gets a session whose text has been redacted and returns items that
// hold (see Hold) but have no ids yet; the same session gives the
// same payload. It doesn't change the session. Safe for concurrent use.
type Distiller interface {
	Name() string // "offline/1"
	Distill(ctx context.Context, s *ingest.Session) (*payload.Payload, error)
}

// An Improver makes a better payload of a session than rules can, by asking a
// model. Safe for concurrent use.
type Improver interface {
	Name() string   // as provenance names it: "model/anthropic/claude-haiku-4-5"
	Prompt() string // version of the prompts taken together

	// Ripe reports whether a session says enough to be worth asking about.
	Ripe(s *ingest.Session) bool

	// Estimate says what Improve would ask of the model now, answers that are
	// at hand already left out.
	Estimate(ctx context.Context, s *ingest.Session) (Estimate, error)

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

// Cost is what asking so much costs in USD; known is false where there is no price. Long requests may have another
// price, so each is priced by itself.
func (e Estimate) Cost(prices llm.Prices, model string, batch bool) (usd float64, known bool) {
	n := max(e.Requests, 1)
	usd, known = prices.Cost(model, llm.Usage{In: e.In / n, Out: e.Out / n}, batch)
	return usd * float64(n), known
}
