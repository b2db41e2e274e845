package pipeline

import (
	"context"
	"time"
)

// RelateWhile is Relate; between does something just before the index gets the links.
func (p *Pipeline) RelateWhile(ctx context.Context, between func()) error {
	_, _, err := p.relate(ctx, time.Time{}, between)
	return err
}
