package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"recall/library"
	"recall/payload"
	"recall/review"
)

// reviewView is what waits for a person's look, the newest sessions' first.
type reviewView struct {
	filters
	*review.Waiting
	More  int    // that are shown when these are seen to
	From  int    // the place of the first session that is looked through, from 0
	Of    int    // of so many
	Older int    // where the next ones begin, 0 for none
	Said  string // what was said just now
	Undo  *undo  // of what it is taken back
}

// undo is an item of which something was said, and its line before, "" where that wasn't changed; of two that were
// settled the newer, and the older.
type undo struct{ Session, Item, Line, Older string }

// inInbox is how many items a page shows.
const inInbox = 60

// atOnce is how many sessions a page looks through, the newest first; the next page goes on with older ones.
const atOnce = 40

func (s *Server) review(r *http.Request, m *Memory) (any, error) {
	f, err := filter(r, m)
	if err != nil {
		return nil, err
	}
	v := reviewView{filters: f}
	shelf, q := f.shelf, r.URL.Query()
	v.From, _ = strconv.Atoi(q.Get("from"))
	entries, of := lately(f, v.From, atOnce)
	v.From, v.Of = min(max(v.From, 0), of), of
	if next := v.From + len(entries); next < of {
		v.Older = next
	}
	if v.Waiting, err = review.Read(r.Context(), m.Library, m.Pipeline.Index, shelf, entries); err != nil {
		return nil, err
	}
	conflicts, items := min(len(v.Conflicts), inInbox/4), min(len(v.Items), inInbox)
	v.More = len(v.Conflicts) - conflicts + len(v.Items) - items
	v.Conflicts, v.Items = v.Conflicts[:conflicts], v.Items[:items]
	if f.Project == "" && v.From == 0 {
		if v.Received, err = review.Received(m.Library, ""); err != nil {
			return nil, err
		}
	}
	if v.Said = said[payload.Op(q.Get("said"))]; v.Said != "" {
		v.Undo = &undo{q.Get("session"), q.Get("item"), q.Get("was"), q.Get("older")}
	}
	return v, nil
}

// lately are the sessions last active of those that a page is narrowed to, the newest first: so many from a place on,
// of so many in all. Helpers are left out.
func lately(f filters, from, most int) (all []library.Entry, of int) {
	var meant []*library.Entry // entries are large, don't sort them
	for i := range f.shelf.Entries {
		e := &f.shelf.Entries[i]
		within := !e.End.Before(f.since) && (f.asOf.IsZero() || e.Start.Before(f.asOf))
		if within && !e.Helper && (f.Project == "" || f.shelf.Of(*e).Name == f.Project) {
			meant = append(meant, e)
		}
	}
	slices.SortStableFunc(meant, func(a, b *library.Entry) int { return b.End.Compare(a.End) })
	from = min(max(from, 0), len(meant))
	for _, e := range meant[from:min(len(meant), from+most)] {
		all = append(all, *e)
	}
	return all, len(meant)
}

// said is what can be taken back, and how it is told.
var said = map[payload.Op]string{payload.OpDrop: "Dropped.", payload.OpPin: "Pinned.", payload.OpKeep: "Kept.",
	payload.OpSet: "Changed.", "settle": "Settled."}

// say keeps what a form says of an item.
func (s *Server) say(r *http.Request, m *Memory) error {
	word, line := payload.Op(r.PostForm.Get("word")), strings.Join(strings.Fields(r.PostForm.Get("line")), " ")
	known := []payload.Op{payload.OpKeep, payload.OpPin, payload.OpUnpin, payload.OpDrop, payload.OpSet}
	if !slices.Contains(known, word) {
		return fmt.Errorf("%q is nothing that can be said of an item", word)
	}
	u, err := s.meant(r, m)
	if err != nil {
		return err
	}
	if err := m.Say(u, word, line); err != nil {
		return err
	}
	if said[word] != "" && u.Handoff == "" && !r.PostForm.Has("undo") {
		was := ""
		if word == payload.OpSet {
			was = payload.LineOf(&u.Item)
		}
		return telling(r, "said", string(word), "session", u.Session, "item", string(u.ID), "was", was, "older", "")
	}
	return nil
}

// telling has the page that a form leads back to tell what was said, by pairs as but has them.
func telling(r *http.Request, pairs ...string) error {
	back, err := url.Parse(within(r.PostForm.Get("back")))
	if err == nil {
		r.PostForm.Set("back", but(back, pairs...))
	}
	return err
}

// meant is the item that a form is about.
func (s *Server) meant(r *http.Request, m *Memory) (u review.Unseen, err error) {
	session, id := r.PostForm.Get("session"), payload.ItemID(r.PostForm.Get("item"))
	if r.PostForm.Get("handoff") != "" {
		all, err := review.Received(m.Library, "")
		if err != nil {
			return u, err
		}
		for _, u := range all {
			if u.Handoff == r.PostForm.Get("handoff") && u.ID == id {
				return u, nil
			}
		}
		return u, errNone
	}
	return review.Named(m.Library, session, id)
}

// settle keeps which of two items stands, or that both do.
func (s *Server) settle(r *http.Request, m *Memory) error {
	newer, older := r.PostForm.Get("newer"), r.PostForm.Get("older")
	later, earlier := payload.ItemID(newer), payload.ItemID(older)
	link := payload.Link{Op: payload.OpLink, Relation: payload.Supersedes}
	switch r.PostForm.Get("stands") {
	case "newer":
	case "older":
		later, earlier = earlier, later
	case "both":
		link.Relation = payload.Refines
	case "undo":
		return m.Settle(payload.Link{Op: payload.OpUnsay}, later, earlier)
	default:
		return fmt.Errorf("it isn't said which one stands")
	}
	if err := m.Settle(link, later, earlier); err != nil {
		return err
	}
	return telling(r, "said", "settle", "item", newer, "older", older)
}
