package distill

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
	"recall/payload"
)

// A value that an edit replaces is at most so long, among at most so many lines; of its line so much is kept besides,
// and of a session's values so many, the last.
const longestValue, mostLines, longestRest, mostReplaced = 40, 6, 80, 200

// replaced returns the values that an action put in the place of others, in files of the project that aren't its tests.
func replaced(roots []string, a *trace.Action) (all []payload.Deed) {
	name := FileName(roots, a.Call.Path)
	if !a.Call.Worked() || path.IsAbs(name) || strings.Contains(strings.ToLower(name), "test") {
		return nil
	}
	for _, e := range a.Call.Edits {
		_, old, now, _ := e.Lines()
		if len(old) != len(now) || len(old) > mostLines {
			continue
		}
		for i := range old {
			was, is, rest := valueIn(old[i], now[i])
			if was == "" {
				continue
			}
			if rest += " " + strings.TrimSuffix(path.Base(name), path.Ext(name)); tellsItself(was) {
				rest = ""
			}
			all = append(all, payload.Deed{Text: was, Now: text.Clip(is, longestValue),
				Of: text.Clip(text.OneLine(rest), longestRest)})
		}
	}
	return all
}

// ordered returns the sentence of the prompt before a turn that names a value or what replaced it: a person calls it
// otherwise than a file does, "keep raw data 60 days, not 90".
func ordered(s *ingest.Session, n int, d *payload.Deed) string {
	for i := n - 1; i >= 0; i-- {
		if t := &s.Turns[i]; t.Opens() {
			said := text.Sentences(t.OwnText(), true)
			names := func(s string) bool { return payload.HasValue(s, d.Now) || payload.HasValue(s, d.Text) }
			if at := slices.IndexFunc(said, names); at >= 0 {
				return text.Clip(said[at], longestRest)
			}
			break
		}
	}
	return ""
}

// valueIn returns the value that two lines differ in, before and after, if both have a digit, or if it stands in quotes
// or is all that follows its name; and the rest of the line. The number of a secret's placeholder is none.
func valueIn(before, after string) (was, is, rest string) {
	from, to := 0, len(before)
	for from < min(len(before), len(after)) && before[from] == after[from] {
		from++
	}
	longer := len(after) - len(before)
	for to > from && to+longer > from && before[to-1] == after[to-1+longer] {
		to--
	}
	for from > 0 && (from == len(before) || !utf8.RuneStart(before[from])) {
		from--
	}
	for to < len(before) && !utf8.RuneStart(before[to]) {
		to++
	}
	if at := strings.LastIndexFunc(before[:from], outsideValue); at >= 0 {
		_, size := utf8.DecodeRuneInString(before[at:])
		from = at + size
	} else {
		from = 0
	}
	if end := strings.IndexFunc(before[to:], outsideValue); end >= 0 {
		to += end
	} else {
		to = len(before)
	}
	was, is = strings.TrimSpace(before[from:to]), strings.TrimSpace(after[from:to+longer])
	rest = before[:from] + " " + before[to:]
	secret := strings.Contains(before, "‹")
	digits := strings.ContainsAny(was, "0123456789") && strings.ContainsAny(is, "0123456789")
	calls, alone := strings.HasPrefix(before[to:], "("), len(text.Words(rest)) == 0
	switch {
	case secret, was == "" || is == "" || len(was) > longestValue || strings.ContainsAny(was, "(){}[]<>,;=$\\|\"'`*"),
		strings.EqualFold(was, is), payload.HasValue(is, was), constants[strings.ToLower(was)],
		!digits && !(opensValue().MatchString(before[:from]) && closesValue().MatchString(before[to:])),
		calls, alone && !tellsItself(was):
		return "", "", ""
	}
	return was, is, rest
}

// outsideValue reports whether a character doesn't belong to a value such as 1.25.2, -0.74, in-progress or @a/b.
func outsideValue(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.@/-−’", r)
}

// opensValue matches what stands before a value that is in quotes, or all that follows: `name: `, `= '`, `| name | `.
var opensValue = text.Pattern("(?:[:=|>]\\s*|[\"'`])$")

// closesValue matches what stands behind it: one that a word follows is part of a sentence or a command.
var closesValue = text.Pattern("^(?:[\"'`,;]|\\s*(?:$|[|#]|//))")

// constants say nothing alone.
var constants = text.Set("true false null nil none undefined yes no on off")

// tellsItself reports whether a value can't well be another thing's: a number of five digits, or of three that has a
// point, as a version has.
func tellsItself(value string) bool {
	digits := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, value)
	return len(digits) >= 5 || len(digits) >= 3 && pointed().MatchString(value)
}

var pointed = text.Pattern(`^\W?\d+\.\d`)
