package eval

import (
	"context"
	"path"
	"strings"

	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// Threshold is the similarity from which two items count as the same fact. It was set on pairs that people
// labelled (see TestPairs) and checked against sentences drawn at random (see TestFloor): of the values that
// agree best with people, one that chance hardly reaches.
const Threshold = 0.36

// otherTurnFactor scales the similarity of two statements from different turns: the same words in another place are
// more often about something else.
const otherTurnFactor = 0.6

// contradictionFactor scales the similarity of two statements that contradict each other: it falls below the
// threshold, however alike their words are.
const contradictionFactor = 0.3

// Pair is a predicted and a gold item that count as the same fact.
type Pair struct {
	Pred, Gold int // indexes
	Similarity float64
}

// turnsOf maps the ids that evidence may cite to one id for each turn.
func turnsOf(s *ingest.Session) map[string]string {
	m := map[string]string{}
	for id, i := range s.Places() {
		m[id] = string(s.Turns[i].ID)
	}
	return m
}

// side is one claim prepared for comparison.
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

// path returns the path of a file: the one that its text begins with or that its quote names; "" if there is none, so
// that the item can only be told by its words.
func (it GoldItem) path() string {
	first := firstPath(it.Text)
	if strings.Contains(first, "/") {
		return first
	}
	for _, word := range append([]string{first}, strings.Fields(it.Quote)...) {
		if word = strings.TrimRight(strings.Trim(word, pathEdges), pathEdges+"."); pathLike().MatchString(word) {
			return word
		}
	}
	return ""
}

// pathEdges may stand around a path.
const pathEdges = "`*\"“”'()[]<>,:;!?"

// pathLike matches a path or a file's name: it has an extension, or is hidden.
var pathLike = text.Pattern(`^[^\s:]*[\pL\d_)\]-]\.[a-z][a-z\d]{0,9}$|^(?:[^\s:]*/)?\.[a-z][\w.-]+$`)

// firstPath is the path that a gold file item opens with.
func firstPath(text string) string {
	f := strings.Fields(text)
	if len(f) == 0 {
		return ""
	}
	return strings.Trim(f[0], "`*,:;")
}

// similarity of two claims, 0 to 1. Files are compared by path alone; a statement without a kind is about a
// file if it names it.
func similarity(a, b side) float64 {
	if b.kind == "" {
		a, b = b, a
	}
	if a.kind == payload.File && b.kind == payload.File {
		return indicator(samePath(a.path, b.path))
	}
	if a.kind == "" && b.kind == payload.File && b.path != "" {
		return indicator(mentions(a.text, b.path))
	}
	sim := textSimilarity(a.words, b.words)
	if len(a.turns) > 0 && len(b.turns) > 0 && !overlap(a.turns, b.turns) {
		sim *= otherTurnFactor
	}
	if sim >= Threshold && contradicts(a.told, b.told) {
		return sim * contradictionFactor
	}
	return sim
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func mentions(text, file string) bool {
	for _, word := range strings.Fields(text) {
		if samePath(strings.TrimRight(strings.Trim(word, pathEdges), pathEdges+"."), file) {
			return true
		}
	}
	return false
}

// samePath compares paths, either of which may be relative to a folder of the other.
func samePath(a, b string) bool {
	a, b = rooted(a), rooted(b)
	return len(a) > 1 && len(b) > 1 && (strings.HasSuffix(a, b) || strings.HasSuffix(b, a))
}

// rooted strips leading ./ and ../ from a path and puts a slash before it.
func rooted(p string) string {
	p = strings.ReplaceAll(p, `\`, "/")
	for strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") {
		p = p[strings.IndexByte(p, '/')+1:]
	}
	return path.Clean("/" + p)
}

// pairUp pairs rows with columns one to one so that the summed similarity is highest. Pairs under the threshold
// or not allowed (nil allows all) are omitted. Rows of one group say the same thing, so only one of them is
// paired.
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
	for g, j := range assign(score) {
		if j >= 0 {
			pairs = append(pairs, Pair{from[g][j], j, score[g][j]})
		}
	}
	return pairs
}

// duplicateFrom is the similarity from which two claims of one payload say the same thing: saying it twice must not
// find two gold items.
const duplicateFrom = 0.9

// groupsOf joins claims that say the same thing; with kinds, only those of the same kind.
func groupsOf(sides []side, kinds bool) text.Groups {
	groups := text.NewGroups(len(sides))
	for i := range sides {
		for k := range i {
			if groups.Find(i) != groups.Find(k) && (!kinds || sides[k].kind == sides[i].kind) && sides[i].sameAs(sides[k]) {
				groups.Join(i, k)
			}
		}
	}
	return groups
}

// sameAs reports whether two claims of one payload say the same thing.
func (s side) sameAs(o side) bool {
	if s.kind == payload.File && o.kind == payload.File {
		return rooted(s.path) == rooted(o.path)
	}
	return textSimilarity(s.words, o.words) >= duplicateFrom && !contradicts(s.told, o.told)
}

// claims returns a payload's items as judges see them.
func (c *Case) claims(items []payload.Item) []Claim {
	out := make([]Claim, len(items))
	for i, it := range items {
		out[i] = predicted(it, c.turns)
	}
	return out
}

// wanted returns the gold items as judges see them.
func (c *Case) wanted() (out []Claim) {
	for _, it := range c.Gold.Items {
		out = append(out, wanted(it, c.turns))
	}
	return out
}

// matchBy pairs claims with gold items (see pairUp). In strict pairs both have the same kind.
func (c *Case) matchBy(ctx context.Context, by Judge, claims []Claim) (strict, lenient []Pair, err error) {
	wants := c.wanted()
	x, err := similarities(ctx, by, claims, wants)
	if err != nil {
		return nil, nil, err
	}
	c.penalizeReasons(claims, x)
	c.matchQuotes(claims, x)
	sides := sidesOf(claims)
	strict = pairUp(x, by.Threshold(), groupsOf(sides, true),
		func(i, j int) bool { return kindMatches(claims[i].Kind, wants[j].Kind) })
	return strict, pairUp(x, by.Threshold(), groupsOf(sides, false), nil), nil
}

// A claim's reason is a gold item's reason from a similarity of reasonThreshold on. If it is another item's, and
// less than half as similar to this one's, the claim is wrong; if it is this one's, the claim's text must match
// the item's by textThreshold.
const (
	reasonThreshold = 0.6
	textThreshold   = 0.25
)

// penalizeReasons lowers the similarity of a claim and a gold item where the claim's reason doesn't fit what it
// says.
func (c *Case) penalizeReasons(claims []Claim, x [][]float64) {
	for i, claim := range claims {
		if claim.Why == "" {
			continue
		}
		why, text := newBag(claim.Why), newBag(claim.Text)
		own := make([]float64, len(c.reasons))
		for j, r := range c.reasons {
			own[j] = textSimilarity(why, r)
		}
		_, best := argmax(own)
		if best < reasonThreshold {
			continue
		}
		for j, g := range c.Gold.Items {
			if g.Why != "" && own[j] < best/2 || own[j] >= reasonThreshold && textSimilarity(text, c.texts[j]) < textThreshold {
				x[i][j] *= contradictionFactor
			}
		}
	}
}

// kindMatches reports whether a prediction's kind matches a gold item's. Gold sets have no findings: they record
// them as hypotheses.
func kindMatches(predicted, gold payload.Kind) bool {
	return predicted == gold || predicted == payload.Finding && gold == payload.Hypothesis
}

// matchQuotes makes a quoting claim equal to a gold item whose quote occurs in its passage. A part of the quote
// will do if it is at least half of it.
func (c *Case) matchQuotes(claims []Claim, x [][]float64) {
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
	if len(text.Content(proof)) < minWords {
		return false // a bare consent says nothing of what it consents to
	}
	it := c.Gold.Items[gold]
	return (it.Kind != payload.File || it.path() == "") && (len(proof) >= minQuote && strings.Contains(passage, proof) ||
		len(passage) >= minQuote && 2*len(passage) >= len(proof) && strings.Contains(proof, passage))
}

// minQuote is how many bytes of a quote suffice to identify it, minWords how many content words.
const minQuote, minWords = 12, 3
