package pipeline

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
)

// Threads sorts sessions of one project into threads, the most recently active first. It uses the index (which may
// be nil) for sessions whose entry there is current, and payloads for the others. Sessions without a payload are
// described by their entry; those whose payload can't be read are an error returned along with the other threads.
func Threads(ctx context.Context, l *library.Library, x *index.Index, entries []library.Entry) (
	[][]payload.ThreadInfo, error) {
	known, err := indexed(ctx, l, x, entries)
	if err != nil {
		return nil, err
	}
	var infos []payload.ThreadInfo
	var bad []error
	for _, e := range entries {
		info, ok := known[e.ID]
		if !ok {
			p, err := l.Payload(e.ID)
			if errors.Is(err, library.ErrNoPayload) {
				p, err = &payload.Payload{Session: string(e.ID), Branch: e.Branch, Start: e.Start, End: e.End}, nil
			}
			if err != nil {
				bad = append(bad, err)
				continue
			}
			info = payload.InfoOf(p)
			if of, err := l.Project(e.Project); e.Source == ingest.Cowork && err == nil && of.Base != ingest.NoProject {
				info.Folder = of.Name
			}
		}
		info.Project, info.Parent, info.PlanFiles = e.Project, string(e.Parent), e.Plans
		infos = append(infos, info)
	}
	corrections, err := l.Corrections()
	return payload.Threads(infos, corrections), errors.Join(append(bad, err)...)
}

// indexed returns what the index knows of those of a project's sessions whose index entry matches their payload.
func indexed(ctx context.Context, l *library.Library, x *index.Index, entries []library.Entry) (
	map[ingest.SessionID]payload.ThreadInfo, error) {
	if x == nil || len(entries) == 0 {
		return nil, nil
	}
	of, err := l.Project(entries[0].Project)
	if errors.Is(err, library.ErrNoProject) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := x.ThreadsIn(ctx, of.Name)
	if err != nil {
		return nil, err
	}
	made := map[ingest.SessionID]string{}
	for _, e := range entries {
		if e.Distilled != nil {
			made[e.ID] = indexStamp(madeStamp(*e.Distilled), of.Name)
		}
	}
	known := map[ingest.SessionID]payload.ThreadInfo{}
	for _, t := range all {
		if id := ingest.SessionID(t.Session); t.Stamp != "" && t.Stamp == made[id] {
			known[id] = t.ThreadInfo
		}
	}
	return known, nil
}

// NextPayload composes the payload that the next session of a project starts with: that of the thread of session of,
// else of the thread most recently active on the branch; nil if there is none. project is an id. The index may be nil.
// Sessions that a program held, or that worked there briefly, take part only if there are no others, or one of them is
// asked for. Sessions whose payload can't be read are an error returned along with the payload.
func NextPayload(ctx context.Context, l *library.Library, x *index.Index, project, branch string, of ingest.SessionID) (
	*payload.Payload, error) {
	return next(ctx, l, x, project, branch, of, false)
}

// SessionPayload composes the payload of one session, with the latest claims of the rest of its thread beside it. See
// NextPayload.
func SessionPayload(ctx context.Context, l *library.Library, x *index.Index, project string, of ingest.SessionID) (
	*payload.Payload, error) {
	return next(ctx, l, x, project, "", of, true)
}

// next composes the payload of a thread or, alone, that of the session of it.
func next(ctx context.Context, l *library.Library, x *index.Index, project, branch string, of ingest.SessionID,
	alone bool) (*payload.Payload, error) {
	known, err := l.Project(project)
	if err != nil && !errors.Is(err, library.ErrNoProject) {
		return nil, err
	}
	is := func(id string) bool { return id == project || slices.Contains(known.Ids, id) }
	catalog, err := l.Catalog()
	if err != nil {
		return nil, err
	}
	entries := slices.DeleteFunc(catalog.Entries, func(e library.Entry) bool { return !catalog.WorkedIn(e, project) })
	led := library.Spoken(library.Stayed(entries, is))
	if of != "" && !slices.ContainsFunc(led, func(e library.Entry) bool { return e.ID == of }) {
		led = entries
	}
	threads, bad := Threads(ctx, l, x, led)
	read := map[string]*payload.Payload{}
	thread := pick(threads, branch, of)
	told := thread
	if alone {
		told = slices.DeleteFunc(slices.Clone(thread), func(s payload.ThreadInfo) bool { return s.Session != string(of) })
	}
	p, err := compose(ctx, l, x, project, told, entries, read)
	if p != nil && known.Name != "" {
		p.Project = known.Name // it may have been renamed since it was distilled
	}
	if p != nil && p.Doubted != nil {
		others := func(session string) bool {
			in := func(s payload.ThreadInfo) bool { return s.Session == session }
			return !slices.Contains(p.Thread, session) && (!alone || slices.ContainsFunc(thread, in))
		}
		bad = errors.Join(bad, besides(ctx, l, x, p, others, of == "", entries, read))
	}
	return p, errors.Join(bad, err)
}

