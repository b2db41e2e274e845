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
		words := strings.Fields(runner().ReplaceAllString(line, ""))
		if len(words) > 0 {
			words[0] = path.Base(words[0])
			lines = append(lines, words)
		}
	}
	return lines
}

var (
	anotherLine = text.Pattern(`&&|[|;\n]+`)
	runner      = text.Pattern(`^\s*(?:(?:\w+=\S*|sudo|time|nohup|npx|(?:bundle|pnpm) exec|` +
		`(?:poetry|uv|pipenv) run)\s+)+`) // before the program
)

// quotes reports whether what an order forbids is a line for the shell, and whether an action runs it: "git push
// --force" isn't "git push". How it says to run it needn't be in there; where it says so must. It tells nothing of a
// line with flags of its own in place of the order's.
func (d *Deed) quotes(name string) (quoted, runs bool) {
	words := strings.Fields(name)
	for i := range words {
		words[i] = strings.Trim(words[i], "`\"'.,;:()")
	}
	for _, line := range d.lines {
		at := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, line[0]) })
		if at < 0 || at == len(words)-1 {
			continue
		}
		has, all, where, there := text.Bag{}, true, false, true
		respelled := false // it has flags of its own, which may be the order's: -f for --force
		for _, w := range line[1:] {
			if !strings.HasPrefix(w, "-") {
				has.Add(text.Words(w))
			} else if !slices.Contains(words, w) {
				respelled = true
			}
		}
		for _, w := range words[at+1:] {
			flag := strings.HasPrefix(w, "-")
			where = where || whereRun().MatchString(w)
			if !flag && (text.Stop(strings.ToLower(w)) || whereRun().MatchString(w) || howRun().MatchString(w)) {
				continue
			}
			in := slices.Contains(line, w) || !flag && text.Words(w).In(has) == 1
			if flag && !in && respelled {
				return false, false
			}
			there = there && in
			if quoted = quoted || !where; !where {
				all = all && in
			}
		}
		if quoted && all {
			return there, there // elsewhere it may be allowed
		}
	}
	return quoted, false
}

// withoutHow leaves out of an order how something is done.
func withoutHow(order string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(order), howRun().MatchString), " ")
}

// Words of an order that are no part of the line: how it is run, and those after which it says where or when.
var (
	howRun = text.Pattern(`(?i)^(?:locally|manually|directly|straight|yourself|myself|again|ever|anymore|here|by|` +
		`hand|blindly|please|pls|selbst|direkt|wieder|mehr|bitte|lokal|ausführen|laufen|lassen)$`)
	whereRun = text.Pattern(`(?i)^(?:in|on|at|from|against|before|after|during|while|when|if|auf|im|vom|aus|bei|vor)$`)
)

// writes reports whether an edit brings in an identifier of the words of a rule in a sentence:
// fallbackToDestructiveMigration after "never destructive migrations". "Don't start the server" is no rule of the code.
func (d *Deed) writes(s string, g text.GivenUp) bool {
	of := text.Words(g.Name)
	named := func(s string) bool {
		return slices.ContainsFunc(identifier().FindAllString(s, -1), func(w string) bool {
			return of.In(text.Words(w)) == 1
		})
	}
	return len(of) > 1 && rules().MatchString(s[:g.From]) && named(d.adds) && !named(d.old)
}

var rules = text.Pattern(`(?i)\b(?:never|no|nie|niemals|kein\pL*|jamais|nunca)\W*$`)

var identifier = text.Pattern(`[\pL\d_-]+`)
