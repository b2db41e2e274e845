// Package vectors makes the embedding vectors of a chosen model, once for each item, and keeps them in the library
// beside the session's payload, from where they can be restored into a rebuilt index.
package vectors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recall/index"
	"recall/internal/llm"
	"recall/library"
	"recall/payload"
)

// Vectors manages the vectors of one model.
type Vectors struct {
	Library *library.Library
	Index   *index.Index
	Model   llm.Embedder
	Warn    func(error) // called for vectors in the library that can't be read
}

// Make embeds what has no vector yet. It counts the new vectors and those that were there, even if it fails.
func (v Vectors) Make(ctx context.Context, progress func(done, total int)) (made, kept int, err error) {
	entries, err := v.Library.Sessions()
	if err != nil {
		return 0, 0, err
	}
	length := v.length(ctx)
	for i, entry := range entries {
		progress(i, len(entries))
		m, k, err := v.embed(ctx, entry, length)
		made, kept = made+m, kept+k
		if err != nil {
			return made, kept, err
		}
	}
	return made, kept, nil
}

// Restore puts the library's vectors into a rebuilt index.
func (v Vectors) Restore(ctx context.Context) error {
	entries, err := v.Library.Sessions()
	if err != nil {
		return err
	}
	for _, entry := range entries {
		kept, err := v.kept(entry)
		if err != nil {
			v.Warn(err)
			continue
		}
		if err := v.Index.PutVectors(ctx, v.Model.Model(), kept); err != nil {
			return err
		}
	}
	return nil
}

func (v Vectors) kept(e library.Entry) ([]index.Embedded, error) {
	b, err := v.Library.Vectors(e.ID, v.Model.Model())
	if err != nil {
		return nil, err
	}
	kept, err := index.DecodeVectors(v.Model.Model(), b)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", e.ID, err)
	}
	return kept, nil
}

// length returns the current length of the model's vectors; 0 if unknown. A service may serve another model under
// the same name.
func (v Vectors) length(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if vs, err := v.Model.Embed(ctx, []string{"length"}); err == nil && len(vs) == 1 {
		return len(vs[0])
	}
	return 0
}

// embed embeds the items of a session that have no vector for their current text, or one of another length than the
// model's. What was made before an error is kept.
func (v Vectors) embed(ctx context.Context, entry library.Entry, length int) (made, kept int, err error) {
	p, err := v.Library.Payload(entry.ID)
	if errors.Is(err, library.ErrNoPayload) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	old, err := v.kept(entry)
	if err != nil {
		v.Warn(fmt.Errorf("%w; made again", err))
	}
	have := map[string]index.Embedded{}
	for _, o := range old {
		if length > 0 && len(o.V) > 0 && len(o.V) != length {
			continue
		}
		have[string(o.Item)+o.Text] = o
	}
	var all []index.Embedded
	var missing []payload.Item
	var texts []string
	for _, it := range p.Items {
		if o, ok := have[string(it.ID)+index.TextHash(it)]; ok {
			all = append(all, o)
			continue
		}
		missing, texts = append(missing, it), append(texts, index.TextToEmbed(it))
	}
	kept = len(all)
	var failed error
	if len(missing) > 0 {
		var vs [][]float32
		vs, failed = v.Model.Embed(ctx, texts)
		for i, one := range vs {
			if index.CheckVector(one) == nil { // a text of which the model knows no word has none
				all = append(all, index.Embedded{Item: missing[i].ID, Text: index.TextHash(missing[i]), V: one})
				made++
			}
		}
	}
	if made > 0 || len(all) != len(old) {
		b, err := index.EncodeVectors(v.Model.Model(), all)
		if err == nil {
			err = v.Library.SaveVectors(entry.ID, v.Model.Model(), b)
		}
		if err != nil {
			return made, kept, err
		}
	}
	return made, kept, errors.Join(failed, v.Index.PutVectors(ctx, v.Model.Model(), all))
}
