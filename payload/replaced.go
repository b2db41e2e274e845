package payload

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"recall/internal/text"
)

// A deed that put a value in the place of another one, as an edit does, outlives whatever was said with the old one.

// Outlived returns the deed after which what a text, said then, says of a value isn't so any more, with what it is in
// the end; or nil. deeds are in the order in which they were done; those that replaced nothing don't matter.
func Outlived(said string, at time.Time, deeds []Deed) *Deed {
	var last *Deed
	said = plainValues(said)
	for i := range deeds {
		d := &deeds[i]
		switch {
		case d.Now == "" || !d.At.After(at):
		case last != nil && d.Text == last.Now && d.Now == last.Text: // and put it back
			last = nil
		case last != nil && d.Text == last.Now:
			on := *d
			on.Text = last.Text
			last = &on
		case d.outlives(said):
			last = d
		}
	}
	return last
}

// outlives reports whether a text has the value that was replaced, where it can be no other thing's, and not the new one.
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

// Outlived is the function of that name for what an item says that stands. A file has its state; a commit, a pull
// request and a run of tests hold what they held.
func (it *Item) Outlived(deeds []Deed) *Deed {
	held := it.Rule == CommitRule || it.Rule == OpenedRule || it.Rule == TestRule
	if it.Kind == File || held || !it.Current() {
		return nil
	}
	return Outlived(it.Text, it.At, deeds)
}

// Replaced says what became of a value.
func (d *Deed) Replaced() string {
	return "since changed: " + safe(d.Text, 40) + " → " + safe(d.Now, 40)
}

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

// plainValues writes numbers without what separates their thousands, and with a hyphen as minus.
func plainValues(s string) string {
	if s = strings.ToLower(strings.ReplaceAll(s, "−", "-")); strings.ContainsAny(s, ",'’") {
		s = thousands().ReplaceAllString(s, "$1$2")
	}
	return s
}

var thousands = text.Pattern(`\b(\d{1,3})[,’'](\d{3})\b`)
