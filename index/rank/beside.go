package rank

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"recall/payload"
	"recall/text"
)

// What an item says beside the others that were found: a word counts the more
// the fewer of them hold it, small words too ("try again", "give up"), which a
// list of them would throw away. Only these items tell which of a question's
// words tell one from another.

// Concept is a word or phrase of a question that the lexicon knows, with what else
// it knows for it, small words left in.
type Concept struct {
	Own    []string   // stems of the question's words
	Others [][]string // stems of each of the other phrases
}

const (
	kinShare    = 0.6 // what a kindred phrase counts of the word itself; 0.8 does the same
	begunShare  = 0.5 // and a word that begins alike
	begins      = 5   // letters that words must begin alike with
	begunAlike  = 0.6 // and share of their letters
	manyAliases = 3   // so many that share a word with the question are as good as all
	steep       = 4   // how much less company counts whose first score is worse

	usualWords = 2 << 10 // different ones in fifty items
)

// The fields of an item.
const (
	ofText = iota
	ofRest
	ofAbout
	ofAlias
	ofQuote
)

// span is one field of an item: its words are from to of those read.
type span struct {
	kind, from, to int
	exact          set     // of the question's words, which stand in it
	kin, begun     set     // in the lexicon's words; in one that begins alike
	own, other     set     // of the question's concepts, which stand in it in the question's words or in others
	weight         float64 // of its distinct words
}

// beside compares a question with items that were found for it.
type beside struct {
	q      *Question
	number map[string]uint32 // of words as cut
	ofStem map[string]uint32
	stems  []string
	small  []bool
	holds  []int // how many of the counted items hold a stem
	read   []uint32
	spans  [][]span // by item
	counts int      // items that are counted
	weight []float64

	said    []string // the question's words, each stem once
	weights []float64
	at      []int // of stems in said, from 1
	like    []set // of said that a stem begins like
	starts  map[uint32][]phrase
	meant   []set // the words that concepts stand for
}

// phrase is a concept's, as stems.
type phrase struct {
	concept int
	own     bool
	stems   []uint32
}

// Beside completes what was seen of items, best of the first pass first, by
// comparing the first counted of them. first is what they score there. Where most
// have no aliases company isn't sought: what rules took from a transcript is often
// said in it several times over.
func (q *Question) Beside(items []*payload.Item, looks []*Features, first []float64, counted int, aliased bool) {
	if len(items) == 0 || len(q.said) == 0 {
		return
	}
	b := &beside{q: q, number: make(map[string]uint32, usualWords), ofStem: make(map[string]uint32, usualWords),
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
	b.cover(looks)
	b.conceive(looks)
	if aliased {
		b.company(looks, first)
	}
	if !quantity().MatchString(text.Head(q.text, longestForm)) {
		return
	}
	for i, it := range items {
		looks[i][Number] = truth(strings.ContainsAny(it.Text, "0123456789"))
	}
}

// rare is the weight of what n of the counted items hold.
func (b *beside) rare(n int) float64 { return rarity(b.counts, n) }

// rarity is the weight of what n of so many hold.
func rarity(of, n int) float64 { return math.Log(1 + (float64(of-n)+0.5)/(float64(n)+0.5)) }

func (b *beside) readItem(it *payload.Item, count bool) {
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

// distinct are the different ones of some words' numbers, in order.
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

// of gives the number of a word's stem.
func (b *beside) of(w string) uint32 {
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

// readQuestion finds its words, their beginnings and the lexicon's phrases among
// the items' words.
func (b *beside) readQuestion() {
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

func (b *beside) start(concept int, own bool, stems []string) {
	p := phrase{concept: concept, own: own}
	for _, s := range stems {
		n, ok := b.ofStem[s]
		if !ok {
			return // no item holds it
		}
		p.stems = append(p.stems, n)
	}
	if len(p.stems) > 0 {
		b.starts[p.stems[0]] = append(b.starts[p.stems[0]], p)
	}
}

// beginAlike reports whether words with the same beginning have most of their
// letters in common: "compressor" and "compression" differ by more than an ending.
func beginAlike(a, b string) bool {
	n := begins
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return 2*float64(n) > begunAlike*float64(len(a)+len(b))
}

// find finds the question in a span.
func (b *beside) find(s *span) {
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

// holders is how many of the counted items hold each of n things.
func (b *beside) holders(n int, of func(*span) set) []int {
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

// cover sees how much of the question's words stands in an item, in its text, in
// its most alike alias, and in how many of its aliases any does.
func (b *beside) cover(looks []*Features) {
	concept := b.holders(len(b.said), func(s *span) set { return s.exact | s.kin | s.begun }) // or anything for the word
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

// conceive sees which of the question's concepts stand in an item, and which in
// its text or an alias in other words only.
func (b *beside) conceive(looks []*Features) {
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

// company sees how like an item is to the best of the first pass in what the
// question doesn't say: what answers it has others about it that speak of the
// same.
func (b *beside) company(looks []*Features, first []float64) {
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
			centre[w] += math.Exp(steep*(first[i]-best)) * b.weight[w] / norms[i]
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
			x -= math.Exp(steep * (first[i] - best)) // itself
		}
		looks[i][Company] = max(x, 0)
	}
}

// quantity matches a question that asks for a number.
var quantity = text.Pattern(`(?i)\b(?:how (?:many|much|long|often|big|large|fast|old|far|soon)|` +
	`what (?:size|number|version|port|limit|rate|interval|time|percent\w*)|` +
	`which (?:version|port)|limit|max|maximum|minimum|timeout|threshold|interval)\b`)
