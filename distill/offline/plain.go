package offline

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/distill/offline/cue"
)

var (
	mdLink   = cue.One(`!?\[([^\]\n]+)\]\((?:[^()\s]|\([^()]*\))+\)`)
	mdStrong = cue.One(`\*\*([^*\n]+?)\*\*|__([^_\n]+?)__`)
	mdEm     = cue.One(`(^|[\s("'—–-])[*_]([^*_\n` + "`" + `]+?)[*_]([\s.,;:!?)"'—–-]|$)`)
	mdStrike = cue.One(`~~([^~\n]+)~~`)
	htmlTag  = cue.One(`</?(?:b|i|em|strong|br|p|code|kbd|details|summary)\s*/?>`)
	leadMark = cue.One(`^(?:[✓✔✅❌✗☑⚠️🎉👍→➜•·]|[\x{1F300}-\x{1FAFF}])+\s*`)
)

// plain is a stretch of Markdown as plain words on one line. Code marks stay:
// they tell names from words.
func plain(s string) string {
	if strings.ContainsAny(s, "[<~*_") { // most sentences have none
		if strings.Contains(s, "](") {
			s = mdLink.ReplaceAllString(s, "$1")
		}
		if strings.IndexByte(s, '<') >= 0 {
			s = htmlTag.ReplaceAllString(s, " ")
		}
		if strings.Contains(s, "~~") {
			s = mdStrike.ReplaceAllString(s, "$1")
		}
		if strings.Contains(s, "**") || strings.Contains(s, "__") {
			s = mdStrong.ReplaceAllString(s, "$1$2")
			s = strings.ReplaceAll(s, "**", "")
		}
		if strings.ContainsAny(s, "*_") {
			s = mdEm.ReplaceAllString(s, "$1$2$3")
		}
	}
	s = strings.TrimSpace(oneLine(s))
	if s == "" || s[0] < utf8.RuneSelf { // no mark is ASCII
		return s
	}
	return strings.TrimSpace(leadMark.ReplaceAllString(s, ""))
}

// oneLine makes each stretch of white space one blank.
func oneLine(s string) string {
	at := 0
	for at < len(s) && !(blank(s[at]) && (s[at] != ' ' || at+1 < len(s) && blank(s[at+1]))) {
		at++
	}
	if at == len(s) {
		return s // as most sentences are
	}
	b := append(make([]byte, 0, len(s)), s[:at]...)
	for ; at < len(s); at++ {
		switch {
		case !blank(s[at]):
			b = append(b, s[at])
		case at == 0 || !blank(s[at-1]):
			b = append(b, ' ')
		}
	}
	return string(b)
}

// blank tells what is white space in a pattern.
func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// fillers are words that open a sentence in talk and carry nothing.
var fillers = cue.One(`(?i)^(?:(?:ok(?:ay)?|oki|alright|right|yes|yeah|yep|yup|sure|great|perfect|cool|nice|awesome|thanks|thank you|thx|hm+|hmm+|ah+|oh|well|so|and|but|also|then|now|anyway|btw|by the way|actually|basically|honestly|sorry|please|pls|done|got it|good (?:call|point|catch|question|idea)|fair enough|agreed|exactly|correct|understood|makes sense|all good|sounds good|no worries|hey|hi|hello|just|no|nope|stop|however|first|second|finally|one more(?: thing)?|fyi|quick question|again)\s*(?:[,:;!.—–-]+\s+|\s+(?:—|–|-)\s+)|(?:ok(?:ay)?|yes|yeah|so|and|but|well|hm+|also|then|sorry|oh|ah)\s+)`)

