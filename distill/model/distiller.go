package model

import (
	"context"

	"recall/distill"
	"recall/ingest"
	"recall/payload"
)

// Distiller distills as a sync does: by rules, and by the model if a session says enough.
type Distiller struct {
	Rules distill.Distiller
	*Improver
	Takes *distill.Estimate // if not nil, nothing is asked and the estimates are added up here
}

var _ distill.Distiller = (*Distiller)(nil)

// Distill implements distill.Distiller.
func (d *Distiller) Distill(ctx context.Context, s *ingest.Session) (*payload.Payload, error) {
	p, err := d.Rules.Distill(ctx, s)
	if err != nil || !d.Ripe(s) {
		return p, err
	}
	if d.Takes == nil {
		return d.Improve(ctx, s, p)
	}
	e, err := d.Estimate(ctx, s)
	d.Takes.Requests, d.Takes.In, d.Takes.Out = d.Takes.Requests+e.Requests, d.Takes.In+e.In, d.Takes.Out+e.Out
	return p, err
}
