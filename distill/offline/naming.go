package offline

import (
	"path"
	"strings"
)

// hearOf looks up what was said of the files: in reports, and by the person.
// A sentence is read once, for all files: it can name only those whose name's
// longest word stands in it.
func hearOf(t *talk, all []*touched) {
	by := map[string][]*touched{}
	var begins [256]uint64 // how long those are that begin with a byte, as bits
	for _, f := range all {
		if base := path.Base(f.path); len(base) >= 3 {
			word := longestWord(base)
			by[word] = append(by[word], f)
			if word != "" {
				begins[word[0]] |= 1 << min(len(word), 63)
			}
		}
	}
	for _, sp := range t.speeches {
		if !sp.user && !sp.report() {
			continue
		}
		for i := range sp.parts {
			s := &sp.parts[i]
			hear := func(word string) {
				for _, f := range by[word] {
					f.hear(sp, s)
				}
			}
			hear("") // names without a word in them
			eachNameWord(s.Raw, func(word string) {
				if begins[word[0]]&(1<<min(len(word), 63)) != 0 {
					hear(word)
				}
			})
		}
	}
}

// hear notes what a sentence says of the file, if it names it.
func (f *touched) hear(sp *speech, s *sentence) {
	if f.heard == s {
		return
	}
	f.heard = s
	if !names(s.Raw, f.path) || sp.foreign(s) {
		return
	}
	if sp.user {
		f.typed++
		if handsOff.MatchString(s.Text) {
			f.offLimit, f.offPart = sp, s
		}
		return
	}
	f.mentions++
	if base := path.Base(f.path); f.said == nil || ofFile(s, base) || !ofFile(f.said, base) && sp.closing {
		f.said, f.saidBy = s, sp
	}
}

// names tells whether a text names a file: by its path, a part of it, or its
// bare name.
func names(text, file string) bool {
	base := path.Base(file)
	for from := 0; ; {
		i := strings.Index(text[from:], base)
		if i < 0 {
			return false
		}
		i += from
		start, end := i, i+len(base)
		for start > 0 && (nameByte(text[start-1]) || strings.IndexByte("./~@", text[start-1]) >= 0) {
			start--
		}
		word := strings.TrimPrefix(strings.TrimPrefix(text[start:end], "@"), "./")
		if (end == len(text) || !nameByte(text[end])) && (suffixPath(file, word) || suffixPath(word, file)) {
			return true
		}
		from = end
	}
}

// suffixPath tells whether a path ends with another, at a whole name.
func suffixPath(long, short string) bool {
	return strings.HasSuffix(long, short) && (len(long) == len(short) || long[len(long)-len(short)-1] == '/')
}

func nameByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// eachNameWord visits the stretches of a text that are made of name bytes.
func eachNameWord(text string, visit func(word string)) {
	start := -1
	for i := 0; i <= len(text); i++ {
		in := i < len(text) && nameByte(text[i])
		switch {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			visit(text[start:i])
			start = -1
		}
	}
}

// longestWord is the longest of a name's words: the one said least often by chance.
func longestWord(name string) (longest string) {
	eachNameWord(name, func(w string) {
		if len(w) > len(longest) {
			longest = w
		}
	})
	return longest
}
