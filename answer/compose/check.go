package compose

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/payload"
	"recall/text"
)

// leastSaid is the share of a sentence's words of content that must stand in
// what it cites; chosen by hand, half of it: what ties words of notes together
// is a model's own.
const leastSaid = 0.5

// grounded reports whether a sentence may rest on what it cites: its names and
// numbers stand there, and most of its words; what it denies isn't affirmed
// there, nor the other way round; and what doesn't hold any more is told as past.
func grounded(said string, cited []note) bool {
	all, current := ground{text.Bag{}}, ground{text.Bag{}}
	for _, n := range cited {
		all.add(n.item)
		if n.holds {
			current.add(n.item)
		}
	}
	s := read(said)
	if s.content.In(all.Bag) < leastSaid || s.missing(all) || s.turns(cited) || s.widens(cited) {
		return false
	}
	return s.past || !s.missing(current) && len(current.Bag) > 0
}

// ground is the words that stand in items, stemmed, and as they are written.
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

// counts are numbers in words.
var counts = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
	"eight": "8", "nine": "9", "ten": "10",
	"eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30", "sixty": "60", "hundred": "100", "thousand": "1000"}

// sentence is what a sentence says, as far as it can be checked.
type sentence struct {
	text    string
	content text.Bag // stems
	names   []string // and numbers
	past    bool     // it tells what was
}

func read(said string) sentence {
	s := sentence{text: said, content: text.Bag{}, past: pastForm().MatchString(settling().ReplaceAllString(said, ""))}
	for _, w := range text.Content(said) {
		if !telling[w] {
			s.content[text.Stem(w)] = 1
		}
	}
	list := fields(said)
	for i, w := range list {
		isBeing := len(list) > 1 && being[strings.ToLower(list[1])]
		switch low := strings.ToLower(w); {
		case text.IsName(w), counts[low] != "", i > 0 && capital(w) && !begins(said, w),
			i == 0 && capital(w) && isBeing && !text.Stop(low): // "Redis is …"
			s.names = append(s.names, w)
		}
	}
	return s
}

// missing reports whether a name or number stands nowhere.
func (s sentence) missing(g ground) bool {
	return slices.ContainsFunc(s.names, func(w string) bool {
		low := strings.ToLower(w)
		if n := counts[low]; n != "" && g.Has(n) || g.Has(low) || g.Has(text.Stem(low)) {
			return false
		}
		parts := slices.DeleteFunc(text.Split(w), func(p string) bool { return p == low })
		// "acquire/release", "retry-after": all its parts
		return len(parts) == 0 || slices.ContainsFunc(parts, func(p string) bool { return !g.Has(text.Stem(p)) })
	})
}

// widens reports whether a sentence says "all" or "only" of what it cites and nothing
// there does: "for the guests only" isn't "for all guests", nor the other way round.
func (s sentence) widens(cited []note) bool {
	for _, pattern := range howMany {
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

// howMany matches words that say of how many things something holds, those that
// mean the same together.
var howMany = []func() *regexp.Regexp{
	text.Pattern(`(?i)\b(?:all|every\w*|each|always|any\w*|whole|both|alle\w*|jede\w*|immer)\b`),
	text.Pattern(`(?i)\b(?:only|solely|exclusively|just|alone|nothing but|no other|nur)\b`),
}

// turns reports whether a sentence says no to what it cites, or yes to what that
// says no to.
func (s sentence) turns(cited []note) bool {
	said := denied(s.text)
	notes, open := text.Bag{}, text.Bag{} // what they say no to; what at least one of them says without
	ruledOut := true
	for _, n := range cited {
		it := n.item
		no := denied(it.Text)
		for _, t := range slices.Concat([]string{it.Why, it.Scope}, it.Alternatives, it.Quotes()) {
			no.Add(denied(t))
		}
		for _, a := range it.Alternatives {
			no.Add(text.Words(a))
		}
		if it.Kind == payload.Eliminated || !n.holds {
			no.Add(text.Words(it.Text))
		}
		ruledOut = ruledOut && it.Kind == payload.Eliminated
		notes.Add(no)
		open.Add(besides(text.Words(it.Text), no))
	}
	if besides(open, notes).Shared(said) > 0 {
		return true
	}
	if denies().MatchString(s.text) || gone().MatchString(s.text) || s.past && !ruledOut {
		return false
	}
	return besides(notes, open).Shared(s.content) > 0 // yes to what all of them say no to
}

// besides are the words of a bag that another hasn't.
func besides(b, other text.Bag) text.Bag {
	b = maps.Clone(b)
	maps.DeleteFunc(b, func(w string, _ float64) bool { return other.Has(w) })
	return b
}

// denies is a word that says no to what follows it, gone one that says no to
// what stands before it.
var (
	denies = text.Pattern(`(?i)\b(?:no|not|never|without|cannot|instead of|rather than|drop(?:s|ped)?|skip(?:s|ped)?|` +
		`avoid(?:s|ed)?|reject(?:s|ed)?|against|replac(?:es?|ing)|(?:mov|switch|chang)ed (?:away )?from)\b|n't\b`)
	gone = text.Pattern(
		`(?i)\b(?:(?:is|was|were|are|been) (?:\w+ )?(?:dropped|rejected|removed|abandoned|replaced|reverted|` +
			`eliminated|superseded|revoked|ruled out|given up|discarded))\b|\bruled out\b|\bput off\b`)
	pastForm = text.Pattern(`(?i)\b(?:was|were|before|earlier|previously|originally|formerly|initially|until|used to|` +
		`no longer|superseded|replac\w+|dropped|revoked|at the time|since changed)\b`)
	// what was decided may still hold
	settling = text.Pattern(
		`(?i)\b(?:was|were) (?:\w+ )?(?:decided|chosen|agreed|noted|said|asked|accepted|set|made|picked)\b`)
)

// reach is how many words of content a "no" reaches.
const reach = 2

func denied(s string) text.Bag {
	s = strings.ReplaceAll(s, "’", "'")
	out := text.Bag{}
	for _, m := range denies().FindAllStringIndex(s, -1) {
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

// fields are a text's words as they are written.
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

// begins reports whether a word stands only where a sentence, or what follows a
// colon or dash, begins.
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
	being = text.Set(`is are was were has have had will`)
	// telling are words by which a paragraph tells what notes say.
	telling = text.Set(`decided decision decisions chosen chose choice agreed reason because since before
		earlier previously originally formerly now currently stands superseded replaced dropped ruled out
		eliminated deferred put off open question was were took place instead project team user assistant note
		notes said says noted nothing also later still until`)
)
