// Package escape makes text from elsewhere safe to output: what a transcript holds, a file's name, a service's error.
// Wherever it goes, nothing in it can control a terminal, hide from view, reverse a line, or imitate recall's or a
// client's own markers.
//
// What people write is kept: Arabic and Hebrew, Chinese and Japanese, the joiners of Persian and Hindi, emoji of
// several parts.
//
//	                      Terminal, Markdown   Model          HTML      JSON (a whole document)
//	controls, C0 and C1   removed              removed        removed   \u001b
//	zero width, tags      removed              removed        removed   \u200b
//	direction             \u202e               \u202e         \u202e    \u202e
//	broken UTF-8          U+FFFD               U+FFFD         U+FFFD    U+FFFD
//	recall's, a client's
//	marks and tags        ‹!-- recall          any tag: ‹div> –         \u003c!-- recall
//
// Line breaks and tabs stay. In JSON an escape is the same text to a program.
package escape

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A Sink is a destination of text.
type Sink int

const (
	Terminal Sink = iota // and anything that a command's output is piped to
	Markdown             // a file that people open, and paste
	Model                // what a model reads: hooks, MCP
	HTML                 // a page, by a template that escapes
	JSON                 // an encoded document
)

// Text makes untrusted text safe for a sink.
func Text(s string, to Sink) string {
	if s = Page(s, to); to != HTML && strings.Contains(s, "<") {
		return unmarked(s, to)
	}
	return s
}

// Line is Text on one line, with single spaces between words. For a model it can be put between “ and ”: nothing in it
// ends the quotation.
func Line(s string, to Sink) string {
	if to == Model {
		s = unquoted.Replace(s)
	}
	return strings.Join(strings.Fields(Text(blank.Replace(s), to)), " ")
}

// unquoted replaces the quotation marks that recall uses.
var unquoted = strings.NewReplacer("“", `"`, "”", `"`)

// blank replaces whitespace controls with spaces.
var blank = strings.NewReplacer("\r", " ", "\v", " ", "\f", " ", "\u0085", " ")

// Page makes a whole document of recall's own safe: markers and tags in it are recall's, and kept.
func Page(s string, to Sink) string {
	at := next(s, 0)
	if at == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	done := 0       // how much of s is written
	var before rune // the last one kept
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

// next finds the next character from at on that needs checking: anything but visible ASCII, line breaks and tabs.
func next(s string, at int) int {
	for ; at < len(s); at++ {
		if c := s[at]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			break
		}
	}
	return at
}

// unmarked defuses markers and tags. Invisible characters have been removed from them before.
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

// escape writes a character as a JSON (and Go and JavaScript) escape.
func escape(b *strings.Builder, r rune) {
	if r > 0xFFFF {
		high, low := utf16.EncodeRune(r)
		fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
		return
	}
	fmt.Fprintf(b, `\u%04x`, r)
}

// turns reports whether a character changes the direction of the text after it, which can make a line read as
// something else.
func turns(r rune) bool { return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 }

// invisible reports whether a character can't be seen: Unicode's format characters except those with a shape, and
// those that fonts may ignore.
func invisible(r rune) bool {
	return r > 0x7f &&
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// joins reports whether an invisible character shapes the visible one before it, as in Persian, Hindi, family emoji or
// rare characters of names. Only one in a row counts: several are a hiding place.
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

// emoji reports whether a character is part of an emoji, including its shape and tone.
func emoji(r rune) bool {
	return r == 0xFE0F || r > 0x7f && unicode.In(r, unicode.So, unicode.Sk) || r >= 0x2190 && r <= 0x21FF
}

// joined lists scripts whose letters change shape next to one another.
var joined = []*unicode.RangeTable{unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
	unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan}

// ours reports whether a "<" begins one of recall's markers, or a tag with a meaning to a client.
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

// clientTags are the beginnings of tags that Claude Code puts around its own words, and models around calls.
var clientTags = []string{"system-reminder", "system_", "local-command-", "command-name", "command-message",
	"command-args", "user-prompt-submit-hook", "bash-", "ide_", "task-notification",
	"function_calls", "function_results", "invoke ", "antml:", "tool_use", "tool_result", "persisted-output"}

// tag reports whether a "<" begins what a client or a page might take for a tag or a comment. "Map<K,V>" and "a < b"
// don't.
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

// Shell returns words as a POSIX shell's, quoted where they must be.
func Shell(words ...string) string {
	special := func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !letter && (r < '0' || r > '9') && !strings.ContainsRune("_-./:=@,+", r)
	}
	var out []string
	for _, w := range words {
		if w == "" || strings.ContainsFunc(w, special) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}
