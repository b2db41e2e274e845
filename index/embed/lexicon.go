// Package embed finds a text by other words than its own, through a lexicon of synonyms and through an embedder
// that reads a static model from a file.
package embed

import (
	_ "embed"
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

// Mention is a word or phrase of a text that the lexicon knows.
type Mention struct {
	Stems  []string // of its words
	Others []string // phrases of its group
}

// Mentions lists what the lexicon knows of a text. It skips phrases in more than six groups, and the parts of a longer
// phrase that was found.
func Mentions(text string) (out []Mention) {
	for _, c := range concepts(stems(text)) {
		m := Mention{Stems: c.stems}
		for p := range strings.SplitSeq(line(lexicon, c.group), "|") {
			m.Others = append(m.Others, strings.TrimSpace(p))
		}
		out = append(out, m)
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
func concepts(stems []string) []concept {
	var out []concept
	for i := 0; i < len(stems); {
		n := 1
		for k := min(longestPhrase, len(stems)-i); k > 0; k-- {
			groups := lookup(strings.Join(stems[i:i+k], " "))
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

func lookup(phrase string) []int {
	list, _ := text.Lookup(lexiconIndex, phrase)
	var out []int
	for _, f := range strings.Fields(list) {
		if n, err := strconv.Atoi(f); err == nil && n < len(lexicon) {
			out = append(out, n)
		}
	}
	return out
}

func line(s string, at int) string {
	l, _, _ := strings.Cut(s[at:], "\n")
	return l
}
