package eval

import (
	"math"
	"slices"
)

// Answerable reports whether the sessions hold an answer.
func (m *QuestionsMade) Answerable() bool { return len(m.Expect) > 0 }

// Best is the rank of the first expected item, 0 if none was found.
func (m *QuestionsMade) Best() int {
	best := 0
	for _, r := range m.Ranks {
		if r > 0 && (best == 0 || r < best) {
			best = r
		}
	}
	return best
}

// Hit is 1 if an expected item is among the first k results, else 0.
func (m *QuestionsMade) Hit(k int) float64 { return among(m.Best(), k) }

// among is 1 if a rank is among the first k, else 0.
func among(rank, k int) float64 { return indicator(rank > 0 && rank <= k) }

// Recall is the share of expected items among the first k results.
func (m *QuestionsMade) Recall(k int) float64 {
	n := 0
	for _, r := range m.Ranks {
		if r > 0 && r <= k {
			n++
		}
	}
	return float64(n) / float64(max(1, len(m.Expect)))
}

// Reciprocal is one divided by the rank of the first expected item.
func (m *QuestionsMade) Reciprocal() float64 {
	if m.Best() == 0 {
		return 0
	}
	return 1 / float64(m.Best())
}

// NDCG is the normalized discounted cumulative gain of the first k results; a result that holds an expected
// item gains 1.
func (m *QuestionsMade) NDCG(k int) float64 {
	at := slices.Clone(m.Ranks)
	slices.Sort(at)
	var gain, ideal float64
	for _, r := range slices.Compact(at) {
		if r > 0 && r <= k {
			gain += 1 / math.Log2(float64(r)+1)
		}
	}
	for i := range min(k, len(m.Expect)) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	if ideal == 0 {
		return 0
	}
	return gain / ideal
}

// QuestionMetric is a figure of QuestionRates.
type QuestionMetric struct {
	Name string // as tables head it: "hit@5"
	of   func(*QuestionsMade) float64
}

// Of is the figure's value in some rates.
func (m *QuestionMetric) Of(r *QuestionRates) Interval { return r.Means[m.Name] }

// QuestionMetrics lists all metrics, in display order.
var QuestionMetrics = []QuestionMetric{
	{"hit@1", func(m *QuestionsMade) float64 { return m.Hit(1) }},
	{"hit@5", func(m *QuestionsMade) float64 { return m.Hit(5) }},
	{"hit@20", func(m *QuestionsMade) float64 { return m.Hit(20) }},
	{"recall@5", func(m *QuestionsMade) float64 { return m.Recall(5) }},
	{"MRR", (*QuestionsMade).Reciprocal},
	{"nDCG@10", func(m *QuestionsMade) float64 { return m.NDCG(10) }},
	{"session@1", func(m *QuestionsMade) float64 { return among(m.SessionAt, 1) }},
	{"session@5", func(m *QuestionsMade) float64 { return among(m.SessionAt, 5) }},
	{"session@20", func(m *QuestionsMade) float64 { return among(m.SessionAt, 20) }},
	{"exch@1", func(m *QuestionsMade) float64 { return among(m.ExchangeAt, 1) }},
	{"exch@3", func(m *QuestionsMade) float64 { return among(m.ExchangeAt, 3) }},
	{"exch@5", func(m *QuestionsMade) float64 { return among(m.ExchangeAt, 5) }},
	{"answer@1", func(m *QuestionsMade) float64 { return indicator(m.Answer1) }},
	{"answer@5", func(m *QuestionsMade) float64 { return indicator(m.Answer5) }},
}

// SummedUp computes a search's figures from its answers.
func SummedUp(made []QuestionsMade) *QuestionScore {
	q := &QuestionScore{Questions: made}
	rates := func(in func(*QuestionsMade) bool) (r QuestionRates) {
		var set []*QuestionsMade
		for i := range made {
			if m := &made[i]; m.Answerable() && in(m) {
				set = append(set, m)
			}
		}
		r.N, r.Means = len(set), map[string]Interval{}
		for _, metric := range QuestionMetrics {
			values := make([]float64, len(set))
			for i, m := range set {
				values[i] = metric.of(m)
			}
			r.Means[metric.Name] = meanOf(values)
		}
		return r
	}
	q.All = rates(func(*QuestionsMade) bool { return true })
	q.Paraphrased = rates(func(m *QuestionsMade) bool { return m.Paraphrase })
	q.Plain = rates(func(m *QuestionsMade) bool { return !m.Paraphrase })
	var stale, mayBeStale, abstained, refused, doubted, though, answerable int
	for i := range made {
		m := &made[i]
		q.Seconds += m.Seconds / float64(len(made))
		count := func(to *int, yes bool) {
			if yes {
				*to++
			}
		}
		count(&answerable, m.Answerable())
		count(&refused, m.Answerable() && m.Refused)
		count(&abstained, !m.Answerable() && m.Refused)
		count(&doubted, !m.Answerable() && (m.Refused || m.Weak))
		count(&though, m.Answerable() && (m.Refused || m.Weak))
		count(&mayBeStale, len(m.Stale) > 0)
		count(&stale, m.StaleFirst)
	}
	q.Stale = wilson(stale, mayBeStale)
	q.Abstained = wilson(abstained, len(made)-answerable)
	q.Refused = wilson(refused, answerable)
	q.Doubted = wilson(doubted, len(made)-answerable)
	q.DoubtedThough = wilson(though, answerable)
	return q
}
