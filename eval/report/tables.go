// Package report prints run files of package eval as tables for a terminal, and the items behind their figures.
package report

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"recall/answer"
	"recall/eval"
	"recall/payload"
	"recall/sink"
	"recall/text"
)

// Style is how text is set off on a terminal; empty strings elsewhere.
type Style struct{ Bold, Dim, Green, Red, Yellow, Reset string }

// Tables prints runs, and what judges agree on, for people at a terminal.
type Tables struct {
	W  io.Writer
	St Style
}

func onLine(s string) string { return sink.Line(s, sink.Terminal) }

func (t Tables) head(r *eval.Run, what string) {
	s := r.Systems[0]
	name := s.Name
	if s.Model != "" {
		name += " (" + s.Model + ")"
	}
	fmt.Fprintf(t.W, "%s%s of %s against the gold set %q%s\n", t.St.Bold, what, name, onLine(r.Gold.Name),
		t.St.Reset)
}

// title is the head of a table.
func (t Tables) title(format string, args ...any) {
	fmt.Fprintf(t.W, "\n%s%s%s\n", t.St.Dim, fmt.Sprintf(format, args...), t.St.Reset)
}

func (t Tables) columns(widths []int, names ...string) {
	fmt.Fprint(t.W, "\n", t.St.Dim)
	t.cells(false, widths, names...)
	fmt.Fprint(t.W, t.St.Reset)
}

// note is a line of explanation.
func (t Tables) note(format string, args ...any) {
	fmt.Fprintf(t.W, "%s  %s%s\n", t.St.Dim, fmt.Sprintf(format, args...), t.St.Reset)
}

// Ranged is a figure with its interval: "0.55 (0.46–0.63)".
func Ranged(i eval.Interval) string { return fmt.Sprintf("%.2f (%.2f–%.2f)", i.Value, i.Low, i.High) }

// Share is a count out of a whole with the share's interval.
func Share(k eval.KofN) string { return shareOf(k, "none asked") }

func shareOf(k eval.KofN, none string) string {
	if k.N == 0 {
		return none
	}
	return fmt.Sprintf("%d of %d (%.2f–%.2f)", k.K, k.N, k.Low, k.High)
}

// bar is a share from 0 to 1, n columns wide.
func bar(x float64, n int) string {
	full := int(math.Round(min(max(x, 0), 1) * float64(n)))
	return strings.Repeat("█", full) + strings.Repeat("░", n-full)
}

// cells prints one line: the first cell to the left, the others to the right
// of their columns.
func (t Tables) cells(bold bool, widths []int, cells ...string) {
	var b strings.Builder
	for i, c := range cells {
		pad := strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(c)))
		if i == 0 {
			b.WriteString(c + pad)
		} else {
			b.WriteString("  " + pad + c)
		}
	}
	row := strings.TrimRight(b.String(), " ")
	if bold {
		row = t.St.Bold + row + t.St.Reset
	}
	fmt.Fprintln(t.W, row)
}

func (t Tables) Payloads(r *eval.Run) {
	ours := r.Systems[0].Payloads
	t.head(r, "Payloads")
	fmt.Fprintf(t.W, "%s, %s, of which %d must be found\n", answer.Count(len(ours.Sessions), "session"),
		answer.Count(r.Gold.Items, "gold item"), r.Gold.Must)
	t.kinds(ours, r.Floor())
	t.beside(r)
	if r.Agreement != nil {
		t.agreement(r.Agreement)
	}
}

