package pipeline

import (
	"cmp"
	"context"
	"fmt"

	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/redact"
)

// parse reads a family from the library, settles who owns what, redacts, and
// distills: all that can be done on several cores at once. Nothing after it
// sees an unredacted word.
func (r *run) parse(ctx context.Context, f *family) {
	f.sessions = make([]*ingest.Session, len(f.members))
	f.faults = make([]error, len(f.members))
	f.ran = make([]ingest.Where, len(f.members))
	f.clean = make([]*redact.Redactor, len(f.members))
	f.planKeys = make([][]string, len(f.members))
	f.fresh = make([]*payload.Payload, len(f.members))
	var whole []*ingest.Session
	for i, m := range f.members {
		f.faults[i] = safely("parse", func() (err error) {
			f.sessions[i], err = r.parseOne(ctx, m)
			if err == nil {
				f.planKeys[i] = ingest.PlanKeys(f.sessions[i])
			}
			return err
		})
		if f.faults[i] == nil {
			whole = append(whole, f.sessions[i])
		}
	}
	makeRoom()
	err := safely("compare with its forks", func() error {
		ingest.Own(whole)
		ingest.AdoptPlans(whole)
		for _, s := range whole {
			for i := range s.Turns {
				s.Turns[i].Keys = nil // who owns them is settled
			}
		}
		return nil
	})
	for i, s := range f.sessions {
		if f.faults[i] == nil && err == nil {
			f.ran[i] = s.Where
			f.faults[i] = safely("redact", func() error { f.clean[i] = Redact(r.Rules, s); return nil })
		}
		f.faults[i] = cmp.Or(f.faults[i], err)
		if f.anew && f.faults[i] == nil {
			f.faults[i] = safely("distill", func() (err error) {
				f.fresh[i], err = r.distillIn(ctx, s)
				return err
			})
		}
	}
}

// safely makes an error of a panic: a transcript that some rule can't cope with
// costs no other session.
func safely(what string, do func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s: a fault in recall: %v", what, v)
		}
	}()
	return do()
}

func (r *run) parseOne(ctx context.Context, m library.Entry) (*ingest.Session, error) {
	reader, err := r.reader(m.Source)
	if err != nil {
		return nil, err
	}
	found, err := r.Library.Found(m.ID)
	if err != nil {
		return nil, err
	}
	near, changed := r.sources.still(found)
	s, err := reader.Parse(ctx, near)
	if changed() {
		s, err = reader.Parse(ctx, found)
	}
	if err != nil {
		return nil, err
	}
	s.ID = m.ID // the key of its folder, whatever its lines say
	return s, nil
}
