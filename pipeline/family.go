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
	"recall/internal/redact"
	"recall/internal/text"
	"recall/library"
	"recall/payload"
)

// A Family is a unit of work: sessions that depend on one another, usually just one.
type Family struct {
	Members []*Member
	anew    bool // distill them all; otherwise they are only missing from the index
	ready   chan struct{}
	weight  int64 // see Weight
}

// A Member is a session of a family while it is being processed.
type Member struct {
	Entry   library.Entry
	Session *ingest.Session // parsed and redacted; nil if that failed
	Fault   error           // why it failed

	beside   string // what Provenance.Beside should be
	name     string // its project's current name
	planKeys []string
	ran      ingest.Where // where it really ran; only for finding its projects, as worked
	worked   ingest.Work
	clean    *redact.Redactor // with which it was redacted
	project  library.Project
	also     []string           // ids of other projects that it worked in
	briefly  []string           // those in which it spent few turns
	made     payload.Provenance // provenance of its payload
	fresh    *payload.Payload   // as distilled; nil if the saved payload stays
	noted    []*payload.Item    // grounded notes
	improved bool               // a model made fresh
	page     page
	did      *trace.Trace // see doings

	lines   []index.Line     // see writtenLines
	linesOf *payload.Payload // the payload that lines are from
}

// doings returns what the session did, computed on first use.
func (m *Member) doings() *trace.Trace {
	if m.did == nil {
		m.did = trace.OfSession(m.Session)
	}
	return m.did
}

// IDs returns the members' ids.
func (f *Family) IDs() []string {
	var ids []string
	for _, m := range f.Members {
		ids = append(ids, string(m.Entry.ID))
	}
	return ids
}

// signature identifies a family and the work to be done on it.
func (f *Family) signature() string {
	var parts []string
	for _, m := range f.Members {
		parts = append(parts, string(m.Entry.ID), m.Entry.Input, m.beside, m.name)
	}
	return fmt.Sprint(f.anew, parts)
}

// Families that are parsed but not yet written are held in memory: at most InHand bytes of the sources, where
// each family counts for at least InHand/parseAhead. A larger one has the memory to itself.
const (
	InHand     = 36 << 20
	parseAhead = 18
)

// Weight is how much of InHand a family counts for.
func (f *Family) Weight() int64 {
	var n int64
	for _, m := range f.Members {
		n += parsedBytes(m.Entry)
	}
	return min(max(n, InHand/parseAhead), InHand)
}

// parsedBytes returns how many bytes of a session a parser reads.
func parsedBytes(e library.Entry) int64 {
	var n int64
	for _, f := range e.Files {
		if f.Role != ingest.UploadFile && f.Role != ingest.OutputFile {
			n += f.Size
		}
	}
	return n
}

// Families groups the entries into sessions that may be forks of one another: those that begin with the same record.
// Groups and their members keep the order of the entries.
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

// familyOf returns the family that a session belongs to, nil if the id is unknown.
func familyOf(entries []library.Entry, id ingest.SessionID) *Family {
	for _, f := range Families(entries) {
		if slices.Contains(f.IDs(), string(id)) {
			return f
		}
	}
	return nil
}

// seeBeside sets each member's hash of the others.
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

// withPlanKeys replaces the plan keys among a session's heads, by which plans tie sessions to one another.
func withPlanKeys(heads, plans []string) []string {
	all := slices.DeleteFunc(slices.Clone(heads), ingest.IsPlanKey)
	return append(all, plans...)
}

// heads reads, several at once, the beginnings of entries that are new or changed, so that their families are known
// before anything is distilled.
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
			reader, found, err := r.p.archived(*e)
			if err == nil {
				head, err = ingest.HeadOf(ctx, reader, found)
			}
			if err != nil {
				return nil // parsing will report it
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
