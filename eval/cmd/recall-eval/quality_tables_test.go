package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recall/eval"
	"recall/eval/report"
	"recall/payload"
)

// markdown is a table, the first line its head, all columns but the first (or
// more, where a "|" stands in it) to the right.
func markdown(rows ...[]string) string {
	var b strings.Builder
	for i, r := range rows {
		b.WriteString("| " + strings.Join(r, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|---" + strings.Repeat("|---", strings.Count(r[0], "|")) + strings.Repeat("|---:", len(r)-1) + "|\n")
		}
	}
	return b.String()
}

// each makes a table a project, under the project's name.
func (q quality) each(table func(project string) [][]string) string {
	var b strings.Builder
	for _, p := range q.projects {
		fmt.Fprintf(&b, "\n**%s**\n\n%s", p, markdown(table(p)...))
	}
	return b.String()
}

func (q quality) payloads(*testing.T) string {
	return q.each(func(project string) [][]string {
		run := q.run("payloads", project)
		s, floor := run.Systems[0].Payloads, run.Floor()
		rows := [][]string{{fmt.Sprintf("%d sessions", len(s.Sessions)), "precision", "recall", "F1", "right", "found",
			"wanted", "F1 by chance"}}
		row := func(name string, of func(*eval.PayloadScore) eval.Rates) {
			r := of(s)
			counts := []string{fmt.Sprint(r.Hits), fmt.Sprint(r.Pred), fmt.Sprint(r.Wanted), report.Chance(floor, of)}
			if r.Few {
				rows = append(rows, append([]string{name, "", "", "too few"}, counts...))
				return
			}
			rows = append(rows, append([]string{name, report.Ranged(r.Precision), report.Ranged(r.Recall),
				report.Ranged(r.F1)}, counts...))
		}
		for _, k := range payload.Kinds {
			if r, ok := s.Kinds[k]; ok && r.Count != (eval.Count{}) {
				row(string(k), func(p *eval.PayloadScore) eval.Rates { return p.Kinds[k] })
			}
		}
		row("**all kinds**", func(p *eval.PayloadScore) eval.Rates { return p.Micro })
		row("any kind counts", func(p *eval.PayloadScore) eval.Rates { return p.Lenient })
		return rows
	})
}

func (q quality) baselines(*testing.T) string {
	return q.each(func(project string) [][]string {
		rows := [][]string{{"", "precision", "recall", "F1", "F1, any kind", "sessions", "tokens", "grounded"}}
		for _, s := range q.run("payloads", project).Systems {
			p := s.Payloads
			rows = append(rows, []string{s.Name, report.Ranged(p.Micro.Precision), report.Ranged(p.Micro.Recall),
				report.Ranged(p.Micro.F1), fmt.Sprintf("%.2f", p.Lenient.F1.Value),
				fmt.Sprint(len(p.Sessions)), fmt.Sprintf("%.0f", p.Tokens), fmt.Sprintf("%.2f", p.Grounding.Value)})
		}
		return rows
	})
}

// pages are what reaches the page, of the projects that people read and of those that a model read.
func (q quality) pages(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "run.json")
	if code := run(t.Context(), []string{"pages", "--gold", filepath.Join(q.shared, "eval", "gold"),
		"--gold", filepath.Join(q.shared, "silver"), "--from", q.shared, "--out", file},
		strings.NewReader(""), t.Output(), t.Output()); code != 0 {
		t.Fatalf("pages: exit code %d", code)
	}
	r, err := eval.ReadRun(file)
	if err != nil {
		t.Fatal(err)
	}
	made, simple := r.Systems[0].Pages, r.Systems[1].Pages
	rows := [][]string{{"project", "sessions", "must be known", "on the page", "by " + r.Systems[1].Name, "lines",
		"useful", "misleading"}}
	row := func(name string, of func(eval.PageMeasured) bool) {
		var sum, other eval.PageMeasured
		n := 0
		for i, m := range made.Sessions {
			if of(m) {
				n++
				sum.Must, sum.Covered, sum.Printed = sum.Must+m.Must, sum.Covered+m.Covered, sum.Printed+m.Printed
				sum.Useful, sum.Misleading = sum.Useful+m.Useful, sum.Misleading+m.Misleading
				other.Covered += simple.Sessions[i].Covered
			}
		}
		cells := []string{name}
		for _, n := range []int{n, sum.Must, sum.Covered, other.Covered, sum.Printed, sum.Useful, sum.Misleading} {
			cells = append(cells, fmt.Sprint(n))
		}
		rows = append(rows, cells)
	}
	for _, name := range made.Projects() {
		row(name, func(m eval.PageMeasured) bool { return m.Project == name })
	}
	people := func(m eval.PageMeasured) bool { return slices.Contains(q.projects, m.Project) }
	row("all read by people", people)
	row("all read by a model", func(m eval.PageMeasured) bool { return !people(m) })
	return markdown(rows...)
}

