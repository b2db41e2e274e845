package pipeline

import (
	"context"
	"errors"
	"slices"
	"time"

	"recall/ingest"
	"recall/library"
)

// saidLately is how long a session must have been quiet before only its prompts are salvaged: until then its
// transcript may still appear.
const saidLately = time.Hour

// salvage takes in the sessions of which a client only remembers what was typed, because it deleted their
// transcripts before they were archived. It runs after everything else is processed, since sessions also go by other
// ids, and again when a client's memory changes.
func (p *Pipeline) salvage(ctx context.Context, rep *Report) error {
	all, err := p.Library.AllEntries()
	if err != nil || p.Library.ReadOnly() != nil || len(p.Library.Broken()) > 0 {
		return err // a session that can't be read right now may still have been archived
	}
	seen := openSeen(p.Cache, false)
	defer seen.close()
	known := map[ingest.SessionID]int64{} // bytes of typed prompts; -1 for sessions with more than that
	for _, e := range all {
		known[e.ID] = -1
		if len(e.Files) == 1 && e.Files[0].Role == ingest.PromptLog {
			known[e.ID] = e.Files[0].Size
		}
		for _, id := range e.Aliases {
			known[id] = -1
		}
	}
	every := true
	for _, memory := range all {
		if !memory.Source.IsMemory() || seen.facts[salvaged+fact(" "+memory.ID)] == memory.Input {
			continue
		}
		left, whole, skipped, err := p.typedOnly(ctx, memory, known)
		if err != nil {
			rep.problem(memory.Folder, err)
			every = false
			continue
		}
		if u, any := unread(memory, skipped, func(path string) string { return path }); any {
			rep.Unread = append(rep.Unread, u)
		}
		if len(left) > 0 {
			more, err := p.syncOnce(ctx, Options{salvaged: left})
			rep.add(more)
			if err != nil {
				return err
			}
			whole = whole && len(more.Problems) == 0 && more.Left == 0
		}
		if whole {
			seen.setFact(salvaged+fact(" "+memory.ID), memory.Input)
		}
		every = every && whole
	}
	if every {
		seen.setFact(salvaged, "yes")
	}
	return errors.Join(ctx.Err(), seen.save())
}

// typedOnly lists what a memory has of sessions that aren't known otherwise. whole reports whether that is
// everything: it isn't if something was typed in one just now.
func (p *Pipeline) typedOnly(ctx context.Context, memory library.Entry, known map[ingest.SessionID]int64) (
	left []ingest.Found, whole bool, skipped ingest.Report, err error) {
	reader, found, err := p.archived(memory)
	if err != nil {
		return nil, false, skipped, err
	}
	of, ok := reader.(ingest.Salvager)
	if !ok {
		return nil, true, skipped, nil
	}
	left, skipped, err = of.Salvage(ctx, found,
		func(id ingest.SessionID) bool { return known[id] >= 0 })
	before := len(left)
	left = slices.DeleteFunc(left, func(f ingest.Found) bool { return p.Time().Sub(f.Files[0].Mod) < saidLately })
	whole = len(left) == before
	excluded := p.Excluded()
	left = slices.DeleteFunc(left, func(f ingest.Found) bool {
		gone, fault := p.Library.Forgotten(f.ID)
		err = errors.Join(err, fault)
		return gone || excluded[f.ID] != "" || known[f.ID] == f.Files[0].Size
	})
	return left, whole, skipped, err
}

// add adds what was salvaged to the report.
func (r *Report) add(salvaged Report) {
	r.New += salvaged.New
	r.Salvaged += salvaged.New
	r.Grown += salvaged.Grown
	r.Distilled += salvaged.Distilled
	r.Indexed += salvaged.Indexed
	r.Items += salvaged.Items
	r.Bytes += salvaged.Bytes
	r.Left += salvaged.Left
	r.Unread = append(r.Unread, salvaged.Unread...)
	r.addUnknown(salvaged.Unknown)
	r.Problems = append(r.Problems, salvaged.Problems...)
}
