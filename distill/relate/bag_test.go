package relate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBag(t *testing.T) {
	a, b := bagOf(tokens("Postgres keeps 3 nightly dumps, Postgres alone.")), bagOf(tokens("Nightly dumps of MySQL, 4 of them."))
	weights := func(b bag) map[term]float64 {
		m := map[term]float64{}
		for _, e := range b {
			m[e.term] = e.weight
		}
		return m
	}
	of := func(stems map[string]float64) map[term]float64 {
		m := map[term]float64{}
		for s, w := range stems {
			m[termOf(s)] = w
		}
		return m
	}
	if diff := cmp.Diff(of(map[string]float64{"postgr": 2, "=3": 1, "nightli": 1, "dump": 1, "alon": 1}), weights(a)); diff != "" {
		t.Errorf("words and names of it (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(of(map[string]float64{"postgr": 2, "=3": 1, "alon": 1}), weights(a.without(b))); diff != "" {
		t.Errorf("without the other (-want +got)\n%s", diff)
	}
	if got := a.in(b); got != 2.0/6 {
		t.Errorf("share in the other: got %v, want %v", got, 2.0/6)
	}
	if !a.meets(b) || a.without(b).meets(b) || a.of(termOf("dump")) != 1 || b.of(termOf("postgr")) != 0 {
		t.Errorf("got %v, %v, %v and %v", a.meets(b), a.without(b).meets(b), a.of(termOf("dump")), b.of(termOf("postgr")))
	}
	if onlyWords(a, b) || !onlyWords(a, a) {
		t.Error("a name and a number are not only words; nothing is")
	}
}
