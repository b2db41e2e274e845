// Package llm holds the ports to language and embedding models; its
// sub-packages implement them.
package llm

import "context"

// An Embedder turns texts into vectors.
//
// Embed returns one vector for each text, in the same order, each of length 1.
// It splits texts into as many requests as its service needs. If a request
// fails, Embed returns the vectors of the texts before the failure together
// with the error, so that a caller can keep them.
//
// Model names model and dimension, such as "embed-small/512"; vectors of
// different models are not comparable.
type Embedder interface {
	Model() string
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}
