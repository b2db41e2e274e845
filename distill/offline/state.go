package offline

import (
	"strings"

	"recall/internal/text"
	"recall/payload"
)

var (
	// unfinished matches words that say that something isn't finished.
	unfinished = text.Pattern(`(?i)\b(?:not (?:\w+ ){0,3}(?:yet|done|finished|completed?|implemented|working)|` +
		`\w+n['’]t (?:\w+ ){0,3}(?:yet|done|finished|completed?|implemented|working)|incomplete|unfinished|` +
		`stub(?:s|bed)?|half[- ]?(?:done|finished|way|there)|in progress|wip|(?:is|are) missing|` +
		`still (?:to do|needs?|missing|fails?|failing|broken|open)|noch nicht|unfertig|fehl(?:t|en))\b`)
	// finished matches what follows a file's name if that is said to be done.
	finished = text.Pattern(`(?i)^\W*(?:is|ist) (?:now |jetzt )?(?:done|complete|finished|ready|fertig)\b`)
	// ofMore matches words by which a sentence speaks of other things too, or of none.
	ofMore = text.Pattern(`(?i)\b(?:only|all|none|nothing|others?|rest|everything|except|but|nur|alle|außer)\b`)
)

// stateOf returns how far a file is by a sentence that names it, alone or among others: not finished if the sentence
// says so before it speaks of more; done if it says that of the very name, and speaks of nothing more.
func stateOf(s *sentence, name string, alone bool) string {
	_, after, _ := strings.Cut(s.text, name)
	open := unfinished().FindStringIndex(s.text)
	switch {
	case open != nil && alone && !ofMore().MatchString(s.text[:open[0]]):
		return payload.FileProgress
	case open == nil && name != "" && finished().MatchString(after) && !ofMore().MatchString(s.text):
		return payload.FileDone
	}
	return ""
}

// stated is what a report says of how far a file is.
type stated struct {
	by    *speech
	in    *sentence
	state string
}
