package ingest

import "strings"

// Relist is a list of tasks written anew: unchanged ones keep their last touch, those without a subject are omitted.
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
