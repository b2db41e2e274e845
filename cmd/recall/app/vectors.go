package app

import (
	"context"
	"fmt"

	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/library"
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

// restoreVectors puts the library's vectors of the configured model into an
// index that was made anew.
func (a *App) restoreVectors(ctx context.Context, l *library.Library) error {
	e, err := a.Config.Embedder()
	if err != nil || e == nil { // a search says why
		return nil
	}
	entries, err := l.Sessions()
	if err != nil {
		return err
	}
	for _, entry := range entries {
		kept, err := a.KeptVectors(l, entry, e.Model())
		if err != nil {
			fmt.Fprintf(a.Err, "recall: warning: %v\n", err)
			continue
		}
		if err := a.Index.PutVectors(ctx, e.Model(), VectorsOf(kept)); err != nil {
			return err
		}
	}
	return nil
}

func (a *App) KeptVectors(l *library.Library, e library.Entry, model string) ([]index.Embedded, error) {
	b, err := l.Vectors(e.ID, model)
	if err != nil {
		return nil, err
	}
	kept, err := index.DecodeVectors(model, b)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", e.ID, err)
	}
	return kept, nil
}

func VectorsOf(list []index.Embedded) []index.Vector {
	var out []index.Vector
	for _, e := range list {
		out = append(out, index.Vector{Item: e.Item, V: e.V})
	}
	return out
}
