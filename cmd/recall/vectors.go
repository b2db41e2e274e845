package main

import (
	"context"

	"recall/index/embed"
	"recall/index/vector"
)

// conceptWeight is what a concept vector's cosine counts beside the words:
// more loses answers (see Index.UseVectors).
const conceptWeight = 0.1

// useVectors fills the vector store, if one is configured, and has searches
// use it.
func (a *app) useVectors(ctx context.Context) error {
	if a.cfg.Query.Vectors != "concepts" {
		return nil
	}
	store, concepts := vector.New(), embed.Concepts{}
	if err := a.ix.Fill(ctx, store, concepts); err != nil {
		return err
	}
	a.ix.UseVectors(concepts, store, conceptWeight)
	return nil
}
