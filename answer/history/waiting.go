package history

import (
	"context"
	"slices"
	"time"

	"recall/index"
	"recall/library/received"
	"recall/payload"
	"recall/pipeline"
)

// Waiting is what waits for a person: next steps, deferrals, questions, warnings.
type Waiting struct {
	Since    time.Time `json:"since"`            // what was said or settled since then counts as new or closed
	Projects []Loops   `json:"projects"`         // those with any, by what waits, the latest first
	Handed   int       `json:"handed,omitempty"` // items handed over by others that wait for a review
}

// Loops is what waits in a project and what was settled, each newest first.
type Loops struct {
	Project string `json:"project"`
	New     []Loop `json:"new"`
	Open    []Loop `json:"open"` // said before
	Closed  []Loop `json:"closed"`
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
			for i := range min(len(list), most) {
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

// Open lists what waits in a project, "" for all: what a question for it lists, the newest first.
func Open(ctx context.Context, p *pipeline.Pipeline, project string) ([]Dated, error) {
	corrected, err := p.Library.Corrections()
	if err != nil {
		return nil, err
	}
	items, err := p.Index.Waiting(ctx, index.Query{Project: project, Corrected: corrected})
	if err != nil {
		return nil, err
	}
	line, err := dated(ctx, p, items, nil)
	return slices.DeleteFunc(line, func(d Dated) bool { return d.Sure }), err
}

// WaitingIn lists what waits in a project, "" for all, and what was settled.
func WaitingIn(ctx context.Context, p *pipeline.Pipeline, project string, since, now time.Time) (*Waiting, error) {
	open, err := Open(ctx, p, project)
	if err != nil {
		return nil, err
	}
	line, err := Timeline(ctx, p, project, payload.Next, payload.Deferred, payload.Question, payload.Flag, payload.Lead,
		payload.Decision, payload.Eliminated, payload.Finding) // the last three kinds settle what waits
	if err != nil {
		return nil, err
	}
	closed := slices.DeleteFunc(line, func(d Dated) bool {
		again := d.Sure && d.Link.Relation == payload.Same
		ended := d.Item.At // settled by its own session
		if d.Sure {
			ended = d.Link.At
		}
		waits := !d.Sure && (d.Item.Current() || d.Item.State == payload.Retired)
		return d.Item.Waits() == "" || d.Archived || again || waits || ended.Before(since)
	})
	slices.Reverse(closed)
	doc := &Waiting{Since: since.UTC(), Projects: []Loops{}, Handed: received.Handed(p.Library)}
	for i, d := range slices.Concat(open, closed) {
		is := func(of Loops) bool { return of.Project == d.Project }
		at := slices.IndexFunc(doc.Projects, is)
		if at < 0 {
			at = len(doc.Projects)
			of := Loops{Project: d.Project, New: []Loop{}, Open: []Loop{}, Closed: []Loop{}}
			doc.Projects = append(doc.Projects, of)
		}
		list := &doc.Projects[at].Open
		switch {
		case i >= len(open):
			list = &doc.Projects[at].Closed
		case !d.Item.At.Before(since):
			list = &doc.Projects[at].New
		}
		*list = append(*list, Loop{Dated: d, Waits: d.Item.Waits(), Days: daysBetween(d.Item.At, now)})
	}
	return doc, nil
}

// daysBetween counts the midnights between two times, in the zone of the later one.
func daysBetween(from, to time.Time) int {
	day := func(t time.Time) time.Time {
		y, m, d := t.In(to.Location()).Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return max(0, int(day(to).Sub(day(from)).Hours()/24))
}
