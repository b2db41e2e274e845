package web

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"recall/answer/history"
	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/payload"
	"recall/pipeline"
)

// nowView is the state of a project, and what its next session starts with.
type nowView struct {
	filters
	Payload  *payload.Payload // nil: no session worked there, or none with items
	Sections []section
	Texts    []variant
	Reversed []history.Reversed // lately
	Others   []string           // what others in the team recently decided there
	Broken   []string           // unreadable sessions, and why
}

// A section is a payload's items of one kind.
type section struct {
	Kind  payload.Kind
	Items []nowItem // the newest ones
	More  int       // number of older ones
}

// nowItem is an item, where it was said, and later commits to the files that it mentions.
type nowItem struct {
	index.Placed
	Since map[string]int // commits by file
}

// A variant is a payload in one of its forms.
type variant struct{ Name, Text string }

// mostAsked limits the items for which git is asked what changed since.
const mostAsked = 5

// mostOfKind limits the items shown of one kind.
const mostOfKind = 40

func (s *Server) now(r *http.Request, m *Memory) (any, error) {
	f, err := filter(r, m)
	if err != nil {
		return nil, err
	}
	v := nowView{filters: f}
	if v.Project == "" {
		last := library.Entry{}
		for _, e := range f.catalog.Entries {
			if _, ok := f.catalog.Project[e.Project]; ok && !e.Helper && !e.End.Before(last.End) {
				last = e
			}
		}
		if last.ID == "" {
			return v, nil
		}
		v.Project = f.catalog.Of(last).Name
	}
	if m.Others != nil {
		v.Others = m.Others(v.Project)
	}
	key := "now " + f.Today + " " + v.Project
	composed, err := kept(&s.kept, m.Stamp, key, func() (c composed, err error) {
		sessions := slices.DeleteFunc(slices.Clone(f.catalog.Entries), func(e library.Entry) bool {
			return e.Helper || e.Marks.Archived || !f.catalog.WorkedIn(e, v.Project)
		})
		line, err := history.TimelineOf(r.Context(), m.Pipeline, sessions, inTime...)
		if err != nil {
			return c, err
		}
		if c.open, err = history.Open(r.Context(), m.Pipeline, v.Project); err != nil {
			return c, err
		}
		c.changed = history.ChangedOf(line, time.Time{}, func(history.Dated) bool { return true })
		if c.payload, err = m.Compose(v.Project); err != nil || c.payload == nil {
			return c, err
		}
		for _, name := range payload.Variants {
			c.texts = append(c.texts, variant{string(name), m.HandOn(c.payload, string(name))})
		}
		return c, nil
	})
	v.Payload, v.Texts = composed.payload, composed.texts
	if errors.Is(err, payload.ErrDecode) {
		v.Broken, err = strings.Split(err.Error(), "\n"), nil
	}
	if err != nil || v.Payload == nil {
		return v, err
	}
	v.Reversed, _ = newest(composed.changed.Reversed)
	v.Sections = composed.sections(v.Project)
	var asked sync.WaitGroup
	left := mostAsked
	for _, part := range v.Sections {
		for i := range part.Items {
			if one := &part.Items[i]; left > 0 && (part.Kind == payload.Decision || part.Kind == payload.Eliminated) {
				left--
				asked.Go(func() {
					one.Since = history.ChangedSince(r.Context(), m.Library, one.Placed)
				})
			}
		}
	}
	asked.Wait()
	return v, nil
}

// sections returns a project's items by kind, the newest first: what was decided, found and ruled out in all sessions,
// and what waits; anything else of what is handed on.
func (c *composed) sections(project string) (all []section) {
	for _, k := range payload.Kinds {
		part := section{Kind: k}
		for _, d := range slices.Concat(c.changed.Decided, c.open) {
			if cmp.Or(d.Item.Waits(), d.Item.Kind) == k {
				part.Items = append(part.Items, nowItem{Placed: d.Placed})
			}
		}
		for _, it := range c.payload.Items {
			if it.Kind == k && it.Current() && it.Waits() == "" && !slices.Contains(inTime, k) {
				from := c.payload.Origins[it.ID]
				at := index.Place{Session: from.Session, Project: project, SessionN: from.Number}
				part.Items = append(part.Items, nowItem{Placed: index.Placed{Place: at, Item: it}})
			}
		}
		slices.SortStableFunc(part.Items, func(a, b nowItem) int { return b.Item.At.Compare(a.Item.At) })
		if len(part.Items) > 0 {
			part.More = max(0, len(part.Items)-mostOfKind)
			part.Items = part.Items[:len(part.Items)-part.More]
			all = append(all, part)
		}
	}
	return all
}

// composed is what stands in a project, and its payload in all its forms.
type composed struct {
	changed *history.Changed
	open    []history.Dated
	payload *payload.Payload
	texts   []variant
}

// healthView is what models used, how safe everything is, and what recall did last.
type healthView struct {
	Kept, Projects     int
	Distilled, ByModel int
	library.Tally
	*history.Usage
	Spent  []spentBar
	Doomed []pipeline.Expiring
	Unsafe []ingest.Problem
	Broken []ingest.Problem
	Last   []library.JournalEntry // one per kind, even if there was none
	Disk   int64                  // bytes
	Hooks  []string               // the latest errors in hooks
}

// sums are the groupings of usage; the first three are drawn as bars.
var sums = []string{"day", "week", "month", "project", "session", "model"}

func (s *Server) health(r *http.Request, m *Memory) (any, error) {
	catalog, err := m.Library.Catalog()
	if err != nil {
		return nil, err
	}
	v := healthView{Kept: len(catalog.Entries), Projects: catalog.Projects(), Broken: m.Library.Broken(),
		Hooks: m.HookFaults()}
	look := s.look(r.Context(), m)
	v.Doomed, v.Unsafe = look.doomed, look.unsafe
	maps.Copy(catalog.Closed, look.excluded)
	v.Tally = catalog.Tally(look.found)
	for _, e := range catalog.Entries {
		if e.Distilled != nil {
			v.Distilled++
			if e.Distilled.Model.Name != "" {
				v.ByModel++
			}
		}
	}
	by := r.URL.Query().Get("by")
	if !slices.Contains(sums, by) {
		by = sums[0]
	}
	key := "usage by " + by + " until " + time.Now().Format(time.DateOnly)
	v.Usage, err = kept(&s.kept, m.Stamp, key, func() (*history.Usage, error) {
		return history.UsageOf(r.Context(), m.Pipeline, catalog, by, time.Time{}, m.Prices)
	})
	if err != nil {
		return nil, err
	}
	v.Spent = spentOf(v.Usage)
	v.Disk, _ = kept(&s.kept, m.Stamp, "disk", func() (int64, error) { return disk.Used(m.Library.Dir()), nil })
	kinds := []string{"archive", "sync", "improve"}
	last, err := m.Library.Last(kinds...)
	for _, kind := range kinds {
		fact := last[kind]
		fact.What = kind
		v.Last = append(v.Last, fact)
	}
	return v, err
}
