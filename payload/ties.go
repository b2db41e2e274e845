package payload

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"recall/text"
)

// goalsAlike is how alike two goals are (see text.Bag) to be one.
const goalsAlike = 0.6

// A tie joins two sessions, by their places in order of time.
type tie struct {
	strength int // the lower the surer: lineage, plan, carried, branch
	gap      time.Duration
	a, b     int
}

// ties returns all reasons to join sessions, surest and closest first: where a split forbids a thread the strongest
// hold.
func ties(sessions []ThreadInfo) []tie {
	t := tier{sessions: sessions}
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

type tier struct {
	sessions []ThreadInfo
	ties     []tie
}

// groups are sessions by what they have in common.
type groups map[string][]int

func (g groups) add(key string, i int) {
	if have := g[key]; len(have) == 0 || have[len(have)-1] != i {
		g[key] = append(have, i)
	}
}

// chain ties each session of a group to the one that ended last before, at most gap ago; any time ago for gap 0.
func (t *tier) chain(g groups, strength int, gap time.Duration) {
	for _, group := range g {
		slices.Sort(group)
		last := group[0]
		for _, i := range group[1:] {
			if apart, known := t.apart(last, i); gap == 0 || known && apart <= gap {
				t.ties = append(t.ties, tie{strength, apart, last, i})
			}
			if t.sessions[i].End.After(t.sessions[last].End) {
				last = i
			}
		}
	}
}

// apart returns how long after a session another began, 0 if they overlap.
func (t *tier) apart(a, b int) (gap time.Duration, known bool) {
	end, start := t.sessions[a].End, t.sessions[b].Start
	return max(0, start.Sub(end)), !end.IsZero() && !start.IsZero()
}

func (t *tier) lineage() {
	families := groups{}
	for i, s := range t.sessions {
		families.add(s.Session, i)
		if s.Parent != "" {
			families.add(s.Parent, i)
		}
	}
	t.chain(families, 1, 0)
}

func (t *tier) plans() {
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

func (t *tier) carried() {
	owner := map[ItemID]int{}
	for i, s := range t.sessions {
		for _, id := range s.Items {
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
			gap, _ := t.apart(a, b)
			t.ties = append(t.ties, tie{3, gap, a, b})
		}
	}
}

func (t *tier) branches() {
	branches, common, byProject := groups{}, groups{}, groups{}
	for i, s := range t.sessions {
		if !defaultBranches[s.Branch] {
			branches.add(s.Project+"\x00"+s.Branch, i)
			continue
		}
		byProject.add(s.Project, i)
		for _, name := range slices.Concat(s.Files, s.Symbols) {
			if says(name) {
				common.add(s.Project+"\x00"+name, i)
			}
		}
	}
	t.chain(branches, 4, threadGap)
	t.chain(common, 4, threadGap)
	for _, group := range byProject {
		t.goals(group)
	}
}

// goals ties sessions of a project whose goals are alike. An inverted index keeps it from comparing all with all: only
// those are compared that have as much in common as they must, counting all light words as shared.
func (t *tier) goals(group []int) {
	words, weights := map[int]text.Bag{}, map[int]float64{}
	byWord := groups{}
	for _, i := range group {
		g := WordsOf(t.sessions[i].Goal)
		words[i], weights[i] = g, g.Weight()
		shared, light := map[int]float64{}, 0.0
		for w, weight := range g {
			if weight < 1 {
				light += weight
				continue
			}
			for _, k := range slices.Backward(byWord[w]) {
				if apart, known := t.apart(k, i); known && apart <= threadGap {
					shared[k] += weight
				} else if t.sessions[i].Start.Sub(t.sessions[k].Start) > 4*threadGap {
					break // all before it began earlier still
				}
			}
			byWord.add(w, i)
		}
		for k, most := range shared {
			if 2*(most+light) >= goalsAlike*(weights[i]+weights[k]) && g.Like(words[k]) >= goalsAlike {
				apart, _ := t.apart(k, i)
				t.ties = append(t.ties, tie{4, apart, k, i})
			}
		}
	}
}
