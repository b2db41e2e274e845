package history

import (
	"strings"

	"recall/internal/text"
	"recall/payload"
)

// rename matches an order that puts another name in a name's place: "rename pkg/a to a", "find b.org/x and replace it
// with b.org/y", "we moved from c/d to c/e". It is what stands before the new name, with the old one, and the new name.
var rename = text.Pattern(`(?i)^(.*\b(?:renam|replac|chang|mov|switch|migrat)(?:e|es|ed|ing|ion)?\b.*?)` +
	"\\s(?:to|with|by|into)\\s+[`'\"]?([^\\s`'\",;:()?!]+)")

// wishes matches a question that asks for something to be done; others only weigh it.
var wishes = text.Pattern(`(?i)\b(?:can|could|would|will) you\b`)

// renamed returns the name that a person's sentence gives up for another of the same form, and the other.
func renamed(said string) (from, to string) {
	m := rename().FindStringSubmatch(said)
	if m == nil || strings.HasSuffix(said, "?") && !wishes().MatchString(said) {
		return "", ""
	}
	to, isCode := bareName(m[2])
	for word := range strings.FieldsSeq(m[1]) {
		if name, ok := bareName(word); ok {
			from = name // the nearest to the new one
		}
	}
	sameForm := strings.Contains(from, "/") == strings.Contains(m[2], "/") &&
		strings.HasPrefix(from, "-") == strings.HasPrefix(to, "-")
	if from == "" || !isCode || !sameForm || from == to {
		return "", ""
	}
	return from, to
}

// bareName returns a word without the marks around it, and whether it is a name as code, paths and options have it.
func bareName(word string) (name string, isCode bool) {
	const marks = "`'\"()[],;:?!*"
	word = strings.TrimRight(strings.TrimLeft(word, marks), marks+"./")
	return strings.TrimLeft(word, "/"), strings.ContainsAny(word, "/_.-") && len(word) > shortestName
}

const shortestName = 3

// outdated returns what a person ordered in the place of a name that a line has, nil if they didn't or came back to it.
func outdated(orders []order, line string) *Against {
	if text.Denies(line) { // it may say what isn't so any more
		return nil
	}
	names := map[string]bool{}
	for word := range strings.FieldsSeq(line) {
		name, _ := bareName(word)
		names[name] = true
	}
	var found *Against
	for _, o := range orders { // in order of time
		switch {
		case o.to == "":
		case found != nil && o.to == found.Names:
			found = nil
		case names[o.from] && !names[o.to]:
			found = &Against{Names: o.from, Since: o.to, Said: o.Saying, Kind: payload.Decision}
		}
	}
	return found
}
