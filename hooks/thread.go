package hooks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/text"
)

// The index knows what a thread's sessions have in common, so a thread is found without reading the library. With
// thousands of sessions in a project that still takes too long: which sessions a thread has is remembered in
// thread-<hash>.json beside the memos, without a word of theirs; what they say comes from the index, in which nothing
// forgotten is.

// remembered is which sessions a thread has.
type remembered struct {
	Mark     string           `json:"mark"` // of the index when it was found
	Sessions []threadMember   `json:"sessions"`
	Order    []payload.ItemID `json:"order,omitempty"` // of the items, as their payloads have them
}

type threadMember struct {
	ID        string `json:"id"`
	Number    int    `json:"number"`
	Branch    string `json:"branch,omitempty"`
	Distiller string `json:"distiller,omitempty"`
}

// place is where a session runs.
type place struct {
	l                     *library.Library
	project, name, branch string
	own                   string // the session whose thread is meant, "" for that of the branch
}

func (h *Host) threadPath(p place) string {
	return filepath.Join(h.Cache, "thread-"+text.Hash(p.l.ID()+"\x00"+p.project+"\x00"+p.branch, 8)+".json")
}

// placeOf is the project and branch of a folder; false if it is none.
func placeOf(l *library.Library, dir string) (place, bool, error) {
	p := place{l: l}
	if p.project, p.branch = pipeline.Here(l, dir); p.project == "" {
		return p, false, nil
	}
	known, err := l.Project(p.project)
	p.name = known.Name
	return p, err == nil, err
}

// thread composes the thread that goes on at a place, nil if there is none.
func (h *Host) thread(ctx context.Context, p place) (*payload.Payload, error) {
	x, err := h.Index(p.l)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, index.ErrRebuild) { // slower, and as right
		return pipeline.Onward(ctx, p.l, nil, p.project, p.branch, ingest.SessionID(p.own))
	}
	if err != nil {
		return nil, err
	}
	mark, err := markOf(ctx, x, p)
	if err != nil {
		return nil, err
	}
	var r remembered
	if p.own != "" || !readJSON(h.threadPath(p), &r) || r.Mark != mark {
		if r, err = find(ctx, x, p); err != nil {
			return nil, err
		}
		if r.Mark = mark; p.own == "" {
			writeJSON(h.threadPath(p), r)
		}
	}
	return composed(ctx, x, p, r)
}

// markOf changes when the project says something else, or a person corrected which sessions belong together.
func markOf(ctx context.Context, x *index.Index, p place) (string, error) {
	mark, err := x.ProjectMark(ctx, p.name)
	if err != nil {
		return "", err
	}
	said, _ := p.l.Corrections() // damage is told of where the thread is looked for
	if n := len(said); n > 0 {
		mark = fmt.Sprintf("%s %d %d", mark, n, said[n-1].At.UnixMilli())
	}
	return mark, nil
}

// find looks for the thread in the index.
func find(ctx context.Context, x *index.Index, p place) (r remembered, err error) {
	all, err := x.ThreadsIn(ctx, p.name)
	if err != nil {
		return r, err
	}
	infos := make([]payload.ThreadInfo, len(all))
	of := make(map[string]*index.Threaded, len(all))
	for i := range all {
		infos[i], of[all[i].Session] = all[i].ThreadInfo, &all[i]
	}
	threads, err := pipeline.Join(p.l, infos)
	if err != nil {
		return r, err
	}
	for _, s := range pipeline.Pick(threads, p.branch, ingest.SessionID(p.own)) {
		t := of[s.Session]
		r.Sessions = append(r.Sessions, threadMember{ID: t.Session, Number: t.Number, Branch: t.Branch,
			Distiller: t.Distiller})
		r.Order = append(r.Order, t.Items...)
	}
	return r, nil
}

// composed makes the thread's payload of what the index has of its sessions.
func composed(ctx context.Context, x *index.Index, p place, r remembered) (*payload.Payload, error) {
	var ids []string
	for _, s := range r.Sessions {
		ids = append(ids, s.ID)
	}
	items, err := x.ItemsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	var all []*payload.Payload
	numbers, order := map[string]int{}, map[payload.ItemID]int{}
	for i, id := range r.Order {
		order[id] = i
	}
	for _, s := range r.Sessions {
		h, ok, err := x.SessionOf(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		if !ok || len(items[s.ID]) == 0 {
			continue
		}
		numbers[s.ID] = s.Number
		one := &payload.Payload{Schema: payload.Schema, Session: s.ID, Source: h.Source, Title: h.Title, Project: p.name,
			Branch: s.Branch, Start: h.Start, End: h.End, Made: payload.Provenance{Distiller: s.Distiller}, Items: items[s.ID]}
		slices.SortStableFunc(one.Items, func(a, b payload.Item) int { return order[a.ID] - order[b.ID] })
		all = append(all, one)
	}
	return pipeline.Composed(p.l, all, numbers, map[string]bool{p.project: true},
		func(it *payload.Item) (by *payload.Link, sure bool, err error) {
			switch it.Kind {
			case payload.File, payload.Status, payload.Goal, payload.Next: // nothing is linked to them
				return nil, false, nil
			}
			links, err := x.LinksOf(ctx, it.ID)
			if err != nil {
				return nil, false, err
			}
			by, sure = payload.Overtaken(it.ID, links, func(k payload.Link) bool {
				later, e := x.ItemByID(ctx, k.From)
				if e != nil && !errors.Is(e, index.ErrNoItem) {
					err = e
				}
				return e == nil && later.Item.Current()
			})
			return by, sure, err
		})
}
