package team

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A writer of the model: a device whose sessions grow, change, are taken back and forgotten, and that is offline now
// and then.
type writer struct {
	mate
	now map[string][]string // what its library says of each session
	due map[string]bool
}

// Five writers, of whom two are devices of one person, do what people do in any order. What the team has is always what
// each last brought there, and in the end what each has: nothing lost, nothing doubled, nothing forgotten still there.
func TestInterleavings(t *testing.T) {
	checks(t, 5, 200) // each
	t.Run("one half", interleave)
	t.Run("the other", interleave)
}

func interleave(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	ana := c.owner()
	app := ana.project(t, "app")
	writers := []*writer{{mate: ana}, {mate: c.at(c.Owner)}}
	for _, who := range []string{"bob", "cem", "dee"} {
		m := c.admit(ana, who)
		if err := ana.LetIn(t.Context(), app, m.Member.ID); err != nil {
			t.Fatal(err)
		}
		writers = append(writers, &writer{mate: m})
	}
	round := 0
	rapid.Check(t, func(r *rapid.T) {
		if round++; round%10 == 0 { // what was left of the rounds before, which each look would read
			c.column(`DELETE FROM recall.session RETURNING sid`)
		}
		team := map[string][]string{}  // "device session": what it has of it
		forgotten := map[string]bool{} // "member session"
		for _, w := range writers {
			w.now, w.due = map[string][]string{}, map[string]bool{}
		}
		key := func(w *writer, sid string) string { return w.device + " " + sid }
		sent := func(w *writer) map[string]Sent {
			all, err := w.Sent(t.Context(), w.device)
			if err != nil {
				r.Fatal(err)
			}
			return all
		}
		deliver := func(w *writer, sid string, last Sent) {
			_, err := w.Send(t.Context(), w.device, last, func() (Shared, error) {
				return Ready(said(sid, app, w.now[sid]...))
			})
			gone := forgotten[fmt.Sprint(w.Member.ID, sid)]
			if refused := gone && errors.Is(err, ErrForgotten); err != nil && !refused {
				r.Fatalf("%s of %s, forgotten %v: %v", sid, w.Member.Name, gone, err)
			}
			if !gone {
				team[key(w, sid)] = slices.Clone(w.now[sid])
			}
			delete(w.due, sid)
		}
		pick := func() (*writer, string) {
			return rapid.SampledFrom(writers).Draw(r, "writer"),
				fmt.Sprintf("%d-%s", round, rapid.SampledFrom([]string{"x", "y"}).Draw(r, "session"))
		}
		change := func(edit func(old []string) []string) func(*rapid.T) {
			return func(*rapid.T) {
				w, sid := pick()
				w.now[sid], w.due[sid] = edit(slices.Clone(w.now[sid])), true
			}
		}
		n := 0
		check := func() {
			var want []string
			for k, texts := range team {
				for i, text := range texts {
					want = append(want, fmt.Sprintf("%s %03d %s", k, i, text))
				}
			}
			slices.Sort(want)
			got := c.column(`SELECT s.device || ' ' || s.sid || ' ' || right(i.iid, 3) || ' ' || (i.data::json ->> 'text')
				FROM recall.item i JOIN recall.session s ON s.id = i.session WHERE s.sid LIKE $1 ORDER BY 1`,
				fmt.Sprintf("%d-%%", round))
			if !slices.Equal(got, want) {
				r.Fatalf("the team has\n%q, want\n%q", got, want)
			}
		}
		r.Repeat(map[string]func(*rapid.T){
			"": func(*rapid.T) {
				if n++; n%8 == 0 {
					check()
				}
			},
			"grows": change(func(old []string) []string { n++; return append(old, fmt.Sprint("said ", n)) }),
			"changes": change(func(old []string) []string {
				if n++; len(old) > 0 {
					old[0] = fmt.Sprint("changed ", n)
				}
				return old
			}),
			"takes back": change(func([]string) []string { return nil }),
			"syncs": func(*rapid.T) {
				w, _ := pick()
				all := sent(w)
				for sid := range w.due {
					deliver(w, sid, all[sid])
				}
			},
			"says the same again": func(*rapid.T) {
				w, sid := pick()
				if all := sent(w); !w.due[sid] && all[sid].Session != "" {
					deliver(w, sid, all[sid])
				}
			},
			"an old run wakes up": func(*rapid.T) { // and puts what it read long ago
				w, sid := pick()
				last := sent(w)[sid]
				if last.Generation == 0 {
					return
				}
				stale, err := Ready(said(sid, app, "stale"))
				if err != nil {
					r.Fatal(err)
				}
				err = w.Put(t.Context(), w.device, stale, rapid.IntRange(1, last.Generation).Draw(r, "generation"))
				if !errors.Is(err, ErrOlder) && !errors.Is(err, ErrForgotten) {
					r.Fatalf("it was taken: %v", err)
				}
			},
			"forgets": func(*rapid.T) {
				w, sid := pick()
				if rapid.IntRange(0, 3).Draw(r, "really") > 0 {
					return
				}
				if err := w.Forget(t.Context(), w.Member.ID, sid); err != nil {
					r.Fatal(err)
				}
				forgotten[fmt.Sprint(w.Member.ID, sid)] = true
				for _, o := range writers {
					if o.Member.ID == w.Member.ID {
						delete(team, key(o, sid))
					}
				}
			},
		})
		for _, w := range writers {
			all := sent(w)
			for sid := range w.due {
				deliver(w, sid, all[sid])
			}
			for sid, texts := range w.now {
				if !forgotten[fmt.Sprint(w.Member.ID, sid)] && !slices.Equal(team[key(w, sid)], texts) {
					r.Fatalf("%s has %q, the team %q", w.Member.Name, texts, team[key(w, sid)])
				}
			}
		}
		check()
	})
}