// besides adds to a payload what was decided or ruled out in other sessions of its project, on whatever branch, and
// stands: the latest; and if wanted, for where there is room, what was said in others, on
// branches of their own last. The index may be nil; read is as for compose.
func besides(ctx context.Context, l *library.Library, x *index.Index, p *payload.Payload, others func(string) bool,
	quoted bool, entries []library.Entry, read map[string]*payload.Payload) error {
	of := map[string]payload.Origin{}
	for i, e := range entries {
		from := payload.Origin{Session: string(e.ID), Number: i + 1}
		if e.Branch != p.Branch {
			from.Branch = e.Branch
		}
		if !e.Headless && others(from.Session) {
			of[from.Session] = from
		}
	}
	all, err := claims(ctx, l, x, slices.Sorted(maps.Keys(of)))
	if err != nil {
		return err
	}
	claimed := len(all)
	if quoted {
		all = append(all, quotes(p, entries, of, read)...)
	}
	var items []payload.Item
	for _, one := range all {
		items = append(items, one.Item)
	}
	doubted, err := Doubts(ctx, l, x, read, items)
	if err != nil {
		return err
	}
	done, replaced := deedsOn(l, entries, read, items[claimed:], doubted)
	left := mostBeside
	for i, one := range slices.Backward(all) {
		it := one.Item
		it.Outlive(replaced)
		by, doubt := doubted[it.ID]
		said := slices.ContainsFunc(p.Items, func(o payload.Item) bool {
			return payload.LineOf(&o) == payload.LineOf(&it) || it.SameTask(&o)
		})
		over := !it.Current() || by.Sure || done[it.ID] != nil || doubt && it.Rule == payload.ReportedRule
		if by.Sure && left > 0 && putInPlace(p, &it, by, of, read) {
			left--
		}
		if over || said || it.Rule == payload.PointRule { // a plan's points: the files show them
			continue
		}
		if i < claimed {
			if left--; left < 0 {
				break
			}
		}
		p.Items = append(p.Items, it)
		p.Origins[it.ID], p.Beside[it.ID] = of[one.Session], true
		if doubt {
			p.Doubted[it.ID] = by
		}
	}
	later := func(it payload.Item) int { // of what is next, the last session's comes first, other threads' last
		switch under, _ := it.Under(); {
		case under != payload.Next || p.Origins[it.ID].Session == p.Session:
			return 0
		case p.Beside[it.ID]:
			return 2
		}
		return 1
	}
	slices.SortStableFunc(p.Items, func(a, b payload.Item) int {
		if kind := a.Kind.Order() - b.Kind.Order(); kind != 0 || a.Kind != payload.Lead {
			return kind
		}
		return cmp.Or(later(a)-later(b), a.At.Compare(b.At))
	})
	return nil
}

const (
	mostBeside = 5  // claims of other threads
	mostQuoted = 30 // quotes of theirs: more than a page has room for

	apartShare = 0.05 // of the weight of what was said on another branch: less than anything else on a page has
)

// quotes lists what was said in some sessions, those read, however long ago: the page has room for the weightiest, and
// what was said on a branch of its own, which may be merged by now, comes last, on the default branch but for the
// newest session's. What was next long ago isn't any more.
func quotes(p *payload.Payload, entries []library.Entry, of map[string]payload.Origin,
	read map[string]*payload.Payload) (all []index.Placed) {
	latest := p.End // of the project
	for _, e := range entries {
		if !e.Headless && e.End.After(latest) {
			latest = e.End
		}
	}
	for _, e := range slices.Backward(entries) {
		other := read[string(e.ID)]
		if _, ok := of[string(e.ID)]; !ok || other == nil {
			continue
		}
		for _, it := range other.Asides() {
			if under, _ := it.Under(); under == payload.Next && latest.Sub(other.End) > payload.MaxThreadGap {
				continue
			}
			newest := other.End.Equal(latest) && latest.After(p.End) && p.OnBranchOf(other)
			if !other.OnBranchOf(p) && !newest {
				it.Confidence *= apartShare
			}
			all = append(all, index.Placed{Place: index.Place{Session: other.Session}, Item: it})
		}
	}
	slices.SortStableFunc(all, func(a, b index.Placed) int { return cmp.Compare(b.Item.Confidence, a.Item.Confidence) })
	return all[:min(mostQuoted, len(all))]
}

