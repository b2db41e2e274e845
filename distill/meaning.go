package distill

import (
	"slices"
	"strings"

	"recall/internal/text"
)

// opposes reports whether a claim denies what a text affirms, or the reverse: the text has half of its words, and of
// these at least half are denied in one and affirmed in the other.
func opposes(claim, said []sayWord) bool {
	in := map[int]map[string]bool{} // the stems of each clause
	for _, w := range said {
		if in[w.clause] == nil {
			in[w.clause] = map[string]bool{}
		}
		in[w.clause][w.stem] = true
	}
	same, other, rest, changed := 0, 0, 0, false
	for i, w := range claim {
		yes, no := polarity(claim, i, said, in)
		switch {
		case changes[w.stem] && yes != no && w.denied == yes:
			changed = true // "guests may change it", "guests may not change it", and the reverse
		case w.joint, w.loose, yes && no: // can't be told
		case !yes && !no:
			rest++
		case w.denied == no:
			same++
		default:
			other++
		}
	}
	affirmed := func(w sayWord) bool { return !w.joint && !w.denied }
	return changed && same > 2*rest || other > 0 && other >= same && same+other >= rest || deniesPart(said, claim) ||
		deniesPart(claim, said) && shareOf(claim, said, affirmed) <= 0.5
}

// polarity reports whether a text, whose stems are given by clause, affirms a claim's word, or denies it. If it does
// both, it is as where most of the other words of the claim's clause are: "support can look but not export" of "support
// may export", though admins may.
func polarity(claim []sayWord, i int, said []sayWord, in map[int]map[string]bool) (yes, no bool) {
	most := -1
	for _, w := range said {
		if w.joint || w.stem != claim[i].stem {
			continue
		}
		company, beside := in[w.clause], 0
		if len(company) == 1 { // alone in its clause, it goes with the one before
			company = in[w.clause-1]
		}
		for _, o := range claim {
			if !o.joint && o.clause == claim[i].clause && o.stem != w.stem && company[o.stem] {
				beside++
			}
		}
		if beside > most {
			yes, no, most = false, false, beside
		}
		if beside == most {
			yes, no = yes || !w.denied || w.loose, no || w.denied || w.loose
		}
	}
	return yes, no
}

// flips are words with their opposites: a claim that has the one where what was said has the other says the opposite.
var flips = func() map[string]flip {
	m := map[string]flip{}
	for i, pair := range strings.Fields(`increase/decrease raise/lower accept/reject safe/unsafe grow/shrink start/stop
		after/before after/within must/may hide/show only/all only/every only/everybody only/everyone only/anyone
		only/anybody required/optional manual/automatic synchronous/asynchronous enable/disable first/last least/most
		minimum/maximum open/closed include/exclude above/below more/fewer more/less ascending/descending allow/block pass/fail mehr/weniger vor/nach nur/alle nur/jeder
		mindestens/höchstens offen/geschlossen`) {
		one, other, _ := strings.Cut(pair, "/")
		if had, ok := m[one]; ok {
			i = had.pair
		}
		m[one], m[other] = flip{pair: i}, flip{i, true}
		for _, w := range []string{one, other} { // "alle" has the stem of "all"
			if stem := text.Stem(w); m[stem] == (flip{}) {
				m[stem] = m[w]
			}
		}
	}
	return m
}()

type flip struct {
	pair   int
	turned bool // the second of the pair
}

// flipped reports whether a claim has the opposite of a word that a text has, with the same words on both sides.
func flipped(claim, said string) bool {
	a := strings.Fields(boundWords.Replace(notOnly().ReplaceAllString(strings.ToLower(claim), " ")))
	b := strings.Fields(boundWords.Replace(strings.ToLower(said)))
	find := func(words []string, in map[int][]int) {
		for i := range words {
			words[i] = strings.Trim(words[i], ".,;:!?()\"'`*")
			if f, ok := flipOf(words[i]); ok {
				in[f.pair] = append(in[f.pair], i)
			}
		}
	}
	inClaim, inSaid := map[int][]int{}, map[int][]int{}
	find(a, inClaim)
	find(b, inSaid)
	for pair, at := range inClaim {
		if to := inSaid[pair]; len(at) == 1 && len(to) == 1 {
			f, _ := flipOf(a[at[0]])
			g, _ := flipOf(b[to[0]])
			turned := f.turned != g.turned
			negated := slices.ContainsFunc(a, denies) != slices.ContainsFunc(b, denies)
			bounds := bounding[a[at[0]]] && bounding[b[to[0]]] // "two at most", "at least two"
			if turned && !negated && (bounds || alongside(a, b, at[0], to[0])) {
				return true
			}
		}
	}
	return false
}