// kinds is what was found of each kind, beside what sentences drawn at random reach.
func (t Tables) kinds(s, floor *eval.PayloadScore) {
	widths := []int{11, 8, 16, 16, 16, 5, 5, 6, 9}
	t.columns(widths, "kind", "", "F1 (95 %)", "precision", "recall", "right", "found", "wanted", "by chance")
	row := func(name string, r eval.Rates, chance string, bold bool) {
		counts := []string{fmt.Sprint(r.Hits), fmt.Sprint(r.Pred), fmt.Sprint(r.Wanted), chance}
		if r.Few {
			t.cells(bold, widths, append([]string{name, "", "too few", "", ""}, counts...)...)
			return
		}
		t.cells(bold, widths, append([]string{name, bar(r.F1.Value, 8), Ranged(r.F1), Ranged(r.Precision),
			Ranged(r.Recall)},
			counts...)...)
	}
	for _, k := range payload.Kinds {
		if r, ok := s.Kinds[k]; ok && r.Count != (eval.Count{}) {
			row(string(k), r, Chance(floor, func(p *eval.PayloadScore) eval.Rates { return p.Kinds[k] }), false)
		}
	}
	row("all kinds", s.Micro, Chance(floor, func(p *eval.PayloadScore) eval.Rates { return p.Micro }), true)
	row("any kind", s.Lenient, Chance(floor, func(p *eval.PayloadScore) eval.Rates { return p.Lenient }), false)
	t.note("precision: of what was found, how much people wrote down too. recall: of what must be found, how")
	t.note("much was. F1: both in one. too few: under 10 items to find, so only counts. any kind: what was")
	t.note("found under another kind counts. by chance: F1 of as many sentences drawn at random. Behind each figure its " +
		"95 %% interval, by drawing the sessions anew.")
}

// Chance is the F1 that sentences drawn at random reach; "" where none were.
func Chance(floor *eval.PayloadScore, of func(*eval.PayloadScore) eval.Rates) string {
	if floor == nil || of(floor).Pred == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", of(floor).F1.Value)
}

// beside is the system under test beside its baselines.
func (t Tables) beside(r *eval.Run) {
	widths := []int{26, 16, 4, 6, 8, 8, 6, 10, 7}
	head := []string{"what makes the payload", "F1, all kinds", "prec", "recall", "any kind", "grounded", "tokens",
		"a session", "cost"}
	n := len(head)
	if !slices.ContainsFunc(r.Systems, func(s eval.System) bool { return s.Payloads != nil && s.Payloads.Cost > 0 }) {
		n-- // nothing costs anything
	}
	t.columns(widths, head[:n]...)
	for i, s := range r.Systems {
		p := s.Payloads
		if p == nil {
			continue
		}
		two := func(x float64) string { return fmt.Sprintf("%.2f", x) }
		row := []string{text.Clip(onLine(s.Name), 26), Ranged(p.Micro.F1), two(p.Micro.Precision.Value),
			two(p.Micro.Recall.Value), two(p.Lenient.F1.Value),
			two(p.Grounding.Value), fmt.Sprintf("%.0f", p.Tokens), seconds(p.Seconds), dollars(p.Cost)}
		t.cells(i == 0, widths, row[:n]...)
	}
	ours := r.Systems[0].Payloads
	t.note("grounded: share of items whose quote stands in the turn that it cites. tokens: of payload.md.")
	if of := sessionsUnlike(r); of != "" {
		t.note("%s", of)
	}
	if ours.Cut > 0 {
		t.note("%s kept out of payload.md by its budget; payload.json has them.", answer.Count(ours.Cut, "item"))
	}
	if ours.FalseClaim > 0 {
		t.note("%s more like a claim that people called wrong than like a right one: read them in the report.",
			answer.Count(ours.FalseClaim, "item"))
	}
}

func sessionsUnlike(r *eval.Run) string {
	var few []string
	for _, s := range r.Systems[1:] {
		if s.Payloads != nil && len(s.Payloads.Sessions) < len(r.Systems[0].Payloads.Sessions) {
			few = append(few, fmt.Sprintf("%s: %s", s.Name, answer.Count(len(s.Payloads.Sessions), "session")))
		}
	}
	if len(few) == 0 {
		return ""
	}
	return "on fewer sessions, where there is one: " + strings.Join(few, ", ") + "."
}

func (t Tables) agreement(a *eval.Agreement) {
	t.title("is it the same fact? judged by %s, from a similarity of %.2f on", a.Judge, a.Threshold)
	fmt.Fprintf(t.W, "as people labelled it: %d of %d pairs; of %d same ones %d found\n", a.Agree, a.Pairs, a.Same,
		a.SameFound)
	forms := slices.Sorted(maps.Keys(a.Forms))
	for i, name := range forms {
		k := a.Forms[name]
		forms[i] = fmt.Sprintf("%s %d of %d", name, k.K, k.N)
	}
	if len(forms) > 0 {
		fmt.Fprintf(t.W, "told apart from its opposite: %s\n", strings.Join(forms, ", "))
	}
}

