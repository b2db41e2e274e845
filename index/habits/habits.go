// Package habits finds what a person tells their assistants again and again: preferences and corrections that
// recur across sessions, such as "never run the whole suite" or "we use pnpm". They belong in CLAUDE.md rather
// than in a payload. It goes by words and by what was run in answer, and leaves the judgement to who reads the list.
package habits

import (
	"cmp"
	"maps"
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

	stems, against text.Bag // its words, and those of them that it speaks against
	ran, done      text.Bag // the words of the commands that its answer ran; those and its own
	marked         bool     // as a standing wish or a correction
	plain          bool     // it wants or doesn't want one thing and says nothing else: "no emojis"
	task           bool     // what its session is about
}

// Habit is what several sayings have in common.
type Habit struct {
	Text     string   // the most typical saying, as a sentence
	Sessions int      // number of sessions
	Sayings  []Saying // the latest first
}

// Length limits in characters of a saying, of a turn whose sentences count (longer ones are task descriptions or
// pasted text), and of what may be a plain order.
const (
	longest      = 160
	longestTurn  = 1500
	longestOrder = 60
)

// Turn is what a person typed at one time.
type Turn struct {
	Session string
	At      time.Time
	Text    string
	Ran     []string // the commands that the answer ran, with their arguments; they count for a short turn
}

// IsShort reports whether a turn is a plain order, of which what was done tells what it meant.
func (t Turn) IsShort() bool { return utf8.RuneCountInString(t.Text) <= longestOrder }

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
			s.task = !s.marked && (i == 0 || turns[i-1].Session != t.Session)
			if t.IsShort() {
				for _, w := range t.Ran {
					if plainWord().MatchString(w) {
						s.ran.Put(text.Stem(strings.ToLower(w)), 1)
					}
				}
			}
			s.done = maps.Clone(s.stems)
			s.done.Add(s.ran)
			all = append(all, s)
		}
	}
	var out []Habit
	for _, group := range clusters(all) {
		h := habitOf(group)
		bare := plainWord().MatchString(strings.TrimRight(h.Text, ".!")) // "Commit." is for the moment
		least := sessions
		if !slices.ContainsFunc(group, func(s Saying) bool { return s.marked }) {
			least++ // twice may be chance
		}
		if h.Sessions >= least && !bare {
			out = append(out, h)
		}
	}
	slices.SortStableFunc(out, func(a, b Habit) int {
		return cmp.Or(b.Sessions-a.Sessions, len(b.Sayings)-len(a.Sayings), b.Sayings[0].At.Compare(a.Sayings[0].At))
	})
	return out
}

var (
	// standing matches what marks a wish that holds beyond the moment or a correction, whatever it is about.
	standing = text.Pattern(`(?i)\b(?:always|never|from now on|in (?:the )?future|every time|again|as usual|` +
		`as i said|i (?:told|said|already)|remember|don'?t|do not|instead of|rather than|must|avoid|without|only|` +
		`we (?:no longer|use|want|prefer)|i(?:'d| would)? (?:prefer|hate|want))\b|, ?not\b|^(?:not?|stop|\S+ not)\b`)
	// momentary matches what concerns only this one place or time, asks, names a file or isn't prose.
	momentary = text.Pattern(`(?i)\?\s*$|\w[./\\_]\w|[<>|=\[\]{}~❯]|:\d+\b|` +
		`\b(?:this time|for now|right now|today|tomorrow|just this once|yet|next step|line \d+|above|below)\b`)
	wish      = text.Pattern(`(?i)^(?:no|never|always|use|we use|avoid|don'?t|only)\b`)
	plainWord = text.Pattern(`^[A-Za-z][A-Za-z-]*$`) // a program, a subcommand, a branch
	states    = text.Pattern(`(?i)\b(?:is|are|was|were|has|have|isn't|aren't)\b`)
	request   = text.Pattern(`(?i)^(?:can (?:you|we)|could you) (.*?)\?*$`)
	partedBy  = text.Pattern(`;| - | — |, (?:and|but) `)
	clauses   = text.Pattern(`[,:;.!?]\s`)
	negation  = text.Pattern(`(?i)\b(?:never|not|don'?t|no|stop|avoid|without|instead of|rather than)\b`)
	opening   = text.Pattern(`(?i)^(?:no[,:;.!]+\s*|(?:nope|ok|okay|yes|yeah|good|great|nice|and|but|also|so|now|then|` +
		`let'?s|please|well|hey|again|as i said|i told you|i (?:already )?said|remember|one more thing|from now on|` +
		`in (?:the )?future|note)\b[,:;.!]?\s*(?:that\s+|to\s+)?)+`)
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
			own := bare(s)
			n := utf8.RuneCountInString(own)
			first := strings.ToLower(strings.Trim(strings.Split(own, " ")[0], ",.:;!'"))
			short := n <= longestOrder && !text.Stop(first) && !states().MatchString(own)
			marked := standing().MatchString(s) || wish().MatchString(own)
			if n > longest || !short && !marked || momentary().MatchString(own) {
				continue
			}
			if y := sayingOf(own); len(y.stems) > 0 {
				y.Text, y.marked, y.plain = s, marked, len(y.stems) == 1 && wish().MatchString(own)
				out = append(out, y)
			}
		}
	}
	return out
}

