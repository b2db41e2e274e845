package rank

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"recall/internal/text"
	"recall/payload"
)

//go:embed words.txt
var wordsText string

// Phrasing holds the words and forms of questions in words.txt.
type Phrasing struct {
	Frames []*regexp.Regexp
	Where  []*regexp.Regexp          // ask how far a piece of work is
	Asks   map[string][]payload.Kind // by word, the kinds that it asks for
	Pairs  []Pair

	nothing map[string]bool
}

// Topic reports whether a word may be what a question is about.
func Topic(w string) bool {
	return Phrases().Asks[w] == nil && !Phrases().nothing[w] && !text.Small(nil)(w) && !text.Stop(w)
}

// Pair is two adjacent words with the kinds that they ask for.
type Pair struct {
	Text  string
	Kinds []payload.Kind
}

// Phrases reads words.txt.
var Phrases = sync.OnceValue(func() *Phrasing {
	p := &Phrasing{nothing: map[string]bool{}, Asks: map[string][]payload.Kind{}}
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
			p.Frames = append(p.Frames, regexp.MustCompile("(?i)"+rest))
			continue
		case "where":
			p.Where = append(p.Where, regexp.MustCompile("(?i)"+rest))
			continue
		case "pair":
			p.Pairs = append(p.Pairs, Pair{rest, kinds})
			continue
		}
		for w := range strings.FieldsSeq(rest) {
			switch name {
			case "nothing":
				p.nothing[w] = true
			case "asks":
				p.Asks[w] = kinds
			}
		}
	}
	return p
})

// Bears says how much of what a person said bears on what was decided, the less the more: what takes a side, gives
// something up or changes it, then what else tells or orders, then what asks.
func Bears(said string) int {
	switch {
	case strings.HasSuffix(strings.TrimSpace(said), "?"):
		return 2
	case text.TakesSide(said), text.SaysChanged(said), len(text.GivesUp(said)) > 0:
		return 0
	}
	return 1
}