// claims lists what was decided or ruled out in some sessions, by time; without the index, by their payloads.
func claims(ctx context.Context, l *library.Library, x *index.Index, sessions []string) (all []index.Placed,
	err error) {
	kinds := []payload.Kind{payload.Decision, payload.Eliminated}
	if x != nil {
		return x.ItemsAmong(ctx, sessions, kinds...)
	}
	for _, id := range sessions {
		p, err := l.Payload(ingest.SessionID(id))
		if err != nil {
			continue // recall sync reports it
		}
		for _, it := range p.Items {
			if slices.Contains(kinds, it.Kind) {
				all = append(all, index.Placed{Place: index.Place{Session: id}, Item: it})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b index.Placed) int { return a.Item.At.Compare(b.Item.At) })
	return all, nil
}

// pick returns the thread of a session, else the one most recently active on the branch, nil if there is none.
func pick(threads [][]payload.ThreadInfo, branch string, of ingest.SessionID) []payload.ThreadInfo {
	for _, t := range threads {
		if of != "" && slices.ContainsFunc(t, func(s payload.ThreadInfo) bool { return s.Session == string(of) }) {
			return t
		}
	}
	return payload.Pick(threads, branch)
}

// compose makes the payload that a thread hands on; entries are its project's sessions, whose payloads it puts into
// read, nil for one that can't be read. An item that was surely replaced by one that itself still holds isn't handed
// on; one that was perhaps replaced is marked as doubted. What people accepted from others' handoffs for the project is
// included. The index may be nil. Sessions whose payload can't be read are an error returned along with the payload.
func compose(ctx context.Context, l *library.Library, x *index.Index, project string, thread []payload.ThreadInfo,
	entries []library.Entry, payloads map[string]*payload.Payload) (*payload.Payload, error) {
	in, numbers, origins := map[ingest.SessionID]bool{}, map[string]int{}, map[string]payload.Origin{}
	for _, t := range thread {
		in[ingest.SessionID(t.Session)] = true
	}
	var all []*payload.Payload
	var bad []error
	var items []payload.Item
	projects := map[string]bool{project: true}
	for i, e := range entries {
		numbers[string(e.ID)] = i + 1
		origins[string(e.ID)] = payload.Origin{Session: string(e.ID), Number: i + 1}
		if !in[e.ID] {
			continue
		}
		projects[e.Project] = true
		p, err := l.Payload(e.ID)
		if errors.Is(err, library.ErrNoPayload) {
			continue
		}
		if payloads[string(e.ID)] = p; err != nil {
			bad = append(bad, err)
			continue
		}
		all, items = append(all, p), append(items, p.Items...)
	}
	doubted, err := Doubts(ctx, l, x, payloads, items)
	if err != nil {
		return nil, err
	}
	done, replaced := deedsOn(l, entries, payloads, items, doubted)
	uncommitted := func(it payload.Item) bool { return it.Uncommitted() }
	settled := make([]*payload.Payload, len(all))
	for i, p := range all {
		one := *p
		one.Items = slices.Clone(p.Items)
		left := slices.ContainsFunc(p.Items, uncommitted)
		for k := range one.Items {
			it := &one.Items[k]
			it.Outlive(replaced)
			settle(it, doubted[it.ID], done[it.ID])
		}
		if left && !slices.ContainsFunc(one.Items, uncommitted) {
			one.Uncommitted = 0
		}
		settled[i] = &one
	}
	out := payload.Compose(settled, numbers)
	if out != nil {
		out.Beside, out.InPlaceOf = map[payload.ItemID]bool{}, map[payload.ItemID]string{}
		for i := range items {
			if by := doubted[items[i].ID]; by.Sure {
				putInPlace(out, &items[i], by, origins, payloads)
			}
		}
		maps.DeleteFunc(doubted, func(_ payload.ItemID, by payload.Doubt) bool { return by.Sure })
		out.Doubted = doubted
	}
	out, err = withReceived(l, out, projects, "")
	return out, errors.Join(append(bad, err)...)
}

// putInPlace has on a page, in a decision's place, the words by which a person surely replaced it, whichever session
// they are from, and reports whether there are any; what is itself a decision is handed on as such.
func putInPlace(p *payload.Payload, gone *payload.Item, by payload.Doubt, of map[string]payload.Origin,
	read map[string]*payload.Payload) bool {
	if gone.Kind != payload.Decision {
		return false
	}
	is := func(it payload.Item) bool { return it.ID == by.By && it.Kind == payload.Lead }
	k := slices.IndexFunc(p.Items, is)
	for _, session := range slices.Sorted(maps.Keys(read)) {
		if other := read[session]; k < 0 && other != nil && slices.ContainsFunc(other.Items, is) {
			k = len(p.Items)
			p.Items = append(p.Items, other.Items[slices.IndexFunc(other.Items, is)])
			from := of[session] // whose number isn't known of every session
			from.Session = session
			p.Origins[by.By], p.Beside[by.By] = from, !slices.Contains(p.Thread, session)
		}
	}
	if k >= 0 {
		p.Items[k].Confidence = 1
		p.InPlaceOf[by.By] = gone.Text
	}
	return k >= 0
}

// settle gives an item the state that what came later leaves it, and less weight if its subject was spoken of again:
// not where its session ended, which no other session changes.
func settle(it *payload.Item, later payload.Doubt, done *payload.Deed) {
	switch {
	case it.Current() && later.Sure:
		it.State = payload.Superseded
	case it.Current() && done != nil:
		it.EndBy(done)
	case later.By == "" && later.Relation == payload.Supersedes && !it.Ended():
		it.Confidence *= takenUpShare
	}
}

// takenUpShare is which part of its weight a quote keeps on the page whose subject was spoken of again.
const takenUpShare = 0.15

// mostDone is how many of a project's sessions are asked what they did.
const mostDone = 40

// deedsOn returns the items that a later session's deed did or ended, with that, and marks in doubted those that one
// perhaps did, or that a later session spoke of again. A commit on another branch is none that surely did it. It adds
// the payloads that it reads to read, and returns the values that were replaced, in that order.
func deedsOn(l *library.Library, entries []library.Entry, read map[string]*payload.Payload, items []payload.Item,
	doubted map[payload.ItemID]payload.Doubt) (done map[payload.ItemID]*payload.Deed, replaced []payload.Deed) {
	done = map[payload.ItemID]*payload.Deed{}
	of := map[payload.ItemID]*payload.Payload{}
	for _, p := range read {
		if p != nil {
			for _, it := range p.Items {
				of[it.ID] = p
			}
		}
	}
	var talk payload.Talk
	for _, e := range entries[max(0, len(entries)-mostDone):] {
		p, known := read[string(e.ID)]
		if !known {
			p, _ = l.Payload(e.ID)
			read[string(e.ID)] = p
		}
		if p == nil {
			continue
		}
		talk.Add(p)
		replaced = append(replaced, p.Replaced()...)
		for i := range items {
			it := &items[i]
			for k := range p.Did {
				d := &p.Did[k]
				sure, perhaps := d.Does(it)
				perhaps = perhaps && !(it.Rule == payload.TaskRule && of[it.ID] == p) // its own list would say so
				if sure && d.Reaches(it, p, of[it.ID]) && (done[it.ID] == nil || d.Fate != "") {
					done[it.ID] = d
				} else if _, known := doubted[it.ID]; perhaps && !known {
					doubted[it.ID] = payload.Doubt{At: d.At, Relation: payload.Did}
				}
			}
		}
	}
	slices.SortStableFunc(replaced, func(a, b payload.Deed) int { return a.At.Compare(b.At) })
	for i := range items {
		at := talk.TakenUp(&items[i])
		if _, known := doubted[items[i].ID]; !known && !at.IsZero() {
			doubted[items[i].ID] = payload.Doubt{At: at, Relation: payload.Supersedes}
		}
	}
	return done, replaced
}

// Doubts returns, for items that hold, what replaced them, may have, or contradicts them, provided that it holds
// itself; it may be in any session. read is as for LinkHolds.
func Doubts(ctx context.Context, l *library.Library, x *index.Index, read map[string]*payload.Payload,
	items []payload.Item) (map[payload.ItemID]payload.Doubt, error) {
	links, err := LinksNow(ctx, l, x)
	if err != nil {
		return nil, err
	}
	var ids []payload.ItemID
	for _, it := range items {
		if it.Current() {
			ids = append(ids, it.ID)
		}
	}
	around, err := links.LinksOf(ctx, ids...)
	if err != nil {
		return nil, err
	}
	ends := map[payload.ItemID][]payload.Link{}
	for _, k := range around {
		ends[k.To] = append(ends[k.To], k)
	}
	doubted, holds := map[payload.ItemID]payload.Doubt{}, l.LinkHolds(read)
	for _, id := range ids {
		if by, _ := payload.Overtaken(id, ends[id], holds); by != nil {
			doubt := by.Doubt()
			for _, it := range read[by.FromSession].Items {
				if it.ID == by.From && it.By == payload.ByUser && it.Quoted() {
					doubt.Words = it.Text
				}
			}
			doubted[id] = doubt
		}
	}
	return doubted, nil
}
