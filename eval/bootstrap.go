package eval

import (
	"math"
	"math/rand/v2"
	"slices"

	"recall/payload"
)

// rounds of every bootstrap, and the seed: the same run gives the same intervals.
const (
	rounds = 2000
	seed   = 20260417
)

// few is how many items with must a kind needs before its F1 says anything.
const few = 10

// resamples calls f with draws of n places out of n, with replacement.
func resamples(n int, f func(draw []int)) {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	draw := make([]int, n)
	for range rounds {
		for i := range draw {
			draw[i] = r.IntN(n)
		}
		f(draw)
	}
}

// spread is the middle 95 % of values about the value of the whole. It sorts
// values.
func spread(value float64, values []float64) Interval {
	if len(values) == 0 {
		return Interval{value, value, value}
	}
	slices.Sort(values)
	at := func(q float64) float64 { return values[int(math.Round(q*float64(len(values)-1)))] }
	return Interval{Value: value, Low: min(value, at(0.025)), High: max(value, at(0.975))}
}

// ratesOf makes a count's rates, with intervals over the sessions' counts.
func ratesOf(sessions []Count) Rates {
	sum := func(draw []int) (c Count) {
		for _, i := range draw {
			c = c.plus(sessions[i])
		}
		return c
	}
	all := make([]int, len(sessions))
	for i := range all {
		all[i] = i
	}
	whole := sum(all)
	var p, r, f []float64
	resamples(len(sessions), func(draw []int) {
		c := sum(draw)
		p, r, f = append(p, c.Precision()), append(r, c.Recall()), append(f, c.F1())
	})
	return Rates{Count: whole, Few: whole.Wanted < few,
		Precision: spread(whole.Precision(), p), Recall: spread(whole.Recall(), r), F1: spread(whole.F1(), f)}
}

// meanOf is the mean of values with its interval over them.
func meanOf(values []float64) Interval {
	mean := func(draw []int) float64 {
		var sum float64
		for _, i := range draw {
			sum += values[i]
		}
		return sum / float64(len(draw))
	}
	if len(values) == 0 {
		return Interval{}
	}
	all := make([]int, len(values))
	for i := range all {
		all[i] = i
	}
	var means []float64
	resamples(len(values), func(draw []int) { means = append(means, mean(draw)) })
	return spread(mean(all), means)
}

// wilson is k of n with its 95 % interval.
func wilson(k, n int) KofN {
	if n == 0 {
		return KofN{High: 1}
	}
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return KofN{K: k, N: n, Low: max(0, mid-half), High: min(1, mid+half)}
}

// kindsOf lists the kinds that people or predictions speak of, in order of
// importance.
func kindsOf(sessions []SessionScore) []payload.Kind {
	spoken := map[payload.Kind]bool{}
	for _, s := range sessions {
		for _, g := range s.Gold {
			spoken[g.Kind] = true
		}
		for _, p := range s.Predicted {
			spoken[p.Kind] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(payload.Kinds), func(k payload.Kind) bool { return !spoken[k] })
}
