package pipeline

import "context"

// RelateWhile is Relate; between does something just before the index gets the links.
func (p *Pipeline) RelateWhile(ctx context.Context, between func()) error {
	behind, err := p.linksBehind(ctx)
	if err != nil {
		return err
	}
	found, err := p.appendLinks(ctx, behind)
	if err != nil {
		return err
	}
	between()
	return p.indexLinks(ctx, found)
}
