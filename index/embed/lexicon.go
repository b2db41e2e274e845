// Package embed holds what finds a text by other words than its own: the
// lexicon, and an embedder that turns texts into vectors by a model's file.
package embed

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recall/text"
)

// lexicon is one group of words and phrases for one concept a line.
// lexiconIndex says, sorted, where each phrase stands in it: the stems of its
// words, a tab, the byte offsets of its groups. A question is answered from
// these two as they lie in the program; nothing is parsed at start.
var (
	//go:embed lexicon.txt
	lexicon string
	//go:embed lexicon.idx
	lexiconIndex string
)

const (
	longestPhrase = 3 // words
	tooCommon     = 6 // groups; a phrase that stands in more means anything ("check", "set")
)

// Groups are words and phrases for one concept each, ready to be looked up.
type Groups struct{ text, index string }

var shipped = Groups{lexicon, lexiconIndex}

// largest is how long a lexicon of one's own may be, in bytes: it is made
// ready at each start.
const largest = 256 << 10

// ParseGroups reads a lexicon of one's own, in the form of the shipped one: a
// group a line, its words and phrases separated by "|", "#" before a comment.
func ParseGroups(text string) (Groups, error) {
	if len(text) > largest {
		return Groups{}, fmt.Errorf("%d bytes, %d at most", len(text), largest)
	}
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	for n, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		phrases := 0
		for p := range strings.SplitSeq(line, "|") {
			if len(stems(p)) > 0 {
				phrases++
			}
		}
		if phrases < 2 {
			return Groups{}, fmt.Errorf("line %d: %q: a group is two words or phrases at least, separated by \"|\"", n+1, line)
		}
	}
	return Groups{text, indexLexicon(text)}, nil
}

// Knows reports whether a word or phrase of a text stands in the lexicon.
func (g Groups) Knows(text string) bool { return len(g.concepts(stems(text))) > 0 }

// Mention is a word or phrase of a text that the lexicon knows.
type Mention struct {
	Stems  []string // of its words
	Others []string // phrases of its group
}

// Mentions lists what of a text the lexicon or one's own knows. A phrase that stands in
// more than six groups is left alone, and so are the parts of a longer phrase that was found.
func Mentions(text string, own Groups) []Mention {
	var out []Mention
	words := stems(text)
	for _, g := range []Groups{shipped, own} {
		for _, c := range g.concepts(words) {
			m := Mention{Stems: c.stems}
			for p := range strings.SplitSeq(line(g.text, c.group), "|") {
				m.Others = append(m.Others, strings.TrimSpace(p))
			}
			out = append(out, m)
		}
	}
	return out
}

func stems(s string) []string {
	var out []string
	text.Each(s, func(w string) bool { out = append(out, text.Stem(w)); return true })
	return out
}

// concept is one mention of a group in a text.
type concept struct {
	group int // byte offset of its line
	stems []string
}

// concepts finds the groups that a text's words and phrases stand in, phrases
// of too many groups left out. Longer phrases win over their parts.
func (g Groups) concepts(stems []string) []concept {
	var out []concept
	for i := 0; i < len(stems); {
		n := 1
		for k := min(longestPhrase, len(stems)-i); k > 0; k-- {
			groups := g.lookup(strings.Join(stems[i:i+k], " "))
			if len(groups) == 0 {
				continue
			}
			if len(groups) <= tooCommon {
				for _, at := range groups {
					out = append(out, concept{at, stems[i : i+k]})
				}
			}
			n = k
			break
		}
		i += n
	}
	return out
}

func (g Groups) lookup(phrase string) []int {
	list, _ := text.Lookup(g.index, phrase)
	var out []int
	for _, f := range strings.Fields(list) {
		if n, err := strconv.Atoi(f); err == nil && n < len(g.text) {
			out = append(out, n)
		}
	}
	return out
}

func line(s string, at int) string {
	l, _, _ := strings.Cut(s[at:], "\n")
	return l
}

// indexLexicon makes lexicon.idx of lexicon.txt.
func indexLexicon(text string) string {
	where := map[string][]string{}
	at := 0
	for _, l := range strings.SplitAfter(text, "\n") {
		group := strings.TrimSuffix(l, "\n")
		if group != "" && group[0] != '#' {
			for _, p := range strings.Split(group, "|") {
				key := strings.Join(stems(p), " ")
				o := strconv.Itoa(at)
				if list := where[key]; key != "" && (len(list) == 0 || list[len(list)-1] != o) {
					where[key] = append(list, o)
				}
			}
		}
		at += len(l)
	}
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(where)) {
		b.WriteString(k + "\t" + strings.Join(where[k], " ") + "\n")
	}
	return b.String()
}
