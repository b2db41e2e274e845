package eval

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// sharedPairs are the pairs that people labelled, by project.
func sharedPairs(t *testing.T) map[string][]LabelledPair {
	t.Helper()
	dir := os.Getenv("RECALL_SHARED")
	if dir == "" {
		t.Skip("RECALL_SHARED isn't set: no labelled pairs")
	}
	set, err := LoadSet(filepath.Join(dir, "eval", "gold"))
	if err != nil {
		t.Fatal(err)
	}
	by := map[string][]LabelledPair{}
	for _, p := range set.Pairs {
		by[p.Project] = append(by[p.Project], p)
	}
	if len(by) < 2 {
		t.Fatalf("pairs of %d projects, want two: one to calibrate on, one to look at", len(by))
	}
	return by
}

// TestPairs reports how far words agree with people, and holds it there: pairs
// that were labelled, and forms of the true ones made by code.
func TestPairs(t *testing.T) {
	by := sharedPairs(t)
	var all []LabelledPair
	for _, pairs := range by {
		all = append(all, pairs...)
	}
	a, err := Agree(t.Context(), Words{}, all)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("agrees on %d of %d pairs, finds %d of %d true ones", a.Agree, a.Pairs, a.SameFound, a.Same)
	made, told := 0, 0
	for i, x := range alikeAll(t, all) {
		if all[i].Made {
			made++
			if x < Threshold {
				told++
			}
		}
	}
	t.Logf("true pairs turned round by hand: %d of %d told apart", told, made)
	forms := toldApart(t, Words{}, all)
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		t.Logf("%-24s %d of %d told apart", name, forms[name].K, forms[name].N)
	}
	for name, least := range map[string]float64{
		"negated": .80, "reversed": .70, "swapped": .78, "renumbered": .85,
		"negated, same words": .95, "reversed, same words": .95, "swapped, same words": .95, "renumbered, same words": .95,
	} {
		if f := forms[name]; f.N < 20 || float64(f.K) < least*float64(f.N) {
			t.Errorf("%s: %d of %d told apart, want %.2f of at least 20", name, f.K, f.N, least)
		}
	}
	if float64(a.SameFound) < .87*float64(a.Same) || float64(a.Agree) < .82*float64(a.Pairs) {
		t.Errorf("agreement %d of %d, true pairs found %d of %d; want .82 and .87", a.Agree, a.Pairs, a.SameFound, a.Same)
	}
}

// TestCalibratedOnTheOther chooses the threshold on one project and reports what
// it does on the other, both ways: the shipped one must be no worse.
func TestCalibratedOnTheOther(t *testing.T) {
	by := sharedPairs(t)
	for on, learn := range by {
		th, err := calibrate(t.Context(), Words{}, learn)
		if err != nil {
			t.Fatal(err)
		}
		for off, pairs := range by {
			if off == on {
				continue
			}
			chosen, shipped := agreement(t, pairs, th), agreement(t, pairs, Threshold)
			t.Logf("chosen on %s: %.2f; on %s it agrees on %d of %d pairs, the shipped %.2f on %d", on, th, off, chosen,
				len(pairs), Threshold, shipped)
			if float64(shipped) < float64(chosen)-.03*float64(len(pairs)) {
				t.Errorf("%s: the shipped threshold agrees on %d, one chosen elsewhere on %d", off, shipped, chosen)
			}
		}
	}
}

func agreement(t *testing.T, pairs []LabelledPair, th float64) (n int) {
	t.Helper()
	for i, x := range alikeAll(t, pairs) {
		if (x >= th) == pairs[i].Same {
			n++
		}
	}
	return n
}

func alikeAll(t *testing.T, pairs []LabelledPair) []float64 {
	t.Helper()
	x, err := pairSimilarities(t.Context(), Words{}, pairs)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Another judge may stand in, and one that answers for too few pairs is caught.
type oneOff struct{ Words }

func (oneOff) Alike(context.Context, []Claim, [][2]int) ([]float64, error) { return []float64{1}, nil }

func TestJudgeMustAnswerForAll(t *testing.T) {
	if _, err := Agree(t.Context(), oneOff{}, []LabelledPair{{A: "a b", B: "c d"}, {A: "e f", B: "g h"}}); err == nil {
		t.Error("a judge left a pair out, and that was no error")
	}
	if _, err := Payloads(t.Context(), Options{From: demoSessions(t), Judge: oneOff{}}); err == nil {
		t.Error("a run with a judge that leaves pairs out was no error")
	}
}

// What somebody pasted is no statement, and must not take minutes to compare.
func TestLongStatements(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	var one, two strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&one, "name_%d is %d, not word%d ", i, i, i+1)
		fmt.Fprintf(&two, "name_%d is %d, not word%d ", i+1, i, i)
	}
	begun := time.Now()
	alikeAll(t, []LabelledPair{{A: one.String(), B: two.String()}})
	if took := time.Since(begun); took > 10*time.Minute { // a second when quiet; each word with each would be hours
		t.Errorf("comparing two statements of 80,000 words took %v", took)
	}
}

// TestInventedPairs holds the similarity against pairs in wordings that no code
// made and that it wasn't tuned on.
func TestInventedPairs(t *testing.T) {
	f, err := os.Open("testdata/invented-pairs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	right, all := map[string]int{}, map[string]int{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var p struct {
			LabelledPair
			Form string
		}
		if err := json.Unmarshal(sc.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		x := alikeAll(t, []LabelledPair{p.LabelledPair})[0]
		all[p.Form]++
		if (x >= Threshold) == (p.Form == "same") {
			right[p.Form]++
		} else {
			t.Logf("%s, similarity %.2f:\n  %s\n  %s", p.Form, x, p.A, p.B)
		}
	}
	for name, n := range all {
		t.Logf("%-10s %d of %d right", name, right[name], n)
		if least := map[bool]int{true: 5, false: 8}[name == "other"]; right[name]*10 < n*least {
			t.Errorf("%s: %d of %d right, want %d of ten", name, right[name], n, least)
		}
	}
}

// calibrate is the threshold from which on a judge agrees best with people on
// pairs that they labelled: true and false ones weigh the same, however many
// there are of each.
func calibrate(ctx context.Context, by Judge, pairs []LabelledPair) (threshold float64, err error) {
	var yes, no []float64
	x, err := pairSimilarities(ctx, by, pairs)
	if err != nil {
		return 0, err
	}
	for i, p := range pairs {
		if p.Same {
			yes = append(yes, x[i])
		} else {
			no = append(no, x[i])
		}
	}
	best := -1.0
	for step := 5; step <= 95; step++ {
		th := float64(step) / 100
		if sum := share(yes, th) + 1 - share(no, th); sum > best {
			best, threshold = sum, th
		}
	}
	return threshold, nil
}

// share is how many of the values are at least th.
func share(values []float64, th float64) float64 {
	n := 0
	for _, x := range values {
		if x >= th {
			n++
		}
	}
	return float64(n) / float64(max(1, len(values)))
}
