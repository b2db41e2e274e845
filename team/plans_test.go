package team

import (
	"errors"
	"fmt"
	"testing"
)

// otherDeeds are what members do beside asking and putting, for the plans of TestScale: the last two take things away.
func (c *crew) otherDeeds(t *testing.T) []deed {
	m := &Membership{Address: "x", Device: "x"}
	if err := m.Keep(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	session := func(of string) func(bob, all mate) error {
		return func(bob, _ mate) error {
			at, err := bob.Find(t.Context(), "s49")
			if err == nil && of == "transcript" {
				if _, err = bob.Transcript(t.Context(), at); errors.Is(err, ErrNotShared) {
					err = nil // the made up ones have none
				}
			}
			return err
		}
	}
	times := 0
	return []deed{
		{"What others decided, fetched", func(bob, _ mate) error { return m.FetchNews(t.Context(), bob.Team) }},
		{"What is due for workers", func(bob, _ mate) error { _, err := bob.Due(t.Context()); return err }},
		{"A shared session found by its id", session("")},
		{"Its transcript", session("transcript")},
		{"An inbox read", func(bob, all mate) error {
			times++
			err := all.Give(t.Context(), bob.Member.ID, fmt.Sprint("h", times), "Take over")
			_, fault := bob.Inbox(t.Context(), []string{"x"})
			return errors.Join(err, fault)
		}},
		{"What is kept too long removed", func(bob, _ mate) error {
			times++
			c.Exec(fmt.Sprintf(`UPDATE recall.session SET generation = generation + 1, ended = now() - interval '2 days'
				WHERE project = %d; UPDATE recall.project SET retain = 1 WHERE id = %[1]d`, times))
			_, err := bob.Retain(t.Context())
			return err
		}},
		{"A person deleted", func(bob, _ mate) error {
			if times++; times%2 == 1 { // the second time is told
				return nil
			}
			return bob.Erase(t.Context(), bob.Member.ID)
		}},
	}
}
