package rank

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"recall/internal/text"
	"recall/payload"
)

// The features of an item compared with the other items that were found: a word counts the more the fewer of
// them contain it, including small words ("try again", "give up") that a stop list would discard. Only these
// items show which of the question's words are distinctive.

// Concept is a word or phrase of a question that the lexicon knows, with its other phrases, small words included.
type Concept struct {
	Own    []string   // stems of the question's words
	Others [][]string // stems of each other phrase
}

const (
	kinShare     = 0.6 // weight of a related phrase relative to the word itself; 0.8 does the same
	begunShare   = 0.5 // and of a word with the same beginning
	begins       = 5   // letters that such words must share at the beginning
	begunAlike   = 0.6 // and share of their letters
	manyAliases  = 3   // this many aliases that share a word with the question are as good as all
	companyDecay = 4   // how fast the weight in Company falls with the first score

	usualWords = 2 << 10 // distinct words in fifty items
)

// The fields of an item.
const (
	ofText = iota
	ofRest
	ofAbout
	ofAlias
	ofQuote
)

// span is one field of an item: a range of the words read.
type span struct {
	kind, from, to int
	exact          set     // the question's words in it
	kin, begun     set     // those in it as the lexicon's words; as words with the same beginning
	own, other     set     // the question's concepts in it, in the question's words or in others
	weight         float64 // of its distinct words
}

// comparison compares a question with the items found for it.
type comparison struct {
	q      *Question
	number map[string]uint32 // of words as split
	ofStem map[string]uint32
	stems  []string
	small  []bool
	holds  []int // by stem, how many of the counted items contain it
	read   []uint32
	spans  [][]span // by item
	counts int      // number of counted items
	weight []float64

	said    []string // the question's stems
	weights []float64
	at      []int // by stem, its place in said, from 1
	like    []set // by stem, the words of said with the same beginning
	starts  map[uint32][]phrase
	meant   []set // by concept, the question's words for it
}

// phrase is one phrase of a concept, as stems.
type phrase struct {
	concept int
	own     bool
	stems   []uint32
}

// CompareItems completes the features of items, in the order of the first pass, by comparing the first counted of
// them; first holds their scores there. Company is computed only if most have aliases: what rules took from a
// transcript is often said in it several times.
func (q *Question) CompareItems(items []*payload.Item, looks []*Features, first []float64, counted int, aliased bool) {
	if len(items) == 0 || len(q.said) == 0 {
		return
	}
	b := &comparison{q: q, number: make(map[string]uint32, usualWords), ofStem: make(map[string]uint32, usualWords),
		counts: min(counted, len(items)), said: q.said}
	for i, it := range items {
		b.readItem(it, i < b.counts)
	}
	b.weight = make([]float64, len(b.stems))
	for i, n := range b.holds {
		b.weight[i] = b.rare(n)
	}
	b.readQuestion()
	for i := range b.spans {
		for k := range b.spans[i] {
			b.find(&b.spans[i][k])
		}
	}
	b.coverWords(looks)
	b.matchConcepts(looks)
	if aliased {
		b.company(looks, first)
	}
	if !quantity().MatchString(text.Head(q.text, longestForm)) {
		return
	}
	for i, it := range items {
		looks[i][Number] = indicator(strings.ContainsAny(it.Text, "0123456789"))
	}
}

// rare is the weight of what n of the counted items contain.
func (b *comparison) rare(n int) float64 { return rarity(b.counts, n) }

// rarity is the weight of what n of a number of items contain.
func rarity(of, n int) float64 { return math.Log(1 + (float64(of-n)+0.5)/(float64(n)+0.5)) }

func (b *comparison) readItem(it *payload.Item, count bool) {
	var spans []span
	add := func(kind int, texts ...string) {
		s := span{kind: kind, from: len(b.read)}
		for _, t := range texts {
			text.Each(t, func(w string) bool { b.read = append(b.read, b.of(w)); return true })
		}
		if s.to = len(b.read); s.to > s.from {
			spans = append(spans, s)
		}
	}
	add(ofText, it.Text)
	add(ofRest, it.Why)
	add(ofRest, it.Scope)
	for _, a := range it.Alternatives {
		add(ofRest, a)
	}
	add(ofAbout, append([]string{it.Path}, it.About...)...)
	for _, a := range it.Aliases {
		add(ofAlias, a)
	}
	for _, e := range it.Evidence {
		add(ofQuote, e.Quote)
	}
	b.spans = append(b.spans, spans)
	if count && len(spans) > 0 {
		for _, w := range distinct(b.read[spans[0].from:], len(b.stems)) {
			b.holds[w]++
		}
	}
}

