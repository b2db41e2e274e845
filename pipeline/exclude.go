package pipeline

import (
	"context"
	"maps"
	"slices"

	"recall/ingest"
	"recall/library"
)

// exclusion returns the current rules for what is left out.
func (p Sources) exclusion() (x ingest.Exclusion) {
	if p.Exclusion != nil {
		x = p.Exclusion()
	}
	return x
}

// Excludes returns the rule that leaves out a session in its current state at the source, or "". What the library
// already has of it stays. This requires parsing the session, but only if some rule could apply.
func (p Sources) Excludes(ctx context.Context, f ingest.Found) (rule string, err error) {
	x := p.exclusion()
	if f.Source.IsMemory() || len(f.Files) == 0 || !x.Any() {
		return "", nil
	}
	reader, err := p.reader(f.Source)
	if err != nil {
		return "", err
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

// Excluded returns the sessions that today's rules leave out, as far as runs have found any, each with its rule.
// Sessions that a client has deleted stay listed: it may remember what was typed in them.
func (p *Archiver) Excluded() map[ingest.SessionID]string {
	x, all := p.exclusion(), map[ingest.SessionID]string{}
	if p.Cache == "" || !x.Any() {
		return all
	}
	t := openSeen(p.Cache, false)
	maps.Copy(all, t.excluded)
	_ = t.close() // nothing was changed
	maps.DeleteFunc(all, func(_ ingest.SessionID, rule string) bool { return !x.Has(rule) })
	return all
}

// Unwanted returns a function that reports whether something a client remembers beside its sessions is left out too;
// nil if nothing is. Beside those of earlier runs, the sessions of out are left out.
func (p *Archiver) Unwanted(out map[ingest.SessionID]string) func(id ingest.SessionID, dir string) bool {
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
	return func(id ingest.SessionID, dir string) bool {
		unknown := id == "" && dir == "" // nothing is known of it
		return unknown && x.Any() || all[id] != "" || x.Folder(dir) != ""
	}
}

// ExclusionRule is a rule that leaves sessions out.
type ExclusionRule struct {
	Rule     string `json:"rule"`     // "sources.exclude FOLDER"
	Sessions int    `json:"sessions"` // left out so far
	Held     int    `json:"held"`     // of a folder rule: archived before the rule
}

// LeftOut lists all rules, even those that leave nothing out.
func (p *Archiver) LeftOut(catalog *library.Catalog) (all []ExclusionRule) {
	x, by := p.exclusion(), map[string]*ExclusionRule{}
	of := func(rule string) *ExclusionRule {
		if by[rule] == nil {
			by[rule] = &ExclusionRule{Rule: rule}
		}
		return by[rule]
	}
	for _, rule := range x.FolderRules() {
		of(rule)
	}
	for _, rule := range p.Excluded() {
		of(rule).Sessions++
	}
	for _, e := range catalog.Entries {
		of(x.Folder(catalog.Of(e).Root)).Held++
	}
	delete(by, "")
	for _, rule := range slices.Sorted(maps.Keys(by)) {
		all = append(all, *by[rule])
	}
	return all
}
