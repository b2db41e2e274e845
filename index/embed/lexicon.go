// Package embed finds a text by other words than its own, through a lexicon of synonyms and through an embedder
// that reads a static model from a file.
package embed

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recall/internal/text"
)

// lexicon holds one group of words and phrases for the same concept per line. lexiconIndex is its sorted index:
// the stems of a phrase, a tab, the byte offsets of its groups. Lookups search the embedded text directly, so
// that nothing is parsed at start.
var (
	//go:embed lexicon.txt
	lexicon string
	//go:embed lexicon.idx
	lexiconIndex string
)

const (
	longestPhrase = 3 // words
	tooCommon     = 6 // groups; a phrase in more of them means anything ("check", "set")
)

// Groups is a lexicon: groups of words and phrases for one concept each, with an index.
type Groups struct{ text, index string }

var shipped = Groups{lexicon, lexiconIndex}

// maxLexicon is the size limit of a user's lexicon, in bytes, since it is indexed at each start.
const maxLexicon = 256 << 10

// ParseGroups reads a user's lexicon in the form of the shipped one: a group per line, its words and phrases
// separated by "|", "#" before a comment.
func ParseGroups(text string) (Groups, error) {
	if len(text) > maxLexicon {
		return Groups{}, fmt.Errorf("%d bytes, %d at most", len(text), maxLexicon)
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
			return Groups{}, fmt.Errorf("line %d: %q: a group needs at least two words or phrases, separated by \"|\"",
				n+1, line)
		}
	}
	return Groups{text, indexLexicon(text)}, nil
}

// Knows reports whether the lexicon has a word or phrase of the text.
func (g Groups) Knows(text string) bool { return len(g.concepts(stems(text))) > 0 }

// Mention is a word or phrase of a text that the lexicon knows.
type Mention struct {
	Stems  []string // of its words
	Others []string // phrases of its group
}

// Mentions lists what the shipped and the user's lexicon know of a text. It skips phrases in more than six
// groups, and the parts of a longer phrase that was found.
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

// concepts finds the groups of a text's words and phrases, without phrases of too many groups. Longer phrases
// win over their parts.
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

// indexLexicon builds lexicon.idx from lexicon.txt.
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
