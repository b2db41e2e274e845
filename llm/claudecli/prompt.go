package claudecli

import (
	"cmp"
	"strings"

	"recall/llm"
	"recall/text"
)

// systemOf is what the program gets as its system prompt; without one it would
// have its own, which is that of a programmer with tools.
func systemOf(r llm.Request) string {
	return cmp.Or(r.System, "Answer the request.")
}

// joiner parts an @ from a path, unseen, and is taken out of the answer.
const joiner = "\u2060"

// mention is an @ before a path that may lead out of the empty folder. The
// program reads the file and puts it into the request; that it can be told not
// to by a variable isn't documented.
var mention = text.Pattern(`@(["'/\\~]|[A-Za-z]:|\S*\.\.)`)

// promptOf is what the program gets on its input. It takes a text that begins
// with / for a command of its own.
func promptOf(o Options, r llm.Request) string {
	p := mention().ReplaceAllString(r.Prompt, "@"+joiner+"$1")
	if strings.HasPrefix(strings.TrimSpace(p), "/") {
		p = "The request:\n" + p
	}
	if r.Schema != nil && toldSchema(o, r) {
		p += r.Schema.Told()
	}
	return p
}

// unjoined is an answer without what promptOf put between.
func unjoined(text string) string {
	if !strings.Contains(text, "2060") && !strings.Contains(text, joiner) {
		return text
	}
	return strings.NewReplacer("@"+joiner, "@", `@\u2060`, "@").Replace(text)
}
