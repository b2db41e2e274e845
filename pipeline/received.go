package pipeline

import (
	"context"
	"errors"
	"slices"
	"strings"

	"recall/index"
	"recall/library"
	"recall/library/received"
	"recall/payload"
)

// withReceived adds to a thread's payload what people here accepted from other people's handoffs for its project.
// Kinds that accumulate over sessions are added; goal, next, files and status only if they are newer than the
// thread. If no session has worked on the project yet (p is nil), they are all there is.
func withReceived(l *library.Library, p *payload.Payload, projects map[string]bool,
	remote string) (*payload.Payload, error) {
	handed, err := received.All(l)
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	for i := range handed {
		h := &handed[i]
		if items := h.Taken(); projects[h.For()] && h.Fits(remote) && len(items) > 0 {
			if p == nil {
				p = &payload.Payload{Schema: payload.Schema, Title: h.Title, Project: h.Handover.Project,
					Origins: map[payload.ItemID]payload.Origin{}}
			}
			handOn(p, h, items)
		}
	}
	return p, nil
}

// HandedOver returns what people here accepted from handoffs for a project that this library doesn't have yet, by the
// sender's name for it and its repository's remote ("" if unknown); nil if nothing.
func HandedOver(l *library.Library, name, remote string) (*payload.Payload, error) {
	return withReceived(l, nil, map[string]bool{name: name != ""}, remote)
}

func handOn(p *payload.Payload, h *received.Handoff, items []payload.Item) {
	newer := h.At.After(p.End)
	first := h.From // short enough for the note behind a line
	if i := strings.IndexAny(first, " ,()"); i >= 0 {
		first = first[:i]
	}
	replaced := map[payload.Kind]bool{}
	for _, it := range items {
		switch {
		case slices.ContainsFunc(p.Items, func(o payload.Item) bool {
			return o.ID == it.ID || o.Kind == it.Kind && payload.LineOf(&o) == payload.LineOf(&it)
		}):
			continue
		case payload.Accumulates(it.Kind):
		case !newer:
			continue
		case !replaced[it.Kind]:
			replaced[it.Kind] = true
			p.Items = slices.DeleteFunc(p.Items, func(o payload.Item) bool { return o.Kind == it.Kind })
		}
		p.Items = append(p.Items, it)
		p.Origins[it.ID] = payload.Origin{Session: "from-" + first}
	}
	slices.SortStableFunc(p.Items, func(a, b payload.Item) int { return a.Kind.Order() - b.Kind.Order() })
}

// IndexReceived indexes at once what people accepted from handoffs. A sync does that as well.
func (p *Pipeline) IndexReceived(ctx context.Context) error {
	r := &run{p: p, seen: openSeen(p.Cache, false)}
	return errors.Join(r.indexReceived(ctx), r.seen.close())
}

// indexReceived makes the index's entries for handoffs of what people accepted of them, without what the library has
// anyway, and for the notes of clients' own memories, if any of them or the projects' names changed.
func (r *run) indexReceived(ctx context.Context) error {
	noted, err := r.p.rememberedStamp()
	made := received.Stamp(r.p.Library) + noted
	if err != nil || made == r.seen.facts[handed] && !r.options.Reindex {
		return err
	}
	docs, err := r.receivedDocs(ctx)
	if err != nil {
		return err
	}
	notes, err := r.rememberedDocs(ctx)
	if err != nil {
		return err
	}
	docs = append(docs, notes...)
	stamps, err := r.p.Index.Stamps(ctx)
	if err != nil {
		return err
	}
	for id := range stamps {
		if strings.HasPrefix(id, index.HandedID("")) {
			if err := r.p.Index.Delete(ctx, id); err != nil {
				return err
			}
		}
	}
	if err := r.p.Index.PutAll(ctx, docs); err != nil {
		return err
	}
	r.seen.setFact(handed, made)
	return nil
}

// receivedDocs returns the index entries that handoffs should have. Lines that can't be read don't affect others;
// recall check reports them.
func (r *run) receivedDocs(ctx context.Context) ([]index.Doc, error) {
	handed, err := received.All(r.p.Library)
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	projects, err := r.p.Library.ProjectsByID()
	if err != nil {
		return nil, err
	}
	var docs []index.Doc
	taken := map[payload.ItemID]bool{}
	for i := range handed {
		h := &handed[i]
		project := projects[h.Project].Name
		if h.Project == "" {
			project = h.Handover.Project
		}
		if project == "" {
			continue
		}
		d := index.Doc{Session: index.HandedID(h.ID), Project: project, Title: "handed over by " + h.From,
			Source: index.HandoffSource, Start: h.At, End: h.At, Stamp: h.ID}
		for _, it := range h.Taken() {
			p, err := r.p.Index.ItemByID(ctx, it.ID)
			if err != nil && !errors.Is(err, index.ErrNoItem) {
				return nil, err
			}
			if taken[it.ID] || err == nil && p.Source != index.HandoffSource {
				continue
			}
			taken[it.ID] = true
			d.Items = append(d.Items, index.Item{Item: it, Context: strings.Join(it.Quotes(), "\n")})
		}
		if len(d.Items) > 0 {
			docs = append(docs, d)
		}
	}
	return docs, nil
}
