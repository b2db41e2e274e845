package check

import (
	"path"
	"slices"
	"strings"

	"recall/internal/text"
)

// linesOf splits a command into the lines that it runs, each into its words: "cd x && sudo npm publish" are two.
func linesOf(command string) (lines [][]string) {
	for _, line := range anotherLine().Split(command, -1) {
		words := strings.Fields(line)
		for len(words) > 0 && (strings.Contains(words[0], "=") || words[0] == "sudo") {
			words = words[1:]
		}
		if len(words) > 0 {
			words[0] = path.Base(words[0])
			lines = append(lines, words)
		}
	}
	return lines
}

var anotherLine = text.Pattern(`&&|[|;\n]+`)

// quotes reports whether what an order forbids is a line for the shell, and whether an action runs it: "git push
// --force" isn't "git push". What it says of where or how to run it needn't be in there.
func (d *Deed) quotes(name string) (quoted, runs bool) {
	words := strings.Fields(strings.ToLower(name))
	for i := range words {
		words[i] = strings.Trim(words[i], "`\"'.,;:()")
	}
	for _, line := range d.lines {
		at := slices.Index(words, strings.ToLower(line[0]))
		if at < 0 || at == len(words)-1 {
			continue
		}
		has, all, where := text.Words(strings.Join(line[1:], " ")), true, false
		for _, w := range words[at+1:] {
			flag := strings.HasPrefix(w, "-")
			if where = where || whereRun().MatchString(w); where || !flag && (text.Stop(w) || howRun().MatchString(w)) {
				continue
			}
			quoted = true
			all = all && (slices.Contains(line, w) || !flag && text.Words(w).In(has) == 1)
		}
		if quoted && all {
			return !where, !where // elsewhere it may be allowed
		}
	}
	return quoted, false
}

// Words of an order that are no part of the line: how it is run, and those after which it says where or when.
var (
	howRun = text.Pattern(`(?i)^(?:locally|manually|directly|yourself|myself|again|ever|anymore|here|by|hand|blindly|` +
		`please|pls|selbst|direkt|wieder|mehr|bitte|lokal|ausführen|laufen|lassen)$`)
	whereRun = text.Pattern(`(?i)^(?:in|on|at|from|against|before|after|during|while|when|if|auf|im|vom|aus|bei|vor)$`)
)

// writes reports whether an edit brings in an identifier of the words that an order names: after "never destructive
// migrations" fallbackToDestructiveMigration.
func (d *Deed) writes(name string) bool {
	of := text.Words(name)
	named := func(s string) bool {
		return slices.ContainsFunc(identifier().FindAllString(s, -1), func(w string) bool {
			return of.In(text.Words(w)) == 1
		})
	}
	return len(of) > 1 && named(d.adds) && !named(d.old)
}

var identifier = text.Pattern(`[\pL\d_-]+`)
