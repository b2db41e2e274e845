package claudecode

import (
	"strings"

	"recall/ingest"
)

// Refusal reports whether a tool's result is a refusal, whose, and the person's words with it. Only its beginning
// counts: output can quote the sentences.
func Refusal(text string) (v ingest.Verdict, reason string) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "Error: "))
	opens := func(sentence string) bool {
		return strings.HasPrefix(text, sentence) || strings.HasPrefix(text, strings.ReplaceAll(sentence, "'", "’"))
	}
	switch {
	case opens("The user doesn't want to proceed with this tool use."), opens("Permission for this tool use was denied."):
		return rejection(text)
	case opens("User rejected tool use"), opens("The agent proposed a plan that was rejected by the user."):
		return ingest.Rejected, ""
	case opens("The user wants to clarify these questions"):
		return ingest.Clarify, answeredSoFar(text)
	case opens("The user doesn't want to take this action right now."), opens("Permission for this action was denied"),
		opens("Permission to use ") && strings.Contains(text, "has been denied"):
		return ingest.Denied, ""
	}
	return ingest.Unasked, ""
}

// reasonMarks stand before the person's words in a refusal.
var reasonMarks = []string{
	"To tell you how to proceed, the user said:",
	"The user provided the following reason for the rejection:",
	"The user said:",
}

func rejection(text string) (ingest.Verdict, string) {
	for _, mark := range reasonMarks {
		if _, reason, ok := strings.Cut(text, mark); ok {
			reason = strings.TrimSpace(reason)
			if strings.HasPrefix(reason, "The user wants to clarify these questions") {
				return ingest.Clarify, answeredSoFar(reason)
			}
			return ingest.Rejected, cutNote(reason)
		}
	}
	if strings.HasPrefix(text, "Permission for this tool use was denied.") {
		return ingest.Denied, ""
	}
	return ingest.Rejected, ""
}

// answeredSoFar is what a person had answered before they wanted to talk: all else said then is the client's.
func answeredSoFar(text string) string {
	var said []string
	for line := range strings.Lines(text) {
		if answer, ok := strings.CutPrefix(strings.TrimSpace(line), "Answer: "); ok {
			said = append(said, answer)
		}
	}
	return strings.Join(said, "\n")
}

// cutNote takes the client's own note off the end of a reason.
func cutNote(reason string) string {
	if before, _, ok := strings.Cut(reason, "\n\nNote: The user's next message"); ok {
		return strings.TrimSpace(before)
	}
	return reason
}

// keepWhole reports whether a result must not be clipped: it holds a person's words or a plan.
func keepWhole(head string) bool {
	head = strings.TrimSpace(strings.TrimPrefix(head, "Error: "))
	for _, opening := range wholeOpenings {
		if strings.HasPrefix(head, opening) {
			return true
		}
	}
	return false
}

var wholeOpenings = []string{
	"The user ", "User has ", "User rejected", "Your questions have", "Permission for this", "The agent proposed",
	"Your plan has",
}
