package eval

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
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

// drawing returns the randomness of a draw: the same for the same thing and number.
func drawing[T ~string](of T, number uint64) *rand.Rand {
	seed := fnv.New64a()
	seed.Write([]byte(of))
	return rand.New(rand.NewPCG(seed.Sum64(), number))
}

// statementsIn returns what is said in a session, statement by statement.
func statementsIn(s *ingest.Session) (all []baseline.Part) {
	for i := range s.Turns {
		if t := &s.Turns[i]; !t.Aside() && (t.Kind == ingest.Prompt || t.Kind == ingest.Message) {
			for _, text := range baseline.Statements(t.OwnText()) {
				all = append(all, baseline.Part{Turn: t.ID, Text: text})
			}
		}
	}
	return all
}

// draw picks a session's sentences at random, from turns that in accepts if it isn't nil; the same for the same
// number.
func (c *Case) draw(number uint64, in func(turn string) bool) (out SessionScore) {
	all := slices.DeleteFunc(statementsIn(c.Session), func(p baseline.Part) bool {
		return len(strings.Fields(p.Text)) < fewestWords || in != nil && !in(canonical(string(p.Turn), c.turns))
	})
	random := drawing(c.Gold.Session, number)
	for _, g := range c.Gold.Items {
		if !g.Must || g.Kind == payload.File || len(all) == 0 {
			continue
		}
		one := all[random.IntN(len(all))]
		out.predict(g.Kind, one.Text, canonical(string(one.Turn), c.turns))
	}
	return out
}
