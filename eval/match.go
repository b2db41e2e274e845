package eval

import (
	"path"
	"strings"

	"recall/ingest"
	"recall/payload"
)

// Threshold is the similarity from which on two items are the same fact. It
// was set on pairs that people labelled (see TestPairs): where it agrees with
// most of them.
const Threshold = 0.31

// What is added where both rest on the same turns and their words have
// something in common: within one turn few facts are alike.
const (
	sharedTurn = 0.10
	inCommon   = 0.12 // similarity of words from which on evidence counts
)

// A Pair is a predicted and a gold item held to be the same fact.
type Pair struct {
	Pred, Gold int // indexes
	Similarity float64
}

// turnsOf maps the ids that evidence may cite to one id a turn: a turn's
// records, and the records of its calls' results.
func turnsOf(s *ingest.Session) map[string]string {
	m := map[string]string{}
	for i := range s.Turns {
		t := &s.Turns[i]
		for _, c := range t.Calls {
			if c.ResultTurn != "" {
				m[string(c.ResultTurn)] = string(t.ID)
			}
		}
	}
	for i := range s.Turns {
		t := &s.Turns[i]
		m[string(t.ID)] = string(t.ID)
		for _, r := range t.Records {
			m[r] = string(t.ID)
		}
	}
	return m
}

// side is one item made ready to be compared.
type side struct {
	kind  payload.Kind
	words bag
	turns map[string]bool
	path  string
}

func predicted(it payload.Item, turns map[string]string) side {
	s := side{kind: it.Kind, words: newBag(it.Path+" "+it.Text, it.Why), turns: map[string]bool{}, path: it.Path}
	for _, e := range it.Evidence {
		s.turns[canonical(e.Turn, turns)] = true
	}
	return s
}

func wanted(it GoldItem, turns map[string]string) side {
	s := side{kind: it.Kind, words: newBag(it.Text, it.Why), turns: map[string]bool{}}
	for _, t := range it.Turns {
		s.turns[canonical(t, turns)] = true
	}
	if it.Kind == payload.File {
		s.path = firstPath(it.Text)
	}
	return s
}

func canonical(id string, turns map[string]string) string {
	if t, ok := turns[id]; ok {
		return t
	}
	return id
}

// firstPath is the path that a gold file item opens with.
func firstPath(text string) string {
	f := strings.Fields(text)
	if len(f) == 0 {
		return ""
	}
	return strings.Trim(f[0], "`*,:;")
}

// similarity of two items, 0 to 1. Files are compared by path alone.
func similarity(a, b side) float64 {
	if a.kind == payload.File && b.kind == payload.File {
		if samePath(a.path, b.path) {
			return 1
		}
		return 0
	}
	sim := textSimilarity(a.words, b.words)
	if sim < inCommon || !overlap(a.turns, b.turns) {
		return sim
	}
	return min(1, sim+sharedTurn)
}

// samePath compares paths of which one may be relative to a folder of the other.
func samePath(a, b string) bool {
	a, b = anchored(a), anchored(b)
	return len(a) > 1 && len(b) > 1 && (strings.HasSuffix(a, b) || strings.HasSuffix(b, a))
}

// anchored takes the way up off a relative path and puts a slash before it.
func anchored(p string) string {
	for strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") {
		p = p[strings.IndexByte(p, '/')+1:]
	}
	return path.Clean("/" + p)
}

// Match pairs predicted with gold items one to one so that the summed
// similarity is highest; pairs under the threshold are no pairs. With strict
// only items of one kind are paired.
func (c *Case) Match(items []payload.Item, strict bool) []Pair {
	cost := make([][]float64, len(items)) // 0 where two can't be a pair
	for i, it := range items {
		p := predicted(it, c.turns)
		cost[i] = make([]float64, len(c.want))
		for j := range c.want {
			if strict && p.kind != c.want[j].kind {
				continue
			}
			if x := similarity(p, c.want[j]); x >= Threshold {
				cost[i][j] = -x
			}
		}
	}
	var pairs []Pair
	for i, j := range payload.Assign(cost) {
		if j >= 0 && cost[i][j] < 0 {
			pairs = append(pairs, Pair{i, j, -cost[i][j]})
		}
	}
	return pairs
}

// Fit says which gold item of its kind a predicted item is most like, and how
// much; -1 where none is like enough.
func (c *Case) Fit(it payload.Item) (best int, similar float64) {
	p := predicted(it, c.turns)
	best = -1
	for j, w := range c.want {
		if w.kind != it.Kind {
			continue
		}
		if x := similarity(p, w); x >= Threshold && x > similar {
			best, similar = j, x
		}
	}
	return best, similar
}
