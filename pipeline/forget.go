package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"

	"recall/index"
	"recall/ingest"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/library/forget"
	"recall/library/holders"
	"recall/library/needle"
	"recall/library/received"
	"recall/payload"
)

// A ForgetPlan is what would leave the library, and what would remain of it elsewhere.
type ForgetPlan struct {
	Sessions []Removal
	Top      []string         // files of the library outside of sessions that contain the text
	Texts    *needle.Needles  // the texts searched for; nil if sessions were named
	Problems []ingest.Problem // files that couldn't be searched
}

// Removal is a session that would be removed.
type Removal struct {
	Entry   library.Entry
	Bytes   int64           // of its folder
	Holds   []string        // files that contain the text, if one is searched for; for raw files, their folder
	Turns   []int           // turns that contain it, from 1
	Sources []string        // its files at the source, which remain
	Forks   []library.Entry // remaining sessions with copied turns of it
	Given   []library.Entry // remaining sessions that were given items of it

	Typed []library.Entry // remaining client memories with what was typed in it

	Received []received.Handoff // handoffs with items of it that came back to this library; removed too
}

// PlanForget says what forgetting these sessions would remove.
func (p *Pipeline) PlanForget(ctx context.Context, entries []library.Entry) (*ForgetPlan, error) {
	all, err := p.Library.Sessions()
	if err != nil {
		return nil, err
	}
	f := &ForgetPlan{}
	going := map[ingest.SessionID]bool{}
	entries = slices.DeleteFunc(slices.Clone(entries), func(e library.Entry) bool {
		twice := going[e.ID]
		going[e.ID] = true
		return twice
	})
	shelved, err := p.Library.AllEntries()
	if err != nil {
		return nil, err
	}
	memories := slices.DeleteFunc(shelved, func(e library.Entry) bool {
		return !e.Source.IsMemory() || going[e.ID]
	})
	for _, e := range entries {
		l := Removal{Entry: e, Bytes: disk.Used(e.Folder)}
		for _, f := range e.Files {
			for _, s := range f.Sources {
				if _, err := ingest.FileNow(f.Name, f.Role, s.Path); err == nil {
					l.Sources = append(l.Sources, s.Path)
				}
			}
		}
		l.Forks = copiedBy(e, all, going)
		if l.Given, err = p.givenTo(e, all, going); err != nil {
			return nil, err
		}
		if l.Typed, err = p.typedIn(ctx, e, memories); err != nil {
			return nil, err
		}
		if l.Received, err = received.Of(p.Library, e.ID); err != nil {
			return nil, err
		}
		f.Sessions = append(f.Sessions, l)
	}
	return f, nil
}

// typedIn lists the client memories that name a session, as each prompt in history.jsonl does.
func (p *Pipeline) typedIn(ctx context.Context, e library.Entry, memories []library.Entry) (hold []library.Entry,
	err error) {
	id, err := needle.New(text.BareID(e.ID))
	if err != nil {
		return nil, nil // no client's ids are that short
	}
	for _, m := range memories {
		held, err := holders.Holds(ctx, p.Library, m, id)
		if err != nil {
			return nil, err
		}
		if held {
			hold = append(hold, m)
		}
	}
	return hold, nil
}

// PlanForgetText finds the sessions that contain a text anywhere, including forks and later sessions that quote it.
// They are forgotten whole, because a session is kept exact or not at all.
func (p *Pipeline) PlanForgetText(ctx context.Context, text string) (*ForgetPlan, error) {
	needles, err := needle.New(text)
	if err != nil {
		return nil, err
	}
	holders, problems, err := holders.Of(ctx, p.Library, needles)
	if err != nil {
		return nil, err
	}
	var entries []library.Entry
	var top []string
	holds := map[ingest.SessionID][]string{}
	for _, h := range holders {
		if h.ID == "" {
			top = h.Files
			continue
		}
		e, err := p.Library.Session(h.ID)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
		holds[h.ID] = h.Files
	}
	f, err := p.PlanForget(ctx, entries)
	if err != nil {
		return nil, err
	}
	for i := range f.Sessions {
		l := &f.Sessions[i]
		for _, file := range holds[l.Entry.ID] {
			if above := path.Dir(file); path.Base(above) == "raw" {
				file = above
			}
			l.Holds = append(l.Holds, file)
		}
		l.Holds, l.Turns = slices.Compact(l.Holds), p.turnsWith(ctx, l.Entry, needles)
	}
	f.Top, f.Texts, f.Problems = top, needles, problems
	return f, nil
}

// turnsWith returns the turns of a session that contain a text, from 1; none if it can't be read.
func (p *Pipeline) turnsWith(ctx context.Context, e library.Entry, texts *needle.Needles) (turns []int) {
	s, err := p.parseOne(ctx, e)
	if err != nil {
		return nil
	}
	for i, t := range s.Turns {
		if whole, err := json.Marshal(t); err == nil && texts.In(whole) {
			turns = append(turns, i+1)
		}
	}
	return turns
}

