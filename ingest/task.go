package ingest

import "strings"

// Relist is a list of tasks that was written anew: those that are as they were keep their last touch, and those
// without a subject are left out.
func Relist(had, list []Task) (out []Task) {
	type state struct{ subject, status string }
	was := map[state]Task{}
	for _, t := range had {
		was[state{t.Subject, t.Status}] = t
	}
	for _, t := range list {
		if t.Subject = strings.TrimSpace(t.Subject); t.Subject == "" {
			continue
		}
		if same, ok := was[state{t.Subject, t.Status}]; ok {
			t = same
		}
		out = append(out, t)
	}
	return out
}
