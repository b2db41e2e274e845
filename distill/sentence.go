package distill

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/internal/text"
)

var (
	codeSpan  = text.Pattern("`[^`\n]*`|\"[^\"\\n]{1,3}\"")
	numbering = text.Pattern(`(?:^|[\s,;])(?:[0-9]{1,2}|[a-zA-Z]|[:;]-?)$`)
	// leftOpen matches an ending that needs a continuation. A full sentence may end in a preposition, or in a name such
	// as "Offer A".
	leftOpen = text.Pattern(`(?:[:,;(\[{—–-]|\b(?:a|(?i:an|the|and|or|but|since|because|which|than|via|its|their|when|` +
		`while|if)))\s*\.?$|\b(?i:of|to|for|with|from|into)$`)
	// pointsBack matches a beginning that makes no sense on its own.
	pointsBack = text.Pattern(`(?i)^(?:and |but |so |or |then )?(?:(?:it|this|that|these|those|they)(?:['’](?:s|re|ll|` +
		`d))?\s+(?:\w+ly |also |just |now )?(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|should|must|` +
		`may|might|means?|rules?|makes?|knows?|works?|fails?|gets?|keeps?|essentially|exactly)\b|(?:it|that|this|` +
		`they)['’](?:s|re|ll|d)\b|i mean\b|(?:the )?same (?:as|here|thing)\b|as (?:above|before)\b|ditto\b|dito\b|` +
		`(?:wie|siehe) oben\b|(?:das|dies|es) (?:ist|war|wäre|hat|geht|kann|muss|soll|sollte|wird)\b)`)
	// pointsOut matches such a beginning that does name its subject: "it isn't the lock",
	// "it was the proxy that …", "this is how we find out: print the time".
	pointsOut = text.Pattern(`(?i)^(?:it|that|this)(?: is| was|['’]s)?(?:n['’]t| isn['’]t| wasn['’]t| not) ` +
		`(?:the|a|an|our|because|due)\b|^it (?:is|was) .{0,40}\bthat\b|` +
		`^(?:and |but |so |or |then )?th(?:is|ese) (?:is|are) (?:how|what|where|why|the|my|our)\b[^.:]*: \w`)
)

// NeedsContext reports whether a claim can't be understood without what came before it.
func NeedsContext(claim string) bool {
	return pointsBack().MatchString(claim) && !pointsOut().MatchString(claim)
}

// isCutOff reports whether a text is cut off: it leaves a bracket or code span open, or its
// ending needs a continuation.
func isCutOff(claim string) bool {
	claim = strings.TrimSpace(claim)
	if claim == "" {
		return false
	}
	if strings.Count(claim, "`")%2 == 1 {
		return true
	}
	bare := codeSpan().ReplaceAllString(claim, "code")
	return !balanced(bare) || leftOpen().MatchString(bare)
}

func balanced(s string) bool {
	var open []rune
	for i, r := range s {
		switch r {
		case '(', '[', '{', '“':
			open = append(open, r)
		case ')', ']', '}', '”':
			want := map[rune]rune{')': '(', ']': '[', '}': '{', '”': '“'}[r]
			if r == ')' && len(open) == 0 && numbering().MatchString(s[:i]) {
				continue // "1) …", ":)"
			}
			if len(open) == 0 || open[len(open)-1] != want {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}

func upperFirst(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if _, n := utf8.DecodeRuneInString(s); strings.ContainsAny(word, "_./-(") ||
		strings.IndexFunc(word[n:], unicode.IsUpper) >= 0 {
		return s
	}
	return text.Capital(s)
}

var stress = strings.NewReplacer("**", "", "__", "")

// plainText returns a text on one line, without emphasis marks.
func plainText(s string) string {
	return text.OneLine(stress.Replace(s))
}

// content returns the stems of a text's content words, in order.
func content(s string) []string {
	out := text.Content(s)
	for i, w := range out {
		out[i] = text.Stem(w)
	}
	return out
}

// takesIn reports whether a claim says of what a text excepts what that says of all else.
func takesIn(claim, said string) bool {
	at := exception().FindStringSubmatchIndex(said)
	if at == nil || exception().MatchString(claim) || conditional().MatchString(said[at[0]:]) {
		return false
	}
	words := read(claim)
	lacks := func(w string) bool {
		return !slices.ContainsFunc(words, func(o sayWord) bool { return o.stem == w && o.clause == 0 })
	}
	no := func(s string) bool { return slices.ContainsFunc(strings.Fields(strings.ToLower(s)), denies) }
	left := content(said[at[2]:at[3]])
	return len(left) > 0 && !slices.ContainsFunc(left, lacks) && no(claim) == no(said[:at[0]])
}

// sentenceOf returns the sentences of a text that a quote is from.
func sentenceOf(said, quote string) string {
	i := strings.Index(said, quote)
	if i < 0 || quote == "" {
		return quote
	}
	from, to := i, i+len(quote)
	ends := func(k int) bool { // whether a sentence ends before k
		return strings.IndexByte(".!?;", said[k-1]) >= 0 && (said[k] == ' ' || said[k] == '\n') ||
			said[k] == '\n' && !continues(said[k+1:])
	}
	for from > 0 && !ends(from) {
		from--
	}
	for to < len(said) && !ends(to) {
		to++
	}
	return said[from:to]
}

// continues reports whether a line goes on with the sentence of the line above.
func continues(line string) bool {
	r, _ := utf8.DecodeRuneInString(line)
	return unicode.IsLower(r)
}
