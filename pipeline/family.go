package pipeline

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/library"
	"recall/payload"
	"recall/redact"
	"recall/text"
)

// A Family is a unit of work: sessions that bear on one another, mostly one.
type Family struct {
	Members []*Member
	anew    bool // distill them all; else only the index lacks them
	ready   chan struct{}
	weight  int64 // of all this, in bytes of the source
}

// A Member is a session of a family, on its way to the library and the index.
type Member struct {
	Entry   library.Entry
	Session *ingest.Session // parsed and redacted; nil where that failed
	Fault   error           // why it did

	beside   string // what Provenance.Beside should be
	name     string // its project's name as of now
	planKeys []string
	ran      ingest.Where     // where it really ran: for its project alone
	clean    *redact.Redactor // that it was redacted with
	project  library.Project
	made     payload.Provenance // what is (to be) said of its payload
	fresh    *payload.Payload   // as distilled; nil if the saved payload stays
	noted    []*payload.Item    // what an agent noted and the conversation bears out
	improved bool               // fresh is a model's
	page     page
	did      *trace.Trace // see doings

	lines   []index.Line     // see writtenLines
	linesOf *payload.Payload // that they are of
}

// doings is what the session did, worked out when it is first asked for.
func (m *Member) doings() *trace.Trace {
	if m.did == nil {
		m.did = trace.Of(m.Session)
	}
	return m.did
}

// IDs are the members'.
func (f *Family) IDs() []string {
	var ids []string
	for _, m := range f.Members {
		ids = append(ids, string(m.Entry.ID))
	}
	return ids
}

// signature tells a family and what is to be done to it from any other.
func (f *Family) signature() string {
	var parts []string
	for _, m := range f.Members {
		parts = append(parts, string(m.Entry.ID), m.Entry.Input, m.beside, m.name)
	}
	return fmt.Sprint(f.anew, parts)
}

// What is parsed and not yet written is held in memory: at most InHand bytes of
// the sources, a family counting for no less than InHand/parseAhead. One that is
// larger has the memory for itself.
const (
	InHand     = 36 << 20
	parseAhead = 18
)

// Weight is what a family counts for.
func (f *Family) Weight() int64 {
	var n int64
	for _, m := range f.Members {
		n += parsedBytes(m.Entry)
	}
	return min(max(n, InHand/parseAhead), InHand)
}

// Families groups the entries into sessions that may be forks of one another:
// those that begin with the same record. Groups and their members are in the
// order of the entries.
func Families(entries []library.Entry) []*Family {
	group := map[string]int{} // by head key
	joined := text.NewGroups(len(entries))
	for i, e := range entries {
		for _, key := range e.Heads {
			if j, ok := group[key]; ok {
				joined.Join(i, j)
			} else {
				group[key] = i
			}
		}
	}
	of := map[int]*Family{}
	var all []*Family
	for i, e := range entries {
		g := joined.Find(i)
		if of[g] == nil {
			of[g] = &Family{}
			all = append(all, of[g])
		}
		of[g].Members = append(of[g].Members, &Member{Entry: e})
	}
	for _, f := range all {
		f.seeBeside()
	}
	return all
}

// familyOf is the one that a session belongs to, nil if there is none of the id.
func familyOf(entries []library.Entry, id ingest.SessionID) *Family {
	for _, f := range Families(entries) {
		if slices.Contains(f.IDs(), string(id)) {
			return f
		}
	}
	return nil
}

// seeBeside hashes for each member what the others are.
func (f *Family) seeBeside() {
	for i, m := range f.Members {
		if m.beside = ""; len(f.Members) == 1 {
			continue
		}
		var others strings.Builder
		for k, o := range f.Members {
			if k != i {
				fmt.Fprintf(&others, "%s %s\n", o.Entry.ID, o.Entry.Input)
			}
		}
		m.beside = text.Hash(others.String(), 8)
	}
}

// withPlanKeys adds what ties a session to others through a plan to what it
// begins with.
func withPlanKeys(heads, plans []string) []string {
	all := slices.DeleteFunc(slices.Clone(heads), ingest.IsPlanKey)
	return append(all, plans...)
}

// heads reads, several at once, the beginnings of the entries that aren't placed yet or changed,
// so that their families are known before anything is distilled.
func (r *run) heads(ctx context.Context, entries []library.Entry) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range entries {
		e := &entries[i]
		if !e.Behind() {
			continue
		}
		g.Go(func() error {
			var head ingest.Head
			reader, found, err := r.archived(*e)
			if err == nil {
				head, err = reader.Head(ctx, found)
			}
			if err != nil {
				return nil // parsing will tell
			}
			e.Heads = withPlanKeys(head.Keys, slices.DeleteFunc(slices.Clone(e.Heads),
				func(k string) bool { return !ingest.IsPlanKey(k) }))
			if e.Start.IsZero() {
				e.Start = head.Started
			}
			return nil
		})
	}
	g.Wait()
	slices.SortStableFunc(entries, func(a, b library.Entry) int { return a.Start.Compare(b.Start) })
	return ctx.Err()
}
