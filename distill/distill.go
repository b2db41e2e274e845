// Package distill turns one session into its payload. The distillers are in its sub-packages: offline by rules, model
// by asking an LLM. This package holds what they share: the interfaces, and the check that every item's evidence is
// true.
package distill

import (
	"context"
	"strings"

	"recall/ingest"
	"recall/internal/llm"
	"recall/payload"
)

// ShownRule is the Rule of a file that was presented to the person as a result, as the session records.
const ShownRule = "file-shown"

// FolderRule is the Rule of what was done to one of the person's folders, and of what was said about that.
const FolderRule = "folder-work"

// Fleeting describes a file that is neither in a folder of the person's nor among the outputs.
const Fleeting = "only in its virtual machine, and lost with it"

// IsFleeting reports whether a path is on the disk of Cowork's virtual machine; what is below mnt is the host's.
func IsFleeting(p string) bool {
	rest, ok := strings.CutPrefix(p, "/sessions/")
	_, rest, _ = strings.Cut(rest, "/")
	return ok && !strings.HasPrefix(rest, "mnt/")
}

// A Distiller makes the payload of one session.
//
// Distill gets a redacted session and returns items that hold (see Hold) but have no ids yet. The same session gives
// the same payload. It doesn't change the session. Safe for concurrent use.
type Distiller interface {
	Name() string // "offline/1"
	Distill(ctx context.Context, s *ingest.Session) (*payload.Payload, error)
}

// An Improver makes a better payload of a session than rules can, by asking a model. Safe for concurrent use.
type Improver interface {
	Name() string   // as recorded in provenance: "model/anthropic/claude-haiku-4-5"
	Prompt() string // version of all prompts together

	// Ripe reports whether a session says enough to be worth asking about.
	Ripe(s *ingest.Session) bool

	// Estimate returns what Improve would ask of the model now, not counting answers already cached.
	Estimate(ctx context.Context, s *ingest.Session) (Estimate, error)

	// Improve gets a redacted session and the payload that rules made of it, and returns one whose items hold (see
	// Hold) but have no ids yet. It changes neither, and doesn't repeat earlier requests. The error is, or wraps,
	// an *llm.Error if the model failed.
	Improve(ctx context.Context, s *ingest.Session, rules *payload.Payload) (*payload.Payload, error)
}

// Estimate is the expected size of the requests to a model.
type Estimate struct {
	Requests int `json:"requests"`
	In       int `json:"in"`  // tokens
	Out      int `json:"out"` // tokens, typically
}

// Cost returns the estimated cost in USD; known is false if the model has no price. Long requests may be priced
// differently, so each is priced on its own.
func (e Estimate) Cost(prices llm.Prices, model string) (usd float64, known bool) {
	n := max(e.Requests, 1)
	usd, known = prices.Cost(model, llm.Usage{In: e.In / n, Out: e.Out / n})
	return usd * float64(n), known
}