// distinct returns the numbers without duplicates, in order.
func distinct(list []uint32, below int) []uint32 {
	seen := make([]uint64, below/64+1)
	out := make([]uint32, 0, len(list))
	for _, w := range list {
		if bit := uint64(1) << (w % 64); seen[w/64]&bit == 0 {
			seen[w/64] |= bit
			out = append(out, w)
		}
	}
	return out
}

// of returns the number of a word's stem.
func (b *comparison) of(w string) uint32 {
	if n, ok := b.number[w]; ok {
		return n
	}
	stem := text.Stem(w)
	n, ok := b.ofStem[stem]
	if !ok {
		n = uint32(len(b.stems))
		b.ofStem[stem] = n
		b.stems, b.small, b.holds = append(b.stems, stem), append(b.small, text.Stop(w)), append(b.holds, 0)
	}
	b.number[w] = n
	return n
}

// readQuestion finds the question's words, their beginnings and the lexicon's phrases among the items' words.
func (b *comparison) readQuestion() {
	b.at, b.like = make([]int, len(b.stems)), make([]set, len(b.stems))
	beginning := map[string][]int{}
	for k, s := range b.said {
		n, ok := b.ofStem[s]
		if ok {
			b.at[n] = k + 1
			b.weights = append(b.weights, b.weight[n])
		} else {
			b.weights = append(b.weights, b.rare(0))
		}
		if len(s) >= begins {
			beginning[s[:begins]] = append(beginning[s[:begins]], k)
		}
	}
	for n, s := range b.stems {
		if len(s) < begins || b.small[n] {
			continue
		}
		for _, k := range beginning[s[:begins]] {
			if beginAlike(s, b.said[k]) {
				b.like[n] |= 1 << k
			}
		}
	}
	b.starts = map[uint32][]phrase{}
	b.meant = make([]set, len(b.q.concepts))
	for c, concept := range b.q.concepts {
		for _, s := range concept.Own {
			for k, said := range b.said {
				if s == said {
					b.meant[c] |= 1 << k
				}
			}
		}
		b.start(c, true, concept.Own)
		for _, o := range concept.Others {
			b.start(c, false, o)
		}
	}
}

func (b *comparison) start(concept int, own bool, stems []string) {
	p := phrase{concept: concept, own: own}
	for _, s := range stems {
		n, ok := b.ofStem[s]
		if !ok {
			return // no item contains it
		}
		p.stems = append(p.stems, n)
	}
	if len(p.stems) > 0 {
		b.starts[p.stems[0]] = append(b.starts[p.stems[0]], p)
	}
}

// beginAlike reports whether words with the same beginning share most of their letters: "compressor" and
// "compression" differ by more than an ending.
func beginAlike(a, b string) bool {
	n := begins
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return 2*float64(n) > begunAlike*float64(len(a)+len(b))
}

// find matches a span against the question.
func (b *comparison) find(s *span) {
	list := b.read[s.from:s.to]
	for i, w := range list {
		if k := b.at[w]; k > 0 {
			s.exact |= 1 << (k - 1)
		}
		s.begun |= b.like[w]
		for _, p := range b.starts[w] {
			switch {
			case len(p.stems) > len(list)-i || !slices.Equal(p.stems, list[i:i+len(p.stems)]):
			case p.own:
				s.own |= 1 << p.concept
			default:
				s.other |= 1 << p.concept
				s.kin |= b.meant[p.concept]
			}
		}
	}
	if s.kind == ofText || s.kind == ofAlias {
		for _, w := range distinct(list, len(b.stems)) {
			s.weight += b.weight[w]
		}
	}
}

// holders returns how many of the counted items contain each of n things.
func (b *comparison) holders(n int, of func(*span) set) []int {
	holds := make([]int, n)
	for _, spans := range b.spans[:b.counts] {
		var all set
		for i := range spans {
			all |= of(&spans[i])
		}
		for ; all != 0; all &= all - 1 {
			holds[bits.TrailingZeros64(uint64(all))]++
		}
	}
	return holds
}