// sayingOf reads the words of a sentence; what follows a "not" in its clause, it speaks against.
func sayingOf(s string) Saying {
	y := Saying{stems: text.Bag{}, against: text.Bag{}, ran: text.Bag{}}
	for _, clause := range clauses().Split(s, -1) {
		for i, part := range negation().Split(clause, 2) {
			for _, w := range text.Content(part) {
				number := strings.IndexAny(w, "0123456789") == 0
				if len(w) == 1 || text.Stop(w) || empty[w] || number {
					continue
				}
				y.stems.Put(text.Stem(w), 1)
				if i == 1 {
					y.against.Put(text.Stem(w), 1)
				}
			}
		}
	}
	return y
}

// empty lists words that don't say what a habit is about: "run the tests" isn't "run the linter".
var empty = text.Set("always never please use want prefer told said future remember again ever just only like need" +
	" stop avoid run keep put write call name make create open show explain implement help now then first go thanks" +
	" problem worry worries idea clue rush wait hurry way difference matter luck mind bother seen")

// sentences splits a line at the ends of sentences, dashes, semicolons and ", and".
func sentences(line string) []string {
	var out []string
	for _, part := range partedBy().Split(line, -1) {
		out = append(out, text.Sentences(strings.TrimSpace(part), true)...)
	}
	return out
}

// Similarities from which two sayings say the same: by their words alone, and together with what their answers ran.
const alike, alikeDone = 0.5, 0.6

// clusters groups sayings that say the same, each with the group it is most like.
func clusters(all []Saying) [][]Saying {
	var groups [][]Saying
	byStem := map[string][]int{}
	for _, s := range all {
		var near []int
		for stem := range s.stems {
			near = append(near, byStem[stem]...)
		}
		slices.Sort(near)
		best, most := len(groups), 0.0
		for _, g := range slices.Compact(near) {
			if x := likeGroup(groups[g], &s); x >= alike && x > most {
				best, most = g, x
			}
		}
		if best == len(groups) {
			groups = append(groups, nil)
		}
		groups[best] = append(groups[best], s)
		for stem := range s.stems {
			byStem[stem] = append(byStem[stem], best)
		}
	}
	return groups
}

const maxCompared = 8

func likeGroup(group []Saying, s *Saying) (mean float64) {
	group = group[:min(len(group), maxCompared)]
	for i := range group {
		mean += s.like(&group[i]) / float64(len(group))
	}
	return mean
}

// like compares two sayings by their words. What shares only one, or is what a session is about, is alike only if
// both answers ran commands with that word, and ran much the same, or if neither says anything else. Where one wants
// what the other doesn't, they differ.
func (s *Saying) like(o *Saying) float64 {
	shared, named := 0, false
	for w := range s.stems {
		if o.stems.Has(w) {
			shared++
			named = named || s.ran.Has(w) && o.ran.Has(w)
			if o.against.Has(w) != s.against.Has(w) {
				return 0
			}
		}
	}
	same := shared > 1 || shared > 0 && s.plain && o.plain
	switch done := s.done.Like(o.done); {
	case named && done >= alikeDone:
		return done
	case same && !s.task && !o.task:
		return s.stems.Like(o.stems)
	}
	return 0
}

// habitOf summarizes a group by the saying that is most like the others, a short one if it can be.
func habitOf(group []Saying) Habit {
	in := map[string]bool{}
	best, most := 0, -1.0
	for i, s := range group {
		in[s.Session] = true
		if x := likeGroup(group, &s) - float64(utf8.RuneCountInString(s.Text))/200; x > most {
			best, most = i, x
		}
	}
	said := line(group[best].Text)
	slices.SortStableFunc(group, func(a, b Saying) int { return b.At.Compare(a.At) })
	return Habit{Text: said, Sessions: len(in), Sayings: group}
}

// line turns what was typed into a sentence.
func line(s string) string {
	return text.Capital(strings.TrimRight(text.OneLine(cmp.Or(bare(s), s)), " .!;,")) + "."
}

// bare returns a sentence without what only opens it.
func bare(s string) string {
	return request().ReplaceAllString(opening().ReplaceAllString(s, ""), "$1")
}
