package eval

import (
	"fmt"
	"hash"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/internal/text"
	"recall/payload"
)

// Problem is something wrong with, or missing from, a gold set.
type Problem struct {
	File string `json:"file"`
	Item string `json:"item,omitempty"` // id of the item, "question 3", "line 12"; "" for the file
	What string `json:"what"`
}

func (p Problem) String() string {
	if p.Item == "" {
		return p.File + ": " + p.What
	}
	return p.File + ": " + p.Item + ": " + p.What
}

// Problems is the error of a gold set: everything wrong with it, one per line.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// loader collects a set and its problems.
type loader struct {
	set        *Set
	hash       hash.Hash
	problems   Problems
	othersFrom map[string]string // file of each entry of Set.Others
}

func (l *loader) problem(file, item, what string) {
	l.problems = append(l.problems, Problem{file, item, what})
}

// check finds what would make a score meaningless.
func (l *loader) check() {
	items := map[string]bool{}
	began := l.set.starts()
	from := map[string]string{} // session to file
	for _, g := range l.set.Golds {
		if other := from[g.Session]; other != "" && g.Session != "" {
			l.problem(g.File, "", fmt.Sprintf("session %s has another gold set, %s", g.Session, filepath.Base(other)))
		}
		from[g.Session] = g.File
		for _, p := range g.Check() {
			if _, told := began[g.Session]; told { // a file of many sessions
				p.Item = g.Session + ", " + p.Item
			}
			l.problems = append(l.problems, p)
		}
		for _, it := range g.Items {
			items[g.Session+"#"+it.ID] = true
		}
	}
	n, asked := map[string]int{}, map[string]int{}
	for _, q := range l.set.Questions {
		n[q.File]++
		at := fmt.Sprintf("question %d", n[q.File])
		key := q.File + " " + q.AsOf + " " + strings.ToLower(text.OneLine(q.Q))
		if n, twice := asked[key]; twice {
			l.problem(q.File, at, fmt.Sprintf("it repeats question %d", n))
		}
		asked[key] = n[q.File]
		l.question(q, at, items, began)
	}
	for _, name := range slices.Sorted(maps.Keys(l.set.Others)) {
		if !items[name] {
			l.problem(l.othersFrom[name], name, "no such gold item")
		}
	}
}

// question checks one question; began maps told sessions to their start.
func (l *loader) question(q Question, at string, items map[string]bool, began map[string]time.Time) {
	if strings.TrimSpace(q.Q) == "" {
		l.problem(q.File, at, "no question in q")
	}
	until, err := q.Until()
	if err != nil {
		l.problem(q.File, at, fmt.Sprintf("as_of %q is not a day like 2026-04-17", q.AsOf))
	}
	for i, name := range slices.Concat(q.Expect, q.Stale) {
		if !items[name] {
			l.problem(q.File, at, fmt.Sprintf("expects or calls stale %s, which isn't a gold item", name))
		}
		if i >= len(q.Expect) && slices.Contains(q.Expect, name) {
			l.problem(q.File, at, fmt.Sprintf("expects %s and calls it stale", name))
		}
		if t, told := began[sessionOf(name)]; told && err == nil && !until.IsZero() && !t.Before(until) {
			l.problem(q.File, at, fmt.Sprintf("is asked on %s, before %s", q.AsOf, name))
		}
	}
}

// Until returns the end of the day on which the question is asked, zero if it has none.
func (q Question) Until() (time.Time, error) {
	if q.AsOf == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, q.AsOf)
	return day.AddDate(0, 0, 1), err
}

// Check lists everything wrong with a gold set on its own; see Case.Check for problems against the transcript.
func (g *Gold) Check() []Problem {
	var out []Problem
	say := func(item, what string, args ...any) {
		out = append(out, Problem{g.File, item, fmt.Sprintf(what, args...)})
	}
	if g.Schema != GoldSchema {
		say("", "schema %d, want %d", g.Schema, GoldSchema)
	}
	if g.Session == "" {
		say("", "no session")
	}
	seen := map[string]bool{}
	for i, it := range g.Items {
		name := it.ID
		if name == "" {
			name = fmt.Sprintf("item %d", i+1)
			say(name, "no id")
		} else if seen[it.ID] {
			say(name, "another item has this id")
		}
		seen[it.ID] = true
		if !slices.Contains(payload.Kinds, it.Kind) {
			say(name, "unknown kind %q", it.Kind)
		}
		if strings.TrimSpace(it.Text) == "" {
			say(name, "no text")
		}
		if len(it.Turns) == 0 {
			say(name, "cites no turn")
		}
		if strings.TrimSpace(it.Quote) == "" {
			say(name, "no quote")
		}
	}
	return out
}
