package text

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// A GivenUp is a part of a sentence that names what it gives up or forbids.
type GivenUp struct {
	Form     string // uses, gives or forbids, see givenup.txt
	From, To int
	Name     string // what is named: "Redis"; of what it says not to do, all of the clause; it may be empty
	Vague    bool   // it may state how things are instead: "no Redis on this machine"
}

//go:embed givenup.txt
var givenUpText string

// givenUpForm is a form of givenup.txt: its words, "x" for what is named.
type givenUpForm struct {
	name   string
	words  []string
	begins bool // only where an order may begin
}

// givenUpForms are the forms by their first word other than "x".
var givenUpForms = sync.OnceValue(func() map[string][]givenUpForm {
	forms := map[string][]givenUpForm{}
	for line := range strings.Lines(strings.ToLower(Apostrophes.Replace(givenUpText))) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || name[0] == '#' {
			continue
		}
		for form := range strings.SplitSeq(list, ", ") {
			form, begins := strings.CutPrefix(form, "^")
			all := [][]string{nil}
			for one := range strings.FieldsSeq(form) {
				var longer [][]string
				for w := range strings.SplitSeq(one, "|") {
					for _, words := range all {
						longer = append(longer, append(slices.Clone(words), strings.Fields(w)...))
					}
				}
				all = longer
			}
			for _, words := range all {
				key := words[0]
				if key == "x" {
					key = words[1]
				}
				forms[key] = append(forms[key], givenUpForm{name, words, begins})
			}
		}
	}
	return forms
})

// Apostrophes takes out what people leave out as they type: "dont".
var Apostrophes = strings.NewReplacer("'", "", "’", "")

// GivesUp returns what a sentence gives up or forbids, in order.
func GivesUp(s string) (all []GivenUp) {
	words := saidWords(s)
	for i, w := range words {
		for _, f := range givenUpForms()[w.low] {
			if f.begins && !w.marked && !smallWords()["opening"][words[i-1].low] {
				continue
			}
			if g, ok := f.at(words, i); ok {
				g.Name = s[g.From:g.To]
				all = append(all, g)
			}
		}
	}
	return all
}

// at reads what a form names whose first word other than "x" is the one at k.
func (f *givenUpForm) at(words []saidWord, k int) (g GivenUp, ok bool) {
	g.Form = f.name
	named := func(from, to int) { g.From, g.To = words[from].from, words[to-1].to }
	for n, w := range f.words {
		switch from := k; {
		case w == "x" && n == 0:
			if k == 0 || words[k].marked {
				return g, false
			}
			named(k-1, k)
		case w[0] == 'x' && n == len(f.words)-1:
			alone := g.name(words[k-1].to, words[k:])
			states := func(w saidWord) bool { return smallWords()["stating"][w.low] }
			g.Vague = w == "x." && (!alone || slices.ContainsFunc(words[:k], states))
		case w == "x": // it ends at a mark, behind which a clause must begin: "we said A, for now. I take that back"
			to := 0
			for k < len(words) && words[k].low != f.words[n+1] {
				if k++; to == 0 && k < len(words) && words[k].marked {
					to = k
				}
			}
			if k == from || k == len(words) || to > 0 && !words[k].marked {
				return g, false
			}
			named(from, cmp.Or(to, k))
		case k == len(words) || words[k].low != w:
			return g, false
		default:
			k++
		}
	}
	return g, true
}

// name reads what is named by the words after a form, which ends somewhere, and reports whether nothing else is said
// of it. What is dropped into something isn't given up.
func (g *GivenUp) name(end int, words []saidWord) (alone bool) {
	g.From, g.To = end, end
	small, ended := smallWords(), false
	alone = true
	for _, w := range words {
		ended = ended || g.Form != "forbids" && (small["ending"][w.low] || small["idle"][w.low])
		switch {
		case w.marked, small["joining"][w.low]:
			return alone
		case w.low == "into" && g.Form != "forbids":
			g.To = g.From
			return false
		case g.From == end && small["article"][w.low]:
			continue
		case g.From == end:
			g.From, g.To = w.from, w.from
		}
		if !ended {
			g.To = w.to
		}
		alone = alone && (!ended || small["idle"][w.low])
	}
	return alone
}

// A saidWord is a word in its place, and whether a mark stands before it.
type saidWord struct {
	low      string
	from, to int
	marked   bool
}

// eachWord matches a word between white space, marks, and where a script without spaces begins or ends.
var eachWord = Pattern(strings.NewReplacer("KANA", `\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}ー`,
	"MARK", "\\s,;:!?()–—，。、；：！？\"“”`*").Replace(`[KANA]+|[^KANAMARK]+`))

// saidWords splits a text into words.
func saidWords(s string) (all []saidWord) {
	end := 0
	for _, at := range eachWord().FindAllStringIndex(s, -1) {
		w := strings.TrimRight(s[at[0]:at[1]], ".'’")
		if !strings.ContainsFunc(w, unicode.IsLetter) && !strings.ContainsFunc(w, unicode.IsDigit) {
			continue // a mark
		}
		marked := end == 0 || strings.Trim(s[end:at[0]], " \t\"“”`*") != ""
		end = at[0] + len(w)
		all = append(all, saidWord{strings.ToLower(Apostrophes.Replace(w)), at[0], end, marked})
	}
	return all
}
