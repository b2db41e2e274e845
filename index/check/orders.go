package check

import (
	"slices"
	"strings"
	"unicode"

	"recall/internal/text"
	"recall/payload"
)

// orders returns what a sentence says to give up or not to do, which aren't numbers: "2.1 is out".
func orders(s string) []text.GivenUp {
	all := text.GivesUp(s)
	for i := range all {
		if all[i].Vague && everywhere().MatchString(s[all[i].To:]) { // "no jQuery in this project"
			all[i].Vague, all[i].Form = false, "uses"
		}
		if at := onlyIf().FindStringIndex(all[i].Name); at != nil && all[i].Form == "forbids" {
			all[i].Name = all[i].Name[:at[0]]
		}
	}
	return slices.DeleteFunc(all, func(g text.GivenUp) bool {
		at := tellsTo().FindStringIndex(g.Name) // "don't forget to", "don't be afraid to"
		return g.Vague || g.Form == "forbids" && at != nil && at[0] <= len("be ") ||
			g.Name != "" && !strings.ContainsFunc(g.Name, unicode.IsLetter)
	})
}

// everywhere matches what makes a rule of what it stands behind.
var everywhere = text.Pattern(`(?i)^\s+in (?:this|the(?: whole| entire)?) (?:repo\w*|project|code ?base|code)` +
	`(?:\W*$|, (?:and|or|no|never)\b)`)

// onlyIf matches what an order makes a condition: "never run it without asking me".
var onlyIf = text.Pattern(`(?i)\s(?:without|unless|until|till|except|` +
	`ohne|außer|bis|sans|sin|hasta)\b`)

// MayForbid reports whether what a person said may forbid a call: it is short, else pasted, and orders or refuses.
func MayForbid(said string) bool {
	return len(said) <= longestOrder && (takesBack(said) ||
		slices.ContainsFunc(text.Sentences(said, true), func(s string) bool {
			return len(orders(s)) > 0 || len(leftAlone(s)) > 0
		}))
}

// takesBack reports whether a person refuses what was just said or done.
func takesBack(said string) bool {
	return text.Refuses(said) || text.LeavesIt(said) || notThat().MatchString(said)
}

// notThat matches what takes back something that was just said or done.
var notThat = text.Pattern(`(?i)\b(?:not (?:you|in|for|here|now|yet|a|the)|` +
	`too (?:much|many|big|complex|complicated|messy|slow)|rather)\b`)

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
	if m := notIn().FindStringSubmatch(said); m != nil && notOurs().MatchString(said) {
		return m[1:]
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

// notIn matches what names a file or folder in which something isn't to be, and notOurs why that isn't for once only.
var (
	notIn = text.Pattern(`(?i)^\W*(?:(?:oh|no|nein|please|bitte|and|und)\W+)*` +
		`(?:not|nothing|never|nicht|nichts|nie) (?:in|into|under|unter) (?:the )?([\w./-]*\w)`)
	notOurs = text.Pattern(`(?i)\b(?:generated|overwr\w+|vendored|third.party|upstream|parent theme|generiert\w*|` +
		`überschr\w+)\b`)
)

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
