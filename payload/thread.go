package payload

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"recall/internal/text"
)

// MaxThreadGap is the longest gap between two sessions of one branch within a thread.
const MaxThreadGap = 14 * 24 * time.Hour

// ThreadInfo is what determines a session's thread.
type ThreadInfo struct {
	Session    string
	Project    string
	Branch     string // "" if there is none
	Folder     string `json:"-"` // the folder or space that Cowork was given, "" for others
	Start, End time.Time
	Parent     string   // the session that it was forked from or continues, or ""; it may be unknown
	PlanFiles  []string // absolute, or relative to the project
	Carried    []ItemID // items of payloads that a person gave it
	Injected   []ItemID // items of payloads that a hook put before it
	Items      []ItemID // its own, including retired ones
	Files      []string // those it worked on or speaks of
	Goal       string
}

// InfoOf returns what a session's payload contributes to its ThreadInfo: all but Parent, PlanFiles and Folder.
func InfoOf(p *Payload) ThreadInfo {
	info := ThreadInfo{Session: p.Session, Project: p.Project, Branch: p.Branch, Start: p.Start, End: p.End,
		Carried: p.Carried, Injected: p.Injected}
	for i, it := range slices.Concat(p.Items, p.Retired) {
		info.Items = append(info.Items, it.ID)
		if i >= len(p.Items) || !it.Current() {
			continue
		}
		for _, name := range it.About {
			if strings.ContainsFunc(path.Ext(name), unicode.IsLetter) { // no version, no name of a product
				info.Files = append(info.Files, name)
			}
		}
		switch {
		case it.Kind == File:
			info.Files = append(info.Files, it.Path)
		case it.Kind == Goal && info.Goal == "":
			info.Goal = it.Text
		}
	}
	return info
}

// A Correction is a person's statement that two sessions belong to one thread (Join) or don't (Split). Later ones win.
type Correction struct {
	Op CorrectionOp `json:"op"`
	A  string       `json:"a"` // sessions
	B  string       `json:"b"`
	At time.Time    `json:"at"` // when the person said so
}

// CorrectionOp is Join or Split.
type CorrectionOp string

const (
	Join  CorrectionOp = "join"
	Split CorrectionOp = "split"
)

// Threads groups sessions into threads. They are joined by fork or resume lineage, a shared plan file, a carried
// payload, one folder given to Cowork, or the same project and branch within 14 days; on the default branch, or
// without one, only if they also share a file or goal. A payload that a hook put before a session joins it like
// a pasted one, unless the session has a branch of its own: there the hook may have had only another branch's. A
// person's corrections win, the later of two contradictory ones, and a split wins over what follows from joins.
// Sessions are ordered oldest first, threads by last activity, latest first, regardless of the input's order.
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

// Pick returns the project's thread last active on the branch, or else the one last active, or nil. It picks a thread
// without any items only if no thread has one.
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

// LastWord marks, of a project's threads, the sessions that have the last word on what is next: of each thread the last
// of those that speak of it; and as newest those that no session followed: that of the thread last active, and of each
// on a branch of its own.
func LastWord(threads [][]ThreadInfo, speaks, last, newest map[string]bool) {
	for i, thread := range threads {
		end := slices.MaxFunc(thread, func(a, b ThreadInfo) int { return a.End.Compare(b.End) })
		newest[end.Session] = i == 0 || OwnBranch(end.Branch)
		for _, s := range slices.Backward(thread) {
			if speaks[s.Session] {
				last[s.Session] = true
				break
			}
		}
	}
}

// defaultBranches are used for everything, so they don't identify a task.
var defaultBranches = map[string]bool{"": true, "main": true, "master": true, "trunk": true, "develop": true,
	"development": true, "dev": true, "next": true, "HEAD": true}

// OwnBranch reports whether a branch is one for some work.
func OwnBranch(branch string) bool { return !defaultBranches[branch] }

// ubiquitousFiles lists files that any session may touch, so sharing one means nothing.
var ubiquitousFiles = text.Set(`readme.md claude.md agents.md changelog.md memory.md todo.md .gitignore go.mod go.sum
	package.json package-lock.json yarn.lock pnpm-lock.yaml cargo.toml cargo.lock pyproject.toml poetry.lock uv.lock
	requirements.txt makefile dockerfile gemfile.lock`)

