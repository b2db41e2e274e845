// Package report prints run files of package eval as tables for a terminal, with the items behind their figures.
package report

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"strings"
	"text/template"

	"recall/answer"
	"recall/cmd/recall/terminal"
	"recall/eval"
	"recall/internal/text"
	"recall/payload"
)

// Tables prints runs and judges' agreement as terminal tables.
type Tables struct {
	W  io.Writer
	St terminal.Style
}

// tablesText holds the templates of all pages.
//
//go:embed tables.tmpl
var tablesText string

// Print prints a document by its template: a run as "payloads", "questions" or "items", differences as "differences",
// an agreement as "judged".
func (t Tables) Print(name string, doc any) {
	words := template.FuncMap{"row": t.row, "note": t.note, "item": t.item, "line": terminal.Line,
		"ranged": Ranged, "bar": bar, "share": Share, "seconds": seconds, "dollars": dollars, "count": answer.Count,
		"short": payload.ShortID[string], "kinds": kinds, "fewer": fewer, "answers": answers, "tone": tone,
		"outcome": outcome, "sideBySide": sideBySide,
		"list":    func(ids []string) string { return terminal.Line(strings.Join(ids, ", ")) },
		"two":     func(x float64) string { return fmt.Sprintf("%.2f", x) },
		"clip":    func(n int, s string) string { return text.Clip(terminal.Line(s), n) },
		"sign":    func(state string) string { return signs[state] },
		"first":   func(i int) string { return map[bool]string{true: "bold"}[i == 0] },
		"metrics": func() []eval.QuestionMetric { return eval.QuestionMetrics },
		"when": func(which any, yes, no string) string {
			if truth, _ := template.IsTrue(which); truth {
				return yes
			}
			return no
		},
	}
	page := template.Must(template.New(name).Funcs(words).Parse(tablesText))
	var b strings.Builder
	if err := page.ExecuteTemplate(&b, name, doc); err != nil {
		panic(err) // the page is our own
	}
	fmt.Fprint(t.W, b.String())
}

// row prints a line in a style: one of Style's names in lower case, or "".
func (t Tables) row(style, format string, args ...any) string {
	color := map[string]string{"bold": t.St.Bold, "dim": t.St.Dim, "green": t.St.Green, "red": t.St.Red}[style]
	line := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	if color != "" {
		line = color + line + t.St.Reset
	}
	return line + "\n"
}

// note prints a line of explanation.
func (t Tables) note(format string, args ...any) string {
	return t.row("dim", "  %s", fmt.Sprintf(format, args...))
}

// Ranged formats a figure with its interval: "0.55 (0.46–0.63)".
func Ranged(i eval.Interval) string { return fmt.Sprintf("%.2f (%.2f–%.2f)", i.Value, i.Low, i.High) }

// Share formats a count out of a whole with the share's interval.
func Share(k eval.KofN) string {
	if k.N == 0 {
		return "none asked"
	}
	return fmt.Sprintf("%d of %d (%.2f–%.2f)", k.K, k.N, k.Low, k.High)
}

// bar draws a share from 0 to 1, n columns wide.
func bar(x float64, n int) string {
	full := int(math.Round(min(max(x, 0), 1) * float64(n)))
	return strings.Repeat("█", full) + strings.Repeat("░", n-full)
}

// kind is what was found of a kind, with what randomly drawn sentences reach.
type kind struct {
	Name, Style string
	eval.Rates
	Chance string
}

func kinds(s, floor *eval.PayloadScore) (rows []kind) {
	add := func(name, style string, of func(*eval.PayloadScore) eval.Rates) {
		rows = append(rows, kind{name, style, of(s), Chance(floor, of)})
	}
	for _, k := range payload.Kinds {
		if s.Kinds[k].Count != (eval.Count{}) {
			add(string(k), "", func(p *eval.PayloadScore) eval.Rates { return p.Kinds[k] })
		}
	}
	add("all kinds", "bold", func(p *eval.PayloadScore) eval.Rates { return p.Micro })
	add("any kind", "", func(p *eval.PayloadScore) eval.Rates { return p.Lenient })
	return rows
}

// Chance is the F1 that randomly drawn sentences reach, "" if none were drawn.
func Chance(floor *eval.PayloadScore, of func(*eval.PayloadScore) eval.Rates) string {
	if floor == nil || of(floor).Pred == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", of(floor).F1.Value)
}

// fewer names the systems that were measured on fewer sessions than the first.
func fewer(systems []eval.System) string {
	var few []string
	for _, s := range systems {
		if s.Payloads != nil && len(s.Payloads.Sessions) < len(systems[0].Payloads.Sessions) {
			few = append(few, fmt.Sprintf("%s: %s", s.Name, answer.Count(len(s.Payloads.Sessions), "session")))
		}
	}
	return strings.Join(few, ", ")
}

// answers lists every system's figures side by side.
func answers(systems []eval.System) (rows []struct{ Style, Cells string }) {
	format, cells := "%-21s", []any{"who answers"}
	add := func(style string) {
		rows = append(rows, struct{ Style, Cells string }{style, fmt.Sprintf(format, cells...)})
	}
	for _, m := range eval.QuestionMetrics {
		name := strings.NewReplacer("session", "sess", "recall", "rec").Replace(m.Name)
		format, cells = format+fmt.Sprintf("  %%%ds", max(5, len(name))), append(cells, name)
	}
	add("dim")
	for i, s := range systems {
		if s.Questions == nil {
			continue
		}
		cells = []any{text.Clip(terminal.Line(s.Name), 21)}
		for _, m := range eval.QuestionMetrics {
			cells = append(cells, fmt.Sprintf("%.2f", m.Of(&s.Questions.All).Value))
		}
		add(map[bool]string{true: "bold"}[i == 0])
	}
	return rows
}

// tone is the style of a changed figure.
func tone(d eval.Difference) string {
	if d.Few {
		return ""
	}
	return map[eval.Verdict]string{eval.Better: "green", eval.Worse: "red"}[d.Verdict]
}

// Changes summarizes a comparison.
func Changes(c *eval.Comparison) string {
	n, same := map[eval.Verdict]int{}, 0
	for _, d := range c.Figures {
		if d.Change == (eval.Interval{}) {
			same++
		} else {
			n[d.Verdict]++
		}
	}
	return fmt.Sprintf("%s the same, %d better, %d worse, %d can't tell", answer.Count(same, "figure"), n[eval.Better],
		n[eval.Worse], n[eval.CantTell])
}

// seconds formats a duration, "–" for none.
func seconds(s float64) string {
	switch {
	case s <= 0:
		return "–"
	case s < 0.001:
		return "under 1 ms"
	case s < 1:
		return fmt.Sprintf("%.0f ms", s*1000)
	}
	return fmt.Sprintf("%.1f s", s)
}

// dollars formats a cost.
func dollars(d float64) string {
	switch {
	case d <= 0:
		return "nothing"
	case d < 0.01:
		return fmt.Sprintf("$%.4f", d)
	}
	return fmt.Sprintf("$%.2f", d)
}
