package eval

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"recall/cmd/recall/demo"
	"recall/payload"
)

// bundledCases are the gold sets that ship, with their sessions.
func bundledCases(t *testing.T) []*Case {
	t.Helper()
	set, err := LoadSet()
	if err != nil {
		t.Fatal(err)
	}
	return gathered(t, set, demoSessions(t))
}

func demoSessions(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if _, _, err := demo.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func gathered(t *testing.T, set *Set, from string) []*Case {
	t.Helper()
	c, err := Gather(t.Context(), set, Options{From: from})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.Problems {
		t.Errorf("%v", p)
	}
	return c.Cases
}

// written is a payload that says just what people wrote.
func written(c *Case) []payload.Item {
	var items []payload.Item
	for _, g := range c.Gold.Items {
		it := payload.Item{Kind: g.Kind, Text: g.Text, Why: g.Why}
		if g.Kind == payload.File {
			it.Path = g.path()
		}
		for _, turn := range g.Turns {
			it.Evidence = append(it.Evidence, payload.Evidence{Turn: turn, Quote: g.Quote})
		}
		items = append(items, it)
	}
	return items
}

func TestWhatPeopleWroteIsPerfect(t *testing.T) {
	for _, c := range bundledCases(t) {
		sc := c.Score(written(c))
		if sc.Micro.F1() != 1 || sc.Lenient.F1() != 1 {
			t.Errorf("%s: gold against itself scores %.3f, lenient %.3f\n%+v", c.Gold.File, sc.Micro.F1(), sc.Lenient.F1(), sc)
		}
		if sc := c.Score(nil); sc.Micro.F1() != 0 || sc.Lenient.F1() != 0 {
			t.Errorf("%s: an empty payload scores %.3f", c.Gold.File, sc.Micro.F1())
		}
	}
}

// Whatever a payload holds: another order changes nothing, saying something
// twice doesn't help, and leaving out what is fair to leave changes nothing.
func TestOrderDuplicatesAndNeutralItems(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range bundledCases(t) {
		all := written(c)
		for range shuffles() {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			some := slices.Clone(all[:1+r.IntN(len(all))])
			before := c.Score(some)
			shuffled := slices.Clone(some)
			r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			if after := c.Score(shuffled); after.Micro != before.Micro || after.Lenient != before.Lenient {
				t.Errorf("%s: in another order %+v, before %+v", c.Gold.File, after.Micro, before.Micro)
			}
			twice := append(slices.Clone(some), some[r.IntN(len(some))])
			if after := c.Score(twice); after.Micro.F1() > before.Micro.F1() || after.Lenient.F1() > before.Lenient.F1() {
				t.Errorf("%s: saying %q twice raised F1 from %.3f to %.3f, lenient from %.3f to %.3f", c.Gold.File,
					twice[len(twice)-1].Text,
					before.Micro.F1(), after.Micro.F1(), before.Lenient.F1(), after.Lenient.F1())
			}
		}
		must := slices.DeleteFunc(written(c), func(it payload.Item) bool {
			i := slices.IndexFunc(c.Gold.Items, func(g GoldItem) bool { return g.Text == it.Text })
			return !c.Gold.Items[i].Must
		})
		if sc := c.Score(must); sc.Micro.F1() != 1 {
			t.Errorf("%s: without what is fair to leave %.3f, want 1", c.Gold.File, sc.Micro.F1())
		}
	}
}

func shuffles() int {
	if testing.Short() {
		return 4
	}
	return 20
}

// A mutation makes one item of a perfect payload wrong, or adds one. It reports
// false where the payload gives no hold for it.
type mutation struct {
	name string
	do   func(r *rand.Rand, c *Case, items []payload.Item) ([]payload.Item, bool)
}

var mutations = []mutation{
	{"negated decision", func(r *rand.Rand, c *Case, items []payload.Item) ([]payload.Item, bool) {
		i, ok := pick(r, c, items, func(it payload.Item) bool {
			_, can := deny(it.Text, it.Text)
			return it.Kind == payload.Decision && can
		})
		if ok {
			items[i].Text, _ = deny(items[i].Text, items[i].Text)
		}
		return items, ok
	}},
	{"wrong file", func(r *rand.Rand, c *Case, items []payload.Item) ([]payload.Item, bool) {
		i, ok := pick(r, c, items, func(it payload.Item) bool { return it.Kind == payload.File })
		if ok {
			items[i].Path = "internal/elsewhere/" + string(rune('a'+r.IntN(26))) + ".go"
		}
		return items, ok
	}},
	{"swapped why", func(r *rand.Rand, c *Case, items []payload.Item) ([]payload.Item, bool) {
		has := func(it payload.Item) bool { return it.Why != "" }
		i, ok := pick(r, c, items, has)
		if !ok {
			return items, false
		}
		j, ok := pick(r, c, items, func(it payload.Item) bool { return has(it) && it.Why != items[i].Why })
		if ok {
			items[i].Why, items[j].Why = items[j].Why, items[i].Why
		}
		return items, ok
	}},
	{"invented item", func(r *rand.Rand, c *Case, items []payload.Item) ([]payload.Item, bool) {
		kind := []payload.Kind{payload.Decision, payload.Flag, payload.Eliminated, payload.Next}[r.IntN(4)]
		invented := []string{
			"The gallery's thumbnails are rendered by a headless browser on the build server.",
			"Every tenant gets its own Kubernetes namespace.",
			"The newsletter goes out on Mondays at 9:00 through the old mail relay.",
			"Elasticsearch stays at version 7 because the plugin for synonyms has no port.",
			"The apprentice's laptop can't reach the VPN from the second floor.",
			"Rewrite the scheduler in Rust after the summer.",
		}
		turn := items[r.IntN(len(items))].Evidence // the evidence of something else
		return append(items, payload.Item{Kind: kind, Text: invented[r.IntN(len(invented))], Evidence: turn}), true
	}},
}

// pick chooses an item that must be there and that fits.
func pick(r *rand.Rand, c *Case, items []payload.Item, fits func(payload.Item) bool) (int, bool) {
	var may []int
	for i, it := range items {
		if c.Gold.Items[i].Must && fits(it) {
			may = append(may, i)
		}
	}
	if len(may) == 0 {
		return 0, false
	}
	return may[r.IntN(len(may))], true
}

// mutate counts of n mutations those that score lower, by name.
func mutate(t *testing.T, cases []*Case, n int) {
	t.Helper()
	if testing.Short() { // the race detector is slow
		n /= 5
	}
	r := rand.New(rand.NewPCG(3, 4))
	lower, all := map[string]int{}, map[string]int{}
	sum, down := 0, 0
	for sum < n {
		c, m := cases[r.IntN(len(cases))], mutations[sum%len(mutations)]
		items, ok := m.do(r, c, written(c))
		if !ok {
			continue
		}
		sum++
		all[m.name]++
		if sc := c.Score(items); sc.Micro.F1() < 1 {
			down++
			lower[m.name]++
		}
	}
	for _, m := range mutations {
		t.Logf("%-17s %d of %d score lower", m.name, lower[m.name], all[m.name])
	}
	if down*100 < n*95 {
		t.Errorf("%d of %d mutations score lower, want 95 in 100", down, n)
	}
}

func TestMutationsScoreLower(t *testing.T) { mutate(t, bundledCases(t), 500) }

func TestMutationsOfSharedGoldScoreLower(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED isn't set: no gold sets")
	}
	set, err := LoadSet(filepath.Join(shared, "eval", "gold"))
	if err != nil {
		t.Fatal(err)
	}
	mutate(t, gathered(t, set, filepath.Join(shared, "transcripts")), 500)
}

