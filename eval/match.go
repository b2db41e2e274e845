package eval

import (
	"cmp"
	"context"
	"path"
	"strings"

	"recall/ingest"
	"recall/payload"
	"recall/text"
)

// Threshold is the similarity from which on two items are the same fact. It
// was set on pairs that people labelled (see TestPairs) and held against
// sentences drawn at random (see TestFloor): of the values at which words agree with
// people as well as anywhere, one that chance hardly reaches.
const Threshold = 0.36

// elsewhere is what is left of the similarity of two statements that rest on
// different turns: the same words said in another place are more often said of
// something else.
const elsewhere = 0.6

// contraryShare is what is left of the similarity of two statements that can't
// both be so: less than the threshold, however alike their words are.
const contraryShare = 0.3

// A Pair is a predicted and a gold item held to be the same fact.
type Pair struct {
	Pred, Gold int // indexes
	Similarity float64
}

// turnsOf maps the ids that evidence may cite to one id a turn.
func turnsOf(s *ingest.Session) map[string]string {
	m := map[string]string{}
	for id, i := range s.Places() {
		m[id] = string(s.Turns[i].ID)
	}
	return m
}

// side is one claim made ready to be compared.
type side struct {
	kind  payload.Kind
	text  string
	words bag
	wide  bag // with the words of the reason
	told  stance
	turns map[string]bool
	path  string
}

func newSide(c Claim) side {
	s := side{kind: c.Kind, text: c.Text, path: c.Path, words: newBag(strings.TrimSpace(c.Path + " " + c.Text)),
		told: newStance(c.Kind, c.Text), turns: map[string]bool{}}
	s.wide = s.words
	if c.Why != "" {
		s.wide = newBag(c.Path + " " + c.Text + " " + c.Why)
	}
	s.words.open = c.Kind == payload.Eliminated || c.Kind == payload.Deferred
	for _, t := range c.Turns {
		s.turns[t] = true
	}
	return s
}

func predicted(it payload.Item, turns map[string]string) Claim {
	c := Claim{Kind: it.Kind, Text: it.Text, Why: it.Why, Path: it.Path, Rule: it.Rule, Turns: []string{}}
	for _, e := range it.Evidence {
		c.Turns = append(c.Turns, canonical(e.Turn, turns))
	}
	if it.Maker == payload.ByRule && it.Kind != payload.File {
		for _, e := range it.Evidence {
			c.Quotes = append(c.Quotes, text.OneLine(e.Quote))
		}
	}
	return c
}

func wanted(it GoldItem, turns map[string]string) Claim {
	c := Claim{Kind: it.Kind, Text: it.Text, Why: it.Why}
	for _, t := range it.Turns {
		c.Turns = append(c.Turns, canonical(t, turns))
	}
	if it.Kind == payload.File {
		c.Path = it.path()
	}
	return c
}

func canonical(id string, turns map[string]string) string {
	if t, ok := turns[id]; ok {
		return t
	}
	return id
}

func (it GoldItem) path() string { return cmp.Or(it.Path, firstPath(it.Text)) }

// firstPath is the path that a gold file item opens with.
func firstPath(text string) string {
	f := strings.Fields(text)
	if len(f) == 0 {
		return ""
	}
	return strings.Trim(f[0], "`*,:;")
}

