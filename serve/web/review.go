package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"recall/answer/history"
	"recall/library"
	"recall/payload"
	"recall/pipeline/review"
)

// reviewView is what is waiting for review, the newest sessions first.
type reviewView struct {
	filters
	*review.Waiting
	span
	Groups []group // of its items
	More   int     // items shown once these are done
}

// Waits is how many cards there are on this page and after it.
func (v reviewView) Waits() int { return v.Len() + v.More }

// A group is what waits of one session.
type group struct{ Items []review.Unseen }

// Of returns an item that names the session.
func (g group) Of() review.Unseen { return g.Items[0] }

// bySession divides items into runs of one session's.
func bySession(items []review.Unseen) (groups []group) {
	for i, u := range items {
		if i == 0 || u.Session != items[i-1].Session {
			groups = append(groups, group{})
		}
		last := &groups[len(groups)-1]
		last.Items = append(last.Items, u)
	}
	return groups
}

// A span says which sessions a page covers, the most recently active first.
type span struct {
	From  int // position of the first one, from 0
	Of    int // number of sessions
	Older int // where the next page begins, 0 for none
}

// undo identifies an item to undo an answer about, with its earlier line, "" if that wasn't changed; for two items
// that were settled, the newer and the older.
type undo struct{ Session, Item, Line, Older string }

// inInbox is the number of items on a page.
const inInbox = 60

// atOnce is the number of sessions that a page covers, newest first; the next page continues with older ones.
const atOnce = 40

func (s *Server) review(r *http.Request, m *Memory) (any, error) {
	f, err := filter(r, m)
	if err != nil {
		return nil, err
	}
	v := reviewView{filters: f}
	from, _ := strconv.Atoi(r.URL.Query().Get("from"))
	entries, span := lately(f, from)
	v.span = span
	if v.Waiting, err = waiting(r.Context(), m, f, entries, v.From); err != nil {
		return nil, err
	}
	conflicts, items := min(len(v.Conflicts), inInbox/4), min(len(v.Items), inInbox)
	v.More = len(v.Conflicts) - conflicts + len(v.Items) - items
	v.Conflicts, v.Items = v.Conflicts[:conflicts], v.Items[:items]
	v.Groups = bySession(v.Items)
	return v, nil
}

// waiting returns what waits for review of the sessions from a position on; in the first place, of handoffs too.
func waiting(ctx context.Context, m *Memory, f filters, entries []library.Entry, from int) (*review.Waiting, error) {
	w, err := review.Read(ctx, m.Library, m.Index, f.catalog, entries)
	if err != nil {
		return nil, err
	}
	w.OnlyClaims()
	if f.Project == "" && from == 0 {
		w.Received, err = review.Received(m.Library, "")
	}
	return w, err
}

// item is one item by itself, wherever it stands, to be kept, dropped or corrected.
func (s *Server) item(r *http.Request, m *Memory) (any, error) {
	return review.Named(m.Library, r.PathValue("session"), payload.ItemID(r.PathValue("item")))
}

// auditView is what of a project's memories goes against the record.
type auditView struct {
	filters
	history.Audit
}

// audit looks at the project that was asked for, else the one last worked in.
func (s *Server) audit(r *http.Request, m *Memory) (any, error) {
	f, err := filter(r, m)
	if err != nil {
		return nil, err
	}
	if recent, _ := lately(f, 0); len(recent) > 0 && !r.URL.Query().Has("project") {
		f.Project = f.catalog.Ref(string(recent[0].ID)).Project
	}
	found, err := history.AuditOf(r.Context(), m.Pipeline, f.Project)
	return auditView{f, found}, err
}

// lately returns the most recently active sessions that pass the filters, newest first: atOnce of them from a position
// on. Helpers are left out.
func lately(f filters, from int) (all []library.Entry, s span) {
	var meant []*library.Entry // pointers: entries are large to sort
	for i := range f.catalog.Entries {
		e := &f.catalog.Entries[i]
		within := !e.End.Before(f.since) && (f.asOf.IsZero() || e.Start.Before(f.asOf))
		if within && !e.Helper && (f.Project == "" || f.catalog.WorkedIn(*e, f.Project)) {
			meant = append(meant, e)
		}
	}
	slices.SortStableFunc(meant, func(a, b *library.Entry) int { return b.End.Compare(a.End) })
	s.Of = len(meant)
	s.From = min(max(from, 0), s.Of)
	to := min(s.From+atOnce, s.Of)
	if to < s.Of {
		s.Older = to
	}
	for _, e := range meant[s.From:to] {
		all = append(all, *e)
	}
	return all, s
}

// said maps what can be undone to how it is reported.
var said = map[payload.Op]string{payload.OpDrop: "Dropped.", payload.OpPin: "Pinned.", payload.OpKeep: "Kept.",
	payload.OpSet: "Changed.", "settle": "Settled."}

// say records what a form says about an item.
func (s *Server) say(r *http.Request, m *Memory) error {
	word, line := payload.Op(r.PostForm.Get("word")), strings.Join(strings.Fields(r.PostForm.Get("line")), " ")
	known := []payload.Op{payload.OpKeep, payload.OpPin, payload.OpUnpin, payload.OpDrop, payload.OpSet}
	if !slices.Contains(known, word) {
		return fmt.Errorf("%q is not a valid answer about an item", word)
	}
	items, err := s.meant(r, m)
	if err != nil {
		return err
	}
	if len(items) > 1 && word != payload.OpKeep {
		return errors.New("several items at once can only be kept")
	}
	if err := m.Say(items, word, line); err != nil {
		return err
	}
	if u := items[0]; said[word] != "" && len(items) == 1 && u.Handoff == "" && !r.PostForm.Has("undo") {
		was := ""
		if word == payload.OpSet {
			was = payload.LineOf(&u.Item)
		}
		return telling(r, "said", string(word), "session", u.Session, "item", string(u.ID), "was", was, "older", "")
	}
	return nil
}

// telling makes the page that a form leads back to report what was done, with query parameters as for but.
func telling(r *http.Request, pairs ...string) error {
	back, err := url.Parse(within(r.PostForm.Get("back")))
	if err == nil {
		r.PostForm.Set("back", but(back, pairs...))
	}
	return err
}

// meant returns the items that a form is about, at least one.
func (s *Server) meant(r *http.Request, m *Memory) (all []review.Unseen, err error) {
	session, handoff := r.PostForm.Get("session"), r.PostForm.Get("handoff")
	var received []review.Unseen
	if handoff != "" {
		if received, err = review.Received(m.Library, ""); err != nil {
			return nil, err
		}
	}
	for _, name := range r.PostForm["item"] {
		id := payload.ItemID(name)
		if handoff == "" {
			u, err := review.Named(m.Library, session, id)
			if err != nil {
				return nil, err
			}
			all = append(all, u)
			continue
		}
		i := slices.IndexFunc(received, func(u review.Unseen) bool { return u.Handoff == handoff && u.ID == id })
		if i < 0 {
			return nil, errNone
		}
		all = append(all, received[i])
	}
	if len(all) == 0 {
		return nil, errNone
	}
	return all, nil
}

// settle records which of two items stands, or that both do.
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
		return errors.New("the form doesn't say which one stands")
	}
	if err := m.Settle(link, later, earlier); err != nil {
		return err
	}
	return telling(r, "said", "settle", "item", newer, "older", older)
}
