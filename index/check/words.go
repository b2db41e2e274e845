package check

import (
	_ "embed"
	"strings"

	"recall/internal/text"
)

// word is one word or identifier of a text.
type word struct {
	text  string   // as written, without punctuation, in lower case
	parts []string // its stems: go and redis of "go-redis"; none for stop words
	name  bool     // names a particular thing, not a kind of thing
	ends  rune     // what follows it: '?', '—', ',' for another mark, or ' '
}

//go:embed words.txt
var wordsText string

// lists holds the word lists of words.txt by name.
var lists = func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for line := range strings.Lines(wordsText) {
		if name, words, ok := strings.Cut(line, ":"); ok && name[0] != '#' {
			all[name] = text.Set(words)
		}
	}
	return all
}()

// cut splits a text into words, including stop words, which have no parts.
func cut(s string) []word {
	var out []word
	for _, chunk := range strings.Fields(s) {
		if strings.Trim(chunk, "—–-=>") == "" {
			if len(out) > 0 {
				out[len(out)-1].ends = '—'
			}
			continue
		}
		bare := strings.TrimLeft(chunk, "\"'`([{<*_“‘")
		end := strings.TrimRight(bare, "\"'`)]}>*_”’.,;:!?…")
		if end == "" {
			continue
		}
		w := wordOf(end)
		w.ends = ' '
		if tail := bare[len(end):]; strings.Contains(tail, "?") {
			w.ends = '?'
		} else if strings.ContainsAny(tail, ".,:;!…") {
			w.ends = ','
		}
		out = append(out, w)
	}
	return out
}

func wordOf(s string) word {
	s = strings.ReplaceAll(s, "’", "'")
	w := word{text: strings.ToLower(s)}
	s = strings.TrimSuffix(s, "'s")
	bare := strings.ToLower(s)
	if text.Stop(w.text) || text.Stop(strings.TrimSuffix(bare, "n't")) {
		return w
	}
	all := text.Split(s)
	if len(all) > 1 && strings.HasSuffix(strings.Join(all[1:], ""), all[0]) { // the whole comes first
		all = all[1:]
	}
	for _, p := range all {
		w.parts = append(w.parts, text.Stem(p))
	}
	w.name = len(bare) > 1 && len(w.parts) > 0 &&
		!lists["generic"][bare] && !lists["generic"][strings.TrimSuffix(bare, "s")] && !isNumber(bare)
	return w
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789.,%") == "" }

// has reports whether a list contains a word: by itself, as a part of another ("redis" in "go-redis"), or in
// pieces ("GoodJob" in "good_job").
func has(list []word, w word) bool {
	whole := strings.Join(w.parts, "")
	for i := range list {
		for p := range list[i].parts {
			if whole != "" && spells(list[i:], p, whole) {
				return true
			}
		}
	}
	return false
}

// shares reports whether one of two words is the other or a part of it.
func shares(a, b word) bool { return has([]word{a}, b) || has([]word{b}, a) }

// spells reports whether the words, from a part of the first one on, spell whole.
func spells(list []word, p int, whole string) bool {
	for i := range list {
		for _, part := range list[i].parts[p:] {
			if similarStems(part, whole) {
				return true
			}
			rest, ok := strings.CutPrefix(whole, part)
			if !ok {
				return false
			}
			whole = rest
		}
		if p = 0; len(list[i].parts) == 0 {
			return false
		}
	}
	return false
}

// similarStems reports whether two stems are the same or nearly, such as "postgres" and "postgresql".
func similarStems(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) >= 6 && len(b)-len(a) <= 3 && strings.HasPrefix(b, a)
}

// weight is how much a word counts in a share.
func (w word) weight() float64 {
	if len(w.parts) == 0 {
		return 0
	}
	return 1 + indicator(w.name)
}

// share is how much of the weight of some words occurs among others.
func share(of, in []word) float64 {
	var sum, there float64
	for _, w := range of {
		sum += w.weight()
		if has(in, w) {
			there += w.weight()
		}
	}
	return there / max(sum, 1)
}

func content(list []word) []word { return filter(list, func(w word) bool { return len(w.parts) > 0 }) }
func named(list []word) []word   { return filter(list, func(w word) bool { return w.name }) }

func excluding(list, other []word) []word {
	return filter(list, func(w word) bool { return !has(other, w) })
}

func filter(list []word, is func(word) bool) (out []word) {
	for _, w := range list {
		if is(w) {
			out = append(out, w)
		}
	}
	return out
}