// boundWords says limits in one word.
var boundWords = strings.NewReplacer("up to ", "at most ", "not more than", "at most", "no more than", "at most",
	"not less than", "at least", "no less than", "at least", "nobody but", "only", "no one but", "only")

var bounding = text.Set(`least most mindestens höchstens`)

// notOnly matches what takes a limit back.
var notOnly = text.Pattern(`\bnot (?:only|just)\b`)

func flipOf(word string) (flip, bool) {
	f, ok := flips[word]
	if !ok {
		f, ok = flips[text.Stem(word)]
	}
	return f, ok
}

// alongside reports whether more words stand on the same sides of two places than on the other sides; not where one is
// in the passive: "increase the limit", "the limit is decreased"; nor of an "only" at the end.
func alongside(a, b []string, i, k int) bool {
	same, crossed := 0, 0
	free := (i > 0 && being[a[i-1]]) != (k > 0 && being[b[k-1]]) || k == len(b)-1 && limits().MatchString(b[k])
	for n, w := range a {
		at := slices.IndexFunc(b, func(o string) bool { return text.Stem(o) == text.Stem(w) })
		switch {
		case n == i, at < 0, at == k, text.Stop(w):
		case (at < k) == (n < i):
			same++
		default:
			crossed++
		}
	}
	return same > crossed || free && same+crossed > 0
}

// limitsElse reports whether "only" limits in a claim what a text has without it, and the reverse: "admins only delete
// projects", "only admins delete projects".
func limitsElse(claim, said string) bool {
	of, is := limited(claim), limited(said)
	moved := func(from, to []string, in string) bool {
		has := stems(strings.Join(text.Split(strings.ToLower(in)), " "))
		stays := func(w string) bool { return !has[w] || slices.Contains(to, w) }
		return len(from) > 0 && !slices.ContainsFunc(from, stays)
	}
	return moved(of, is, said) && moved(is, of, claim)
}

// limited returns the stems of the words that "only" limits in a text: the one behind it where it opens a clause, all
// behind it within one, the two before it at the end of one.
func limited(s string) (out []string) {
	for from := 0; from < len(s); {
		end, next := clauseIn(s, from)
		words := text.Split(strings.ToLower(s[from:end]))
		words = slices.DeleteFunc(words, func(w string) bool { return joints[w] || articles[w] || being[w] })
		if at := slices.IndexFunc(words, func(w string) bool { return limiting[w] }); at >= 0 {
			of := words[at+1:]
			switch {
			case len(of) == 0:
				of = words[max(0, at-2):at]
			case at == 0:
				of = of[:1]
			}
			for _, w := range of {
				out = append(out, text.Stem(w))
			}
		}
		from = next
	}
	return out
}

var (
	articles = text.Set(`a an the der die das den dem ein eine einen le la les el los las`)
	limiting = text.Set(`only nur seulement solo sólo solamente`)
)

// deniesPart reports whether a text has a short clause that only denies what the other affirms: "…, not redis".
func deniesPart(said, claim []sayWord) bool {
	yes, no := map[string]bool{}, map[string]bool{}
	for _, w := range claim {
		yes[w.stem], no[w.stem] = yes[w.stem] || !w.denied && !w.loose, no[w.stem] || w.denied || w.loose
	}
	for _, w := range said { // where it affirms it, too, can't be told
		no[w.stem] = no[w.stem] || !w.denied
	}
	for from := 0; from < len(said); {
		to, content, against := from, 0, 0
		for ; to < len(said) && said[to].clause == said[from].clause; to++ {
			if w := said[to]; !w.joint {
				content++
				if w.denied && !w.loose && yes[w.stem] && !no[w.stem] {
					against++
				}
			}
		}
		if whole := content == len(said); content > 0 && content <= 3 && against == content && !whole {
			return true
		}
		from = to
	}
	return false
}

