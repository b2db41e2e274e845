package embed

import (
	"context"
	"hash/fnv"
	"math"

	"recall/llm"
)

const (
	dims       = 384
	places     = 8 // of a vector that one group fills
	mostGroups = 8 // of a phrase; one in more means anything
)

// Concepts embeds texts by the lexicon: words and two-word phrases become
// their groups, a phrase in few groups weighing more, each group eight signed
// places of 384, the sum of unit length. A text without any known word becomes
// a vector of zeros, which has no neighbours.
//
// It needs no model and no download and is weaker than one, weaker than BM25,
// too. Alone on perfect items it finds the right one at 1 and 5 for about a
// fifth and two fifths of questions; see package index for what it adds there.
type Concepts struct{}

var _ llm.Embedder = Concepts{}

// Model implements llm.Embedder.
func (Concepts) Model() string { return "concepts/384" }

// Instant says that vectors needn't be kept: making one takes some
// microseconds.
func (Concepts) Instant() {}

// Embed implements llm.Embedder. It fails only if ctx is done.
func (Concepts) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for _, t := range texts {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		out = append(out, vector(t))
	}
	return out, nil
}

func vector(text string) []float32 {
	weight := map[int]float64{}
	for _, c := range shipped.concepts(stems(text), mostGroups) {
		weight[c.group] += 1 / float64(c.of)
	}
	var sum [dims]float64
	for group, w := range weight {
		w = math.Sqrt(w) // the tenth mention says less than the second
		h := groupHash(group)
		for range places {
			h = h*6364136223846793005 + 1442695040888963407
			place, sign := h>>32%dims, 1-2*float64(h>>63)
			sum[place] += sign * w
		}
	}
	return unit(sum[:])
}

// groupHash is of a group's words rather than its place, so that a line added
// to the lexicon leaves the other groups' vectors as they were.
func groupHash(group int) uint64 {
	h := fnv.New64a()
	h.Write([]byte(line(lexicon, group)))
	return h.Sum64()
}

func unit(v []float64) []float32 {
	var n float64
	for _, x := range v {
		n += x * x
	}
	out := make([]float32, len(v))
	if n == 0 {
		return out
	}
	n = math.Sqrt(n)
	for i, x := range v {
		out[i] = float32(x / n)
	}
	return out
}
