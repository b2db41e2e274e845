package distill

import (
	"maps"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
)

// An eitherOr is a question of the form "A, or B?" and what a reply took of it.
type eitherOr struct {
	took    map[string]bool // words of the reply that only one side has
	left    []sayWord       // what only the other side says
	leftFor string          // what is said for that, in small letters
	whole   bool            // it took "the first", so all that one side says
}

// offerOf reads the last offer before a reply; it is empty if the reply has words of no side, or of both, or if two
// thirds of it say something else. "The first" has all words of its side.
func offerOf(asked, reply string) (o eitherOr) {
	said := wordsIn(reply)
	for _, s := range slices.Backward(text.Sentences(asked, true)) {
		a, b, ok := strings.Cut(s, " or ")
		if !ok {
			continue
		}
		of, other := wordsIn(a), wordsIn(b)
		ofTwo := !strings.Contains(strings.TrimRight(a, ", "), ",")
		for side := range 2 {
			ordinal := ofTwo && said[text.Stem(ordinals[side])]
			took := map[string]bool{}
			for w := range of {
				if (said[w] || ordinal) && !other[w] && len(w) > 2 {
					took[w] = true
				}
			}
			if len(took) > 0 && o.took != nil {
				return eitherOr{}
			}
			if len(took) > 0 && 3*len(took) >= len(text.Words(reply)) {
				o = eitherOr{took: took, left: read([]string{b, a}[side]), whole: ordinal}
				o.left = slices.DeleteFunc(o.left, func(w sayWord) bool { return w.joint || of[w.stem] })
			}
			of, other = other, of
		}
		return o
	}
	return o
}

// choice reads a quote from a question with options as the person's answer to it, and reports whether it is one.
func (b *bearing) choice(t *ingest.Turn, quote string) bool {
	for i := range t.Calls {
		for _, a := range t.Calls[i].Answers {
			all, said, no := answerTexts(&a), strings.Join(a.Chosen, "; "), false
			of := all
			if a.Free { // to what was asked
				of = a.Chosen
			}
			if said == "" || !slices.ContainsFunc(of, func(s string) bool { return strings.Contains(s, quote) }) {
				continue
			}
			b.bare = isBare(said) && len(b.quotes) == 0
			if isBare(said) {
				said, no = a.Question, text.Refuses(said)
			}
			for _, o := range a.Options { // what it meant
				if slices.Contains(a.Chosen, o.Label) && strings.Contains(o.Description, quote) {
					said += "; " + sentenceOf(o.Description, quote)
				}
			}
			b.spoken, b.states = true, true
			b.theirs = append(b.theirs, b.rest(said, no)...)
			b.offers = offerOfOptions(&a)
			b.say(strings.Join(all, "\n"))
			return true
		}
	}
	return false
}

// offerOfOptions returns the options that a person chose from.
func offerOfOptions(a *ingest.Answer) eitherOr {
	o, others := eitherOr{took: wordsIn(strings.Join(a.Chosen, " "))}, map[string]bool{}
	for _, option := range a.Options {
		if !slices.Contains(a.Chosen, option.Label) {
			o.left = append(o.left, read(option.Label)...)
			o.leftFor += strings.ToLower(option.Description) + "\n"
			maps.Copy(others, wordsIn(option.Label))
		}
	}
	o.left = slices.DeleteFunc(o.left, func(w sayWord) bool { return w.joint || o.took[w.stem] })
	maps.DeleteFunc(o.took, func(w string, _ bool) bool { return others[w] })
	return o
}

// ordinals name one of two.
var ordinals = [2]string{"first", "second"}

func wordsIn(s string) map[string]bool {
	all := map[string]bool{}
	text.Each(s, func(w string) bool {
		all[text.Stem(w)] = true
		return true
	})
	return all
}

// leaves reports whether a claim affirms something of the side that was left, and says nothing that the reply took; or
// affirms more of that side than of the one that was taken whole.
func (o eitherOr) leaves(claim string) bool {
	took, left := 0, 0
	words := wordsIn(claim)
	for _, w := range read(claim) {
		if w.denied {
			delete(words, w.stem)
		} else if has(o.left, w.stem) {
			left++
		}
	}
	for w := range words {
		if o.took[w] {
			took++
		}
	}
	return left > 0 && (took == 0 || o.whole && left > took)
}