// praises reports whether a claim speaks for what a text gives a reason against rather than for what the text speaks
// for; turned, whether it gives a reason against that: "use redis, valkey is too slow", of "take valkey, redis is too
// slow".
func praises(claim, said []sayWord) (praises, turned bool) {
	chosen, against, shared := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, w := range said {
		against[w.stem] = against[w.stem] || w.blamed
		if !w.denied && !w.loose && !w.joint {
			chosen[w.stem] = true
		}
	}
	for _, w := range claim {
		switch took := chosen[w.stem]; {
		case w.blamed:
			turned = turned || took && !against[w.stem]
		case w.denied, w.joint:
		case took:
			shared[w.stem] = true
		default:
			praises = praises || against[w.stem]
		}
	}
	return praises && len(chosen) > 0 && 2*len(shared) <= len(chosen), turned && praises
}

// minSwapped is the share of a claim's words that a text must have to be told apart by their order.
const minSwapped = 0.75

// swaps reports whether two clauses of a claim each mix the words of the same two clauses of a text: "A in staging, B
// in production", "B in staging, A in production".
func swaps(claim, said []sayWord) bool {
	in := map[string]int{} // the clause of each word that is in one only
	for _, w := range said {
		if c, ok := in[w.stem]; ok && c != w.clause {
			in[w.stem] = -1
		} else if !w.joint {
			in[w.stem] = w.clause
		}
	}
	if shareOf(claim, said, func(w sayWord) bool { return !w.joint }) < minSwapped {
		return false
	}
	type mix struct{ one, other sayWord } // of a clause of the claim, from two of the text
	var mixed []mix
	for i, w := range claim {
		from, ok := in[w.stem]
		for _, o := range claim[i+1:] {
			to, also := in[o.stem]
			known := ok && also && from >= 0 && to >= 0
			if !known || from == to || w.clause != o.clause {
				continue
			}
			m := mix{w, o}
			if from > to {
				m = mix{o, w}
			}
			mixed = append(mixed, m)
		}
	}
	for i, a := range mixed {
		for _, b := range mixed[i+1:] {
			same := in[a.one.stem] == in[b.one.stem] && in[a.other.stem] == in[b.other.stem]
			if same && a.one.clause != b.one.clause && a.one.stem != b.one.stem && a.other.stem != b.other.stem {
				return true
			}
		}
	}
	return false
}

// turnsRound reports whether a claim has on both sides of a word what a text has on the other sides of it: "we deploy
// after the review", "the review after we deploy". Only a claim of hardly any other words than the text's counts.
func turnsRound(claim, said []sayWord) bool {
	at := map[string]int{} // the place of each word that the text has once
	for i, w := range said {
		if _, twice := at[w.stem]; twice {
			at[w.stem] = -1
		} else {
			at[w.stem] = i
		}
	}
	place, shared := make([]int, len(claim)), 0
	for i, w := range claim {
		k, ok := at[w.stem]
		if place[i] = k; !ok {
			place[i] = -1
		}
		if place[i] >= 0 {
			shared++
		}
	}
	if shared < 3 || 4*shared < 3*len(claim) {
		return false
	}
	for i := range claim {
		if place[i] >= 0 && by(claim, i) == by(said, place[i]) && crosses(claim, said, place, i) {
			return true
		}
	}
	return false
}

// sequence matches what is said to come first and what later: "A first, then B", "A before B", "B after A".
var sequence = text.Pattern(`(?i)\A(.*?)(?:,? (?:and )?(then|before|after|dann|danach|bevor|nachdem|puis|luego)|` +
	`,? (und dann|und danach)) (.*)\z`)