// similarity of two claims, 0 to 1. Files are compared by path alone; a
// statement of no kind is about a file if it names it.
func similarity(a, b side) float64 {
	if b.kind == "" {
		a, b = b, a
	}
	if a.kind == payload.File && b.kind == payload.File {
		return truth(samePath(a.path, b.path))
	}
	if a.kind == "" && b.kind == payload.File {
		return truth(names(a.text, b.path))
	}
	sim := textSimilarity(a.words, b.words)
	if len(a.turns) > 0 && len(b.turns) > 0 && !overlap(a.turns, b.turns) {
		sim *= elsewhere
	}
	if sim >= Threshold && contrary(a.told, b.told) {
		return sim * contraryShare
	}
	return sim
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func names(text, file string) bool {
	for _, word := range strings.Fields(text) {
		if samePath(strings.Trim(word, "`*_\"'()[]<>,:;.!?"), file) {
			return true
		}
	}
	return false
}

// samePath compares paths of which one may be relative to a folder of the other.
func samePath(a, b string) bool {
	a, b = anchored(a), anchored(b)
	return len(a) > 1 && len(b) > 1 && (strings.HasSuffix(a, b) || strings.HasSuffix(b, a))
}

// anchored takes the way up off a relative path and puts a slash before it.
func anchored(p string) string {
	p = strings.ReplaceAll(p, `\`, "/")
	for strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") {
		p = p[strings.IndexByte(p, '/')+1:]
	}
	return path.Clean("/" + p)
}

// pairUp pairs rows with columns one to one so that the summed similarity is
// highest; pairs under the threshold, or not allowed (nil: all are), are none.
// Rows of one group say the same thing, and only one of them is paired.
func pairUp(alike [][]float64, threshold float64, groups text.Groups, allowed func(i, j int) bool) []Pair {
	var score [][]float64 // by group; 0 where two can't be a pair
	var from [][]int      // the group's row that is most like the column
	place := map[int]int{}
	for i, row := range alike {
		g, seen := place[groups.Find(i)]
		if !seen {
			g = len(score)
			place[groups.Find(i)] = g
			score, from = append(score, make([]float64, len(row))), append(from, make([]int, len(row)))
		}
		for j, x := range row {
			if x >= threshold && x > score[g][j] && (allowed == nil || allowed(i, j)) {
				score[g][j], from[g][j] = x, i
			}
		}
	}
	var pairs []Pair
	for g, j := range payload.Assign(score) {
		if j >= 0 {
			pairs = append(pairs, Pair{from[g][j], j, score[g][j]})
		}
	}
	return pairs
}

// sameThing is the similarity from which on two claims of one payload say the
// same thing: saying it twice must not find two gold items.
const sameThing = 0.9

// groupsOf joins claims that say the same; with kinds, only if their kind is the same too.
func groupsOf(sides []side, kinds bool) text.Groups {
	groups := text.NewGroups(len(sides))
	for i := range sides {
		for k := range i {
			if groups.Find(i) != groups.Find(k) && (!kinds || sides[k].kind == sides[i].kind) && sides[i].says(sides[k]) {
				groups.Join(i, k)
			}
		}
	}
	return groups
}

// reports whether two claims of one payload say the same thing.
func (s side) says(o side) bool {
	if s.kind == payload.File && o.kind == payload.File {
		return anchored(s.path) == anchored(o.path)
	}
	return textSimilarity(s.words, o.words) >= sameThing && !contrary(s.told, o.told)
}

// claims are a payload's items as judges see them.
func (c *Case) claims(items []payload.Item) []Claim {
	out := make([]Claim, len(items))
	for i, it := range items {
		out[i] = predicted(it, c.turns)
	}
	return out
}

// wanted are the gold items as judges see them.
func (c *Case) wanted() (out []Claim) {
	for _, it := range c.Gold.Items {
		out = append(out, wanted(it, c.turns))
	}
	return out
}

// matches pairs predicted with gold items by their words, one to one so that the
// summed similarity is highest; pairs under the threshold are no pairs. Of strict
// ones both are of one kind.
func (c *Case) matches(items []payload.Item) (strict, lenient []Pair) {
	strict, lenient, err := c.matchBy(context.Background(), Words{}, c.claims(items))
	if err != nil {
		panic(err) // words can be compared
	}
	return strict, lenient
}

// matchBy is matches by any judge.
func (c *Case) matchBy(ctx context.Context, by Judge, claims []Claim) (strict, lenient []Pair, err error) {
	wants := c.wanted()
	x, err := judged(ctx, by, claims, wants)
	if err != nil {
		return nil, nil, err
	}
	c.weighReasons(claims, x)
	c.holdQuotes(claims, x)
	sides := sidesOf(claims)
	strict = pairUp(x, by.Threshold(), groupsOf(sides, true),
		func(i, j int) bool { return kindPairs(claims[i].Kind, wants[j].Kind) })
	return strict, pairUp(x, by.Threshold(), groupsOf(sides, false), nil), nil
}

// A reason is an item's from otherReason on. One that is another item's, and not
// half as like the item's own, makes the claim wrong; and where the reason is the
// item's, the rest of the claim must speak of it too.
const (
	otherReason = 0.6
	ownText     = 0.25
)

// weighReasons takes from the similarity of a claim and a gold item where the
// claim's reason doesn't go with what it says.
func (c *Case) weighReasons(claims []Claim, x [][]float64) {
	for i, claim := range claims {
		if claim.Why == "" {
			continue
		}
		why, text := newBag(claim.Why), newBag(claim.Text)
		own := make([]float64, len(c.reasons))
		for j, r := range c.reasons {
			own[j] = textSimilarity(why, r)
		}
		_, best := most(own)
		if best < otherReason {
			continue
		}
		for j, g := range c.Gold.Items {
			if g.Why != "" && own[j] < best/2 || own[j] >= otherReason && textSimilarity(text, c.texts[j]) < ownText {
				x[i][j] *= contraryShare
			}
		}
	}
}

// kindPairs reports whether what was predicted may be a gold item of a kind. Gold
// sets have no findings: what was found to be so stands there as a hypothesis.
func kindPairs(predicted, gold payload.Kind) bool {
	return predicted == gold || predicted == payload.Finding && gold == payload.Hypothesis
}

// holdQuotes makes what is only quoted the same as a gold item whose proof stands
// in it: it is a passage, and these are the words that people point to. A piece of
// the proof will do if it is half of it.
func (c *Case) holdQuotes(claims []Claim, x [][]float64) {
	for i, claim := range claims {
		for _, passage := range claim.Quotes {
			for j := range c.proofs {
				if c.quotedIn(j, passage) {
					x[i][j] = 1
				}
			}
		}
	}
}

func (c *Case) quotedIn(gold int, passage string) bool {
	proof := c.proofs[gold]
	return c.Gold.Items[gold].Kind != payload.File && (len(proof) >= leastProof && strings.Contains(passage, proof) ||
		len(passage) >= leastProof && 2*len(passage) >= len(proof) && strings.Contains(proof, passage))
}

// leastProof is how many bytes of a quote tell where it is from.
const leastProof = 12

// Like says how like a predicted item is to each gold item, of whatever kind;
// files are like files only.
func (c *Case) Like(it payload.Item) []float64 {
	p := newSide(predicted(it, c.turns))
	out := make([]float64, len(c.want))
	for j, w := range c.want {
		if (w.kind == payload.File) == (p.kind == payload.File) {
			out[j] = similarity(p, w)
		}
	}
	c.holdQuotes([]Claim{predicted(it, c.turns)}, [][]float64{out})
	return out
}