func (t Tables) Questions(r *eval.Run) {
	ours := r.Systems[0].Questions
	t.head(r, "Answers")
	fmt.Fprintf(t.W, "%s asked, %d of them answerable, of %s\n", answer.Count(len(ours.Questions), "question"),
		ours.All.N,
		answer.Count(r.Gold.Sessions, "gold session"))
	t.found(ours)
	t.answers(r)
	t.refusals(r)
}

// found is every figure of the system under test.
func (t Tables) found(q *eval.QuestionScore) {
	widths := []int{10, 10, 16, 16, 16}
	t.columns(widths, "", "", "all", fmt.Sprintf("plain (%d)", q.Plain.N),
		fmt.Sprintf("paraphrased (%d)", q.Paraphrased.N))
	for _, m := range eval.QuestionMetrics {
		t.cells(false, widths, m.Name, bar(m.Of(&q.All).Value, 10), Ranged(m.Of(&q.All)), orNone(q.Plain, m),
			orNone(q.Paraphrased, m))
	}
	t.note("hit@k: an expected item is among the first k results; session@k: one of the right session.")
	t.note("recall@5: the share of the expected items there. MRR: one divided by the rank of the first.")
	t.note("nDCG@10: how near the top they all stand. answer@1: what recall query prints first holds the answer;")
	t.note("answer@5: one of the five that it prints does, items and passages alike.")
	t.note("paraphrased: in few of the item's own words. Intervals by drawing the questions anew (bootstrap).")
}

func orNone(r eval.QuestionRates, m eval.QuestionMetric) string {
	if r.N == 0 {
		return "–"
	}
	return Ranged(m.Of(&r))
}

// answers is every system's figures, side by side.
func (t Tables) answers(r *eval.Run) {
	widths := []int{21}
	head := []string{"who answers"}
	for _, m := range eval.QuestionMetrics {
		head = append(head, strings.NewReplacer("session", "sess", "recall", "rec").Replace(m.Name))
		widths = append(widths, max(5, len(head[len(head)-1])))
	}
	t.columns(widths, head...)
	for i, s := range r.Systems {
		if s.Questions == nil {
			continue
		}
		row := []string{text.Clip(onLine(s.Name), 21)}
		for _, m := range eval.QuestionMetrics {
			row = append(row, fmt.Sprintf("%.2f", m.Of(&s.Questions.All).Value))
		}
		t.cells(i == 0, widths, row...)
	}
	t.note("oracle: recall's search over the items that people wrote. What it misses is lost in searching,")
	t.note("what it finds and recall doesn't is lost in distilling.")
}

// refusals is what must not happen, for every system.
func (t Tables) refusals(r *eval.Run) {
	widths := []int{21, 20, 20, 20, 10}
	t.columns(widths, "who answers", "superseded first", "no answer, said so", "answer, but refused", "a question")
	for i, s := range r.Systems {
		if q := s.Questions; q != nil {
			t.cells(i == 0, widths, text.Clip(onLine(s.Name), 21), Share(q.Stale), Share(q.Abstained),
				Share(q.Refused),
				seconds(q.Seconds))
		}
	}
	t.note("superseded first: what no longer holds came first.")
	t.note("no answer, said so: questions that the sessions don't answer, and recall says that it knows nothing.")
	if q := r.Systems[0].Questions; q != nil {
		t.note("that nothing clearly answers, or nothing at all, was said of %s of these, and of %s of the others.",
			Share(q.Doubted), Share(q.DoubtedThough))
	}
}

// differences prints figures before and after.
func (t Tables) Differences(all []eval.Difference) {
	widths := []int{24, 7, 7, 26, 11}
	t.columns(widths, "figure", "before", "after", "change (95 %)", "")
	for _, d := range all {
		verdict, color := string(d.Verdict), ""
		switch d.Verdict {
		case eval.Better:
			color = t.St.Green
		case eval.Worse:
			color = t.St.Red
		}
		if d.Few {
			verdict = "too few"
			color = ""
		}
		fmt.Fprint(t.W, color)
		t.cells(false, widths, d.Name, fmt.Sprintf("%.3f", d.Before), fmt.Sprintf("%.3f", d.After),
			fmt.Sprintf("%+.3f (%+.3f to %+.3f)", d.Change.Value, d.Change.Low, d.Change.High), verdict)
		if color != "" {
			fmt.Fprint(t.W, t.St.Reset)
		}
	}
}

