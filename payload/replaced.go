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
// the end. deeds are in the order in which they were done; those that replaced nothing don't matter.
func Outlived(said string, at time.Time, deeds []Deed) (all []Deed) {
	said = plainValues(said)
	for _, d := range deeds {
		if d.Now == "" || !d.At.After(at) {
			continue
		}
		again := slices.IndexFunc(all, func(o Deed) bool { return o.Now == d.Text && o.Of == d.Of })
		same := slices.IndexFunc(all, func(o Deed) bool { return o.Text == d.Text && (o.Of == d.Of || o.Now == d.Now) })
		switch {
		case again >= 0 && all[again].Text == d.Now: // and put it back
			all = slices.Delete(all, again, again+1)
		case again >= 0:
			all[again].Now, all[again].At = d.Now, d.At
		case !d.outlives(said):
		case same >= 0:
			all[same] = d
		default:
			all = append(all, d)
		}
	}
	return all
}

// outlives reports whether a text has the value that was replaced, where it can't be another thing's, but not the new
// one.
func (d *Deed) outlives(said string) bool {
	old := plainValues(d.Text)
	if !hasValue(said, old) || HasValue(said, d.Now) {
		return false
	}
	if d.Of == "" {
		return true
	}
	of := text.Words(d.Of).Without(text.Words(d.Text))
	for _, s := range text.Sentences(said, false) {
		if hasValue(s, old) && text.Words(s).Shared(of) > 0 {
			return true
		}
	}
	return false
}

// ReplacedSince begins the Since of an item that names a value which was replaced.
const ReplacedSince = "since changed: "

// Outlive notes in an item what became of the values that it names.
func (it *Item) Outlive(deeds []Deed) {
	if !it.Outlives() {
		return
	}
	if all := Outlived(it.Text, it.At, deeds); len(all) > 0 {
		it.Since = ReplacedSince + Replacements(all)
	}
}

// Outlives reports whether an item is a quote or a claim that stands, whose values may not. A file has its state; a
// commit, a pull request and a run of tests hold what they held.
func (it *Item) Outlives() bool {
	held := it.Rule == CommitRule || it.Rule == OpenedRule || it.Rule == TestRule
	return it.Kind != File && !held && it.Current()
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

// Replaced returns the deeds of a session that replaced values.
func (p *Payload) Replaced() []Deed {
	return slices.DeleteFunc(slices.Clone(p.Did), func(d Deed) bool { return d.Now == "" })
}

// ValueWords returns the words of a text by which values are looked up; of a value the first is enough.
func ValueWords(s string) []string { return text.Split(plainValues(s)) }

// HasValue reports whether a text has a value, not as part of a longer one, however its numbers are written.
func HasValue(said, value string) bool { return hasValue(plainValues(said), plainValues(value)) }

func hasValue(said, value string) bool {
	inside := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' }
	for at := 0; ; {
		k := strings.Index(said[at:], value)
		if k < 0 || value == "" {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(said[:at+k])
		rest := said[at+k+len(value):]
		after, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, "."))
		if !inside(before) && before != '.' && !inside(after) {
			return true
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
