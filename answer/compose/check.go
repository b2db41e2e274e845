package compose

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/internal/text"
	"recall/payload"
)

// minSupport is the share of a sentence's content words that must occur in what it cites. Half, chosen by hand: the
// words that connect notes are the model's own.
const minSupport = 0.5

// grounded reports whether the cited notes support a sentence: they contain its names and numbers and most of its
// words; they don't affirm what it denies or the reverse; and it tells what no longer holds as past.
func grounded(said string, cited []note) bool {
	all, current := ground{text.Bag{}}, ground{text.Bag{}}
	for _, n := range cited {
		all.add(n.item)
		if n.holds {
			current.add(n.item)
		}
	}
	s := read(said)
	if s.content.In(all.Bag) < minSupport || s.missing(all) || s.reverses(cited) || s.widens(cited) {
		return false
	}
	return s.past || !s.missing(current) && len(current.Bag) > 0
}

// ground is the set of words in items, both stemmed and as written.
type ground struct{ text.Bag }

func (g ground) add(it *payload.Item) {
	own := []string{it.Text, it.Why, it.Scope, it.Path, string(it.Kind), state(it),
		it.At.Local().Format("2006-01-02 January 2 2006")}
	for _, t := range slices.Concat(own, it.Alternatives, it.About, it.Aliases, it.Quotes()) {
		text.Each(t, func(w string) bool {
			g.Put(text.Stem(w), 1)
			if n, ok := counts[w]; ok {
				g.Put(n, 1)
			}
			return true
		})
		for _, w := range fields(t) {
			g.Put(strings.ToLower(w), 1)
		}
	}
}

// counts maps numbers in words to digits.
var counts = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
	"eight": "8", "nine": "9", "ten": "10",
	"eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30", "sixty": "60", "hundred": "100", "thousand": "1000"}

// sentence is the checkable part of a sentence.
type sentence struct {
	text    string
	content text.Bag // stems
	names   []string // and numbers
	past    bool     // it tells of the past
}

func read(said string) sentence {
	s := sentence{text: said, content: text.Bag{}, past: pastForm().MatchString(settling().ReplaceAllString(said, ""))}
	for _, w := range text.Content(said) {
		if !reporting[w] {
			s.content[text.Stem(w)] = 1
		}
	}
	list := fields(said)
	for i, w := range list {
		isBeing := len(list) > 1 && auxiliary[strings.ToLower(list[1])]
		switch low := strings.ToLower(w); {
		case text.IsName(w), counts[low] != "", i > 0 && capital(w) && !begins(said, w),
			i == 0 && capital(w) && isBeing && !text.Stop(low): // "Redis is …"
			s.names = append(s.names, w)
		}
	}
	return s
}

// missing reports whether g lacks a name or number of the sentence.
func (s sentence) missing(g ground) bool {
	return slices.ContainsFunc(s.names, func(w string) bool {
		low := strings.ToLower(w)
		if n := counts[low]; n != "" && g.Has(n) || g.Has(low) || g.Has(text.Stem(low)) {
			return false
		}
		parts := slices.DeleteFunc(text.Split(w), func(p string) bool { return p == low })
		// "acquire/release", "retry-after": all parts must occur
		return len(parts) == 0 || slices.ContainsFunc(parts, func(p string) bool { return !g.Has(text.Stem(p)) })
	})
}

// widens reports whether a sentence says "all" or "only" and nothing that it cites does: "for the guests only" isn't
// "for all guests", nor the reverse.
func (s sentence) widens(cited []note) bool {
	for _, pattern := range quantifiers {
		form := pattern()
		if !form.MatchString(s.text) {
			continue
		}
		if !slices.ContainsFunc(cited, func(n note) bool {
			texts := append(n.item.Quotes(), n.item.Text, n.item.Why, n.item.Scope)
			return form.MatchString(strings.Join(texts, "\n"))
		}) {
			return true
		}
	}
	return false
}

// quantifiers match words that say how much something applies to, grouped by meaning.
var quantifiers = []func() *regexp.Regexp{
	text.Pattern(`(?i)\b(?:all|every\w*|each|always|any\w*|whole|both|alle\w*|jede\w*|immer)\b`),
	text.Pattern(`(?i)\b(?:only|solely|exclusively|just|alone|nothing but|no other|nur)\b`),
}

