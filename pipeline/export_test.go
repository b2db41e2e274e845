package pipeline

import "context"

// RelateWhile is Relate; between does something just before the index gets the links.
func (p *Pipeline) RelateWhile(ctx context.Context, between func()) error {
	due, _, err := p.Index.Due(ctx)
	if err != nil {
		return err
	}
	lines, stamp, err := p.appendLinks(ctx, due)
	if err != nil {
		return err
	}
	between()
	return p.indexLinks(ctx, lines, stamp, due)
}
