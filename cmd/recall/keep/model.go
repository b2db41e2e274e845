package keep

import (
	"fmt"
	"strings"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	txt "recall/internal/text"
	"recall/pipeline/improve"
)

// improveParts words the result of asking the model.
func improveParts(r *improve.Report) (parts []string) {
	say := func(n int, format string, args ...any) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	if r.Busy {
		parts = append(parts, "another recall is asking the model")
	}
	say(r.Improved, "%s distilled by %s", answer.Count(r.Improved, "session"), strings.TrimPrefix(r.By, "model/"))
	say(r.Refused, "%s refused: %s", answer.Count(r.Refused, "item"), r.Because)
	say(r.Links, "%s between decisions", answer.Count(r.Links, "link"))
	say(r.Waiting, "%s for the model: %s", terminal.Waits(r.Waiting), terminal.Line(r.Why))
	say(r.Resting, "%s left alone for now after an earlier failure (recall status says until when)", answer.Count(r.Resting, "session"))
	unpriced := ""
	if r.Unpriced {
		unpriced = " plus calls without a known price (llm.prices)"
	}
	say(r.Tokens, "%s tokens, %s%s", txt.Thousands(r.Tokens), txt.Dollars(r.Cost), unpriced)
	return parts
}

// printModel prints the result of asking the model on one line.
func printModel(a *app.App, r *improve.Report) {
	if r == nil {
		return
	}
	if parts := improveParts(r); len(parts) > 0 {
		fmt.Fprintln(a.Out, strings.Join(parts, "; "))
	}
	if r.Waiting > 0 && r.Hint != "" {
		fmt.Fprintln(a.Err, "recall: hint:", r.Hint)
	}
}

// printForeseen prints what asking would take.
func printForeseen(a *app.App, d *app.ForeseenDoc) {
	a.Form("foreseen", d)
	a.PrintProblems(d.Problems)
}