// coverWords computes how much of the question's words an item contains in all, in its text, in its most similar
// alias, and how many of its aliases contain any.
func (b *comparison) coverWords(looks []*Features) {
	concept := b.holders(len(b.said), func(s *span) set { return s.exact | s.kin | s.begun }) // the word or a substitute
	var all float64
	other := make([]float64, len(b.said))
	var content set
	for k, w := range b.weights {
		all += w
		other[k] = min(w, b.rare(concept[k]))
		if _, ok := b.q.place[b.said[k]]; ok {
			content |= 1 << k
		}
	}
	sum := func(exact, kin, begun set) (x float64) {
		for k := range b.said {
			switch bit := set(1) << k; {
			case exact&bit != 0:
				x += b.weights[k]
			case kin&bit != 0:
				x += kinShare * other[k]
			case begun&bit != 0:
				x += begunShare * other[k]
			}
		}
		return x
	}
	for i, spans := range b.spans {
		f := looks[i]
		var exact, kin, begun set
		aliases := 0
		for _, s := range spans {
			exact, kin, begun = exact|s.exact, kin|s.kin, begun|s.begun
			switch s.kind {
			case ofText:
				x := sum(s.exact, s.kin, s.begun)
				f[InText], f[LikeText] = x/all, 2*x/(all+s.weight)
			case ofAlias:
				f[LikeAlias] = max(f[LikeAlias], 2*sum(s.exact, s.kin, s.begun)/(all+s.weight))
				if s.exact&content != 0 {
					aliases++
				}
			}
		}
		f[Whole] = sum(exact, kin, begun) / all
		f[InAliases] = float64(min(aliases, manyAliases)) / manyAliases
	}
}

// matchConcepts computes which of the question's concepts an item contains, and which its text or an alias contains
// only in other words.
func (b *comparison) matchConcepts(looks []*Features) {
	holds := b.holders(len(b.meant), func(s *span) set { return s.own | s.other })
	var all float64
	for _, n := range holds {
		if n > 0 {
			all += b.rare(n)
		}
	}
	if all == 0 {
		return
	}
	share := func(s set) (x float64) {
		for ; s != 0; s &= s - 1 {
			x += b.rare(holds[bits.TrailingZeros64(uint64(s))])
		}
		return x / all
	}
	for i, spans := range b.spans {
		var own, other, head set
		for _, s := range spans {
			own, other = own|s.own, other|s.other
			if s.kind == ofText || s.kind == ofAlias {
				head |= s.other
			}
		}
		looks[i][Concepts], looks[i][OtherWords] = share(own|other), share(head&^own)
	}
}

// company computes how similar an item is to the best of the first pass in what the question doesn't say: an
// answer is usually surrounded by other items about the same thing.
func (b *comparison) company(looks []*Features, first []float64) {
	best := slices.Max(first[:b.counts])
	centre := make([]float64, len(b.stems))
	lists, norms := make([][]uint32, len(b.spans)), make([]float64, len(b.spans))
	var room []uint32
	for i, spans := range b.spans {
		room = room[:0]
		for _, s := range spans {
			if s.kind == ofText || s.kind == ofAbout || s.kind == ofAlias {
				room = append(room, b.read[s.from:s.to]...)
			}
		}
		lists[i] = slices.DeleteFunc(distinct(room, len(b.stems)), func(w uint32) bool {
			_, asked := b.q.place[b.stems[w]]
			return asked || b.small[w]
		})
		for _, w := range lists[i] {
			norms[i] += b.weight[w] * b.weight[w]
		}
		norms[i] = math.Sqrt(norms[i])
		if i >= b.counts || norms[i] == 0 {
			continue
		}
		for _, w := range lists[i] {
			centre[w] += math.Exp(companyDecay*(first[i]-best)) * b.weight[w] / norms[i]
		}
	}
	for i, list := range lists {
		if norms[i] == 0 {
			continue
		}
		var x float64
		for _, w := range list {
			x += centre[w] * b.weight[w]
		}
		x /= norms[i]
		if i < b.counts {
			x -= math.Exp(companyDecay * (first[i] - best)) // itself
		}
		looks[i][Company] = max(x, 0)
	}
}

// quantity matches a question that asks for a number.
var quantity = text.Pattern(`(?i)\b(?:how (?:many|much|long|often|big|large|fast|old|far|soon)|` +
	`what (?:size|number|version|port|limit|rate|interval|time|percent\w*)|` +
	`which (?:version|port)|limit|max|maximum|minimum|timeout|threshold|interval)\b`)
