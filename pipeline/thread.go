package pipeline

import (
	"errors"
	"slices"

	"recall/ingest"
	"recall/library"
	"recall/payload"
)

// Threads sorts sessions, usually a project's, into threads; the one last
// active first. Sessions without a payload are known by what their entry says.
func Threads(l *library.Library, entries []library.Entry) ([][]payload.ThreadInfo, error) {
	var infos []payload.ThreadInfo
	for _, e := range entries {
		p, err := l.Payload(e.ID)
		switch {
		case errors.Is(err, library.ErrNoPayload):
			p = &payload.Payload{Session: string(e.ID), Branch: e.Branch, Start: e.Start, End: e.End}
		case err != nil:
			return nil, err
		}
		info := payload.InfoOf(p)
		info.Project, info.Parent, info.PlanFiles = e.Project, string(e.Parent), e.Plans
		infos = append(infos, info)
	}
	return Join(l, infos)
}

// Join is Threads of sessions of which is known what their threads are found by.
func Join(l *library.Library, infos []payload.ThreadInfo) ([][]payload.ThreadInfo, error) {
	corrections, err := l.Corrections()
	if err != nil {
		return nil, err
	}
	return payload.Threads(infos, corrections), nil
}

// Onward makes the payload that the next session of a project starts with: that of the
// thread that a session belongs to, else of the one last active on the branch; nil if
// there is none. Project is its id.
func Onward(l *library.Library, project, branch string, of ingest.SessionID) (*payload.Payload, error) {
	known, err := l.Project(project)
	if err != nil && !errors.Is(err, library.ErrNoProject) {
		return nil, err
	}
	entries, err := l.SessionsOf(func(id string) bool { return id == project || slices.Contains(known.Ids, id) })
	if err != nil {
		return nil, err
	}
	threads, err := Threads(l, entries)
	if err != nil {
		return nil, err
	}
	p, err := Compose(l, project, Pick(threads, branch, of), entries)
	if p != nil && known.Name != "" {
		p.Project = known.Name // it may have been another one when it was distilled
	}
	return p, err
}

// Pick is the thread of a session, else the one last active on the branch, nil if there is none.
func Pick(threads [][]payload.ThreadInfo, branch string, of ingest.SessionID) []payload.ThreadInfo {
	for _, t := range threads {
		if of != "" && slices.ContainsFunc(t, func(s payload.ThreadInfo) bool { return s.Session == string(of) }) {
			return t
		}
	}
	return payload.Pick(threads, branch)
}

// Compose makes the payload that a thread hands on; entries are its project's sessions.
// What people took over of others' handoffs for the project is part of it.
func Compose(l *library.Library, project string, thread []payload.ThreadInfo,
	entries []library.Entry) (*payload.Payload, error) {
	numbers := map[string]int{}
	for i, e := range entries {
		numbers[string(e.ID)] = i + 1
	}
	var all []*payload.Payload
	projects := map[string]bool{project: true}
	for _, e := range entries {
		if !slices.ContainsFunc(thread, func(t payload.ThreadInfo) bool { return t.Session == string(e.ID) }) {
			continue
		}
		projects[e.Project] = true
		p, err := l.Payload(e.ID)
		if errors.Is(err, library.ErrNoPayload) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	lines, err := l.Links()
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	by := map[string]*payload.Payload{}
	for _, p := range all {
		by[p.Session] = p
	}
	ends := map[payload.ItemID][]payload.Link{}
	for _, k := range payload.StandingLinks(lines) {
		if by[k.ToSession] != nil {
			ends[k.To] = append(ends[k.To], k)
		}
	}
	return Composed(l, all, numbers, projects, func(it *payload.Item) (*payload.Link, bool, error) {
		// What takes its place may stand in a session of another thread; in one that can't be read nothing does.
		later, sure := payload.Overtaken(it.ID, ends[it.ID], func(k payload.Link) bool {
			p := by[k.FromSession]
			if p == nil {
				p, _ = l.Payload(ingest.SessionID(k.FromSession))
			}
			return p != nil && slices.ContainsFunc(p.Items, func(o payload.Item) bool { return o.ID == k.From && o.Current() })
		})
		return later, sure, nil
	})
}

// Composed makes the payload of a thread of those of its sessions. Overtaken finds what took
// an item's place, and still holds itself, for sure or perhaps: for sure, and the item isn't
// handed on; perhaps, and that is told. What people took over of others' handoffs for the
// projects is part of it.
func Composed(l *library.Library, all []*payload.Payload, numbers map[string]int, projects map[string]bool,
	overtaken func(*payload.Item) (by *payload.Link, sure bool, err error)) (*payload.Payload, error) {
	doubted := map[payload.ItemID]payload.Doubt{}
	settled := make([]*payload.Payload, len(all))
	for i, p := range all {
		one := *p
		one.Items = slices.Clone(p.Items)
		for k := range one.Items {
			it := &one.Items[k]
			if !it.Current() {
				continue
			}
			by, sure, err := overtaken(it)
			switch {
			case err != nil:
				return nil, err
			case sure:
				it.State = payload.Superseded
			case by != nil:
				doubted[it.ID] = by.Doubt()
			}
		}
		settled[i] = &one
	}
	out := payload.Compose(settled, numbers)
	if out != nil {
		out.Doubted = doubted
	}
	return withReceived(l, out, projects)
}
