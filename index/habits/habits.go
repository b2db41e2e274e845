// Package habits finds what a person tells their assistants again and again: preferences and corrections that
// recur across sessions, such as "never run the whole suite" or "we use pnpm". They belong in CLAUDE.md rather
// than in a payload. It works by words alone and leaves the judgement to the reader of the list.
package habits

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recall/internal/text"
)

// Saying is one sentence that a person typed.
type Saying struct {
	Session string // where it was typed
	Place   int    // index of its turn in Find's argument
	At      time.Time
	Text    string

	stems    text.Bag
	negative bool
}

// Habit is what several sayings have in common.
type Habit struct {
	Text     string   // the most typical saying, as a sentence
	Sessions int      // number of sessions
	Sayings  []Saying // the latest first
}

// Length limits in characters of a saying, and of a turn whose sentences count: longer ones are task
// descriptions or pasted text.
const (
	shortest, longest = 8, 160
	longestTurn       = 1500
	longestOrder      = 60
)

// Turn is what a person typed at one time.
type Turn struct {
	Session string
	At      time.Time
	Text    string
}

// Find lists what recurs in at least the given number of sessions, the most frequent first. A text sent
// verbatim in several sessions is some program's template, not a habit.
func Find(turns []Turn, sessions int) []Habit {
	var all []Saying
	sent, template := map[string]string{}, map[string]bool{}
	for _, t := range turns {
		if key := strings.TrimSpace(t.Text); len(t.Text) > longest {
			template[key] = template[key] || sent[key] != "" && sent[key] != t.Session
			sent[key] = t.Session
		}
	}
	for i, t := range turns {
		if utf8.RuneCountInString(t.Text) > longestTurn || template[strings.TrimSpace(t.Text)] {
			continue
		}
		for _, s := range sayings(t.Text) {
			s.Session, s.Place, s.At = t.Session, i, t.At
			all = append(all, s)
		}
	}
	var out []Habit
	for _, group := range clusters(all) {
		if h := habitOf(group); h.Sessions >= sessions {
			out = append(out, h)
		}
	}
	slices.SortStableFunc(out, func(a, b Habit) int {
		return cmp.Or(b.Sessions-a.Sessions, len(b.Sayings)-len(a.Sayings), b.Sayings[0].At.Compare(a.Sayings[0].At))
	})
	return out
}

var (
	// standing matches instructions meant to hold beyond the moment, and corrections.
	standing = text.Pattern(`(?i)\b(?:always|never|from now on|in (?:the )?future|every time|(?:again|once more)[:,]|` +
		`i (?:told|said|already)|as i said|remember(?: to|,|:)|` +
		`we (?:only |always |never |don'?t |do not |no longer )?` +
		`(?:use|run|write|keep|put|call|name|work|prefer|deploy|test|commit|want)|` +
		`i(?:'d| would)? (?:always |never |really )?(?:prefer|hate)|i want you to (?:always|never|only)|` +
		`(?:do not|don'?t|please don'?t|stop|avoid|no need to|not? ) ?(?:ever )?` +
		`(?:run|use|add|commit|push|create|write|change|touch|edit|install|start|delete|` +
		`ask|explain|comment|mock|guess|mention|make|put|summari[sz]e|apologi[sz]e)|` +
		`use \S+(?: \S+)?,? (?:not|instead of|rather than)|(?:only|just) run|` +
		`no (?:emojis?|comments?|mocks?|abbreviations?|new dependenc\w+|trailers?)|` +
		`keep (?:it|them|answers?|commits?|changes?|functions?) (?:short|small|brief|simple)|answer (?:in|briefly)|` +
		`must (?:always|never|not))\b`)
	// momentary matches what concerns only this one place or time.
	momentary = text.Pattern(`(?i)\?\s*$|https?://|:\d+\b|` +
		`\b(?:this time|for now|right now|today|tomorrow|just this once|yet|next step|line \d+|above|below)\b`)
	// order matches what begins like an instruction, or names one thing and not another, whatever it is about.
	order = text.Pattern(`(?i)^(?:(?:go |then |first |now |just )*(?:use|run|pull|push|merge|rebase|keep|put|write|call|name|make|` +
		`create|clean|format|sort|sign|squash|open|back|switch|answer|work|stay|leave|ff|pin|show|explain|implement)\b|` +
		`(?:\S+ ){1,3}?(?:not|instead of|rather than) \S+(?: \S+)?[.!]*$|` +
		`(?:no|only|always|double|single) \S+(?: \S+)?(?:,? (?:please|as (?:always|usual)))?[.!]*$)`)
	partedBy = text.Pattern(`;| - | — |, (?:and|but) `)
	negation = text.Pattern(`(?i)\b(?:never|not|don'?t|no|stop|avoid|without|instead|rather than)\b`)
	opening  = text.Pattern(`(?i)^(?:no[,:;.!]+\s*|(?:nope|ok|okay|yes|and|but|also|so|please|well|hey|again|as i said|i told you|` +
		`i (?:already )?said|remember|one more thing|from now on|in (?:the )?future|note)\b[,:;.!]?\s*(?:that\s+|to\s+)?)+`)
	fence = text.Pattern("(?s)```.*?(?:```|$)")
)