// annotators is how far two people who worked apart agree: what a score here
// can mean at best.
func (q quality) annotators(t *testing.T) string {
	files, err := filepath.Glob(filepath.Join(q.shared, "eval", "gold", "*", "agreement-*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d agreements (%v), want some", len(files), err)
	}
	type count struct {
		A, B, Both int
	}
	sum := map[payload.Kind]count{}
	low, high := map[payload.Kind]float64{}, map[payload.Kind]float64{}
	f1 := func(c count) float64 { return 2 * float64(c.Both) / float64(c.A+c.B) }
	for _, f := range files {
		var doc struct {
			PerKind map[payload.Kind]count `json:"per_kind"`
		}
		data, err := os.ReadFile(f)
		if err == nil {
			err = json.Unmarshal(data, &doc)
		}
		if err != nil {
			t.Fatal(err)
		}
		var all count
		note := func(k payload.Kind, c count) {
			if c.A+c.B == 0 {
				return
			}
			if low[k] == 0 || f1(c) < low[k] {
				low[k] = f1(c)
			}
			high[k] = max(high[k], f1(c))
			sum[k] = count{sum[k].A + c.A, sum[k].B + c.B, sum[k].Both + c.Both}
		}
		for _, k := range payload.Kinds {
			c := doc.PerKind[k]
			note(k, c)
			all = count{all.A + c.A, all.B + c.B, all.Both + c.Both}
		}
		note("**all kinds**", all)
	}
	rows := [][]string{{"", "F1 of one against the other", "lowest and highest of three pairs", "one wrote", "the other",
		"both"}}
	for _, k := range append(slices.Clone(payload.Kinds), "**all kinds**") {
		c := sum[k]
		if min(c.A, c.B) < 10 {
			continue
		}
		rows = append(rows, []string{string(k), fmt.Sprintf("%.2f", f1(c)), fmt.Sprintf("%.2f–%.2f", low[k], high[k]),
			fmt.Sprint(c.A), fmt.Sprint(c.B), fmt.Sprint(c.Both)})
	}
	return markdown(rows...)
}

func (q quality) questions(t *testing.T) string {
	return q.each(func(project string) [][]string {
		r := q.run("questions", project)
		neverWorse(t, project, r)
		head := []string{fmt.Sprintf("%d questions", r.Systems[0].Questions.All.N)}
		for _, m := range eval.QuestionMetrics {
			head = append(head, m.Name)
		}
		rows := [][]string{head}
		for i, s := range r.Systems {
			row := []string{s.Name}
			for _, m := range eval.QuestionMetrics {
				f := m.Of(&s.Questions.All)
				if i == 0 {
					row = append(row, report.Ranged(f))
				} else {
					row = append(row, fmt.Sprintf("%.2f", f.Value))
				}
			}
			rows = append(rows, row)
		}
		return rows
	})
}

// neverWorse holds the sessions found against what anybody would write first: BM25 over the messages.
func neverWorse(t *testing.T, project string, r *eval.Run) {
	at := slices.IndexFunc(r.Systems, func(s eval.System) bool { return strings.HasPrefix(s.Name, "OR-BM25") })
	if at < 0 {
		t.Fatalf("%s: no baseline", project)
	}
	ours, base := r.Systems[0].Questions.All.Means, r.Systems[at].Questions.All.Means
	for _, name := range []string{"session@1", "session@5"} {
		if ours[name].Value < base[name].Value {
			t.Errorf("%s: %s is %.2f, by BM25 %.2f", project, name, ours[name].Value, base[name].Value)
		}
	}
}

func (q quality) paraphrased(*testing.T) string {
	head := []string{""}
	for _, m := range eval.QuestionMetrics {
		head = append(head, m.Name)
	}
	rows := [][]string{head}
	for _, project := range q.projects {
		s := q.run("questions", project).Systems[0].Questions
		for _, part := range []struct {
			name string
			r    eval.QuestionRates
		}{{"plain", s.Plain}, {"paraphrased", s.Paraphrased}} {
			row := []string{fmt.Sprintf("%s, %d %s", project, part.r.N, part.name)}
			for _, m := range eval.QuestionMetrics {
				row = append(row, fmt.Sprintf("%.2f", m.Of(&part.r).Value))
			}
			rows = append(rows, row)
		}
	}
	return markdown(rows...)
}

func (q quality) refusals(*testing.T) string {
	return q.each(func(project string) [][]string {
		rows := [][]string{{"", "superseded item first", "no answer, said so", "answer, but refused"}}
		for _, s := range q.run("questions", project).Systems {
			rows = append(rows, []string{s.Name, report.Share(s.Questions.Stale),
				report.Share(s.Questions.Abstained), report.Share(s.Questions.Refused)})
		}
		return rows
	})
}

func (q quality) judge(*testing.T) string {
	rows := [][]string{{"", "labelled pairs", "judged as people did", "same ones found"}}
	for _, p := range q.projects {
		a := q.run("payloads", p).Agreement
		rows = append(rows, []string{p, fmt.Sprint(a.Pairs),
			fmt.Sprintf("%d (%.2f)", a.Agree, float64(a.Agree)/float64(max(1, a.Pairs))),
			fmt.Sprintf("%d of %d", a.SameFound, a.Same)})
	}
	return markdown(rows...)
}
