package offline

import (
	"path"
	"slices"
	"strings"
	"sync"

	"recall/internal/text"
	"recall/payload"
)

// findMentions finds what reports and the person said about the files. Each sentence is read once
// for all files; a file is only looked for where the longest word of its name occurs.
func findMentions(t *talk, all []*touched) {
	by, namesakes := map[string][]*touched{}, map[string][]*touched{}
	for _, f := range all {
		f.base = path.Base(f.path)
		namesakes[f.base] = append(namesakes[f.base], f)
	}
	for _, f := range all {
		if f.namesakes = namesakes[f.base]; len(f.base) >= 3 {
			var word string
			f.word, word = longestWord(f.base)
			by[word] = append(by[word], f)
		}
	}
	for _, sp := range t.speeches {
		if !sp.user && !sp.reports() {
			continue
		}
		for i := range sp.parts {
			s := &sp.parts[i]
			raw := sp.text[s.from:s.to]
			for _, f := range by[""] { // names that have no word
				for at := 0; at < len(raw); at++ {
					f.note(sp, s, at)
				}
			}
			eachNameWord(raw, func(at int, word string) {
				for _, f := range by[word] {
					f.note(sp, s, at)
				}
			})
		}
	}
}

var unfinished = text.Pattern(`(?i)\b(?:not (?:yet|fully|implemented|finished|complete|done)|` +
	`(?:isn|aren|wasn)['’]t (?:yet|implemented|finished|complete|done|\w+ yet)|incomplete|unfinished|stub(?:s|bed)?|` +
	`half[- ]?(?:done|finished|way)|work in progress|still (?:to do|needs?|missing|lacks?|fails?|failing|broken|open)|` +
	`noch nicht|unfertig|fehlt noch)\b`)

var finished = text.Pattern(`(?i)\b(?:is|are|ist|sind) (?:now |all |jetzt )?(?:done|complete|finished|fertig)\b`)

var aside = text.Pattern(`\([^()]*\s[^()]*\)`)

// findUnfinished records for each file what the last report about it since it was written says is
// unfinished, or that it is finished. A report refers to a file by its name, with or without extension; its first
// sentence also refers to the only file written in its exchange.
func findUnfinished(t *talk, all []*touched) {
	byStem, writtenIn := map[string][]*touched{}, map[int][]*touched{}
	for _, f := range all {
		if f.edits > 0 && !f.deleted && !f.back {
			stem, _, _ := strings.Cut(f.base, ".")
			at := t.exchangeAt(f.turn.N)
			byStem[stem], writtenIn[at] = append(byStem[stem], f), append(writtenIn[at], f)
		}
	}
	for _, sp := range t.speeches {
		for i := range sp.parts {
			s := &sp.parts[i]
			if !sp.closing || sp.foreign(s) {
				continue
			}
			open := sync.OnceValue(func() bool { // computed lazily: most sentences name no file
				return unfinished().MatchString(aside().ReplaceAllString(s.text, ""))
			})
			said := func(f *touched) {
				if f.openBy != sp {
					f.open, f.done, f.openBy = nil, nil, sp
				}
				switch {
				case f.turn.N > sp.turn.N: // written since
				case open():
					f.open = s
				case finished().MatchString(s.text):
					f.done = s
				}
			}
			if alone := writtenIn[sp.exchange]; len(alone) == 1 && i == 0 && s.block == paragraph && open() {
				said(alone[0])
			}
			eachNameWord(s.text, func(at int, word string) {
				for _, f := range byStem[word] {
					if !strings.HasPrefix(s.text[at:], f.base) && isName(word) || f.namedAt(s.text, at) {
						said(f)
					}
				}
			})
		}
	}
}

// isName reports whether a word is an identifier, with a capital, hyphen or underscore in
// it.
func isName(word string) bool {
	return strings.ContainsAny(word[min(1, len(word)):], "_-ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// note records, once, what a sentence says about the file, if it names the file where the
// longest word of its name occurs.
func (f *touched) note(sp *speech, s *sentence, at int) {
	if f.heard == s || !f.namedAt(sp.text[s.from:s.to], at-f.word) {
		return
	}
	f.heard = s
	if sp.foreign(s) {
		return
	}
	if sp.user {
		f.typed++
		switch {
		case sp.handsOff(s):
			f.offLimit, f.offPart, f.freed = sp, s, nil
		case f.offLimit != nil && sp != f.offLimit && !asks(s.text):
			f.freed = sp
		}
		return
	}
	f.mentions++
	if f.said == nil || ofFile(s, f.base) || !ofFile(f.said, f.base) && sp.closing {
		f.said, f.saidBy = s, sp
	}
}

// handsOff reports whether the person says not to touch something, and doesn't ask or quote that.
func (sp *speech) handsOff(s *sentence) bool {
	return sp.user && sp.by() == payload.ByUser && s.cues.has(cueHandsOff) && s.block != quoted && !s.pasted &&
		!sp.foreign(s) && !asks(s.text) && cuesIn(quotation().ReplaceAllString(s.text, " ")).has(cueHandsOff)
}

var quotation = text.Pattern(`"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»`)

// allowed reports whether the file was written after the person named it again, so that it isn't off limits any more.
func (f *touched) allowed() bool { return f.freed != nil && f.edits > 0 && f.turn.N > f.freed.turn.N }

// namedAt reports whether a text names the file at the position of its bare name: by its
// path, or by that name or part of the path if it is unambiguous.
func (f *touched) namedAt(text string, start int) bool {
	if start < 0 || !strings.HasPrefix(text[start:], f.base) {
		return false
	}
	end := start + len(f.base)
	for start > 0 && (nameByte(text[start-1]) || strings.IndexByte("./~@", text[start-1]) >= 0) {
		start--
	}
	word := strings.TrimPrefix(strings.TrimPrefix(text[start:end], "@"), "./")
	named := func(o *touched) bool { return hasPathSuffix(o.path, word) || hasPathSuffix(word, o.path) }
	return (end == len(text) || !nameByte(text[end])) && named(f) && (word == f.path ||
		!slices.ContainsFunc(f.namesakes, func(o *touched) bool { return o != f && named(o) }))
}

// hasPathSuffix reports whether a path ends with another one, at a component boundary.
func hasPathSuffix(long, short string) bool {
	return strings.HasSuffix(long, short) && (len(long) == len(short) || long[len(long)-len(short)-1] == '/')
}

func nameByte(c byte) bool {
	return c == '_' || c == '-' || text.Alnum(c)
}

// eachNameWord visits the runs of name bytes in a text.
func eachNameWord(text string, visit func(at int, word string)) {
	start := -1
	for i := 0; i <= len(text); i++ {
		in := i < len(text) && nameByte(text[i])
		switch {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			visit(start, text[start:i])
			start = -1
		}
	}
}

// longestWord returns the longest word of a name, which is the least likely to occur by
// chance, and its position.
func longestWord(name string) (from int, longest string) {
	eachNameWord(name, func(at int, w string) {
		if len(w) > len(longest) {
			from, longest = at, w
		}
	})
	return from, longest
}
