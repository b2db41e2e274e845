package eval

import (
	"math"
	"math/rand/v2"
	"slices"

	"recall/payload"
)

// rounds and seed are the same for every bootstrap, so that the same run gives the same intervals.
const (
	rounds = 2000
	seed   = 20260417
)

// minWanted is how many must items a kind needs before its F1 means anything.
const minWanted = 10

// bootstrap computes a statistic over n things, with the middle 95 % of its values over bootstrap draws.
func bootstrap(n int, of func(draw []int) float64) Interval {
	draw := indices(n)
	whole := of(draw)
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	values := make([]float64, rounds)
	for k := range values {
		for i := range draw {
			draw[i] = r.IntN(n)
		}
		values[k] = of(draw)
	}
	slices.Sort(values)
	at := func(q float64) float64 { return values[int(math.Round(q*float64(rounds-1)))] }
	return Interval{Value: whole, Low: min(whole, at(0.025)), High: max(whole, at(0.975))}
}

// indices returns 0 to n-1.
func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// ratesOf returns a count's rates, with intervals over the sessions' counts.
func ratesOf(sessions []Count) Rates {
	sum := func(draw []int) (c Count) {
		for _, i := range draw {
			c = c.Plus(sessions[i])
		}
		return c
	}
	figure := func(of func(Count) float64) Interval {
		return bootstrap(len(sessions), func(draw []int) float64 { return of(sum(draw)) })
	}
	whole := sum(indices(len(sessions)))
	return Rates{Count: whole, Few: whole.Wanted < minWanted, Precision: figure(Count.Precision),
		Recall: figure(Count.Recall), F1: figure(Count.F1)}
}

func meanOf(values []float64) Interval {
	if len(values) == 0 {
		return Interval{}
	}
	return bootstrap(len(values), func(draw []int) float64 { return mean(values, draw) })
}

func mean(values []float64, draw []int) float64 {
	sum := 0.0
	for _, i := range draw {
		sum += values[i]
	}
	return sum / float64(len(draw))
}

// wilson is k of n with its 95 % Wilson score interval.
func wilson(k, n int) KofN {
	if n == 0 {
		return KofN{High: 1}
	}
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return KofN{k, n, max(0, mid-half), min(1, mid+half)}
}

// kindsOf lists the kinds that occur in gold items or predictions, most important first.
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
