package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/ingest"
	"recall/payload"
)

// A compaction summary is the client's own account of what came before. Where
// those lines are gone it is all there is of them.

// lostBefore is the summary that a session begins with, nil if the lines that
// it sums up are there.
func lostBefore(s *ingest.Session) *ingest.Turn {
	for i := range s.Turns {
		t := &s.Turns[i]
		switch {
		case t.Abandoned || t.Copied:
		case t.Kind == ingest.Summary:
			return t
		case t.Kind == ingest.Prompt, t.Kind == ingest.Message, t.Kind == ingest.PlanTurn:
			return nil
		}
	}
	return nil
}

var (
	chapterLine = cue.One(`^\s*(?:#{1,4}\s*)?(?:\*\*)?(?:\d{1,2}[.)]\s*)?(?:\*\*)?([A-Z][A-Za-z /&-]{3,40}?):?(?:\*\*)?:?\s*$`)
	chapterSays = cue.One(`^\s*(?:\d{1,2}[.)]\s*)(?:\*\*)?([A-Z][A-Za-z /&-]{3,40}?):(?:\*\*)?\s+(\S.*)$`)
	bulletMark  = cue.One(`^\s*(?:[-*+•]|\d{1,2}[.)])\s+`)
	nothingLeft = cue.One(`(?i)^(?:none|no |nothing|n/a|all (?:tasks|items|work)\b.*(?:done|complete))`)
)

// chapterOf lists the lines of a summary under a heading, as they stand there.
func chapterOf(summary string, heading *cue.Regexp) []string {
	var out []string
	in := false
	for _, line := range strings.Split(summary, "\n") {
		if m := chapterSays.FindStringSubmatch(line); m != nil {
			if in = heading.MatchString(m[1]); in {
				out = append(out, strings.TrimSpace(m[2]))
			}
			continue
		}
		if m := chapterLine.FindStringSubmatch(line); m != nil && !bulletMark.MatchString(strings.TrimLeft(line, " ")) || m != nil && strings.HasSuffix(strings.TrimSpace(line), ":") {
			in = heading.MatchString(m[1])
			continue
		}
		if text := strings.TrimSpace(bulletMark.ReplaceAllString(line, "")); in && text != "" {
			out = append(out, text)
		}
	}
	return out
}

var (
	intentChapter  = cue.One(`(?i)^primary request|^(?:current |main )?(?:goal|task|intent)`)
	pendingChapter = cue.One(`(?i)^pending tasks?|^(?:open|remaining) (?:tasks?|work|items?)|^to-?dos?`)
	nextChapter    = cue.One(`(?i)^(?:optional )?next steps?`)
)

// summaryGoal is the goal as a summary states it, where what it sums up is gone.
func summaryGoal(t *talk) (payload.Item, bool) {
	turn := lostBefore(t.session)
	if turn == nil {
		return payload.Item{}, false
	}
	for _, line := range chapterOf(turn.Text, intentChapter) {
		if said := firstSentence(line); len(keywords(said)) >= 3 {
			return turnItem(payload.Goal, "summary", payload.ByAssistant, turn, shorten(tidy(plain(said))), clip(said)), true
		}
	}
	return payload.Item{}, false
}

// mostPending is how many open tasks a summary may yield.
const mostPending = 4

// leftOver makes next items of what a summary says is pending, where the lines
// before it are gone and nothing said since takes it up.
func leftOver(t *talk) []payload.Item {
	turn := lostBefore(t.session)
	if turn == nil {
		return nil
	}
	var out []payload.Item
	lines := append(first1(chapterOf(turn.Text, nextChapter)), chapterOf(turn.Text, pendingChapter)...)
	for _, line := range lines {
		said := firstSentence(line)
		keys := keywords(said)
		if len(out) == mostPending || len(keys) < 2 || nothingLeft.MatchString(line) || t.takenUp(keys) {
			continue
		}
		it := turnItem(payload.Next, "summary", payload.ByAssistant, turn, shorten(tidy(plain(said))), clip(said))
		it.About = about(said)
		if !saidIn(out, it) {
			out = append(out, it)
		}
	}
	return out
}

func first1(lines []string) []string { return lines[:min(1, len(lines))] }

// takenUp tells whether a message of the assistant's has most of these words.
func (t *talk) takenUp(keys terms) bool {
	for _, sp := range t.speeches {
		for i := range sp.parts {
			if !sp.user && share(keys, sp.parts[i].keys()) >= 0.5 {
				return true
			}
		}
	}
	return false
}
