package redact

import (
	"strings"

	"recall/internal/text"
)

// quoteEnd returns the position after the quote at at, possibly escaped, or at if there is none.
func quoteEnd(t string, at int) int {
	end := at
	for end < len(t) && t[end] == '\\' && end-at < 3 {
		end++
	}
	if end < len(t) && (t[end] == '"' || t[end] == '\'' || t[end] == '`') {
		return end + 1
	}
	return at
}

// stringAt skips the letter before a string's quote, as in b"…" and N'…'.
func stringAt(t string, at int) int {
	if at+1 < len(t) && strings.IndexByte("bBuN@", t[at]) >= 0 && strings.IndexByte("\"'", t[at+1]) >= 0 {
		return at + 1
	}
	return at
}

// closing returns where the value that quote opened ends, -1 if not on its line.
func closing(t string, from int, quote string) int {
	window := t[from:min(len(t), from+maxQuoted)]
	i := strings.Index(window, quote)
	if nl := strings.IndexByte(window, '\n'); i < 0 || nl >= 0 && nl < i {
		return -1
	}
	return from + i
}

// bareEnd returns where an unquoted value ends: at a blank if it has a line of its own, else also at the punctuation of
// code, prose and URLs.
func bareEnd(t string, at int, line bool) int {
	stop := " \t\r\n\"'`\x1b"
	if !line {
		stop = " \t\r\n\"'`,;)]}<>&|\x1b"
	}
	window := t[at:min(len(t), at+maxUnquoted)]
	i := strings.IndexAny(window, stop)
	if i < 0 {
		i = len(window)
	}
	if n := strings.Index(window[:i], `\n`); n >= 0 {
		i = n
	}
	end := at + i
	nextCommand := line && end-at > 1 && t[end-1] == ';' && end < len(t) && is(t[end], blank)
	if nextCommand {
		end--
	}
	for !line && end > at && strings.IndexByte(".:!?", t[end-1]) >= 0 && end-at > 1 {
		end--
	}
	return end
}

// lineStart reports whether the name at at begins its line, ignoring comment, list and quote marks.
func lineStart(t string, at int) bool {
	at = skipBack(t, at, 60)
	line := strings.TrimSuffix(strings.TrimSuffix(t[max(0, at-24):at], "export "), "set ")
	line = strings.TrimRight(line, " \t\"';#>*-")
	return line == "" || line[len(line)-1] == '\n'
}

// cellBegins reports whether there is only a label's words between the beginning of a row or cell and at.
func cellBegins(t string, at int) bool {
	for n := 0; at > 0 && n < 30 && (is(t[at-1], alnum|under) || strings.IndexByte(" *'", t[at-1]) >= 0); n++ {
		at--
	}
	return at == 0 || text.AnyOf(t[:at], strings.HasSuffix, "\n", "|", "│", "║")
}

// flagBefore reports whether the name at from is a flag's: --password, --db-password, -storepass.
func flagBefore(t string, from int) bool {
	at := skipBack(t, from, 30)
	return strings.HasPrefix(t[at:], "--") || at > 0 && t[at] == '-' && t[at-1] == ' '
}

// skipBack returns the beginning of the name that ends at to.
func skipBack(text string, to, most int) int {
	at := to
	for at > 0 && to-at < most && (wordChar(text[at-1]) || strings.IndexByte("-.", text[at-1]) >= 0) {
		at--
	}
	return at
}
