package offline

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"recall/internal/text"
	"recall/payload"
)

// findMentions finds what reports and the person said about the files.
func findMentions(t *talk, all []*touched) {
	byBase := map[string][]*touched{}
	for _, f := range all {
		f.base = path.Base(f.path)
		byBase[f.base] = append(byBase[f.base], f)
	}
	for _, f := range all {
		f.namesakes = byBase[f.base]
	}
	for _, sp := range t.speeches {
		if !sp.user && !sp.reports() {
			continue
		}
		for i := range sp.parts {
			s := &sp.parts[i]
			eachName(sp.text[s.from:s.to], func(name string) {
				for _, f := range byBase[path.Base(name)] {
					f.note(sp, s, name)
				}
			})
		}
	}
}

// states matches what says how far something is: that it isn't finished, or in the second group that it is.
var states = text.Pattern(`(?i)\b(?:not (?:\w+ ){0,3}yet|not (?:fully|implemented|finished|complete|done|begun|started)|` +
	`(?:isn|aren|wasn)['’]t (?:yet|implemented|finished|complete|done|(?:\w+ ){1,3}yet)|incomplete|unfinished|stub(?:s|bed)?|` +
	`half[- ]?(?:done|finished|way)|(?:work )?in progress|(?:is|are) missing|` +
	`still (?:to do|needs?|missing|lacks?|fails?|failing|broken|open)|noch nicht|unfertig|fehlt noch|` +
	`((?:is|are|ist|sind) (?:now |all |jetzt )?(?:done|complete|finished|fertig)|^(?:done|completed?|finished|fertig):))`)

var aside = text.Pattern(`\([^()]*\s[^()]*\)`)

// stated is what a report says of how far a file is.
type stated struct {
	by       *speech
	in       *sentence
	clause   string // of the sentence
	finished bool
}

// between matches what stands between the clauses of a sentence.
var between = text.Pattern(`[,;·]|(?i:\s(?:and|but|while|whereas|und|aber|während)\s)`)

// A clause is a part of a sentence, and what it says of how far something is.
type clause struct {
	from, to                int
	says, finished, isLabel bool
	onlyNames               bool // of files
}

// stateOf returns what a sentence says of the state of a file that it names at a place. If it names others too, that is
// what the file's clause says; a clause of nothing but names goes with those that follow, or with the label before it.
// If it names no other, the file isn't finished if anything there isn't.
func stateOf(s *sentence, at int, others bool) (quote string, finished, ok bool) {
	said := aside().ReplaceAllStringFunc(s.text, func(m string) string { return strings.Repeat(" ", len(m)) })
	if !others {
		all := states().FindAllStringSubmatchIndex(said, -1)
		return s.text, !slices.ContainsFunc(all, func(m []int) bool { return m[2] < 0 }), len(all) > 0
	}
	list := clauses(s.text, said)
	own := slices.IndexFunc(list, func(c clause) bool { return at < c.to })
	if own < 0 || !list[own].says && !list[own].onlyNames {
		return "", false, false
	}
	first, last := own, own
	for !list[last].says && last < len(list)-1 {
		if next := list[last+1]; !next.onlyNames && (!next.says || next.isLabel) {
			break
		}
		last++
	}
	if list[last].says {
		for first > 0 && list[first-1].onlyNames && !list[first].isLabel {
			first--
		}
		return s.text[list[first].from:list[last].to], list[last].finished, true
	}
	for !list[first].says && first > 0 && (list[first-1].onlyNames || list[first-1].isLabel) {
		first--
	}
	return s.text[list[first].from:list[own].to], list[first].finished, list[first].says
}

// clauses cuts a sentence, of which said is what isn't in brackets.
func clauses(sentence, said string) (out []clause) {
	from := 0
	for _, m := range append(between().FindAllStringIndex(said, -1), []int{len(said), len(said)}) {
		words, whole := strings.TrimSpace(said[from:m[0]]), strings.TrimSpace(sentence[from:m[0]])
		c := clause{from: from + strings.Index(sentence[from:m[0]], whole)}
		c.to = c.from + len(whole)
		from = m[1]
		if words == "" {
			continue
		}
		if m := states().FindStringSubmatchIndex(words); m != nil {
			c.says, c.finished = true, m[2] >= 0
			c.isLabel = strings.Contains(words[m[0]:min(len(words), m[1]+1)], ":")
		}
		all := strings.Fields(words)
		isWord := func(w string) bool { return !looksLikePath(strings.Trim(w, "`")) }
		c.onlyNames = len(all) == 1 || !slices.ContainsFunc(all, isWord)
		out = append(out, c)
	}
	return out
}

// findStates records for each file what the last report about it says of its state, if it wasn't written since. A
// report refers to a file by its name, with or without extension; its first sentence also refers to the only file
// written in its exchange.
func findStates(t *talk, all []*touched) {
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
			about, files := map[*touched]int{}, map[string]bool{} // where it is named; all that are
			eachName(s.text, func(name string) {
				if looksLikePath(name) {
					files[name] = true
				}
				base := path.Base(name)
				stem, _, _ := strings.Cut(base, ".")
				for _, f := range byStem[stem] {
					if !strings.HasPrefix(base, f.base) && isName(stem) || f.named(name) {
						about[f] = strings.Index(s.text, name)
					}
				}
			})
			if alone := writtenIn[sp.exchange]; len(alone) == 1 && len(about) == 0 && i == 0 && s.block == paragraph {
				if _, finished, ok := stateOf(s, 0, false); ok && !finished {
					about[alone[0]] = 0
				}
			}
			for f, at := range about {
				if f.state != nil && f.state.by != sp {
					f.state = nil
				}
				clause, finished, ok := stateOf(s, at, max(len(about), len(files)) > 1)
				if ok && f.turn.N <= sp.turn.N && (f.state == nil || !finished) {
					f.state = &stated{sp, s, clause, finished}
				}
			}
		}
	}
}

// isName reports whether a word is an identifier, with a capital, hyphen or underscore in
// it.
func isName(word string) bool {
	return strings.ContainsAny(word[min(1, len(word)):], "_-ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// note records, once, what a sentence says about the file, if the name in it is the file's.
func (f *touched) note(sp *speech, s *sentence, name string) {
	if f.heard == s || !f.named(name) {
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

// named reports whether a name is the file's: its path, or part of that if it is unambiguous.
func (f *touched) named(name string) bool {
	meets := func(o *touched) bool { return hasPathSuffix(o.path, name) || hasPathSuffix(name, o.path) }
	return meets(f) && (name == f.path ||
		!slices.ContainsFunc(f.namesakes, func(o *touched) bool { return o != f && meets(o) }))
}

// hasPathSuffix reports whether a path ends with another one, at a component boundary.
func hasPathSuffix(long, short string) bool {
	return strings.HasSuffix(long, short) && (len(long) == len(short) || long[len(long)-len(short)-1] == '/')
}

// eachName visits the words of a text that may name files.
func eachName(text string, visit func(name string)) {
	apart := func(r rune) bool {
		return !unicode.IsLetter(r) && (unicode.IsSpace(r) || strings.ContainsRune("`\"'<>()[]{},;:!?|*“”‘’„…", r))
	}
	for word := range strings.FieldsFuncSeq(text, apart) {
		visit(strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(word, "@"), "./"), "."))
	}
}
