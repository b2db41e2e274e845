package redact

import (
	"strings"

	"recall/internal/text"
)

// skipEmphasis skips emphasis and color: ** in Markdown, escape sequences of terminals.
func skipEmphasis(t string, at int) int {
	if at >= len(t) || t[at] != '*' && t[at] != 0x1b {
		return at
	}
	for end := at; ; at = end {
		switch {
		case strings.HasPrefix(t[at:], "**"):
			end = at + 2
		case strings.HasPrefix(t[at:], "\x1b["):
			if end = skip(t, at+2, digit, 12); end < len(t) && t[end] == ';' {
				end = skip(t, end+1, digit, 12)
			}
			end++
		}
		if end == at || end > len(t) {
			return at
		}
	}
}

// pairedValue returns where the value begins if the name is itself a value: name: DB_PASSWORD, value: x.
func pairedValue(t string, at int) int {
	const reach = 120
	window := t[at:min(len(t), at+reach)]
	if i := strings.IndexAny(window, "}>)"); i >= 0 {
		window = window[:i]
	}
	if i := strings.Index(window, "name"); i >= 0 {
		window = window[:i]
	}
	for _, w := range [...]string{"value", "default", "Value", "Default"} {
		i := strings.Index(window, w)
		if i < 0 || i > 0 && wordChar(window[i-1]) || strings.Count(window[:i], "\n") > 2 {
			continue
		}
		end := skip(t, quoteEnd(t, at+i+len(w)), blank, 4)
		if end < len(t) && (t[end] == ':' || t[end] == '=') {
			return end + 1
		}
	}
	return at
}

// attributesEnd returns the position after an XML element's attributes, or at.
func attributesEnd(t string, at int) int {
	if i := strings.IndexAny(t[at:min(len(t), at+100)], "<>\n"); i > 0 && t[at+i] == '>' && t[at+i-1] != '/' {
		return at + i + 1
	}
	return at
}

// nextElement returns where the content of the element after a name's begins, or at: <td>name</td><td>, and the like in
// property lists and settings.
func nextElement(t string, at int) int {
	for _, pair := range [...][2]string{{"</td>", "<td>"}, {"</th>", "<td>"}, {"</key>", "<string>"},
		{"</name>", "<value>"}} {
		if strings.HasPrefix(t[at:], pair[0]) {
			next := run(t, at+len(pair[0]), blank, "\r\n", 40)
			if strings.HasPrefix(t[next:], pair[1]) {
				return next + len(pair[1])
			}
		}
	}
	return at
}

// skipFold skips the YAML sign that the value is on the next line.
func skipFold(t string, at int) int {
	end := at
	if at < len(t) && (t[at] == '>' || t[at] == '|') {
		end = at + 1
		if end < len(t) && (t[end] == '-' || t[end] == '+') {
			end++
		}
	}
	ends := end == at || end >= len(t) || t[end] != '\n' || end+1 >= len(t) || !is(t[end+1], blank)
	if ends {
		return at
	}
	return skip(t, end+1, blank, 40)
}

// skipType skips a type between a colon and an equals sign: string = "…".
func skipType(t string, at int) int {
	end := at
	for end < len(t) && end-at < 20 && (wordChar(t[end]) || t[end] == '&') {
		end++
	}
	eq := skip(t, end, blank, 4)
	assigned := end > at && eq > end && eq < len(t) && t[eq] == '=' &&
		quoteEnd(t, skip(t, eq+1, blank, 4)) > skip(t, eq+1, blank, 4)
	if assigned {
		return skip(t, eq+1, blank, 4)
	}
	return at
}

// isSetter reports whether the text before a name makes it a call that sets something: client.password(, setPassword(.
func isSetter(before string) bool {
	i := strings.LastIndexByte(before, '.')
	verb := lowerASCII(before[i+1:])
	return i >= 0 && (verb == "" || verb == "api" || verb == "secret" || verb == "access") ||
		verb == "set" || verb == "with" || verb == "use" ||
		strings.HasPrefix(verb, "set_") || strings.HasPrefix(verb, "with_")
}

// endsWithDeclaration reports whether a text ends with a word that sets a variable: ENV NAME value.
func endsWithDeclaration(t string) bool {
	t = lowerASCII(t[max(0, len(t)-12):])
	return text.AnyOf(t, strings.HasSuffix, "env ", "arg ", "setenv ", "set -x ", "set -gx ", "set -ux ", "set -lx ")
}

// beginsWithVerb reports whether a text begins with a verb that values follow.
func beginsWithVerb(t string) bool {
	return strings.IndexByte("iwle\xc3", t[0]) >= 0 &&
		text.AnyOf(t, strings.HasPrefix, "is ", "was ", "ist ", "war ", "lautet ", "est ", "es ", "é ")
}

// isKeyName reports whether a quoted name is a variable's or a setting's: one word, or several joined by underscores.
func isKeyName(name string) bool {
	name, _, _ = strings.Cut(name, ",")
	return !strings.Contains(name, "-") && !strings.Contains(name, " ")
}

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
	for n := 0; at > 0 && n < 30 && (is(t[at-1], alnum|under) || strings.IndexByte(" *", t[at-1]) >= 0); n++ {
		at--
	}
	return at == 0 || t[at-1] == '\n' || t[at-1] == '|'
}

// flagBefore reports whether the name at from is a flag's: --password, --db-password, -storepass.
func flagBefore(t string, from int) bool {
	at := skipBack(t, from, 30)
	return strings.HasPrefix(t[at:], "--") || at > 0 && t[at] == '-' && t[at-1] == ' '
}

// assignment returns where the value begins after the name that ends at at, if an operator follows: the part that
// gitleaks' named rules have in common, with escaped quotes allowed:
//
//	(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}
func assignment(text string, at int) (value int, ok bool) {
	at = skip(text, at, inName, 20)
	at = skip(text, at, gap, 4)
	at, ok = operator(text, at)
	if !ok {
		return at, false
	}
	return skip(text, at, lead, 6), true
}

// operator returns where the operator at at ends.
func operator(text string, at int) (end int, ok bool) {
	if at >= len(text) {
		return at, false
	}
	next := byte(0)
	if at+1 < len(text) {
		next = text[at+1]
	}
	switch c := text[at]; {
	case c == '=' && next == '>', c == '?' && next == '=', c == '|' && next == '|', c == ':' && next == '=':
		return at + 2, true
	case c == ':' && next == ':':
		if colons := strings.Index(text[at:min(len(text), at+4)], "="); colons > 0 {
			return at + colons + 1, true
		}
		return at + 1, true
	case c == '=' || c == '>' || c == ':' || c == ',':
		return at + 1, true
	}
	return at, false
}

// skipBack returns the beginning of the name that ends at to.
func skipBack(text string, to, most int) int {
	at := to
	for at > 0 && to-at < most && (wordChar(text[at-1]) || strings.IndexByte("-.", text[at-1]) >= 0) {
		at--
	}
	return at
}
