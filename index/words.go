package index

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"recall/payload"
)

//go:embed words.txt
var wordsText string

// phrasing holds the words and forms of questions in words.txt.
type phrasing struct {
	small, nothing map[string]bool
	frames         []*regexp.Regexp
	asks           map[string][]payload.Kind // by word, the kinds that it asks for
	pairs          []pair
}

// pair is two adjacent words with the kinds that they ask for.
type pair struct {
	text  string
	kinds []payload.Kind
}

var phrases = sync.OnceValue(func() *phrasing {
	p := &phrasing{small: map[string]bool{}, nothing: map[string]bool{}, asks: map[string][]payload.Kind{}}
	for line := range strings.Lines(wordsText) {
		head, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok || head[0] == '#' {
			continue
		}
		var kinds []payload.Kind
		name, of, _ := strings.Cut(head, " ")
		for k := range strings.FieldsSeq(of) {
			kinds = append(kinds, payload.Kind(k))
		}
		switch name {
		case "frame":
			p.frames = append(p.frames, regexp.MustCompile("(?i)"+rest))
			continue
		case "pair":
			p.pairs = append(p.pairs, pair{rest, kinds})
			continue
		}
		for w := range strings.FieldsSeq(rest) {
			switch name {
			case "small":
				p.small[w] = true
			case "nothing":
				p.nothing[w] = true
			case "asks":
				p.asks[w] = kinds
			}
		}
	}
	return p
})