// reordered reports whether a claim puts first what a text puts later, and the reverse; not where one of them denies.
func reordered(claim, said string) bool {
	order := func(s string) (first, later map[string]bool) {
		m := sequence().FindStringSubmatch(strings.TrimSpace(s))
		if m == nil || slices.ContainsFunc(strings.Fields(strings.ToLower(s)), denies) {
			return nil, nil
		}
		first, later = wordsIn(m[1]), wordsIn(m[4])
		if joint := strings.ToLower(m[2]); joint == "after" || joint == "nachdem" {
			first, later = later, first
		}
		return first, later
	}
	first, later := order(claim)
	saidFirst, saidLater := order(said)
	moved := func(of, to, not map[string]bool) (n int) {
		for w := range of {
			if to[w] && !not[w] {
				n++
			}
		}
		return n
	}
	away := min(moved(first, saidLater, saidFirst), moved(later, saidFirst, saidLater))
	return away > moved(later, saidLater, saidFirst)
}

// substitutes reports whether a claim is a text's words in their order but for one, in whose place another stands that
// nobody said there: "hourly" for "nightly", "lager for the summer" for "stout for the summer".
func substitutes(claim, text []sayWord, said map[string]bool) bool {
	at, shared := -1, 0 // the claim's word that isn't the text's
	for i, w := range claim {
		switch {
		case w.joint:
		case has(text, w.stem):
			shared++
		case at >= 0 || said[w.stem] || changes[w.stem]:
			return false
		default:
			at = i
		}
	}
	if at < 0 || shared == 0 || shared < 3 && at > 0 { // "redis for the cache": what comes first
		return false
	}
	beside := func(words []sayWord, i, step int) string { // the next word that says something
		for i += step; i >= 0 && i < len(words); i += step {
			if !words[i].joint {
				return words[i].stem
			}
		}
		return ""
	}
	for i, w := range text {
		alike := len(w.stem) < 4 || strings.HasPrefix(w.stem, claim[at].stem[:min(4, len(claim[at].stem))])
		if w.joint || alike || has(claim, w.stem) {
			continue
		}
		if beside(text, i, -1) == beside(claim, at, -1) && beside(text, i, 1) == beside(claim, at, 1) {
			return true
		}
	}
	return false
}

// crosses reports whether, in its clause, most words before a claim's word at i are behind it in the text, and the
// reverse.
func crosses(claim, said []sayWord, place []int, i int) bool {
	var all, crossed [2]int // before and behind
	for k, w := range claim {
		elsewhere := place[k] < 0 || place[k] == place[i] || w.joint || w.clause != claim[i].clause
		if k == i || elsewhere || said[place[k]].clause != said[place[i]].clause {
			continue
		}
		side := 0
		if k > i {
			side = 1
		}
		all[side]++
		if (place[k] > place[i]) != (k > i) {
			crossed[side]++
		}
	}
	most := func(side int) bool { return crossed[side] > 0 && 2*crossed[side] >= all[side] }
	return most(0) && most(1)
}

const elsewhereWorth = 0.25

// by reports whether a word is followed by what its subject does it with, as verbs in the passive are.
func by(words []sayWord, i int) bool {
	return i+1 < len(words) && (words[i+1].stem == "by" || words[i+1].joint && words[i+1].stem == "with")
}

// covered returns the share of a claim's words that a text has, those of its least covered clause of two or more words,
// and the exact words that it lacks. A word that only stands elsewhere in the session counts little.
func covered(claim []sayWord, said, elsewhere map[string]bool) (all, least float64, lacks []string) {
	var sum, n float64
	clause := map[int][2]float64{}
	seen := map[string]bool{}
	for _, w := range claim {
		if w.joint || seen[w.stem] {
			continue
		}
		seen[w.stem] = true
		worth := 0.0
		switch {
		case said[w.stem]:
			worth = 1
		case elsewhere[w.stem]:
			worth = elsewhereWorth
		case w.exact:
			lacks = append(lacks, w.stem)
		}
		c := clause[w.clause]
		clause[w.clause] = [2]float64{c[0] + worth, c[1] + 1}
		sum, n = sum+worth, n+1
	}
	if n == 0 {
		return 1, 1, nil
	}
	least = 1
	for _, c := range clause {
		if c[1] >= 2 {
			least = min(least, c[0]/c[1])
		}
	}
	return sum / n, least, lacks
}

func has(words []sayWord, stem string) bool {
	return slices.ContainsFunc(words, func(w sayWord) bool { return w.stem == stem })
}
