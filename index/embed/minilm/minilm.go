// Package minilm is all-MiniLM-L6-v2, a sentence model of six layers, inside the program: it turns a text into a vector
// whose cosine with another's says how near the two are in meaning. It needs no service, no download and no cgo.
//
// weights.int8 and vocabulary.txt are made by eval/cmd/quantize from the published model, see there. The weights stay
// bytes of the program's file and become numbers a few rows at a time while they are multiplied, so that a process that
// embeds one question neither reads nor keeps more than it uses.
package minilm

import (
	"context"
	"math"

	"recall/internal/llm"
)

// Model is the model. Safe for concurrent use.
type Model struct{ weights network }

var _ llm.Embedder = (*Model)(nil)

const (
	width   = 384 // of a vector
	hidden  = 4 * width
	layers  = 6
	heads   = 12
	longest = 256 // tokens of a text that are read, as the model was trained
)

// batch is how many tokens are multiplied at once, more or less: enough for the cost of unpacking weights not to count.
const batch = 512

// New returns the model.
func New() *Model { return &Model{load(packed)} }

// Model implements llm.Embedder.
func (m *Model) Model() string { return "all-MiniLM-L6-v2/384" }

// Embed implements llm.Embedder. It fails only if ctx is done.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		var tokens []int
		ends := []int{0}
		for len(ends) <= len(texts) && len(tokens) < batch {
			tokens = append(tokens, tokenize(texts[len(ends)-1])...)
			ends = append(ends, len(tokens))
		}
		out = append(out, m.weights.vectors(tokens, ends)...)
		texts = texts[len(ends)-1:]
	}
	return out, nil
}

// vectors embeds texts whose tokens stand one after the other, from ends[i] to ends[i+1].
func (n *network) vectors(tokens, ends []int) [][]float32 {
	x := n.embed(tokens, ends)
	in := newSpace(x.rows)
	for i := range n.layers {
		n.layers[i].apply(x, ends, in)
	}
	out := make([][]float32, len(ends)-1)
	for i := range out {
		out[i] = mean(x.part(ends[i], ends[i+1], 0, width))
	}
	return out
}

// mean returns the mean of a text's tokens, of length 1.
func mean(x grid) []float32 {
	v := make([]float32, x.cols)
	for i := range x.rows {
		for j, y := range x.row(i) {
			v[j] += y
		}
	}
	var sum float64
	for _, y := range v {
		sum += float64(y) * float64(y)
	}
	scale := float32(1 / math.Sqrt(sum))
	for j := range v {
		v[j] *= scale
	}
	return v
}
