package ingest

import (
	"strings"
	"time"

	"recall/ingest/jsonl"
)

// Todos reads the list of todos in a tool's input, which names them by subject; those that were given up are left out.
func Todos(input []byte, subject string, turn TurnID, at time.Time) (list []Task) {
	c := jsonl.NewCursor(input)
	c.Fields(jsonl.Fields{"todos": func() {
		c.Array(func() {
			t := Task{Turn: turn, At: at}
			if c.Fields(jsonl.Fields{subject: &t.Subject, "status": &t.Status}); t.Status != "cancelled" {
				list = append(list, t)
			}
		})
	}})
	return list
}

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
