package relate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"recall/payload"
)

// alike makes n decisions, ten a session, of so few words that most resemble most others.
func alike(n int) []Item {
	rng := rand.New(rand.NewPCG(7, 8))
	words := strings.Fields("retry upload queue token cache worker index parser session config limit batch socket " +
		"buffer schema cursor thread metric")
	word := func() string { return words[rng.IntN(len(words))] }
	items := make([]Item, n)
	for i := range items {
		text := fmt.Sprintf("We decided to use %s instead of %s because %s.", word(), word(), word())
		for range rng.IntN(5) {
			text += " " + word() + " " + word()
		}
		items[i] = item(fmt.Sprintf("i%05d", i), fmt.Sprintf("s%d", i/10), 1+i*28/n, payload.Decision, text, text)
	}
	return items
}

// However alike items are, what is looked at and what is tied is so much for each, and
// one that anything supersedes is still superseded.
func TestWorkIsBounded(t *testing.T) {
	const n = 400
	within := func(most limits) *project {
		p := newProject(alike(n), func(*Item) bool { return true })
		p.most = most
		for g := range p.groups {
			p.compare(g)
		}
		return p
	}
	superseded := func(links []payload.Link) int {
		to := map[payload.ItemID]bool{}
		for _, l := range links {
			if l.Relation == payload.Supersedes {
				to[l.To] = true
			}
		}
		return len(to)
	}
	all := within(limits{n * n, n, n})
	tied := within(limits{n * n, n, 2})
	if got, want := superseded(tied.links()), superseded(all.links()); got != want || want < n/4 {
		t.Errorf("%d are superseded, %d of what isn't bounded", got, want)
	}
	if links, whole := len(tied.links()), len(all.links()); links > 2*2*len(rules)*n || links*2 > whole {
		t.Errorf("%d links, of %d", links, whole)
	}
	few := limits{holders: 200, near: 20, tied: 2}
	each := few.holders + 2*few.near*(1+2*(few.tied+1)) // both ways; pairs up to the first too far
	if work := within(few).work; work > n*each || all.work < 2*n*each {
		t.Errorf("%d looked at, %d at most; %d without bounds", work, n*each, all.work)
	}
}

// Of too many holders of a word those about a group are looked at, of too many groups those of
// which most is shared.
func TestNearest(t *testing.T) {
	var holders []holder
	for g := range 10 {
		holders = append(holders, holder{group: int32(g)})
	}
	for g, from := range map[int]int32{0: 0, 5: 3, 9: 6} {
		if got := around(holders, g, 4); len(got) != 4 || got[0].group != from {
			t.Errorf("about %d: %v", g, got)
		}
	}
	items := []Item{item("postgres", "s0", 1, payload.Decision, "Jobs are stored in Postgres.", "")}
	for i := range 8 {
		text := fmt.Sprintf("Postgres backs up tenant%d shard%d every night to bucket%d, and jobs retry.", i, i, i)
		items = append(items, item(fmt.Sprint("n", i), fmt.Sprint("s", 1+i), 2+i, payload.Decision, text, ""))
	}
	items = append(items, item("kafka", "s9", 20, payload.Decision, "Jobs are stored in Kafka instead of Postgres.",
		""))
	p := newProject(items, func(it *Item) bool { return it.ID == "kafka" })
	p.most.near = 2 // itself is one
	p.compare(9)
	if got := short(p.links()); len(got) != 1 || !strings.HasPrefix(got[0], "kafka supersedes postgres") {
		t.Errorf("linked: %v", got)
	}
}

func BenchmarkLinksAlike(b *testing.B) {
	for _, n := range []int{1000, 4000, 16000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			items := alike(n)
			b.ReportAllocs()
			var links []payload.Link
			for b.Loop() {
				links = Links(items)
			}
			b.ReportMetric(float64(len(links))/float64(n), "links/item")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/item")
		})
	}
}
