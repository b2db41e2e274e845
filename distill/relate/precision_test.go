package relate

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"recall/payload"
)

// labelled is a pair of items as a person read it.
type labelled struct {
	ID, Half, Domain string
	Relation         payload.Relation // or "unrelated"
	Near             bool             // it looks like another relation than it is
	Later, Earlier   struct {
		Kind             payload.Kind
		Text, Why, Quote string
	}
}

func (l *labelled) claims() (later, earlier *claim) {
	var out [2]*claim
	for i, s := range []struct {
		Kind             payload.Kind
		Text, Why, Quote string
	}{l.Later, l.Earlier} {
		out[i] = claimIn(readItem(&payload.Item{Kind: s.Kind, Text: s.Text, Why: s.Why,
			Evidence: []payload.Evidence{{Turn: "t", Quote: s.Quote}}}))
	}
	return out[0], out[1]
}

func labelledPairs(t testing.TB) []labelled {
	t.Helper()
	f, err := os.Open("../../eval/testdata/relations.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []labelled
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		var l labelled
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatalf("relations.jsonl:%d: %v", n, err)
		}
		all = append(all, l)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// The set is what it is said to be.
func TestLabelledSet(t *testing.T) {
	count := map[string]int{}
	near := 0
	domains := map[string]string{}
	ids := map[string]bool{}
	for _, l := range labelledPairs(t) {
		if ids[l.ID] || l.Later.Text == "" || l.Earlier.Text == "" {
			t.Errorf("%s: twice, or without text", l.ID)
		}
		ids[l.ID] = true
		count[string(l.Relation)]++
		if l.Near {
			near++
		}
		if half, ok := domains[l.Domain]; ok && half != l.Half {
			t.Errorf("%s: %q is in both halves", l.ID, l.Domain)
		}
		domains[l.Domain] = l.Half
	}
	n := len(ids)
	if n < 300 || near*100 < n*40 {
		t.Errorf("got %d pairs with %d near misses, want 300 or more, two fifths of them near misses", n, near)
	}
	for _, r := range []string{"same", "refines", "supersedes", "contradicts", "unrelated"} {
		if count[r] < 25 {
			t.Errorf("got %d pairs labelled %s, want 25 or more", count[r], r)
		}
	}
}

// A measure counts how often a rule was right.
type measure struct{ Right, Wrong int }

// precision is the share of right ones, and the lower end of its 95 % Wilson score interval.
func (m measure) precision() (share, low float64) {
	const z = 1.959964
	n := float64(m.Right + m.Wrong)
	share = float64(m.Right) / max(1, n)
	mid, half := (share+z*z/(2*n))/(1+z*z/n), z/(1+z*z/n)*math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return share, mid - half
}

// The table says what the rules reach on the domains that they weren't tuned on, and sure are those that are right in
// at least 95 of 100 cases, by the lower end of the interval in 90. With -v the outcome of both halves and what went
// wrong.
func TestPrecision(t *testing.T) {
	halves := map[string]map[string]measure{"tune": {}, "report": {}}
	found := map[string]map[payload.Relation][2]int{"tune": {}, "report": {}}
	for _, l := range labelledPairs(t) {
		r := between(l.claims())
		f := found[l.Half][l.Relation]
		f[1]++
		if r != nil {
			m := halves[l.Half][r.name]
			if l.Relation == payload.Supersedes {
				m.Right++
				f[0]++
			} else {
				m.Wrong++
				t.Logf("%s %s: %s by %s, is %s:\n  %s\n  %s", l.Half, l.ID, payload.Supersedes, r.name, l.Relation, l.Later.Text,
					l.Earlier.Text)
			}
			halves[l.Half][r.name] = m
		} else if l.Relation != "unrelated" && l.Half == "tune" {
			t.Logf("tune %s: %s not found:\n  %s\n  %s", l.ID, l.Relation, l.Later.Text, l.Earlier.Text)
		}
		found[l.Half][l.Relation] = f
	}
	for _, half := range []string{"tune", "report"} {
		var b strings.Builder
		for _, r := range rules {
			m := halves[half][r.name]
			share, low := m.precision()
			fmt.Fprintf(&b, "  %-10s %3d right %2d wrong  %.3f, at least %.2f\n", r.name, m.Right, m.Wrong, share, low)
			sure := share >= 0.95 && low >= 0.9
			if half == "report" && (math.Abs(share-r.precision) >= 0.0005 || sure != r.sure) {
				t.Errorf("%s: precision %.3f, sure %v; the table says %.3f, %v", r.name, share, sure, r.precision, r.sure)
			}
		}
		for _, rel := range append(slices.Clone(payload.Relations), "unrelated") {
			fmt.Fprintf(&b, "  %s found %d of %d\n", rel, found[half][rel][0], found[half][rel][1])
		}
		t.Logf("%s half:\n%s", half, b.String())
	}
}
