package web

import (
	"context"
	"slices"
	"time"

	"recall/answer/history"
	"recall/library"
	"recall/payload"
	"recall/pipeline/review"
)

// home is what the first page shows before anything is asked.
type home struct {
	Since  time.Time // the last visit, or a week ago
	New    int       // sessions in which something was said since
	Waits  int       // cards for review
	Others []string  // what others in the team recently decided
	Weeks  []bar
	Last   []lastSession
	happened
}

// happened is what the latest sessions decided and left open, each list newest first.
type happened struct {
	Decided  []history.Dated // since the last visit, as what follows
	Reversed []history.Reversed
	Open     []history.Dated
	More     struct{ Decided, Reversed, Open int } // older ones left out
}

// lastSession is a session and the command that continues it.
type lastSession struct {
	library.Entry
	Handle string
	Resume Resumed
}

// How much of each list the first page shows.
const (
	mostLast = 5
	mostNews = 6
)

// atHome fills in what the first page shows.
func (s *Server) atHome(ctx context.Context, m *Memory, f filters) (*home, error) {
	now := time.Now()
	h := &home{Since: s.profile.visit(now), Weeks: weekly(f.catalog.Entries, now)}
	latest, _ := lately(f, 0)
	spoken := library.Spoken(latest)
	for _, e := range spoken[:min(mostLast, len(spoken))] {
		one := lastSession{Entry: e, Handle: payload.Handle(f.catalog.Of(e).Name, f.catalog.Number[string(e.ID)])}
		one.Resume = m.Resume(e, nil)
		h.Last = append(h.Last, one)
	}
	for i := range f.catalog.Entries {
		if f.catalog.Entries[i].End.After(h.Since) {
			h.New++
		}
	}
	if m.Others != nil {
		h.Others = m.Others("")
	}
	waits, err := kept(&s.kept, m.Stamp, "waits", func() (*review.Waiting, error) { return waiting(ctx, m, f, latest, 0) })
	if err != nil {
		return nil, err
	}
	h.Waits = waits.Len()
	h.happened, err = kept(&s.kept, m.Stamp, "home "+h.Since.String(), func() (happened, error) {
		line, err := history.TimelineOf(ctx, m.Pipeline, f.catalog, latest, inTime...)
		return happenedSince(line, h.Since), err
	})
	return h, err
}

// happenedSince picks from a timeline what was decided and reversed since a time, and what is open.
func happenedSince(line []history.Dated, since time.Time) (h happened) {
	claims := func(d history.Dated) bool {
		return d.Item.Kind == payload.Decision || d.Item.Kind == payload.Eliminated
	}
	changed := history.ChangedOf(line, since, claims)
	h.Decided, h.More.Decided = newest(changed.Decided)
	h.Reversed, h.More.Reversed = newest(changed.Reversed)
	h.Open, h.More.Open = newest(history.ChangedOf(line, time.Time{}, func(history.Dated) bool { return true }).Open)
	return h
}

// newest returns the last of a list, the last one first, and how many it leaves out.
func newest[T any](list []T) (last []T, more int) {
	more = max(0, len(list)-mostNews)
	last = slices.Clone(list[more:])
	slices.Reverse(last)
	return last, more
}

// A bar is a number and its percentage of the largest.
type bar struct {
	Name    string
	N       int
	Percent int
}

// weeks is the number of weeks shown.
const weeks = 26

// weekly counts the sessions that began in each of the last weeks, named by its first day; the last week ends today.
func weekly(entries []library.Entry, now time.Time) (bars []bar) {
	year, month, day := now.Date()
	tomorrow := time.Date(year, month, day+1, 0, 0, 0, 0, now.Location())
	byWeek := make([]int, weeks)
	for _, e := range entries {
		if ago := int((tomorrow.Sub(e.Start) - 1).Hours() / 24 / 7); ago >= 0 && ago < weeks {
			byWeek[weeks-1-ago]++
		}
	}
	most := max(1, slices.Max(byWeek))
	for i, n := range byWeek {
		bars = append(bars, bar{tomorrow.AddDate(0, 0, -7*(weeks-i)).Format("2 Jan"), n, 100 * n / most})
	}
	return bars
}