// tidy makes a stated sentence fit to stand alone: fillers off its beginning, a
// capital there and a full stop at its end.
func tidy(s string) string {
	s = strings.TrimSpace(s)
	for i := 0; i < 4; i++ {
		t := strings.TrimSpace(fillers.ReplaceAllString(s, ""))
		if t == s || len(t) < 12 {
			break
		}
		s = t
	}
	s = strings.TrimLeft(s, "—–-:;,. ")
	s = strings.TrimRight(s, " \t:;,—–-")
	if s == "" {
		return ""
	}
	s = upperFirst(s)
	if last, _ := utf8.DecodeLastRuneInString(s); !strings.ContainsRune(".!?…。！？｡", last) {
		s += "."
	}
	return s
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if !unicode.IsLower(r) {
		return s
	}
	for w := range strings.FieldsSeq(s) {
		if looksLikeName(w) {
			return s // "go.mod", "iPhone", "test-harness.sh" keep their own case
		}
		break
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// maxText is the longest that an item's text gets, in bytes: the payload's
// lines are to be read at a glance.
const maxText = 280

// shorten cuts an overlong sentence at the end of a clause.
func shorten(s string) string {
	if len(s) <= maxText {
		return s
	}
	cut := -1
	for _, sep := range []string{"; ", " — ", " – ", ". ", ", which ", ", so ", ", and ", ", but ", " (", ", ", ": "} {
		if i := strings.LastIndex(s[:maxText], sep); i > maxText/3 && balanced(s[:i]) {
			cut = i
			break
		}
	}
	if cut < 0 {
		cut = strings.LastIndexByte(s[:maxText-3], ' ')
		if cut < 0 {
			for cut = maxText - 4; !utf8.RuneStart(s[cut]); cut-- {
			}
		}
		return strings.TrimRight(s[:cut], " ,;:—–-(") + "…"
	}
	return strings.TrimRight(s[:cut], " ,;:—–-(") + "."
}

func balanced(s string) bool {
	return strings.Count(s, "`")%2 == 0 && strings.Count(s, "(") == strings.Count(s, ")") && strings.Count(s, `"`)%2 == 0
}

const becauseCut = `(?i)[,;]?\s+(?:—\s+|–\s+|- )?(?:because|since|as otherwise|given that|due to the fact that|the reason being|reason:)\s+|[,;]\s+(?:as|so that|so)\s+|\s+(?:so that|in order to|to avoid)\s+`

var becauseHere = cue.One(`^(?:` + becauseCut + `)`)

// joint finds where becauseCut matches first. Its matches begin with white space
// before one of a few words: regexp is asked there, rather than everywhere.
func joint(s string) []int {
	for i := 0; i < len(s); i++ {
		k := i
		for k < len(s) && joins[s[k]] {
			k++
		}
		if k == i || !startsReason(s[k:]) {
			i = max(i, k-1)
			continue
		}
		for ; i < k; i++ {
			if loc := becauseHere.FindStringIndex(s[i:]); loc != nil {
				return []int{i, i + loc[1]}
			}
		}
		i--
	}
	return nil
}

// joins are the bytes that a match of becauseCut begins with.
var joins = [256]bool{',': true, ';': true, ' ': true, '\t': true, '\n': true, '\f': true, '\r': true}

// reasonStarts are the words that may follow those, by their first byte.
var reasonStarts = func() (by [256][]string) {
	for _, w := range strings.Split("because|since|as|given that|due to|the reason|reason:|so|in order|to avoid|- ", "|") {
		by[w[0]] = append(by[w[0]], w)
	}
	return by
}()

// startsReason tells whether a reason may begin here: all but ASCII may.
func startsReason(s string) bool {
	if s == "" || s[0] >= utf8.RuneSelf {
		return s != ""
	}
	for _, w := range reasonStarts[s[0]|0x20] {
		n := 1
		for n < len(w) && n < len(s) && s[n]|0x20 == w[n]|0x20 {
			n++
		}
		if n == len(w) || n < len(s) && s[n] >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// inTime matches what follows a "since" that tells a time.
var inTime = cue.One(`(?i)^(?:v?\d|the (?:(?:last|first) (?:release|version|week|month|deploy|commit|sync)|beginning|start|release|update|upgrade|deploy)|last|yesterday|today|this (?:morning|week|month)|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|repo)\b`)

// splitWhy parts a sentence from the reason given in it.
func splitWhy(s string) (text, why string) {
	loc := joint(s)
	if loc == nil {
		return s, ""
	}
	head, tail := s[:loc[0]], s[loc[1]:]
	by := strings.ToLower(strings.TrimSpace(s[loc[0]:loc[1]]))
	if fields(head, 3) < 3 || fields(tail, 3) < 3 || !balanced(head) {
		return s, ""
	}
	switch {
	case strings.HasSuffix(by, "since") && inTime.MatchString(tail):
		return s, "" // from then on
	case strings.HasSuffix(by, "so that"), strings.HasSuffix(by, "to avoid"), strings.HasSuffix(by, "in order to"):
		return s, "" // what it is for is part of what it says
	case strings.HasSuffix(by, "so"):
		return s, "" // a consequence, not a reason
	}
	return strings.TrimSpace(head), strings.TrimRight(upperFirst(strings.TrimSpace(tail)), ". ")
}

// smallLetters tells what is an ordinary word at first sight.
func smallLetters(w string) bool {
	for i := 0; i < len(w); i++ {
		if w[i] < 'a' || w[i] > 'z' {
			return false
		}
	}
	return true
}

// trimMarks is strings.Trim for marks, of which most words have none.
func trimMarks(w, marks string) string {
	if w != "" && letterOrDigit(w[0]) && letterOrDigit(w[len(w)-1]) {
		return w
	}
	return strings.Trim(w, marks)
}

func letterOrDigit(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' }

// looksLikeName tells paths, flags, symbols and versions from words.
func looksLikeName(w string) bool {
	if smallLetters(w) {
		return false
	}
	w = trimMarks(w, "\"'()[]{}<>,;:.!?…“”‘’")
	if strings.HasPrefix(w, "`") || strings.HasPrefix(w, "--") {
		return true
	}
	hump := false
	for i, r := range w {
		switch {
		case strings.ContainsRune("_/\\=@.", r) && i > 0 && i < len(w)-1:
			return true
		case unicode.IsUpper(r) && i > 0 && strings.IndexFunc(w, unicode.IsLower) >= 0:
			hump = true
		}
	}
	return hump
}