// ForgetSessions removes sessions, and whatever else contains one of the texts (which may be nil), from the library,
// the index and caches. Sessions already gone have their remains removed, so that an interrupted forget can be
// finished. left lists the library's files that still contain the text: recall didn't write them.
func (p *Pipeline) ForgetSessions(ctx context.Context, texts *needle.Needles, ids ...ingest.SessionID) (left []string,
	err error) {
	if err := forget.Sessions(p.Library, ids, texts); err != nil {
		return nil, err
	}
	if err := p.bury(ctx, texts); err != nil {
		return nil, err
	}
	if err := p.Library.Journal("forget", map[string]any{"sessions": ids}); err != nil || texts == nil {
		return nil, err
	}
	holders, _, err := holders.Of(ctx, p.Library, texts)
	for _, h := range holders {
		left = append(left, h.Files...)
	}
	return left, err
}

// FinishForgetting removes what remains of forgotten sessions, if a forget was interrupted or another machine forgot
// them in a shared library.
func (p *Pipeline) FinishForgetting(ctx context.Context) error {
	if buried, err := HasForgotten(ctx, p.Library, p.Index); err != nil {
		return err
	} else if !buried {
		if err := p.bury(ctx, nil); err != nil {
			return err
		}
	}
	gone, err := p.Library.Tombstones()
	left := slices.DeleteFunc(gone, func(id ingest.SessionID) bool {
		_, err := p.Library.Session(id)
		return err != nil
	})
	if err != nil || p.Library.ReadOnly() != nil {
		return err
	}
	if len(left) > 0 {
		_, err = p.ForgetSessions(ctx, nil, left...)
	}
	return err
}

// HasForgotten reports whether an index has dropped everything the library forgot. Until it has, don't read from it.
func HasForgotten(ctx context.Context, l *library.Library, x *index.Index) (bool, error) {
	want, err := l.ForgottenStamp()
	if err != nil {
		return false, err
	}
	is, err := x.Buried(ctx)
	return is == want, err
}

// bury makes the index and the caches drop everything the library forgot, and records in the index that they did.
func (p *Pipeline) bury(ctx context.Context, texts *needle.Needles) error {
	stamp, err := p.Library.ForgottenStamp() // before the list, which may grow meanwhile
	if err != nil {
		return err
	}
	ids, err := p.Library.Tombstones()
	if err != nil {
		return err
	}
	if p.Index == nil { // removed, for lack of room
		return p.forgetSeen(ids, texts)
	}
	if err := p.IndexReceived(ctx); err != nil {
		return err
	}
	if p.Shared != nil { // from another machine of one's own
		if err := p.IndexShared(ctx); err != nil {
			return err
		}
	}
	if err := p.Index.Forget(ctx, text.Strings(ids)...); err != nil {
		return err
	}
	if err := p.forgetSeen(ids, texts); err != nil {
		return err
	}
	return p.Index.SetBuried(ctx, stamp)
}

// forgetSeen removes the sessions from what is remembered between runs. The list of sessions is dropped as a whole
// and rebuilt later.
func (p *Pipeline) forgetSeen(ids []ingest.SessionID, texts *needle.Needles) error {
	t := openSeen(p.Cache, true)
	for _, id := range ids {
		t.drop(id)
	}
	for path := range t.files {
		if texts.In([]byte(path)) {
			t.dropFile(path)
		}
	}
	t.setFact(looked, "")
	t.change("DELETE FROM watched")
	errs := []error{t.close()}
	if p.Beside != nil {
		errs = append(errs, p.Beside(ids))
	}
	return errors.Join(append(errs, p.Library.DropList())...)
}

// copiedBy returns the sessions that begin with turns of e.
func copiedBy(e library.Entry, all []library.Entry, going map[ingest.SessionID]bool) (list []library.Entry) {
	if family := familyOf(all, e.ID); family != nil { // client memories have none
		for _, m := range family.Members {
			if !going[m.Entry.ID] {
				list = append(list, m.Entry)
			}
		}
	}
	return list
}

// givenTo finds the sessions that were given items of e.
func (p *Pipeline) givenTo(e library.Entry, all []library.Entry, going map[ingest.SessionID]bool) (list []library.Entry,
	err error) {
	own, err := p.Library.Payload(e.ID)
	if errors.Is(err, library.ErrNoPayload) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ids := map[payload.ItemID]bool{payload.PageID(string(e.ID)): true}
	for _, it := range slices.Concat(own.Items, own.Retired) {
		ids[it.ID] = true
	}
	for _, o := range all {
		if going[o.ID] {
			continue
		}
		other, err := p.Library.Payload(o.ID)
		if err != nil {
			continue // unreadable: nothing is known of it
		}
		given := slices.Concat(other.Carried, other.Injected, other.Quoted)
		if slices.ContainsFunc(given, func(id payload.ItemID) bool { return ids[id] }) {
			list = append(list, o)
		}
	}
	return list, nil
}
