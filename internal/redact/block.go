package redact

import (
	"encoding/base64"
	"strings"

	"recall/internal/text"
)

// secretBlocks are what the label of a block with a secret says.
var secretBlocks = words("secret blocks")

// maxBlock bounds a key block, in bytes: an RSA key of 16384 bits in PEM is 12 KB.
const maxBlock = 24 << 10

// keyBlock examines "-----begin" and masks a private key to its end or, where the text was clipped, as far as it goes.
func keyBlock(s *scan, from, to int) {
	label := s.text[to:min(len(s.text), to+100)]
	i := strings.Index(label, "-----")
	if i < 0 || !text.AnyOf(formBlanks.Replace(label[:i]), strings.Contains, secretBlocks...) {
		return
	}
	body := to + i + 5
	window := s.text[body:min(len(s.text), body+maxBlock)]
	stop := keyText(window)
	if len(strings.TrimSpace(window[:stop])) < 24 || placeholder(strings.TrimSpace(window[:stop])) {
		return
	}
	s.blockEnd = body + stop
	key := strings.TrimLeft(window[:stop], " \t\r\n")
	s.add(body+stop-len(key), body+trimKey(window[:stop]), "private-key")
}

// formBlanks are blanks as forms and addresses send them.
var formBlanks = strings.NewReplacer("+", " ", "%20", " ")

// trimKey returns the length of the key without trailing line ends.
func trimKey(key string) int {
	return len(strings.TrimRight(key, " \t\r\n"))
}

// keyText returns how much of a text can be a key's body: base64, header lines such as Proc-Type, line ends real or
// shown in other ways, quotes and plus signs between lines of code.
func keyText(t string) int {
	for i := 0; i < len(t); i++ {
		c := t[i]
		if c == '\n' {
			i = max(i, skipGutter(t, i+1)-1)
			continue
		}
		if is(c, alnum) || strings.IndexByte("+/=\r\n \t\\:,\"'-", c) >= 0 {
			if c == '-' && strings.HasPrefix(t[i:], "-----") {
				return i
			}
			if c == ' ' && i > 64 && prose().MatchString(t[i:]) {
				return i
			}
			continue
		}
		end := strings.TrimRight(shownEnd().FindString(t[i:]), "\n")
		if end == "" {
			return i
		}
		i += len(end) - 1
	}
	return len(t)
}

// shownEnd matches what is shown for the end of a line: by cat -A and less, in HTML, and, with what else of a key they
// encode, in forms and addresses.
var shownEnd = text.Pattern(`\A(?:(?:\^M\$?|\$)(?:\n|\\n|"|\z)|<br ?/?>|%(?i:0[ad]|2[0bf]|3d))`)

// inContext matches what grep prints before lines around those that match.
var inContext = text.Pattern(`\A(?:[\w./~+@-]{1,80}\.\w{1,8}-)?\d{1,6}-`)

// skipGutter skips what programs print before lines: numbers with a separator, a file name, quote or diff signs.
func skipGutter(t string, at int) int {
	begin := skip(t, at, blank, 12)
	if n := len(inContext().FindString(t[begin:min(len(t), begin+120)])); n > 0 {
		return begin + n
	}
	end := skip(t, begin, word|marks, 80)
	if s := strings.TrimRight(t[begin:end], "0123456789"); len(t) > end && t[end] == ':' && s != "" &&
		strings.IndexByte(s, '.') > 0 { // key.pem:12:
		if n := skip(t, end+1, digit, 6); n > end+1 {
			return min(len(t), n+1)
		}
	}
	number := skip(t, begin, digit, 6)
	next := skip(t, number, blank, 2)
	for _, sign := range [...]string{"│", "|", ":", "\t"} {
		if number > begin && strings.HasPrefix(t[next:], sign) {
			return skip(t, next+len(sign), blank, 2)
		}
	}
	folded := begin < len(t) && (t[begin] == '>' || t[begin] == '|' || (t[begin] == '+' ||
		t[begin] == '-') && !strings.HasPrefix(t[begin:], "-----"))
	if folded {
		next := skip(t, begin+1, blank, 12)
		for next < len(t) && t[begin] == '>' && t[next] == '>' {
			next = skip(t, next+1, blank, 12)
		}
		return next
	}
	return at
}

// prose matches words where a key's next line would be: three short runs of letters separated by single blanks.
var prose = text.Pattern(`^ [A-Za-z]{1,19} [A-Za-z]{1,19} [A-Za-z]{1,19}(?:[^A-Za-z]|$)`)

// keyTail examines an "-----end" whose beginning was clipped, and masks the base64 before it.
func keyTail(s *scan, from, to int) {
	label := s.text[to:min(len(s.text), to+60)]
	i := strings.Index(label, "-----")
	if i < 0 || !text.AnyOf(label[:i], strings.Contains, secretBlocks...) || from <= s.blockEnd+4 {
		return
	}
	at := from
	for at > 0 && from-at < maxBlock && (is(s.text[at-1], alnum) ||
		strings.IndexByte("+/=\r\n\\ ", s.text[at-1]) >= 0) {
		at--
	}
	at = max(at, s.blockEnd)
	s.blockEnd = from
	at += len(s.text[at:from]) - len(strings.TrimLeft(s.text[at:from], " \r\n"))
	if from-at >= 24 && !placeholder(s.text[at:from]) {
		s.add(at, at+trimKey(s.text[at:from]), "private-key")
	}
}

// encoded examines what might be JSON or a key block in base64, also in lines, and masks it if it contains secrets.
func encoded(s *scan, from, _ int) {
	if s.decoding || wordChar(s.before(from)) || s.before(from) == '.' {
		return
	}
	end := base64End(s.text, from)
	if end-from < 40 || s.at(end) == '.' {
		return
	}
	v := strings.NewReplacer("-", "+", "_", "/", "\n", "", " ", "").Replace(s.text[from:end])
	if bareKey().MatchString(v) {
		s.add(from, skip(s.text, end, marks, 2), "private-key")
		return
	}
	plain, err := base64.RawStdEncoding.DecodeString(v[:len(v)/4*4])
	if err != nil || plain[0] != '{' {
		return
	}
	inner := scan{decoding: true}
	if inner.look(string(plain)); len(inner.found) > 0 {
		s.add(from, skip(s.text, end, marks, 2), "encoded-secret")
	}
}

// bareKey matches how private keys begin in base64: a key block, OpenSSH's, DER's with the number of its version.
var bareKey = text.Pattern(`\A(?:LS0tLS1CRUdJTi.{0,20}(?:BQUklWQVRFIEtF|UFJJVkFURSBLR|BSSVZBVEUgS0V)|` +
	`b3BlbnNzaC1rZXktdjE|MII..[AQgw]IBA|MHcCAQEE|MC4CAQAw|MIGHAgEAMB|MIGkAgEBB|MIHcAgEBB)`)

// base64End returns where base64 ends that may be broken into lines of forty characters or more.
func base64End(t string, at int) int {
	for begin := at; ; {
		end := run(t, at, alnum|under, "+/", 2*maxBlock)
		next := skip(t, end+1, blank, 40)
		goesOn := end-at >= 40 && strings.HasPrefix(t[end:], "\n") && run(t, next, alnum, "+/", 4) == next+4
		if !goesOn || end-begin > 2*maxBlock {
			return end
		}
		at = next
	}
}