// The scores of random sessions are those of another implementation, which
// tries every way to pair and counts by the letter of the definition.
func TestScoresAsByBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	kinds := payload.Kinds[:3]
	for n := range 1000 {
		var pred []payload.Kind
		for range r.IntN(6) {
			pred = append(pred, kinds[r.IntN(len(kinds))])
		}
		var gold []GoldItem
		for range r.IntN(6) {
			gold = append(gold, GoldItem{Kind: kinds[r.IntN(len(kinds))], Must: r.IntN(4) > 0})
		}
		x := make([][]float64, len(pred))
		for i := range x {
			for range gold {
				x[i] = append(x[i], r.Float64())
			}
		}
		const threshold = 0.4
		same := func(i, j int) bool { return pred[i] == gold[j].Kind }
		apart := make([]int, len(pred))
		for i := range apart {
			apart[i] = i
		}
		got := scoreOf(pred, gold, pairUp(x, threshold, apart, same), pairUp(x, threshold, apart, nil))
		strict := bestPairing(x, func(i, j int) bool { return x[i][j] >= threshold && same(i, j) })
		lenient := bestPairing(x, func(i, j int) bool { return x[i][j] >= threshold })
		for _, kind := range kinds {
			p, rc, f := definition(pred, gold, strict, func(k payload.Kind) bool { return k == kind })
			c := got.Kinds[kind]
			if !near(c.Precision(), p) || !near(c.Recall(), rc) || !near(c.F1(), f) {
				t.Fatalf("case %d, %s: got %.3f %.3f %.3f, want %.3f %.3f %.3f", n, kind, c.Precision(), c.Recall(), c.F1(), p, rc,
					f)
			}
		}
		for name, v := range map[string]struct {
			c     Count
			pairs map[int]int
		}{"micro": {got.Micro, strict}, "lenient": {got.Lenient, lenient}} {
			p, rc, f := definition(pred, gold, v.pairs, func(payload.Kind) bool { return true })
			if !near(v.c.Precision(), p) || !near(v.c.Recall(), rc) || !near(v.c.F1(), f) {
				t.Fatalf("case %d, %s: got %.3f %.3f %.3f, want %.3f %.3f %.3f", n, name, v.c.Precision(), v.c.Recall(), v.c.F1(),
					p, rc, f)
			}
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// bestPairing tries all ways to pair rows with columns.
func bestPairing(x [][]float64, may func(i, j int) bool) map[int]int {
	best, most := map[int]int{}, 0.0
	used := map[int]bool{}
	chosen := map[int]int{}
	var try func(i int, sum float64)
	try = func(i int, sum float64) {
		if i == len(x) {
			if sum > most {
				most, best = sum, map[int]int{}
				for a, b := range chosen {
					best[a] = b
				}
			}
			return
		}
		try(i+1, sum)
		for j := range x[i] {
			if used[j] || !may(i, j) {
				continue
			}
			used[j], chosen[i] = true, j
			try(i+1, sum+x[i][j])
			delete(chosen, i)
			used[j] = false
		}
	}
	try(0, 0)
	return best
}

// definition is precision, recall and F1 by their words: of the predictions that
// aren't paired with something fair to leave, those paired; of the items that
// must be there, those paired.
func definition(pred []payload.Kind, gold []GoldItem, pairs map[int]int, in func(payload.Kind) bool) (p, r, f float64) {
	var predicted, right, must, found float64
	taken := map[int]bool{}
	for i, kind := range pred {
		j, paired := pairs[i]
		if paired {
			taken[j] = true
		}
		if !in(kind) || paired && !gold[j].Must {
			continue
		}
		predicted++
		if paired {
			right++
		}
	}
	for j, g := range gold {
		if g.Must && in(g.Kind) {
			must++
			if taken[j] {
				found++
			}
		}
	}
	p, r = 1, 1
	if predicted > 0 {
		p = right / predicted
	}
	if must > 0 {
		r = found / must
	}
	if p+r > 0 {
		f = 2 * p * r / (p + r)
	}
	return p, r, f
}
