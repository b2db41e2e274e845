package payload

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"recall/text"
)

// threadGap is how far apart two sessions of one branch may be in a thread.
const threadGap = 14 * 24 * time.Hour

// ThreadInfo is what is to be known of a session to find its thread.
type ThreadInfo struct {
	Session    string
	Project    string
	Branch     string // "" if none
	Start, End time.Time
	Parent     string   // the session that it was forked from or continues, ""; it needn't be known itself
	PlanFiles  []string // absolute, or relative to the project
	Carried    []ItemID // items of payloads that a person handed to it
	Injected   []ItemID // items of payloads that a hook put before it
	Items      []ItemID // its own, the retired too
	Files      []string // that it is about
	Symbols    []string
	Goal       string
}

// InfoOf returns what a session's payload says of its thread: all but the session's own Parent and PlanFiles.
func InfoOf(p *Payload) ThreadInfo {
	info := ThreadInfo{Session: p.Session, Project: p.Project, Branch: p.Branch, Start: p.Start, End: p.End,
		Carried: p.Carried, Injected: p.Injected}
	for i, it := range slices.Concat(p.Items, p.Retired) {
		info.Items = append(info.Items, it.ID)
		if i >= len(p.Items) || !it.Current() {
			continue
		}
		info.Symbols = append(info.Symbols, it.About...)
		switch {
		case it.Kind == File:
			info.Files = append(info.Files, it.Path)
		case it.Kind == Goal && info.Goal == "":
			info.Goal = it.Text
		}
	}
	return info
}

// A Correction is a person's word about threads: two sessions belong to one (Join) or don't (Split). Later ones win.
type Correction struct {
	Op CorrectionOp `json:"op"`
	A  string       `json:"a"` // sessions
	B  string       `json:"b"`
	At time.Time    `json:"at"` // when the person said so
}

// CorrectionOp is one of Join and Split.
type CorrectionOp string

const (
	Join  CorrectionOp = "join"
	Split CorrectionOp = "split"
)

// Threads sorts sessions into threads: joined by fork or resume lineage, a shared plan file, a carried payload, or the
// same project and branch within 14 days; on the default branch, or without one, only with a file, symbol or goal in
// common. A payload that a hook put before a session ties it like a pasted one, but for a branch of its own: there the
// hook may have had only another branch's. A person's corrections win, the later of two that contradict, and a split
// over what follows from joins. Sessions come oldest first, threads by their last activity, latest first, whatever the
// order of the input.
func Threads(sessions []ThreadInfo, corrections []Correction) [][]ThreadInfo {
	sessions = slices.Clone(sessions)
	slices.SortFunc(sessions, func(a, b ThreadInfo) int {
		return cmp.Or(a.Start.Compare(b.Start), strings.Compare(a.Session, b.Session))
	})
	sessions = slices.CompactFunc(sessions, func(a, b ThreadInfo) bool { return a.Session == b.Session })
	for i := range sessions {
		if sessions[i].End.Before(sessions[i].Start) {
			sessions[i].End = sessions[i].Start
		}
	}
	g := newGrouping(sessions, corrections)
	for _, tie := range ties(sessions) {
		g.unite(tie.a, tie.b)
	}
	return g.threads()
}

// Pick returns a project's thread last active on the branch, else the one last active, else nil. One without a single
// item is picked only if all are so.
func Pick(threads [][]ThreadInfo, branch string) []ThreadInfo {
	silent := func(thread []ThreadInfo) bool {
		return !slices.ContainsFunc(thread, func(s ThreadInfo) bool { return len(s.Items) > 0 })
	}
	if said := slices.DeleteFunc(slices.Clone(threads), silent); len(said) > 0 {
		threads = said
	}
	var best []ThreadInfo
	var when time.Time
	for _, thread := range threads {
		for _, s := range thread {
			if branch != "" && s.Branch == branch && (best == nil || s.End.After(when)) {
				best, when = thread, s.End
			}
		}
	}
	if best == nil && len(threads) > 0 {
		best = threads[0]
	}
	return best
}

// defaultBranches are worked on for anything: being on one says nothing of a task.
var defaultBranches = map[string]bool{"": true, "main": true, "master": true, "trunk": true, "develop": true,
	"HEAD": true}

// everywhere are files that any session may touch: having one in common says nothing.
var everywhere = text.Set(`readme.md claude.md agents.md changelog.md memory.md todo.md .gitignore go.mod go.sum
	package.json package-lock.json yarn.lock pnpm-lock.yaml cargo.toml cargo.lock pyproject.toml poetry.lock uv.lock
	requirements.txt makefile dockerfile gemfile.lock`)

// says reports whether a file tells what a session is about.
func says(file string) bool {
	return file != "" && !everywhere[strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/")))]
}

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
