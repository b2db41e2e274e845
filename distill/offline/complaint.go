package offline

import (
	"strings"

	"recall/distill/offline/cue"
)

// Who asks for help with an error pastes it: what it says tells more than "I get
// this error", and is what somebody will search for.

var (
	speaksOfError = cue.One(`(?i)\b(?:errors?|fail(?:s|ed|ing|ure)?|crash(?:es|ed|ing)?|exceptions?|panics?|broken|warnings?)\b`)
	promptLine    = cue.One(`(?m)^[ \t]*(?:[❯➜$%]|>>>?)[ \t]+(\S.*?)[ \t]*\n+[ \t]*(\S.*?)[ \t]*$`)
	logged        = cue.One(`(?i)\b(?:error|err|msg|message)=("(?:[^"\\]|\\.)+"|\S+)`)
	errorLine     = cue.One(`(?m)^[ \t]*((?:\w+(?:Error|Exception)|(?i:error|fatal|panic))(?:\[[^\]\n]*\])?: \S.*?)[ \t]*$`)
	whereabouts   = cue.One(`https?://\S+|\[[^\[\]\n]*\]|\bat \S+:\d+\S*`)
)

// pastedError is what the error says that somebody pasted into a request, after
// the command that brought it, if that is there; "" if there is none.
func pastedError(text string) string {
	if !speaksOfError.MatchString(text) {
		return ""
	}
	if m := promptLine.FindStringSubmatch(text); m != nil && len(m[1]) < 100 {
		if g := gist(m[2]); g != "" {
			return "`" + strings.ReplaceAll(m[1], "`", "") + "`: " + g
		}
	}
	for _, re := range []*cue.Regexp{logged, errorLine} {
		if m := re.FindStringSubmatch(text); m != nil {
			return gist(strings.Trim(m[1], `"`))
		}
	}
	return ""
}

// gist is the innermost part of an error: what was wrapped, without where it was.
func gist(s string) string {
	s = strings.Trim(oneLine(whereabouts.ReplaceAllString(plain(firstSentence(s)), " ")), " .:;,")
	steps := strings.Split(s, ": ")
	from := len(steps)
	for from > 0 && len(keywords(strings.Join(steps[from:], ": "))) < 4 {
		from--
	}
	if g := strings.TrimSpace(strings.Join(steps[from:], ": ")); len(keywords(g)) >= 2 && len(g) < 160 {
		return g
	}
	return ""
}
