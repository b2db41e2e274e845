package check

import (
	"strings"

	"recall/internal/text"
	"recall/payload"
)

// offLimits returns the file or folder that an item says to leave alone, "" if none.
func offLimits(it *payload.Item) string {
	if it.Kind == payload.File {
		if it.Status == payload.FileOffLimits {
			return it.Path
		}
		return ""
	}
	_, said, answered := strings.Cut(it.Text, " → ")
	if !answered {
		said = it.Text
	}
	if files := leftAlone(said); len(files) > 0 {
		return files[0]
	}
	return ""
}

// leftAlone returns the files and folders that a sentence says not to change: of the clause that says so, if it names
// any.
func leftAlone(said string) []string {
	if strings.HasSuffix(said, "?") {
		return nil
	}
	from := 0
	for _, at := range append(anotherClause().FindAllStringIndex(said, -1), []int{len(said)}) {
		clause := said[from:at[0]]
		from = at[0]
		m := leavesAlone().FindStringSubmatch(clause)
		if m == nil || m[1] != "" || tellsTo().MatchString(m[0]) {
			continue
		}
		if files := filesIn(clause); len(files) > 0 {
			return files
		}
		return filesIn(said)
	}
	return nil
}

// anotherClause matches where one begins, which may name another file: "fix a.go, but don't touch b.go".
var anotherClause = text.Pattern(`(?i)[,;:–—]\s+[\pL'’]+\s|` +
	`\b(?:but|without|aber|ohne|sondern|mais|sans|pero|sin)\b`)

// leavesAlone matches what says not to change what it names; what is replaced or dropped in a file isn't the file. A
// word before it may have it tell what wasn't done.
var leavesAlone = text.Pattern(`(?i)(?:\b(did|was|were|has|have|had|if|why)\s+)?` +
	`\b(?:no|not|never|without|don['’]?t|nicht|nie|niemals|kein\w*|ne|jamais|nunca|não)\b` +
	`.{0,40}(?:\b(?:touch|edit|chang|modif|rewrit|writ|overwrit|delet|remov|mov|renam|replac|anfass|` +
	`bearbeit|tocar|toques|alter)|änder|lösch)\w*|\bleave\s+(?:(?:all|everything|the|in|files?|folder)\s+)*\S*[./]|` +
	`\b(?:leave|left|let)\b.*\balone\b|\b(?:hands off|off limits|unchanged|untouched|tabu|as (?:it|they) (?:is|are))\b`)

// tellsTo matches what is in an order to change something, though it has a "not".
var tellsTo = text.Pattern(`(?i)\b(?:forget|had|hesitate|afraid|worry|only|just|sure|need|idea|problem|vergiss|nur)\b`)
