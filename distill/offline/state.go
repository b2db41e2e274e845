package offline

import (
	"strings"
	"unicode"

	"recall/internal/text"
	"recall/payload"
)

var (
	// unfinished matches words that say that something isn't finished.
	unfinished = text.Pattern(`(?i)\b(?:(?:not|\w+n['’]t) (?:(?:\w+ ){0,6}yet|` +
		`(?:\w+ ){0,3}(?:done|finished|completed?|implemented|working))|incomplete|unfinished|` +
		`stub(?:s|bed)?|half[- ]?(?:done|finished|way|there)|in progress|wip|(?:is|are) missing|` +
		`still (?:to do|needs?|missing|fails?|failing|broken|open)|` +
		`noch nicht|unfertig|in arbeit|fehl(?:t|en)|schlägt fehl|todavía no|aún no|pas encore)\b|` +
		`还没|尚未|未完成|进行中|まだ|未完了|途中`)
	// untouched matches words that say that nothing was done to something.
	untouched = text.Pattern(`(?i)(?:\b(?:not|never)|n['’]t) (?:\w+ ){0,2}touch(?:ed)?\b|\buntouched\b|` +
		`\bleft (?:\S+ ){0,3}(?:alone|as is)\b|\bnicht (?:angefasst|angerührt)\b|没动|未改动|触っていな|触っていません`)
	ofUntouched = []string{"touch", "left", "nicht", "没动", "未改动", "触"} // one of which it has
	// changes matches what says, before a file's name, what was done to it.
	changes = text.Pattern(`(?i)^\W*(?:updated|added|created|wrote|changed|fixed|removed|renamed|moved|extended)\b`)
	// finished matches what follows a file's name if that is said to be done.
	finished = text.Pattern(`(?i)^\W*(?:is|ist) (?:now |jetzt )?(?:done|complete|finished|ready|fertig)\b`)
	// listed matches a heading that says no more than how far something is.
	listed = text.Pattern(`(?i)^\W*(?:already |now |still )?(?:` +
		`(done|completed?|finished|implemented|fertig|erledigt)|` +
		`(?:work )?in progress|in arbeit|wip|half[- ]?(?:done|way|finished)|partly done|open|to ?do|offen|` +
		`not (?:yet )?(?:started|begun|done|finished)|noch nicht (?:begonnen|angefangen))` +
		`(?: (?:so far|now|yet))?\W*$`)
	ofMore = text.Pattern(`(?i)\b(?:only|all|none|nothing|others?|rest|everything|except|nur|alle|außer)\b`)
)

// stateOf returns how far a file is by a sentence that names it, alone or among others: not finished if the sentence
// says so before it speaks of more; done if it says that of the very name, and speaks of nothing more.
func stateOf(s *sentence, name string, alone bool) string {
	before, after, _ := strings.Cut(s.text, name)
	said, _, _ := strings.Cut(after, ",")
	open := unfinished().FindStringIndex(s.text)
	if changes().MatchString(before) { // "updated X, which says what isn't there yet"
		open = nil
	}
	switch {
	case open != nil && alone && !ofMore().MatchString(clauseBefore(s.text[:open[0]])):
		return payload.FileProgress
	case open == nil && name != "" && finished().MatchString(after) && !ofMore().MatchString(before+said):
		return payload.FileDone
	}
	return ""
}

// clauseBefore returns the end of a text from its last comma.
func clauseBefore(s string) string { return s[strings.LastIndexAny(s, ",;")+1:] }

// labelled returns how far something is by the heading above a list's first item, or by the label with which a sentence
// begins: "Not started: the admin page".
func (s *sentence) labelled() string {
	label, _, ok := strings.Cut(s.text, ":")
	if s.head != nil {
		label, ok = s.head.text, true
	}
	switch m := listed().FindStringSubmatch(label); {
	case !ok || m == nil || asks(s.text) || strings.IndexFunc(label, unicode.IsLetter) != 0:
		return ""
	case m[1] == "":
		return payload.FileProgress
	}
	return payload.FileDone
}

// stated is what a report says of how far a file is.
type stated struct {
	by    *speech
	in    *sentence
	state string
}
