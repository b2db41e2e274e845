package history

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"recall/payload"
	"recall/pipeline"
)

// Waiting is what waits for a person: next steps, deferrals, questions, warnings.
type Waiting struct {
	Since    time.Time `json:"since"`    // what was said or settled since then counts as new or closed
	Projects []Loops   `json:"projects"` // those with any, most recently discussed first
}

// Loops is what waits in a project and what was settled, each oldest first.
type Loops struct {
	Project string `json:"project"`
	New     []Loop `json:"new"`
	Open    []Loop `json:"open"` // said before
	Closed  []Loop `json:"closed"`

	newest time.Time // time of the latest
}

// A Loop is one thing that waits, or waited.
type Loop struct {
	Dated
	Waits payload.Kind `json:"waits"` // next, deferred, question or flag, also of a task
	Days  int          `json:"days"`  // calendar days since it was said
	N     int          `json:"-"`     // its number on the page, see Number; 0 if not shown
}

// Number numbers the newest of each list, at most most, in the order of the page, and returns them.
func (w *Waiting) Number(most int) (shown []*Loop) {
	for _, of := range w.Projects {
		for _, list := range [][]Loop{of.New, of.Open, of.Closed} {
			for i := max(0, len(list)-most); i < len(list); i++ {
				shown = append(shown, &list[i])
				list[i].N = len(shown)
			}
		}
	}
	return shown
}

// What names the kind of a loop in a word or two.
func (l Loop) What() string {
	what := map[payload.Kind]string{payload.Next: "next", payload.Deferred: "deferred", payload.Question: "question",
		payload.Flag: "don't forget"}[l.Waits]
	switch {
	case l.Item.Rule == payload.TaskRule:
		return "task left open"
	case l.Item.Since != "":
		return what + ", " + l.Item.Since
	}
	return what
}

// waits returns what an item leaves open, as a kind, or "". Of passages only a session's own tasks do, and what it said
// to come next.
func waits(it payload.Item) payload.Kind {
	switch kind, _ := it.Under(); kind {
	case payload.Next, payload.Deferred, payload.Question, payload.Flag:
		return kind
	}
	return ""
}

// WaitingIn lists what waits in a project, "" for all. What an archived session left open no longer counts. A task of a
// list waits until it is done; what was told to come next is done, as likely as not, unless it waits on a branch.
func WaitingIn(ctx context.Context, p *pipeline.Pipeline, project string, since, now time.Time) (*Waiting, error) {
	line, err := Timeline(ctx, p, project, payload.Next, payload.Deferred, payload.Question, payload.Flag, payload.Lead,
		payload.Decision, payload.Eliminated, payload.Finding) // the last three kinds settle what waits
	if err != nil {
		return nil, err
	}
	last, newest, err := lastSteps(ctx, p, line)
	if err != nil {
		return nil, err
	}
	doc := &Waiting{Since: since.UTC(), Projects: []Loops{}}
	by := map[string]*Loops{} // project
	said := map[string]bool{} // open ones seen: a repetition counts as old as the first
	for _, d := range line {
		kind := waits(d.Item)
		open := d.Item.Current() && !d.Sure
		ended := d.ended()
		switch {
		case kind == "", d.Archived, d.Sure && d.Link.Relation == payload.Same:
			continue
		case d.Item.Rule == payload.ToldNextRule && !newest[d.Session], // done, as likely as not
			open && kind == payload.Next && d.Item.Rule != payload.TaskRule && !last[d.Session],
			!open && (ended.IsZero() || ended.Before(since)):
			continue
		}
		of := by[d.Project]
		if of == nil {
			of = &Loops{Project: d.Project, New: []Loop{}, Open: []Loop{}, Closed: []Loop{}}
			by[d.Project] = of
		}
		of.newest = d.Item.At
		key := d.Project + "\x00" + string(kind) + "\x00" + strings.ToLower(d.Item.Text)
		if open && said[key] {
			continue
		}
		said[key] = said[key] || open
		list := &of.Open
		switch {
		case !open:
			list = &of.Closed
		case !d.Item.At.Before(since):
			list = &of.New
		}
		*list = append(*list, Loop{Dated: d, Waits: kind, Days: daysBetween(d.Item.At, now)})
	}
	for _, of := range by {
		doc.Projects = append(doc.Projects, *of)
	}
	slices.SortFunc(doc.Projects, func(a, b Loops) int {
		return cmp.Or(b.newest.Compare(a.newest), strings.Compare(a.Project, b.Project))
	})
	return doc, nil
}

// ended returns when an item was settled; for one settled by its own session, when it was said.
func (d *Dated) ended() time.Time {
	if d.Sure {
		return d.Link.At
	}
	if d.Item.Current() || d.Item.State == payload.Retired {
		return time.Time{}
	}
	return d.Item.At
}

// daysBetween counts the midnights between two times, in the zone of the later one.
func daysBetween(from, to time.Time) int {
	day := func(t time.Time) time.Time {
		y, m, d := t.In(to.Location()).Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return max(0, int(day(to).Sub(day(from)).Hours()/24))
}

// lastSteps returns the sessions whose next steps count: of each thread the last one with any; and the newest of the
// project and of each thread on a branch of its own.
func lastSteps(ctx context.Context, p *pipeline.Pipeline, line []Dated) (last, newest map[string]bool, err error) {
	speaks, projects := map[string]bool{}, map[string]bool{}
	for _, d := range line {
		if waits(d.Item) == payload.Next {
			speaks[d.Session], projects[d.Project] = true, true
		}
	}
	last, newest = map[string]bool{}, map[string]bool{}
	for name := range projects {
		known, err := p.Index.ThreadsIn(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		var infos []payload.ThreadInfo
		for _, t := range known {
			infos = append(infos, t.ThreadInfo)
		}
		threads, err := pipeline.Join(p.Library, infos)
		if err != nil {
			return nil, nil, err
		}
		for i, thread := range threads { // the most recently active first
			end := slices.MaxFunc(thread, func(a, b payload.ThreadInfo) int { return a.End.Compare(b.End) })
			if i == 0 || payload.OwnBranch(end.Branch) {
				newest[end.Session] = true
			}
			for _, s := range slices.Backward(thread) {
				if speaks[s.Session] {
					last[s.Session] = true
					break
				}
			}
		}
	}
	return last, newest, nil
}