// reverses reports whether a sentence denies what it cites, or affirms what that denies.
func (s sentence) reverses(cited []note) bool {
	said := negated(s.text)
	notes, open := text.Bag{}, text.Bag{} // words they deny; words at least one of them affirms
	ruledOut := true
	for _, n := range cited {
		it := n.item
		no := negated(it.Text)
		for _, t := range slices.Concat([]string{it.Why, it.Scope}, it.Alternatives, it.Quotes()) {
			no.Add(negated(t))
		}
		for _, a := range it.Alternatives {
			no.Add(minus(text.Words(a), text.Words(it.Text))) // "1,900 EUR" is chosen, "3,400 EUR" lost
		}
		if it.Kind == payload.Eliminated || !n.holds {
			no.Add(text.Words(it.Text))
		}
		ruledOut = ruledOut && it.Kind == payload.Eliminated
		notes.Add(no)
		open.Add(minus(text.Words(it.Text), no))
	}
	if minus(open, notes).Shared(said) > 0 {
		return true
	}
	if negates().MatchString(s.text) || gone().MatchString(s.text) || s.past && !ruledOut {
		return false
	}
	return minus(notes, open).Shared(s.content) > 0 // affirms what all of them deny
}

// minus returns the words of b that aren't in other.
func minus(b, other text.Bag) text.Bag {
	b = maps.Clone(b)
	maps.DeleteFunc(b, func(w string, _ float64) bool { return other.Has(w) })
	return b
}

// negates matches words that deny what follows, gone those that deny what precedes.
var (
	negates = text.Pattern(`(?i)\b(?:no|not|never|without|cannot|instead of|rather than|drop(?:s|ped)?|skip(?:s|ped)?|` +
		`avoid(?:s|ed)?|reject(?:s|ed)?|against|replac(?:es?|ing)|(?:mov|switch|chang)ed (?:away )?from)\b|n't\b`)
	gone = text.Pattern(
		`(?i)\b(?:(?:is|was|were|are|been) (?:\w+ )?(?:dropped|rejected|removed|abandoned|replaced|reverted|` +
			`eliminated|superseded|revoked|ruled out|given up|discarded))\b|\bruled out\b|\bput off\b`)
	pastForm = text.Pattern(`(?i)\b(?:was|were|before|earlier|previously|originally|formerly|initially|until|used to|` +
		`no longer|superseded|replac\w+|dropped|revoked|at the time|since changed)\b`)
	// past forms that don't mean that something no longer holds
	settling = text.Pattern(
		`(?i)\b(?:was|were) (?:\w+ )?(?:decided|chosen|agreed|noted|said|asked|accepted|set|made|picked)\b`)
)

// reach is how many content words a negation reaches.
const reach = 2

func negated(s string) text.Bag {
	s = strings.ReplaceAll(s, "’", "'")
	out := text.Bag{}
	for _, m := range negates().FindAllStringIndex(s, -1) {
		clause := s[m[1]:]
		if i := strings.IndexAny(clause, ",;:!?\n—("); i >= 0 {
			clause = clause[:i]
		}
		content := text.Content(clause)
		for _, w := range content[:min(reach, len(content))] {
			out[text.Stem(w)] = 1
		}
	}
	for _, m := range gone().FindAllStringIndex(s, -1) {
		clause := s[:m[0]]
		if i := strings.LastIndexAny(clause, ",;:!?\n—)"); i >= 0 {
			clause = clause[i+1:]
		}
		content := text.Content(clause)
		for _, w := range content[max(0, len(content)-reach):] {
			out[text.Stem(w)] = 1
		}
	}
	return out
}

// fields returns a text's words as written.
func fields(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._/-'’%$", r)
	}) {
		w = strings.TrimSuffix(strings.TrimSuffix(strings.Trim(w, "._/-'’"), "'s"), "’s")
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

func capital(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsUpper(r)
}

// begins reports whether a word only occurs at the start of sentences or after a colon or dash.
func begins(text, w string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], w)
		if i < 0 {
			return true
		}
		before := strings.TrimRight(text[:from+i], ` "'“‘(`)
		inSentence := before != "" && !strings.HasSuffix(before, ".") && !strings.HasSuffix(before, ":") &&
			!strings.HasSuffix(before, "—") && !strings.HasSuffix(before, "!") && !strings.HasSuffix(before, "?")
		if inSentence {
			return false
		}
		from += i + len(w)
	}
}

var (
	auxiliary = text.Set(`is are was were has have had will`)
	// reporting are words that a paragraph uses to report what notes say.
	reporting = text.Set(`decided decision decisions chosen chose choice agreed reason because since before
		earlier previously originally formerly now currently stands superseded replaced dropped ruled out
		eliminated deferred put off open question was were took place instead project team user assistant note
		notes said says noted nothing also later still until`)
)
