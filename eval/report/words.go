package report

import (
	"fmt"
	"time"

	"recall/eval"
)

// figure is a value from 0 to 1 as people read it.
func figure(x float64) string { return fmt.Sprintf("%.2f", x) }

// span is an interval without its value: "0.41–0.55".
func span(i eval.Interval) string { return figure(i.Low) + "–" + figure(i.High) }

// kofn is a count out of a whole with its interval.
func kofn(k eval.KofN) string {
	if k.N == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d", k.K, k.N)
}

func day(t time.Time) string {
	if t.IsZero() {
		return "no date"
	}
	return t.UTC().Format("2006-01-02")
}

// seconds says how long something took, "–" for nothing worth telling.
func seconds(s float64) string {
	switch {
	case s <= 0:
		return "–"
	case s < 0.001:
		return "under 1 ms"
	case s < 1:
		return fmt.Sprintf("%.0f ms", s*1000)
	}
	return fmt.Sprintf("%.1f s", s)
}

// dollars says what something cost.
func dollars(d float64) string {
	switch {
	case d <= 0:
		return "nothing"
	case d < 0.01:
		return fmt.Sprintf("$%.4f", d)
	}
	return fmt.Sprintf("$%.2f", d)
}
