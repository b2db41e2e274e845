package claudecli

import (
	"cmp"
	"strings"

	"recall/internal/llm"
	"recall/internal/text"
)

// systemPrompt returns the system prompt; without one, the program would use its own for a
// coding agent with tools.
func systemPrompt(r llm.Request) string {
	return cmp.Or(r.System, "Answer the request.")
}

// joiner is invisible. It separates an @ from a path and is removed from the answer.
const joiner = "\u2060"

// pathMention matches an @ before a path that may lead out of the empty folder. The program
// would read that file and include it in the request; the variable that should prevent it
// is undocumented.
var pathMention = text.Pattern(`@(["'/\\~]|[A-Za-z]:|\S*\.\.)`)

// userPrompt returns the program's input. The program takes a text that begins with / for one
// of its commands.
func userPrompt(o Options, r llm.Request) string {
	p := pathMention().ReplaceAllString(r.Prompt, "@"+joiner+"$1")
	if strings.HasPrefix(strings.TrimSpace(p), "/") {
		p = "The request:\n" + p
	}
	if r.Schema != nil && toldSchema(o, r) {
		p += r.Schema.Told()
	}
	return p
}

// withoutJoiners removes from an answer what userPrompt inserted.
func withoutJoiners(text string) string {
	if !strings.Contains(text, "2060") && !strings.Contains(text, joiner) {
		return text
	}
	return strings.NewReplacer("@"+joiner, "@", `@\u2060`, "@").Replace(text)
}
