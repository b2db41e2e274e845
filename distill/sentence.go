package distill

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/text"
)

var (
	codeSpan  = text.Pattern("`[^`\n]*`|\"[^\"\\n]{1,3}\"")
	numbering = text.Pattern(`(?:^|[\s,;])(?:[0-9]{1,2}|[a-zA-Z]|[:;]-?)$`)
	// leftOpen matches an end that something must follow.
	leftOpen = text.Pattern(`(?i)(?:[:,;(\[{—–-]|\b(?:a|an|the|of|to|for|with|without|and|or|but|since|because|` +
		`which|from|into|than|via|its|their|when|while|if))\s*\.?$`)
	// pointsBack matches a beginning that says nothing alone.
	pointsBack = text.Pattern(`(?i)^(?:and |but |so |or |then )?(?:(?:it|this|that|these|those|they)(?:['’](?:s|re|ll|` +
		`d))?\s+(?:\w+ly |also |just |now )?(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|should|must|` +
		`may|might|means?|rules?|makes?|knows?|works?|fails?|gets?|keeps?|essentially|exactly)\b|(?:it|that|this|` +
		`they)['’](?:s|re|ll|d)\b|i mean\b)`)
	// pointsOut matches such a beginning that names what it is of: "it isn't the lock",
	// "it was the proxy that …".
	pointsOut = text.Pattern(`(?i)^(?:it|that|this)(?: is| was|['’]s)?(?:n['’]t| isn['’]t| wasn['’]t| not) ` +
		`(?:the|a|an|our|because|due)\b|^it (?:is|was) .{0,40}\bthat\b`)
)

// adrift reports whether a claim can't be read without what stood before it.
func adrift(claim string) bool {
	return pointsBack().MatchString(claim) && !pointsOut().MatchString(claim)
}

// half reports whether a text is cut: a bracket or a code span is left open, or
// something must follow its end.
func half(claim string) bool {
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

var (
	deniesFact = text.Pattern(`(?i)\b(?:is|are|was|were|has|have|do|does|did|can|could|will|would|may)(?: \w+)? ` +
		`(?:\*\*)?(?:not|never|no)(?:\*\*)?\b|\b(?:is|are|was|were|has|have|do|does|did|ca|could|wo|would)n['’]t\b|` +
		`\bcannot\b|\bnot (?:accurate|true|correct|so|the case|atomic|supported|possible)\b`)
	// verdict matches what is said of a thing that is not taken, or not to blame:
	// that rules it out.
	verdict = text.Pattern(`(?i)(?:not|n['’]t|cannot|never)(?:\*\*)?\s+(?:\w+ ` +
		`)?(?:it\b|help|work|fit|pay|scale|suffice|solve|fix|worth|an option|enough|viable|need|want|use|go with|do it|do ` +
		`this|do that|like|the cause|the culprit|the reason|the problem|why|responsible|caus|to ` +
		`blame|our|taken|chosen|kept|used|built|done|an? good|acceptable|necessary|involved|related)`)
	alsoWorks = text.Pattern(`(?i)[,;:] .*\bworks?\b`)
	anAside   = text.Pattern(`(?i)^(?:unfortunately|sadly|actually|indeed|well|so|but|and|ok|okay|right|hm+|turns ` +
		`out|it turns out(?: that)?)\b[,:]?\s+`)
	firstClause = text.Pattern(`\s[—–-]\s|;|: | \(|,? (?:because|since)\b`)
)

// saysFact reports whether the words of something ruled out are a statement of what
// is not so, or of what is so beside: "a push is not atomic", "10k fails, 5k works".
// "The lock isn't the cause" and "a cache doesn't help" rule something out.
func saysFact(claim string) bool {
	main := claim
	if at := firstClause().FindStringIndex(main); at != nil && at[0] > 12 {
		main = main[:at[0]]
	}
	if verdict().MatchString(main) || pointsOut().MatchString(main) {
		return false
	}
	return deniesFact().MatchString(main) || deniesFact().MatchString(claim) &&
		strings.HasPrefix(strings.TrimSpace(claim), `"`) || alsoWorks().MatchString(claim)
}

// withoutLead leaves out how a sentence took up what was said before it.
func withoutLead(claim string) string { return upperFirst(anAside().ReplaceAllString(claim, "")) }

func upperFirst(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if _, n := utf8.DecodeRuneInString(s); strings.ContainsAny(word, "_./-(") ||
		strings.IndexFunc(word[n:], unicode.IsUpper) >= 0 {
		return s
	}
	return text.Capital(s)
}

var stress = strings.NewReplacer("**", "", "__", "")

// plainText is a text without marks of stress, on one line.
func plainText(s string) string {
	return text.OneLine(stress.Replace(s))
}

// quoteOf is the first line of a text as evidence.
func quoteOf(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return text.HeadWords(strings.TrimSpace(line), MaxQuote)
}

func firstSentence(s string) string {
	if at := sentences().FindStringIndex(s); at != nil {
		return strings.TrimSpace(s[at[0]:at[1]])
	}
	return s
}

// content are the stems of a text's words of content, in order.
func content(s string) []string {
	out := text.Content(s)
	for i, w := range out {
		out[i] = text.Stem(w)
	}
	return out
}
