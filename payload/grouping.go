package payload

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"recall/text"
)

// A grouping unites sessions into threads, but never what a person parted.
type grouping struct {
	sessions    []ThreadInfo
	text.Groups          // a thread's first session is the earliest
	parted      [][2]int // a person said: these two are not of one thread
}

// newGrouping begins with each session alone, then does what people said.
func newGrouping(sessions []ThreadInfo, corrections []Correction) *grouping {
	g := &grouping{sessions: sessions, Groups: text.Apart(len(sessions))}
	place := map[string]int{}
	for i, s := range sessions {
		place[s.Session] = i
	}
	var joins []Correction
	for _, c := range latest(corrections) {
		a, okA := place[c.A]
		b, okB := place[c.B]
		switch {
		case !okA || !okB:
		case c.Op == Split && a != b:
			g.parted = append(g.parted, [2]int{a, b})
		case c.Op == Join:
			joins = append(joins, c)
		}
	}
	for _, c := range joins {
		g.unite(place[c.A], place[c.B])
	}
	return g
}

// latest returns of all corrections of two sessions the last, in order of time.
func latest(corrections []Correction) []Correction {
	corrections = slices.Clone(corrections)
	for i, c := range corrections {
		if c.B < c.A {
			corrections[i].A, corrections[i].B = c.B, c.A
		}
	}
	slices.SortFunc(corrections, func(x, y Correction) int {
		return cmp.Or(x.At.Compare(y.At), strings.Compare(x.A, y.A), strings.Compare(x.B, y.B),
			strings.Compare(string(x.Op), string(y.Op)))
	})
	last := map[[2]string]int{}
	for i, c := range corrections {
		last[[2]string{c.A, c.B}] = i
	}
	var out []Correction
	for i, c := range corrections {
		if last[[2]string{c.A, c.B}] == i {
			out = append(out, c)
		}
	}
	return out
}

// unite joins the threads of two sessions, unless a person parted them.
func (g *grouping) unite(i, k int) {
	a, b := g.Find(i), g.Find(k)
	if a != b && !g.partedBy(a, b) {
		g.Join(a, b)
	}
}

// partedBy reports whether a person parted any session of thread a from one of b.
func (g *grouping) partedBy(a, b int) bool {
	return slices.ContainsFunc(g.parted, func(p [2]int) bool {
		x, y := g.Find(p[0]), g.Find(p[1])
		return x == a && y == b || x == b && y == a
	})
}

func (g *grouping) threads() (out [][]ThreadInfo) {
	at := map[int]int{} // of a thread's first session in out
	for i, s := range g.sessions {
		first := g.Find(i)
		if first == i {
			at[i] = len(out)
			out = append(out, nil)
		}
		out[at[first]] = append(out[at[first]], s)
	}
	slices.SortStableFunc(out, func(a, b []ThreadInfo) int { return lastActive(b).Compare(lastActive(a)) })
	return out
}

func lastActive(thread []ThreadInfo) time.Time {
	var end time.Time
	for _, s := range thread {
		if s.End.After(end) {
			end = s.End
		}
	}
	return end
}
