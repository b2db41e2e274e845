// Package llm defines the interfaces to language and embedding models. Sub-packages implement them.
package llm

import "context"

// An Embedder turns texts into vectors.
//
// Embed returns one vector of length 1 for each text, in order. It splits the texts into as many requests as the
// service needs. If a request fails, Embed returns the vectors of the texts before it together with the error, so
// that the caller can keep them.
//
// Model names model and dimension, such as "embed-small/512"; vectors of different models are not comparable.
type Embedder interface {
	Model() string
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}
