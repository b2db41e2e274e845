package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"recall/llm"
)

// A batch that is too much for one of the service's goes in several; its id is
// then theirs, with commas between.
const between = ","

// IDs are those of the service's batches behind ids that Submit returned.
func IDs(ids ...string) []string { return strings.Split(strings.Join(ids, between), between) }

// A Part is what one of the service's batches holds.
type Part struct {
	Keys  []string
	Lines [][]byte // a request each
	size  int
}

// Parts shares requests out, in the order of their keys, over as many parts as it
// takes: of at most so many requests and bytes each, a byte between two.
func Parts(requests map[string]llm.Request, most, size int, encode func(key string, r llm.Request) ([]byte,
	error)) ([]*Part, error) {
	if len(requests) == 0 {
		return nil, errors.New("a batch without requests")
	}
	var parts []*Part
	for _, key := range slices.Sorted(maps.Keys(requests)) {
		line, err := encode(key, requests[key])
		if err != nil {
			return nil, err
		}
		n := len(parts) - 1
		if n < 0 || len(parts[n].Keys) == most || parts[n].size+len(line)+1 > size {
			parts = append(parts, &Part{})
			n++
		}
		p := parts[n]
		p.Keys, p.Lines, p.size = append(p.Keys, key), append(p.Lines, line), p.size+len(line)+1
	}
	return parts, nil
}

// Submit hands parts in, all or none: half a batch would be asked again. Where the
// connection broke before the service's answer came, seek looks for the part among
// what was made since a time and is none of ids, "" if it isn't there: it may be, and
// would be paid twice.
func Submit(ctx context.Context, parts []*Part, hand func(*Part) (id string, err error),
	seek func(p *Part, since time.Time, ids []string) (id string, err error),
	cancel func(ctx context.Context, ids string) error) (string, error) {
	var ids []string
	for _, p := range parts {
		began := time.Now()
		id, err := hand(p)
		var e *llm.Error
		if errors.As(err, &e) && e.Unsure() && ctx.Err() == nil {
			if found, fault := seek(p, began, ids); fault == nil && found != "" {
				id, err = found, nil
			}
		}
		if err != nil {
			if len(ids) > 0 {
				ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
				defer stop()
				err = errors.Join(err, cancel(ctx, strings.Join(ids, between)))
			}
			return "", err
		}
		ids = append(ids, id)
	}
	return strings.Join(ids, between), nil
}

// Collect sums up how far the service's batches have come. one puts the answers of
// one that has ended to the others. What was found wrong as a whole has ended, with
// an error that says why.
func Collect(ids []string, one func(id string, answers map[string]llm.Answer) (llm.Batch, error)) (llm.Batch, error) {
	all := llm.Batch{Ended: true, Answers: map[string]llm.Answer{}}
	var wrong error
	for _, id := range ids {
		b, err := one(id, all.Answers)
		if err != nil && !b.Ended {
			return llm.Batch{}, err
		}
		wrong = errors.Join(wrong, err)
		all.Ended = all.Ended && b.Ended
		all.Requests += b.Requests
		all.Done += b.Done
		if all.Expires.IsZero() || !b.Expires.IsZero() && b.Expires.Before(all.Expires) {
			all.Expires = b.Expires
		}
	}
	if !all.Ended {
		all.Answers = nil // a batch is had whole
	}
	return all, wrong
}

// Lines hands each line of a batch's answers on that isn't blank; last says that no
// line break ends it. The error is take's, or that of a connection that broke.
func (t *Transport) Lines(ctx context.Context, body io.Reader, take func(line []byte, last bool) error) error {
	for r := bufio.NewReaderSize(body, 1<<16); ; {
		line, err := r.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return t.Broken(ctx, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := take(line, err == io.EOF); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}