// isTelling reports whether a file indicates what a session is about.
func isTelling(file string) bool {
	return file != "" && !ubiquitousFiles[strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/")))]
}

// A grouping unites sessions into threads, but never those that a person split.
type grouping struct {
	sessions    []ThreadInfo
	text.Groups          // a thread's first session is the earliest
	split       [][2]int // pairs that a person said are not in one thread
}

// newGrouping starts with each session alone, then applies people's corrections.
func newGrouping(sessions []ThreadInfo, corrections []Correction) *grouping {
	g := &grouping{sessions: sessions, Groups: text.NewGroups(len(sessions))}
	place := map[string]int{}
	for i, s := range sessions {
		place[s.Session] = i
	}
	corrections = latest(corrections)
	for _, op := range []CorrectionOp{Split, Join} { // splits first: they limit what joins unite
		for _, c := range corrections {
			a, okA := place[c.A]
			b, okB := place[c.B]
			switch {
			case !okA || !okB || a == b || c.Op != op:
			case op == Split:
				g.split = append(g.split, [2]int{a, b})
			default:
				g.unite(a, b)
			}
		}
	}
	return g
}

// latest returns the last correction of each pair of sessions, in order of time.
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

// unite joins the threads of two sessions, unless a person split them.
func (g *grouping) unite(i, k int) {
	a, b := g.Find(i), g.Find(k)
	if a != b && !g.isSplit(a, b) {
		g.Join(a, b)
	}
}

// isSplit reports whether a person split any session of thread a from one of b.
func (g *grouping) isSplit(a, b int) bool {
	return slices.ContainsFunc(g.split, func(p [2]int) bool {
		x, y := g.Find(p[0]), g.Find(p[1])
		return x == a && y == b || x == b && y == a
	})
}

func (g *grouping) threads() (out [][]ThreadInfo) {
	at := map[int]int{} // index in out by a thread's first session
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

// minGoalLikeness is the similarity (see text.Bag) from which two goals count as the same.
const minGoalLikeness = 0.6

// A tie joins two sessions, given by their position in order of time.
type tie struct {
	strength int // the lower the more certain: lineage, plan, carried, branch or folder
	gap      time.Duration
	a, b     int
}

// ties returns all reasons to join sessions, the most certain and closest first, so that these prevail where a split
// forbids a thread.
func ties(sessions []ThreadInfo) []tie {
	t := tieFinder{sessions: sessions}
	t.lineage()
	t.plans()
	t.carried()
	t.branches()
	slices.SortFunc(t.ties, func(x, y tie) int {
		return cmp.Or(cmp.Compare(x.strength, y.strength), cmp.Compare(x.gap, y.gap), cmp.Compare(x.a, y.a),
			cmp.Compare(x.b, y.b))
	})
	return t.ties
}

type tieFinder struct {
	sessions []ThreadInfo
	ties     []tie
}

// groups lists sessions by something they have in common.
type groups map[string][]int

func (g groups) add(key string, i int) {
	if have := g[key]; len(have) == 0 || have[len(have)-1] != i {
		g[key] = append(have, i)
	}
}

// chain ties each session of a group to the one that ended last before it, at most gap earlier; any time earlier if
// gap is 0.
func (t *tieFinder) chain(g groups, strength int, gap time.Duration) {
	for _, group := range g {
		slices.Sort(group)
		last := group[0]
		for _, i := range group[1:] {
			if apart, known := t.gapBetween(last, i); gap == 0 || known && apart <= gap {
				t.ties = append(t.ties, tie{strength, apart, last, i})
			}
			if t.sessions[i].End.After(t.sessions[last].End) {
				last = i
			}
		}
	}
}

// gapBetween returns how long after session a session b began, 0 if they overlap.
func (t *tieFinder) gapBetween(a, b int) (gap time.Duration, known bool) {
	end, start := t.sessions[a].End, t.sessions[b].Start
	return max(0, start.Sub(end)), !end.IsZero() && !start.IsZero()
}

func (t *tieFinder) lineage() {
	families := groups{}
	for i, s := range t.sessions {
		families.add(s.Session, i)
		if s.Parent != "" {
			families.add(s.Parent, i)
		}
	}
	t.chain(families, 1, 0)
}

func (t *tieFinder) plans() {
	plans := groups{}
	for i, s := range t.sessions {
		for _, file := range s.PlanFiles {
			if file == "" {
				continue
			}
			if !strings.ContainsAny(file[:1], `/\~`) && !strings.Contains(file, ":") {
				file = s.Project + "\x00" + file
			}
			plans.add(file, i)
		}
	}
	t.chain(plans, 2, 0)
}

func (t *tieFinder) carried() {
	owner := map[ItemID]int{}
	for i, s := range t.sessions {
		for _, id := range append(slices.Clip(s.Items), PageID(s.Session)) {
			owner[id] = i
		}
	}
	for i, s := range t.sessions {
		for n, id := range slices.Concat(s.Carried, s.Injected) {
			from, ok := owner[id]
			apart := !ok || from == i ||
				n >= len(s.Carried) && OwnBranch(s.Branch) && t.sessions[from].Branch != s.Branch
			if apart {
				continue
			}
			a, b := min(from, i), max(from, i)
			gap, _ := t.gapBetween(a, b)
			t.ties = append(t.ties, tie{3, gap, a, b})
		}
	}
}

func (t *tieFinder) branches() {
	folders, branches, common, byProject := groups{}, groups{}, groups{}, groups{}
	for i, s := range t.sessions {
		if s.Folder != "" {
			folders.add(s.Folder, i)
		}
		if OwnBranch(s.Branch) {
			branches.add(s.Project+"\x00"+s.Branch, i)
			continue
		}
		byProject.add(s.Project, i)
		for _, name := range s.Files {
			if isTelling(name) {
				common.add(s.Project+"\x00"+name, i)
			}
		}
	}
	t.chain(folders, 4, 0)
	t.chain(branches, 4, MaxThreadGap)
	t.chain(common, 4, MaxThreadGap)
	for _, group := range byProject {
		t.goals(group)
	}
}

// goals ties a project's sessions with similar goals. An inverted index avoids comparing all with all.
func (t *tieFinder) goals(group []int) {
	size := map[int]int{}
	byWord := groups{}
	for _, i := range group {
		words, shared := text.Words(t.sessions[i].Goal), map[int]int{}
		size[i] = len(words)
		for w := range words {
			for _, k := range slices.Backward(byWord[w]) {
				if apart, known := t.gapBetween(k, i); known && apart <= MaxThreadGap {
					shared[k]++
				} else if t.sessions[i].Start.Sub(t.sessions[k].Start) > 4*MaxThreadGap {
					break // the earlier ones began even earlier
				}
			}
			byWord.add(w, i)
		}
		for k, n := range shared { // as Bag.Like has it
			if 2*float64(n)/float64(size[i]+size[k]) >= minGoalLikeness {
				apart, _ := t.gapBetween(k, i)
				t.ties = append(t.ties, tie{4, apart, k, i})
			}
		}
	}
}
