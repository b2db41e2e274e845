// Package sink makes text from elsewhere fit to leave recall: what a transcript
// holds, a file's name, a service's complaint. Wherever it goes, nothing in it
// paints a screen, hides from the eye, turns a line round, or speaks in recall's
// or a client's own marks.
//
// What stays is what people write: Arabic and Hebrew, Chinese and Japanese, the
// joiners of Persian and Hindi, emoji of several parts.
//
//	                      Terminal, Markdown   Model          HTML      JSON (a whole document)
//	controls, C0 and C1   left out             left out       left out  \u001b
//	no width, tags        left out             left out       left out  \u200b
//	direction             \u202e               \u202e         \u202e    \u202e
//	broken UTF-8          U+FFFD               U+FFFD         U+FFFD    U+FFFD
//	recall's, a client's
//	marks and tags        ‹!-- recall          any tag: ‹div> –         \u003c!-- recall
//
// Line breaks and tabs stay. In JSON an escape is the same text for a program.
package sink

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A Sink is where text goes.
type Sink int

const (
	Terminal Sink = iota // and whatever a command's output is piped to
	Markdown             // a file that people open, and paste
	Model                // what a model reads: hooks, MCP
	HTML                 // a page, by a template that escapes
	JSON                 // a document as it was encoded
)

// Text is somebody's text as it may leave.
func Text(s string, to Sink) string {
	if s = Page(s, to); to != HTML && strings.Contains(s, "<") {
		return unmarked(s, to)
	}
	return s
}

// Line is Text on one line, with single spaces between words. For a model it can stand between “ and ”: nothing in
// it ends the quotation.
func Line(s string, to Sink) string {
	if folded(s) && !strings.Contains(s, "<") {
		return s
	}
	if to == Model {
		s = unquoted.Replace(s)
	}
	return strings.Join(strings.Fields(Text(blank.Replace(s), to)), " ")
}

// unquoted has no marks of quotation like recall's own.
var unquoted = strings.NewReplacer("“", `"`, "”", `"`)

// blank makes spaces of the controls that are some.
var blank = strings.NewReplacer("\r", " ", "\v", " ", "\f", " ", "\u0085", " ")

// folded tells a line of visible ASCII whose blanks are single and between words,
// as most are.
func folded(s string) bool {
	for i := range len(s) {
		atEdge := i == 0 || i+1 == len(s) || s[i+1] == ' '
		if c := s[i]; c < ' ' || c >= 0x7f || c == ' ' && atEdge {
			return false
		}
	}
	return true
}

// Page is a whole document of recall's own as it may leave: marks and tags in it
// are recall's, and stay.
func Page(s string, to Sink) string {
	at := next(s, 0)
	if at == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	done := 0       // what of s is written
	var before rune // the last one that was let through
	for ; at < len(s); at = next(s, at) {
		if at > done {
			before = rune(s[at-1])
		}
		b.WriteString(s[done:at])
		r, size := utf8.DecodeRuneInString(s[at:])
		at += size
		done = at
		switch {
		case r == '\r' && to == JSON: // between its tokens
		case r == '\u2028' || r == '\u2029':
			if to == JSON {
				escape(&b, r)
				continue
			}
			r = ' '
		case unicode.IsControl(r), invisible(r) && !joins(before, r):
			if to == JSON || turns(r) {
				escape(&b, r)
				before = 0
			}
			continue
		}
		b.WriteRune(r) // U+FFFD for broken bytes
		before = r
	}
	b.WriteString(s[done:])
	return b.String()
}

// next is where from at on something stands that has to be looked at: all but
// visible ASCII, line breaks and tabs.
func next(s string, at int) int {
	for ; at < len(s); at++ {
		if c := s[at]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			break
		}
	}
	return at
}

// unmarked has no marks and tags but recall's own way of showing them. Nothing
// invisible stands within them any more.
func unmarked(s string, to Sink) string {
	var b strings.Builder
	for {
		at := strings.IndexByte(s, '<')
		if at < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:at])
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		s = s[at+1:]
		switch {
		case !ours(s) && (to != Model || !tag(s, before)):
			b.WriteByte('<')
		case to == JSON:
			escape(&b, '<')
		default:
			b.WriteRune('‹')
		}
	}
}

// escape writes a character as JSON, Go and JavaScript do.
func escape(b *strings.Builder, r rune) {
	if r > 0xFFFF {
		high, low := utf16.EncodeRune(r)
		fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
		return
	}
	fmt.Fprintf(b, `\u%04x`, r)
}

// turns tells the marks that make text run the other way from here on, so that a
// line reads as something else than it says.
func turns(r rune) bool { return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 }

// invisible tells characters that are there and aren't seen (Unicode's formats but
// those with a shape, and what a font may ignore).
func invisible(r rune) bool {
	return r > 0x7f &&
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// joins tells an invisible character that shapes the visible one before it, as in
// Persian, Hindi, a family's emoji, a name's rare character. One in a row: several
// are a hiding place.
func joins(before, r rune) bool {
	switch {
	case r == 0x200C || r == 0x200D:
		return emoji(before) && r == 0x200D || unicode.In(before, joined...)
	case r >= 0xFE00 && r <= 0xFE0F:
		return emoji(before) && before != 0xFE0F || before >= '0' && before <= '9' ||
			unicode.In(before, unicode.Sm, unicode.Po, unicode.Han) // "#" and "*" are Po
	case r >= 0xE0100 && r <= 0xE01EF:
		return unicode.Is(unicode.Han, before)
	}
	return false
}

// emoji tells what an emoji of several parts is made of, its shape and tone with it.
func emoji(r rune) bool {
	return r == 0xFE0F || r > 0x7f && unicode.In(r, unicode.So, unicode.Sk) || r >= 0x2190 && r <= 0x21FF
}

// joined are scripts whose letters take another shape beside one another.
var joined = []*unicode.RangeTable{unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
	unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan}

// ours reports whether a "<" begins a mark of recall's or a tag that a client gives a
// meaning of its own.
func ours(after string) bool {
	blank := func(r rune) bool { return r == '/' || unicode.IsSpace(r) }
	name := strings.TrimLeftFunc(after, blank)
	if rest, ok := strings.CutPrefix(name, "!--"); ok {
		name = strings.TrimLeftFunc(rest, blank)
		return len(name) >= 6 && strings.EqualFold(name[:6], "recall")
	}
	for _, t := range clientTags {
		if len(name) >= len(t) && strings.EqualFold(name[:len(t)], t) {
			return true
		}
	}
	return false
}

// clientTags are what the names of tags begin with that Claude Code puts around
// its own words, and models around calls.
var clientTags = []string{"system-reminder", "system_", "local-command-", "command-name", "command-message",
	"command-args", "user-prompt-submit-hook", "bash-", "ide_", "task-notification",
	"function_calls", "function_results", "invoke ", "antml:", "tool_use", "tool_result", "persisted-output"}

// tag reports whether a "<" begins what a client or a page may take for a tag or a
// comment. "Map<K,V>" and "a < b" don't.
func tag(after string, before rune) bool {
	r, _ := utf8.DecodeRuneInString(after)
	switch {
	case strings.ContainsRune(`/!?\|`, r):
		return true
	case !unicode.IsLetter(r):
		return false
	case !unicode.IsLetter(before) && !unicode.IsDigit(before) && before != ')':
		return true
	}
	name := after
	if i := strings.IndexAny(name, "> \n\t,"); i >= 0 {
		name = name[:i]
	}
	return strings.ContainsAny(name, "-_:")
}

// Shell is text as one word of a POSIX shell, to which nothing of it is left to read.
func Shell(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=@,+", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
