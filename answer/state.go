package answer

import (
	"recall/payload"
)

// State reports whether an item holds and since when.
func State(it payload.Item) string {
	d := Day(it.At)
	switch it.State {
	case payload.Superseded, payload.Revoked, payload.Done, payload.Retired:
		return string(it.State) + ", from " + d
	}
	switch it.Kind {
	case payload.Decision:
		if it.Rule == "answer" && it.Maker == payload.ByRule { // on record; whether anybody thought better of it is not
			return "chosen " + d
		}
		return "stands since " + d
	case payload.Eliminated:
		return "ruled out " + d
	case payload.Finding:
		return "found " + d
	case payload.Deferred:
		return "deferred " + d
	case payload.Question:
		return "open since " + d
	case payload.Next:
		return "as of " + d
	case payload.Flag:
		return "noted " + d
	case payload.Lead:
		return "said " + d
	}
	if it.Kind == payload.File && it.Status != "" {
		return it.Status + ", " + d
	}
	return d
}

// Standing is an item's state, and that it may be older than it looks.
func (r *Result) Standing() string {
	if by := r.Doubt; by != nil {
		return "from " + Day(r.Item.At) + ", " + by.Doubt().Word(r.Item.Kind) + " on " + Day(by.At)
	}
	return State(*r.Item)
}
