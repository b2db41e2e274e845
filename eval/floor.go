package eval

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"recall/eval/baseline"
	"recall/ingest"
	"recall/payload"
)

// Drawn is the baseline that shows how lenient the judge is: sentences drawn at random from the session, as
// many of each kind as are wanted. A figure means something only as far as it exceeds this one. Files aren't
// drawn.
const Drawn = "sentences drawn at random"

const fewestWords = 3

// draw picks a session's sentences at random, from turns that in accepts if it isn't nil; the same for the same
// number.
func (c *Case) draw(number uint64, in func(turn string) bool) (out SessionScore) {
	var all []Claim
	for i := range c.Session.Turns {
		t := &c.Session.Turns[i]
		id := canonical(string(t.ID), c.turns)
		leftOut := t.Aside() || t.Kind != ingest.Prompt && t.Kind != ingest.Message || in != nil && !in(id)
		if leftOut {
			continue
		}
		for _, text := range baseline.Statements(t.OwnText()) {
			if len(strings.Fields(text)) >= fewestWords {
				all = append(all, Claim{Text: text, Turns: []string{id}})
			}
		}
	}
	seed := fnv.New64a()
	seed.Write([]byte(c.Gold.Session))
	random := rand.New(rand.NewPCG(seed.Sum64(), number))
	for _, g := range c.Gold.Items {
		if !g.Must || g.Kind == payload.File || len(all) == 0 {
			continue
		}
		one := all[random.IntN(len(all))]
		out.predict(g.Kind, one.Text, one.Turns[0])
	}
	return out
}