// Judged is how far a judge agrees with people, and the pairs that it sees otherwise.
func (t Tables) Judged(a *eval.Agreement) {
	t.agreement(a)
	if len(a.Wrong) > 0 {
		t.title("judged otherwise")
	}
	for _, w := range a.Wrong {
		people := "not the same"
		if w.Same {
			people = "the same"
		}
		fmt.Fprintf(t.W, "%s, say people; judged %.2f\n  %s\n  %s\n", people, w.Similarity,
			onLine(strings.TrimSpace(w.A)), onLine(strings.TrimSpace(w.B)))
	}
}

func (t Tables) Relations(a *eval.RelationAgreement) {
	fmt.Fprintf(t.W, "%sHow a later decision bears on an earlier one, said by %s%s\n", t.St.Bold, onLine(a.By), t.St.Reset)
	fmt.Fprintf(t.W, "as people labelled it: %d of %d pairs\n", a.Agree, a.Pairs)
	widths := []int{12, 26, 26}
	t.columns(widths, "relation", "right of those said", "seen of those labelled")
	for _, r := range slices.Concat(payload.Relations, []payload.Relation{eval.Unrelated}) {
		rate := a.Relations[r]
		t.cells(false, widths, string(r), shareOf(rate.Precision, "none"), shareOf(rate.Recall, "none"))
	}
	if len(a.Wrong) > 0 {
		t.title("seen otherwise")
	}
	for _, w := range a.Wrong {
		fmt.Fprintf(t.W, "%s: %s, say people; said %s\n  earlier: %s\n  later:   %s\n", w.ID, w.People, w.Said,
			onLine(w.Earlier), onLine(w.Later))
	}
}

// Trust reports whether a model's word may hide a decision: as of a rule, what it
// says must be right for 0.95, and the interval's lower end 0.9.
func (t Tables) Trust(k eval.KofN) {
	if k.N > 0 && float64(k.K) >= 0.95*float64(k.N) && k.Low >= 0.9 {
		t.note("its \"supersedes\" is right often enough to hide what is superseded: distill.links: hide")
		return
	}
	t.note("its \"supersedes\" isn't known to be right often enough to hide what is superseded: leave distill.links at " +
		"shown")
}

// Comparison is what moved from one run to the other.
func (t Tables) Comparison(c *eval.Comparison) {
	fmt.Fprintf(t.W, "%s%s, then %s: %s in common%s\n", t.St.Bold, onLine(c.Systems[0]),
		onLine(c.Systems[1]), answer.Count(c.Shared, c.Of()), t.St.Reset)
	if moved := moved(c); len(moved) > 0 {
		t.Differences(moved)
		fmt.Fprintln(t.W)
	}
	fmt.Fprintln(t.W, Changes(c))
	for _, n := range c.Notes {
		t.note("note: %s", n)
	}
}

// moved are the figures of a comparison that aren't the same in both runs.
func moved(c *eval.Comparison) []eval.Difference {
	return slices.DeleteFunc(slices.Clone(c.Figures), func(d eval.Difference) bool { return d.Change == eval.Interval{} })
}

// Changes counts what a comparison shows.
func Changes(c *eval.Comparison) string {
	n := map[eval.Verdict]int{}
	all := moved(c)
	for _, d := range all {
		n[d.Verdict]++
	}
	return fmt.Sprintf("%s the same, %d better, %d worse, %d can't tell",
		answer.Count(len(c.Figures)-len(all), "figure"),
		n[eval.Better], n[eval.Worse], n[eval.CantTell])
}

// seconds says how long something took, "–" for nothing worth telling.
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

// dollars says what something cost.
func dollars(d float64) string {
	switch {
	case d <= 0:
		return "nothing"
	case d < 0.01:
		return fmt.Sprintf("$%.4f", d)
	}
	return fmt.Sprintf("$%.2f", d)
}
