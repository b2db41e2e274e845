package pipeline

import (
	"context"
	"maps"
	"slices"
	"time"

	"recall/ingest"
	"recall/library"
)

// exclusion is what is left out now.
func (p Sources) exclusion() (x ingest.Exclusion) {
	if p.Exclusion != nil {
		x = p.Exclusion()
	}
	return x
}

// Excludes is the rule by which a session isn't taken in, as it is at its source; "" if it is. What the library
// has of it from before stays. The session must be parsed for that, but only where there are rules that may be meant.
func (p Sources) Excludes(ctx context.Context, f ingest.Found) (rule string, err error) {
	x := p.exclusion()
	if f.Source == ingest.Memory || len(f.Files) == 0 || !x.Any() {
		return "", nil
	}
	reader, err := p.reader(f.Source)
	if err != nil {
		return "", err
	}
	if len(x.Folders) == 0 {
		head, _ := reader.Head(ctx, f)
		if x.Spares(head.Started, time.Unix(0, modified(f))) {
			return "", nil
		}
	}
	err = Safely("parse", func() error {
		s, err := reader.Parse(ctx, f)
		if err == nil {
			rule = x.Session(s)
		}
		return err
	})
	return rule, err
}

// Excluded are the sessions that aren't taken in by the rules of today, as the looks up to now found them, and by
// which. Those stay that a client has deleted: it may remember what was typed in them.
func (p *Archiver) Excluded() map[ingest.SessionID]string {
	x, all := p.exclusion(), map[ingest.SessionID]string{}
	if p.Cache == "" || !x.Any() {
		return all
	}
	for _, path := range []string{p.seenPath(), p.archivedPath()} {
		t := seen{path: path}
		_, _ = t.read() // of one that can't be read nothing is known
		maps.Copy(all, t.Excluded)
	}
	maps.DeleteFunc(all, func(_ ingest.SessionID, rule string) bool { return !x.Has(rule) })
	return all
}

// Unwanted says of what a client remembers beside its sessions what isn't to be kept either; nil where nothing is
// unwanted.
func (p *Archiver) Unwanted() func(id ingest.SessionID, dir string, at time.Time) bool {
	return p.unwanted(nil)
}

// unwanted is Unwanted with some more sessions that are left out.
func (p *Archiver) unwanted(out map[ingest.SessionID]string) func(ingest.SessionID, string, time.Time) bool {
	x, all := p.exclusion(), p.Excluded()
	maps.Copy(all, out)
	if p.Library != nil {
		gone, _ := p.Library.Tombstones()
		held, _ := p.Library.AllFrozen()
		for _, id := range slices.Concat(gone, held) {
			all[id] = "forgotten"
		}
	}
	if !x.Any() && len(all) == 0 {
		return nil
	}
	return func(id ingest.SessionID, dir string, at time.Time) bool {
		nothing := id == "" && dir == "" && at.IsZero() // is known of it
		return nothing && len(x.Folders) > 0 || all[id] != "" || x.Now(dir, at) != ""
	}
}

// LeftOut is a rule by which sessions aren't taken in.
type LeftOut struct {
	Rule     string `json:"rule"`     // "sources.exclude FOLDER", "pause FROM/UNTIL"
	Now      bool   `json:"now"`      // it is a pause that isn't over
	Sessions int    `json:"sessions"` // that it left out up to now
	Held     int    `json:"held"`     // that the library has from before; of folders
}

// LeftOut lists the rules for folders, also such as leave nothing out, the pauses that did, and one that isn't over.
func (p *Archiver) LeftOut(shelf *library.Shelf) (all []LeftOut) {
	x, by := p.exclusion(), map[string]*LeftOut{}
	now := x.At(p.Time())
	of := func(rule string) *LeftOut {
		if by[rule] == nil {
			by[rule] = &LeftOut{Rule: rule, Now: rule == now}
		}
		return by[rule]
	}
	for _, rule := range append(x.FolderRules(), now) {
		of(rule)
	}
	for _, rule := range p.Excluded() {
		of(rule).Sessions++
	}
	for _, e := range shelf.Entries {
		of(x.Folder(shelf.Of(e).Root)).Held++
	}
	delete(by, "")
	for _, rule := range slices.Sorted(maps.Keys(by)) {
		all = append(all, *by[rule])
	}
	return all
}
