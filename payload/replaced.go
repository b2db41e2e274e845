package payload

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"recall/internal/text"
)

// Outlived returns the values that a text, said then, names and that deeds replaced after that, each with what it is in
// the end, and those that a deed put back. deeds are in the order in which they were done; those that replaced nothing
// don't matter.
func Outlived(said string, at time.Time, deeds []Deed) (all, back []Deed) {
	plain := plainValues(said)
	for _, d := range deeds {
		if d.Now == "" || !d.At.After(at) {
			continue
		}
		again := slices.IndexFunc(all, func(o Deed) bool { return o.Now == d.Text && o.sameLine(&d) })
		same := slices.IndexFunc(all, func(o Deed) bool {
			return o.Text == d.Text && (o.Now == d.Now || o.sameLine(&d))
		})
		switch {
		case again >= 0 && all[again].Text == d.Now:
			all, back = slices.Delete(all, again, again+1), append(back, d)
		case again >= 0:
			all[again].Now, all[again].At = d.Now, d.At
		case hasValue(plain, plainValues(d.Now)):
			back = append(back, d)
		case !d.outlives(said, plain):
		case same >= 0:
			all[same] = d
		default:
			all = append(all, d)
		}
	}
	return all, back
}

// sameLine reports whether two values stood among the same words.
func (d *Deed) sameLine(o *Deed) bool {
	return d.Of == o.Of || text.Words(d.Of).Shared(text.Words(o.Of)) > 0
}

// outlives reports whether a text, and in plain form, has the value that was replaced, where it can't be another
// thing's, and not only to rule it out.
func (d *Deed) outlives(said, plain string) bool {
	old := plainValues(d.Text)
	if !hasValue(plain, old) {
		return false
	}
	of := text.Words(d.Of).Without(text.Words(d.Text))
	sentences := text.Sentences(said, false)
	for i, s := range sentences {
		about := strings.Join(sentences[max(0, i-1):min(len(sentences), i+2)], " ")
		if d.Of != "" && text.Words(about).Shared(of) == 0 {
			continue
		}
		s = plainValues(s)
		if at := valueAt(s, old); at >= 0 && !rulesOut().MatchString(s[:at]) {
			return true
		}
	}
	return false
}

// rulesOut matches what stands before a value that isn't to be: "never ", "don't go over ".
var rulesOut = text.Pattern(`(?:\b(?:not|never|no|without|nicht|nie|keine?|pas|jamais)|n['’]t) (?:[\pL]+ ){0,2}\W*$`)

// ReplacedSince begins the Since of an item that names a value which was replaced.
const ReplacedSince = "since changed: "

// Outlive notes in an item what became of the values that it names, and of the pull request; a value that is back is
// noted no longer.
func (it *Item) Outlive(deeds []Deed) {
	if !it.Outlives() {
		return
	}
	for i := range deeds {
		if n := deeds[i].numberIn(it.Text); n != "" && deeds[i].At.After(it.At) {
			it.Since = n + " " + deeds[i].Fate
		}
	}
	all, back := Outlived(it.Text, it.At, deeds)
	noted := func(d Deed) bool { return strings.Contains(it.Since, safe(d.Now, maxValue)+" → ") }
	switch {
	case len(all) > 0:
		it.Since = ReplacedSince + Replacements(all)
	case strings.HasPrefix(it.Since, ReplacedSince) && slices.ContainsFunc(back, noted):
		it.Since = ""
	}
}

// numberIn returns the number of what a deed merged or closed if a text names it and doesn't tell so, else "".
func (d *Deed) numberIn(said string) string {
	n := "#" + d.Text[strings.LastIndex(d.Text, "/")+1:]
	tells, _, _ := strings.Cut(d.Fate, " ")
	if d.Fate == "" || strings.Contains(strings.ToLower(said), tells) {
		return ""
	}
	for _, m := range numbered().FindAllStringSubmatch(said, -1) {
		if "#"+m[1] == n {
			return n
		}
	}
	return ""
}

var numbered = text.Pattern(`(?i)(?:#|\b(?:PR|MR|(?:pull|merge) request) |/(?:pull|merge_requests)/)(\d+)\b`)

// Outlives reports whether an item is a quote or a claim that stands, whose values may not. A file has its state; a
// commit, a pull request and a run of tests hold what they held; a person's own item they change themselves.
func (it *Item) Outlives() bool {
	held := it.Rule == CommitRule || it.Rule == OpenedRule || it.Rule == TestRule
	return it.Kind != File && !held && it.Maker != ByHuman && it.Current()
}

// Replacements lists values with what they were replaced by.
func Replacements(deeds []Deed) string {
	var all []string
	for _, d := range deeds[max(0, len(deeds)-mostValues):] {
		all = append(all, safe(d.Text, maxValue)+" → "+safe(d.Now, maxValue))
	}
	return strings.Join(all, ", ")
}

// How many values are told of a text, and how long one may be.
const mostValues, maxValue = 3, 40

// Replaced returns the deeds of a session that replaced values, or merged or closed something.
func (p *Payload) Replaced() []Deed {
	return slices.DeleteFunc(slices.Clone(p.Did), func(d Deed) bool { return d.Now == "" && d.Fate == "" })
}

// ValueWords returns the words of a text by which values are looked up; of a value the first is enough.
func ValueWords(s string) []string { return text.Split(plainValues(s)) }

// HasValue reports whether a text has a value, not as part of a longer one, however its numbers are written.
func HasValue(said, value string) bool { return hasValue(plainValues(said), plainValues(value)) }

func hasValue(said, value string) bool { return valueAt(said, value) >= 0 }

// valueAt returns where a text first has a value, -1 if nowhere; both are plain.
func valueAt(said, value string) int {
	inside := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' }
	for at := 0; ; {
		k := strings.Index(said[at:], value)
		if k < 0 || value == "" {
			return -1
		}
		before, _ := utf8.DecodeLastRuneInString(said[:at+k])
		rest := said[at+k+len(value):]
		after, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, "."))
		if !inside(before) && before != '.' && !inside(after) {
			return at + k
		}
		at += k + len(value)
	}
}

// plainValues writes numbers without what separates their thousands, with a hyphen as minus, and versions without "v".
func plainValues(s string) string {
	if s = strings.ToLower(strings.ReplaceAll(s, "−", "-")); strings.ContainsAny(s, ",'’v") {
		s = version().ReplaceAllString(thousands().ReplaceAllString(s, "$1$2"), "$1")
	}
	return s
}

var (
	thousands = text.Pattern(`\b(\d{1,3})[,’'](\d{3})\b`)
	version   = text.Pattern(`\bv(\d+\.\d)`)
)
