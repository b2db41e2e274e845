package offline

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"recall/internal/text"
	"recall/payload"
)

// findMentions finds what reports and the person said about the files. It returns them with those that the session
// didn't touch since the person said not to, or didn't get to.
func findMentions(t *talk, all []*touched) []*touched {
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
			left := sp.closing && text.Mentions(s.text, ofUntouched...) && untouched().MatchString(s.text) && !asks(s.text)
			eachName(sp.text[s.from:s.to], func(name string) {
				for _, f := range byBase[path.Base(name)] {
					f.note(sp, s, name)
				}
				is := func(f *touched) bool { return hasPathSuffix(f.path, name) }
				names := looksLikePath(name) || looksLikeFolder(name)
				if names && !slices.ContainsFunc(all, is) && sp.handsOff(s, name) {
					all = append(all, &touched{path: name, offLimit: sp, offPart: s})
				}
				if left {
					all = withState(all, name, &stated{sp, s, payload.FileUntouched}, sp.turn.N)
				}
			})
		}
	}
	for _, task := range tasks(t.session) {
		sp := newSpeech(task.put, task.Subject, message)
		if len(sp.parts) == 0 {
			continue
		}
		said := &stated{sp, &sp.parts[0], fileStates[task.Status]}
		eachName(task.Subject, func(name string) { all = withState(all, name, said, task.last.N) })
	}
	return all
}

// fileStates are how far a file is by the state of the task that names it.
var fileStates = map[string]string{"completed": payload.FileDone, "in_progress": payload.FileProgress,
	"pending": payload.FileUntouched}

// withState records what was said, up to a turn, of how far a file of some name is: that it is untouched only if it is,
// which may be one that the session never touched; that it is done only if it wasn't written since.
func withState(all []*touched, name string, said *stated, n int) []*touched {
	at := slices.IndexFunc(all, func(f *touched) bool { return hasPathSuffix(f.path, name) })
	untouched := said.state == payload.FileUntouched
	switch {
	case at < 0 && untouched && looksLikePath(name):
		return append(all, &touched{path: name, state: said})
	case at >= 0 && (all[at].edits == 0) == untouched && (said.state != payload.FileDone || all[at].turn.N <= n):
		all[at].state = said
	}
	return all
}

// findStates records for each file what the last report about it says of its state, if it wasn't written since: in a
// sentence that names it, with or without extension, or in its first one of the only file written in its exchange.
func findStates(t *talk, all []*touched) {
	byStem, writtenIn := map[string][]*touched{}, map[int][]*touched{}
	for _, f := range all {
		if f.edits == 0 || f.deleted || f.back {
			continue
		}
		stem, _, _ := strings.Cut(f.base, ".")
		at := t.exchangeAt(f.turn.N)
		byStem[stem], writtenIn[at] = append(byStem[stem], f), append(writtenIn[at], f)
	}
	for _, sp := range t.speeches {
		for _, f := range all {
			if f.state != nil && f.state.by == sp.reacts && sp.disagrees() {
				f.state = nil
			}
		}
		for i := range sp.parts {
			s := &sp.parts[i]
			if !sp.closing || sp.foreign(s) {
				continue
			}
			about, others := map[*touched]string{}, false // by which names
			eachName(s.text, func(name string) {
				stem, _, _ := strings.Cut(path.Base(name), ".")
				known := false
				for _, f := range byStem[stem] {
					if isName(stem) && !strings.HasPrefix(path.Base(name), f.base) || f.named(name) {
						about[f], known = name, true
					}
				}
				others = others || !known && looksLikePath(name)
			})
			if only := writtenIn[sp.exchange]; i == 0 && len(only) == 1 && len(about) == 0 {
				about[only[0]] = ""
			}
			for f, name := range about {
				f.setState(stated{sp, s, stateOf(s, name, len(about) == 1 && !others)})
			}
		}
	}
}

// disagrees reports whether a person disagrees with a report, or says that something isn't finished. Who doesn't know
// what it asks doesn't disagree.
func (sp *speech) disagrees() bool {
	refuses := text.Refuses(sp.text) && !unknowing().MatchString(sp.text)
	return sp.user && (refuses || unfinished().MatchString(sp.text)) && !asks(sp.text)
}

var unknowing = text.Pattern(`(?i)^\W*(?:i (?:don['’]?t|do not) know|no idea|keine ahnung)\b`)

