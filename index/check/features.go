package check

import (
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"sync"

	"recall/index"
	"recall/internal/text"
	"recall/payload"
)

// features returns what a judgement is based on: shares from 0 to 1, and cues, which are 1 for each word around
// what the two have in common.
func (s *overlap) features(found *index.Answer, rank int) map[string]float64 {
	r, c, p, d := s.reading, s.claim, s.phrase, s.deed
	bound := excluding(r.names, c.words)
	f := map[string]float64{
		"share":      s.share,
		"words":      min(float64(len(c.words)), 6) / 6,
		"listed":     indicator(c.listed),
		"for":        indicator(!c.against),
		"eliminated": indicator(r.kind == payload.Eliminated),
		"bound":      share(bound, d.all),
		"unbound":    indicator(len(bound) == 0),
		"chosen out": share(named(excluding(r.chosen, c.words)), p.removed),
		"kept":       indicator(!c.against) * indicator(p.way == edit) * share(c.words, p.added),
		"long":       math.Log1p(float64(len(content(s.in)))) / 5,
		"value":      s.value,
		"covered":    share(slices.Concat(c.words, c.place), d.all),
		"elsewhere":  indicator(s.elsewhere()),
		"whole free": indicator(!r.bound && s.share == 1) * share(named(c.words), s.in),
		"rank":       1 / float64(1+rank),
		"common":     s.common(found),
		"prompt":     indicator(p.way == prompt),
		"command":    indicator(p.way == command),
		"edit":       indicator(p.way == edit),
	}
	s.cues(f)
	return f
}

// common is the share of the found items that contain the rarest of the common words.
func (s *overlap) common(found *index.Answer) float64 {
	least := len(found.Ranked)
	for _, w := range s.claim.words {
		if !has(s.in, w) {
			continue
		}
		n := 0
		for _, r := range found.Ranked {
			if slices.ContainsFunc(r.Terms, func(t string) bool { return shares(w, wordOf(t)) }) {
				n++
			}
		}
		least = min(least, n)
	}
	return float64(least) / float64(len(found.Ranked))
}

// cues adds the words around what the two have in common, and those of an edited file's path.
func (s *overlap) cues(f map[string]float64) {
	pre := []string{"p", "c", "e"}[s.phrase.way]
	if !s.claim.against {
		pre = "for " + pre
	}
	cue := func(i int) string {
		switch {
		case i < 0:
			return "^"
		case i >= len(s.in):
			return "$"
		case has(s.reading.all, s.in[i]):
			return "ITEM"
		case isNumber(s.in[i].text):
			return "0"
		}
		return text.Stem(s.in[i].text)
	}
	first, last := -1, -1
	for i, w := range s.in {
		if slices.ContainsFunc(s.claim.words, func(c word) bool { return shares(c, w) }) {
			if last = i; first < 0 {
				first = i
			}
		}
		if c := cue(i); c != "ITEM" && i < 40 {
			f[pre+"w "+c] = 1
			for _, p := range w.parts {
				f[pre+"w "+p] = 1
			}
		}
	}
	if first >= 0 {
		f[pre+"b "+cue(first-1)], f[pre+"bb "+cue(first-2)], f[pre+"a "+cue(last+1)] = 1, 1, 1
	}
	f[pre+"f "+cue(0)] = 1
	if n := len(s.in); n > 0 && s.in[n-1].ends == '?' {
		f[pre+"?"] = 1
	}
	if s.phrase.way == edit {
		for _, p := range s.deed.paths[0].parts {
			f[pre+"d "+p] = 1
		}
	}
}

func environment(words []word) string {
	for _, w := range words {
		for _, p := range append(w.parts, w.text) {
			for _, where := range []string{"local", "staging", "production", "ci"} {
				if lists[where][p] {
					return where
				}
			}
		}
	}
	return ""
}

// elsewhere reports whether the action is in another environment than the item: on my machine, not in production.
func (s *overlap) elsewhere() bool {
	held, there := environment(s.reading.all), environment(s.deed.all)
	return held != "" && there != "" && held != there
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// weights.json is fitted to the labelled actions of testdata by
//
//	go test ./index/check -run TestLeftOut -write-weights
//
// which prints how often warnings are right on projects that the weights weren't fitted to.
//
//go:embed weights.json
var weightsJSON []byte

// weights is a logistic regression: the weight of each feature.
type weights map[string]float64

// warnFrom is the least probability for a warning: there, nineteen of twenty warnings are right on lines by other
// people about projects left out.
const (
	warnFrom = 0.72
	sureFrom = 0.88 // to stop somebody
)

var shipped = sync.OnceValue(func() (w weights) {
	if err := json.Unmarshal(weightsJSON, &w); err != nil {
		panic(err) // can't happen: a test reads it
	}
	return w
})

// odds is how likely an action goes against an item, 0 to 1.
func (w weights) odds(features map[string]float64) float64 {
	sum := w["base"]
	for name, x := range features {
		sum += w[name] * x
	}
	return 1 / (1 + math.Exp(-sum))
}
