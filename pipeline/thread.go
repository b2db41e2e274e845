package pipeline

import (
	"errors"

	"recall/library"
	"recall/payload"
)

// Threads sorts sessions, usually a project's, into threads; the one last
// active first. Sessions without a payload are known by what their entry says.
func Threads(l *library.Library, entries []library.Entry) ([][]payload.ThreadInfo, error) {
	corrections, err := l.Corrections()
	if err != nil {
		return nil, err
	}
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
	var said []payload.Correction
	for _, c := range corrections {
		said = append(said, payload.Correction{Op: payload.CorrectionOp(c.Op), A: string(c.A), B: string(c.B), At: c.At})
	}
	return payload.Threads(infos, said), nil
}

// Compose makes the payload that a thread hands on; numbers are the sessions'
// numbers by id.
func Compose(l *library.Library, thread []payload.ThreadInfo, entries []library.Entry, numbers map[string]int) (*payload.Payload, error) {
	in := map[string]bool{}
	for _, t := range thread {
		in[t.Session] = true
	}
	var all []*payload.Payload
	for _, e := range entries {
		if !in[string(e.ID)] {
			continue
		}
		p, err := l.Payload(e.ID)
		if errors.Is(err, library.ErrNoPayload) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return payload.Compose(all, numbers), nil
}
