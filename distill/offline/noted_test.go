package offline

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A weight of a feature that nothing notes would be without effect.
func TestWeightsAreOfFeaturesThatAreNoted(t *testing.T) {
	for kind, m := range shipped() {
		for ; m != nil; m = m.Second {
			for name := range m.Weights {
				if _, ok := numberOf[name]; !ok {
					t.Errorf("%s: nothing notes %q", kind, name)
				}
			}
		}
	}
	if n := len(featureNames); n > mostFeatures {
		t.Errorf("%d features, there is room for %d", n, mostFeatures)
	}
}

func TestNotedAreListedOnce(t *testing.T) {
	var f noted
	for range 2 { // it is forgotten in between
		f.set(asRare[1], 0.5)
		f.set(asLate[0], 0)
		f.set(asRank, 2)
		f.set(asRare[1], 0.25)
		f.on(asDoc, true)
		f.on(asTest, false)
		got := map[string]float64{}
		for _, x := range f.list() {
			got[x.Name()] += x.Value
		}
		if diff := cmp.Diff(map[string]float64{"u:rare": 0.25, "rank": 2, "doc": 1}, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	if got := f.list(); len(got) > 0 {
		t.Errorf("got %v, want nothing", got)
	}
}
