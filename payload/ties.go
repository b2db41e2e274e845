package payload

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"recall/internal/text"
)

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
				n >= len(s.Carried) && !defaultBranches[s.Branch] && t.sessions[from].Branch != s.Branch
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
		if !defaultBranches[s.Branch] {
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
	t.chain(branches, 4, maxThreadGap)
	t.chain(common, 4, maxThreadGap)
	for _, group := range byProject {
		t.goals(group)
	}
}

// goals ties a project's sessions with similar goals. An inverted index avoids comparing all with all: it only
// compares pairs that could share enough, counting all light words as shared.
func (t *tieFinder) goals(group []int) {
	words, weights := map[int]text.Bag{}, map[int]float64{}
	byWord := groups{}
	for _, i := range group {
		g := text.Words(t.sessions[i].Goal)
		words[i], weights[i] = g, g.Weight()
		shared, light := map[int]float64{}, 0.0
		for w, weight := range g {
			if weight < 1 {
				light += weight
				continue
			}
			for _, k := range slices.Backward(byWord[w]) {
				if apart, known := t.gapBetween(k, i); known && apart <= maxThreadGap {
					shared[k] += weight
				} else if t.sessions[i].Start.Sub(t.sessions[k].Start) > 4*maxThreadGap {
					break // the earlier ones began even earlier
				}
			}
			byWord.add(w, i)
		}
		for k, most := range shared {
			if 2*(most+light) >= minGoalLikeness*(weights[i]+weights[k]) && g.Like(words[k]) >= minGoalLikeness {
				apart, _ := t.gapBetween(k, i)
				t.ties = append(t.ties, tie{4, apart, k, i})
			}
		}
	}
}
