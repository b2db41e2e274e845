package app

import (
	"context"
	"fmt"

	"recall/cmd/recall/terminal"
	"recall/library"
	"recall/pipeline/vectors"
)

// UseVectors has searches use the configured model's vectors, which lie in the index.
func (a *App) UseVectors(ctx context.Context) error {
	e, err := a.Config.Embedder()
	if err != nil {
		fmt.Fprintf(a.Err, "recall: warning: words alone are searched: %s\n", terminal.Line(err.Error()))
		return nil
	}
	if e == nil {
		return nil
	}
	has, err := a.Index.HasVectors(ctx, e.Model())
	if err != nil {
		return err
	}
	if !has {
		fmt.Fprintf(a.Err, "recall: no vectors of %s yet, words alone are searched; recall embed makes them\n",
			e.Model())
		return nil
	}
	a.Index.UseVectors(e, float64(a.Config.Query.Weight)/100, nil)
	return nil
}

// Vectors are those of the configured model; of none if there is none.
func (a *App) Vectors(l *library.Library) (vectors.Vectors, error) {
	e, err := a.Config.Embedder()
	return vectors.Vectors{Library: l, Index: a.Index, Model: e,
		Warn: func(err error) { fmt.Fprintf(a.Err, "recall: warning: %v\n", err) }}, err
}
