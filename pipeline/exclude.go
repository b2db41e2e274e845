package pipeline

import (
	"context"
	"maps"
	"slices"
	"time"

	"recall/ingest"
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

// Excluded are the sessions at the sources that aren't taken in, as the last looks found them, and by which rules.
func (p *Archiver) Excluded() map[ingest.SessionID]string {
	all := map[ingest.SessionID]string{}
	for _, path := range []string{p.seenPath(), p.archivedPath()} {
		t := seen{path: path}
		_, _ = t.read() // of one that can't be read nothing is known
		maps.Copy(all, t.Excluded)
	}
	return all
}

// Unwanted says of what a client remembers beside its sessions what isn't to be kept either; nil where nothing is
// unwanted.
func (p *Archiver) Unwanted() func(id ingest.SessionID, dir string, at time.Time) bool {
	x := p.exclusion()
	var gone []ingest.SessionID
	if p.Library != nil {
		gone, _ = p.Library.Tombstones()
	}
	if !x.Any() && len(gone) == 0 {
		return nil
	}
	return func(id ingest.SessionID, dir string, at time.Time) bool {
		return slices.Contains(gone, id) || x.Folder(dir) != "" || x.At(at) != ""
	}
}