// setState records what a report says of the file's state, if it wasn't written since; that it is done doesn't undo
// what the report said of it before.
func (f *touched) setState(said stated) {
	again := f.state != nil && f.state.by == said.by && said.state == payload.FileDone
	if said.state != "" && !again && f.turn.N <= said.by.turn.N {
		f.state = &said
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
		case sp.handsOff(s, name):
			f.offLimit, f.offPart, f.freed = sp, s, nil
		case f.offLimit != nil && sp != f.offLimit && !asks(s.text):
			f.freed = sp
		}
		return
	}
	f.mentions++
	better := f.said == nil || ofFile(s, f.base) || !ofFile(f.said, f.base) && sp.closing
	if better && sp.source != plan { // what was to be done may have been done otherwise
		f.said, f.saidBy = s, sp
	}
}

// handsOff reports whether the person says not to touch what has that name, and doesn't ask or quote that.
func (sp *speech) handsOff(s *sentence, name string) bool {
	return sp.by() == payload.ByUser && s.block != quoted && !s.pasted && !sp.foreign(s) && !asks(s.text) &&
		forbidden().MatchString(withSigns(s.text, name))
}

// Words that forbid to change something, before and after what that is.
const (
	forbid = `(?:(?:^|[^\w\s]\s*|\b(?:and|but|so|please|also|just|then|now|better|you|we|must|should|ok|okay|no|nah) )` +
		`(?:don['’]?t|do not|never|must(?:n['’]?t| not)|should(?:n['’]?t| not)|not(?: allowed)? to|nobody)(?: \w+)? ` +
		`(?:touch|change|edit|modify|alter|rewrite|refactor|reformat|mess with)(?:e?s)?` +
		`|\b(?:no|without|don['’]?t want(?: any)?) (?:\w+ )?(?:(?:changes|edits) (?:in|to|at|of)|touching|changing|editing)` +
		`|\b(?:stay|keep)(?: your \w+)? (?:away from|out of|off)|\bhands off|\bfinger weg von) `
	left   = ` (?:alone|be|as (?:is|it|they)|untouched|unchanged)\b`
	things = `(?:(?:the|this|that|my|our|any|anything|in|inside|of|at|file|files|[@%],?(?: and| or| nor)?) )*@`
	it     = `(?:it|them|that|this|there|anything (?:in )?(?:it|there))\b`
)

// forbidden matches an order not to change what "@" stands for, other names being "%": as its object, by a pronoun
// after it, as its subject, or left out of what is ordered.
var forbidden = text.Pattern(`(?i)` + forbid + things + `|\bleave ` + things + left +
	`|@[^@%]*(?:` + forbid + `(?:` + it + `|by hand)|\bleave it\b|\bleave ` + it + left +
	`|\b(?:hands off|keep out)[^\w@%]*$)` +
	`|@:[^@%]*(?:hands off|do not|don['’]?t|never|no) ?(?:touch|change|edit|modify|until|before)` +
	`|@ (?:\w+ )?(?:is|are) (?:\w+ ){0,2}(?:frozen|read-?only|vendored|locked|taboo|not ours)\b` +
	`|@ (?:\w+ ){0,2}(?:is|are|must|should|may)(?:n['’]t| not| never) (?:to )?be ` +
	`(?:touched|changed|edited|modified|altered|rewritten|refactored|reformatted)(?:\W*$|[,.;!]| (?:until|before|yet|please)\b)` +
	`|@ (?:\w+ ){0,3}(?:(?:stays?|remains?) (?:as|where|how|un\w+ed)\b|off[- ]limits)` +
	`|@ (?:bitte )?nicht (?:anfassen|ändern|anrühren)` +
	`|\b(?:only|just|please)\b.*%.*, (?:but )?not (?:in )?@|%.* only, (?:but )?not (?:in )?@`)

// withSigns returns a text with "@" for a name, "%" for other names of files, and no quotations.
func withSigns(text, name string) string {
	text = quotation().ReplaceAllStringFunc(text, func(q string) string {
		if strings.Contains(q, " ") {
			return ""
		}
		return q
	})
	words := strings.Fields(text)
	for i, w := range words {
		core := strings.Trim(w, "`\"'“”„«»(),:;.!?@")
		sign := "%"
		switch {
		case core == name || strings.HasPrefix(core, name+":") || core == "./"+name:
			sign = "@"
		case !looksLikePath(core) && !looksLikeFolder(core):
			continue
		}
		words[i] = sign + strings.Trim(w[strings.Index(w, core)+len(core):], "`\"'“”»")
	}
	return strings.Join(words, " ")
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
