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

// LookAtMost makes few sessions very many: of more, some are looked at each time.
func LookAtMost(n int) (undo func()) {
	files, keys := maxGlanced, maxKeys
	maxGlanced, maxKeys = n, n
	return func() { maxGlanced, maxKeys = files, keys }
}