// sayings returns the sentences of a turn that might be habits.
func sayings(said string) []Saying {
	said = strings.ReplaceAll(fence().ReplaceAllString(said, "\n"), "’", "'")
	var out []Saying
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, ">") || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "<") {
			continue
		}
		for _, s := range sentences(strings.TrimLeft(line, "-*• \t")) {
			n := utf8.RuneCountInString(s)
			own := opening().ReplaceAllString(s, "")
			short := utf8.RuneCountInString(own) <= longestOrder && order().MatchString(own)
			wish := short || standing().MatchString(s)
			if n < shortest || n > longest || !wish || momentary().MatchString(s) {
				continue
			}
			y := Saying{Text: s, stems: text.Bag{}, negative: negation().MatchString(s)}
			for _, w := range text.Content(own) {
				if !empty[w] && !(short && anyOrder[w]) {
					y.stems.Put(text.Stem(w), 1)
				}
			}
			if len(y.stems) > 1 || len(y.stems) == 1 && !short {
				out = append(out, y)
			}
		}
	}
	return out
}

// empty lists words that say nothing about a habit's subject.
var empty = text.Set("always never please use want prefer told said future remember again ever just only like need" +
	" stop avoid")

// anyOrder lists words of orders that say nothing about what they are about: "run the tests" isn't "run the linter".
var anyOrder = text.Set("run keep put write call name make create open show explain implement now then first go")

// sentences splits a line at the ends of sentences, dashes, semicolons and ", and".
func sentences(line string) []string {
	var out []string
	for _, part := range partedBy().Split(line, -1) {
		out = append(out, text.Sentences(strings.TrimSpace(part), true)...)
	}
	return out
}

// alike is the similarity from which two sayings say the same.
const alike = 0.5

// clusters groups sayings that say the same, each with the group it is most like. A "do" and a "don't" are
// never the same.
func clusters(all []Saying) [][]Saying {
	var groups [][]Saying
	byStem := map[string][]int{}
	for _, s := range all {
		best, most := -1, 0.0
		seen := map[int]bool{}
		for stem := range s.stems {
			for _, g := range byStem[stem] {
				if seen[g] {
					continue
				}
				seen[g] = true
				if x := likeGroup(groups[g], &s); x > most || x == most && x > 0 && g < best {
					best, most = g, x
				}
			}
		}
		if most < alike {
			best = len(groups)
			groups = append(groups, nil)
		}
		groups[best] = append(groups[best], s)
		for stem := range s.stems {
			if !slices.Contains(byStem[stem], best) {
				byStem[stem] = append(byStem[stem], best)
			}
		}
	}
	return groups
}

const maxCompared = 8

func likeGroup(group []Saying, s *Saying) float64 {
	most := 0.0
	for i := range group[:min(len(group), maxCompared)] {
		o := &group[i]
		if o.negative != s.negative {
			return 0
		}
		most = max(most, s.stems.Like(o.stems))
	}
	return most
}

// habitOf summarizes a group by its shortest saying that has the words most of them share.
func habitOf(group []Saying) Habit {
	in := map[string]bool{}
	weight := map[string]int{}
	for _, s := range group {
		in[s.Session] = true
		for stem := range s.stems {
			weight[stem]++
		}
	}
	best, most := 0, -1.0
	for i, s := range group {
		sum := 0
		for stem := range s.stems {
			sum += weight[stem]
		}
		if x := float64(sum)/float64(len(s.stems)) - float64(utf8.RuneCountInString(s.Text))/200; x > most {
			best, most = i, x
		}
	}
	h := Habit{Text: line(group[best].Text), Sessions: len(in), Sayings: slices.Clone(group)}
	slices.SortStableFunc(h.Sayings, func(a, b Saying) int { return b.At.Compare(a.At) })
	return h
}

// line turns what was typed into a sentence.
func line(s string) string {
	if rest := opening().ReplaceAllString(s, ""); utf8.RuneCountInString(rest) >= shortest {
		s = rest
	}
	return text.Capital(strings.TrimRight(text.OneLine(s), " .!;,")) + "."
}
