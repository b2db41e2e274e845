package ingest

import (
	"context"
	"io"
	"slices"
	"time"
)

// Head is what the beginning of a session tells. Sessions with a key in common may be forks of one another: see Own.
type Head struct {
	Keys    []string // identities of the first turn that has any: see Turn.Keys
	Started time.Time
}

// headBytes is how much of each file of a conversation is read for a Head at first; without a turn in it, more is.
const headBytes = 64 << 10

// HeadOf reads just enough of a session to tell which others it belongs to.
func HeadOf(ctx context.Context, r Reader, f Found) (head Head, err error) {
	for limit := int64(headBytes); ; limit *= 64 {
		begun, whole := f, true
		begun.Files = nil
		for _, file := range f.Files {
			switch file.Role {
			case Transcript, AuditLog, PromptLog:
				if file.Size > limit {
					file.Open, whole = beginning(file.Open, limit), false
				}
				begun.Files = append(begun.Files, file)
			case Record:
				begun.Files = append(begun.Files, file)
			}
		}
		s, err := r.Parse(ctx, begun)
		if err == nil {
			head = Head{Started: s.Start}
			keyed := func(t Turn) bool { return len(t.Keys) > 0 }
			if i := slices.IndexFunc(s.Turns, keyed); i >= 0 {
				head = Head{s.Turns[i].Keys, s.Turns[i].At}
			}
		}
		if whole || len(head.Keys) > 0 {
			return head, err
		}
	}
}

// beginning opens at most limit bytes of a file.
func beginning(open func() (io.ReadCloser, error), limit int64) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		in, err := open()
		if err != nil {
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{io.LimitReader(in, limit), in}, nil
	}
}
