package improve

import (
	"context"
	"time"

	"recall/distill"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// A session that is continued day after day is asked about when what is new of
// it is worth a request's own instructions, or when it has come to rest: else
// thirty nights would cost seven times the whole. Until then rules add what is
// new. One that a day began and ended is asked about as soon as it is quiet.
const (
	growthWorth = 25_000 // tokens that asking would take, instructions and all: see TestThirtyNightsOfGrowth
	atRest      = 3 * 24 * time.Hour
	overnight   = 6 * time.Hour // without a word
)

// tooSoon reports whether a session that the model has seen, or that people went on
// with after a night, has too little that is new.
func (a *Asker) tooSoon(ctx context.Context, o Options, e library.Entry, s *ingest.Session,
	rules *payload.Payload) bool {
	seen := e.Distilled != nil && e.Distilled.Model.Name != ""
	if o.Only != nil || o.Live || e.Quiet(a.Time()) >= atRest || !seen && !wentOn(s) {
		return false
	}
	var take distill.Estimate
	err := pipeline.Safely("estimate", func() (err error) {
		take, err = a.Improver.Estimate(ctx, s, rules)
		return err
	})
	return err == nil && take.Requests > 0 && take.In < growthWorth
}

// wentOn reports whether a session was continued after a night.
func wentOn(s *ingest.Session) bool {
	var last time.Time
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Aside() || t.At.IsZero() {
			continue
		}
		if !last.IsZero() && t.At.Sub(last) >= overnight {
			return true
		}
		last = t.At
	}
	return false
}
