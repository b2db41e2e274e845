package main

import (
	"fmt"
	"slices"
	"strconv"

	"recall/distill/offline"
	"recall/eval"
	"recall/eval/train/data"
	"recall/eval/train/learn"
	"recall/payload"
)

// tally sums counts over sessions.
type tally struct {
	any, files, goals, told, view, chance, passages eval.Count
	sessions                                        int
}

func (t *tally) add(o tally) {
	t.any, t.files, t.goals = t.any.Plus(o.any), t.files.Plus(o.files), t.goals.Plus(o.goals)
	t.told, t.view = t.told.Plus(o.told), t.view.Plus(o.view)
	t.chance, t.passages = t.chance.Plus(o.chance), t.passages.Plus(o.passages)
	t.sessions += o.sessions
}

// firstPassages is how many of a session's passages are judged separately: those seen first.
const firstPassages = 5

func tallied(l *learn.CrossValidation, e *learn.Example) tally {
	items, _ := offline.Items(e.Case.Session, l.Models[e.Project])
	inView, _ := offline.Items(e.Case.Session, l.Full)
	score := e.Case.Score(items)
	t := tally{any: score.Lenient, files: score.Kinds[payload.File], goals: score.Kinds[payload.Goal],
		view: e.Case.Score(inView).Lenient, sessions: 1}
	printed := page(e.Case, items)
	var quoted []payload.Item
	for _, it := range items {
		if it.Kind == payload.Lead {
			quoted = append(quoted, it)
		}
		if right, fair := e.Worth(it); slices.Contains(printed, it.ID) && (right || !fair) {
			t.told.Pred++
			if right {
				t.told.Hits++
			}
		}
	}
	t.passages = e.Case.Score(quoted).Lenient
	t.passages.Wanted -= score.Kinds[payload.File].Wanted
	t.chance = e.Case.Chance().Lenient
	return t
}

// page returns the ids of the first passages that a page of some items prints.
func page(c *eval.Case, items []payload.Item) (out []payload.ItemID) {
	p := &payload.Payload{Session: string(c.Session.ID), Items: items}
	for i := range items {
		items[i].ID = payload.ItemID(fmt.Sprint(i))
	}
	for _, id := range payload.Render(p, payload.Options{Leads: firstPassages}).Shown {
		if i, err := strconv.Atoi(string(id)); err == nil && items[i].Kind == payload.Lead {
			out = append(out, id)
		}
	}
	return out
}

// report prints how good the models are on projects left out, each and together.
func report(l *learn.CrossValidation) {
	by, sum := map[string]*tally{}, map[string]*tally{}
	var names, sums []string
	note := func(m map[string]*tally, list *[]string, name string, t tally) {
		if m[name] == nil {
			m[name] = &tally{}
			*list = append(*list, name)
		}
		m[name].add(t)
	}
	for _, e := range l.Set {
		t := tallied(l, e)
		note(by, &names, e.Project.Name, t)
		note(sum, &sums, map[data.Origin]string{data.People: "all read by people", data.Silver: "all read by a model",
			data.Invented: "all invented"}[e.Project.Origin], t)
		if e.Project.Real() {
			note(sum, &sums, "all real", t)
		}
	}
	fmt.Printf("%-44s %3s  %-20s  %-20s  %-7s  %-20s  %-20s  %-7s  %-6s\n", "project, left out", "n",
		"any kind P/R/F1", "passages P/R/F1", "first "+fmt.Sprint(firstPassages), "files P/R/F1", "goals P/R/F1",
		"in view", "chance")
	row := func(name string, t *tally) {
		fmt.Printf("%-44s %3d  %-20s  %-20s  %.3f    %-20s  %-20s  %.3f    %.3f\n", name, t.sessions, three(t.any),
			three(t.passages), t.told.Precision(),
			three(t.files), three(t.goals), t.view.F1(), t.chance.F1())
	}
	for _, n := range names {
		row(n, by[n])
	}
	for _, n := range sums {
		row(n, sum[n])
	}
	fmt.Println("\nrecords on projects left out, real ones: right, wrong, fair to leave")
	for _, r := range l.Full.Records {
		precision := "too few"
		if r.Known() {
			precision = fmt.Sprintf("%.3f", r.Precision())
		}
		fmt.Printf("%-14s %3d %3d %3d  precision %s\n", r.Rule, r.Right, r.Wrong, r.Neutral, precision)
	}
	fmt.Println("\nlikelihood up to, and how often such a passage is worth keeping")
	for _, b := range l.Full.Sure {
		fmt.Printf("%.3f %.3f\n", b.To, b.Sure)
	}
}

func three(c eval.Count) string {
	return fmt.Sprintf("%.3f/%.3f/%.3f", c.Precision(), c.Recall(), c.F1())
}
