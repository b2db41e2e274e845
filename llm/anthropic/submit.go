package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"recall/llm"
)

// limits are those of one batch.
type limits struct{ requests, bytes int }

// documented are Anthropic's limits, 100,000 requests and 256 MB, with room
// for what is between the requests.
var documented = limits{100_000, 250_000_000}

var customID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
})

// one is a request in a batch.
type one struct {
	CustomID string  `json:"custom_id"`
	Params   request `json:"params"`
}

// Submit implements llm.Batcher. What is too much for one batch of the
// service goes in several; if one of them isn't taken, those before it are
// cancelled. If the connection broke before the service's answer came, the
// batch is looked for: it may be there, and would be paid twice.
func (m *Model) Submit(ctx context.Context, _ string, requests map[string]llm.Request) (string, error) {
	parts, told, err := m.split(requests)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, part := range parts {
		began := time.Now()
		b, err := m.create(ctx, part.body)
		if lost(err) && ctx.Err() == nil {
			if found, fault := m.look(ctx, part.requests, time.Since(began), ids); fault == nil && found.ID != "" {
				b, err = found, nil
			}
		}
		if err != nil {
			if len(ids) > 0 {
				err = errors.Join(err, m.Cancel(context.WithoutCancel(ctx), strings.Join(ids, idSep)))
			}
			return "", err
		}
		ids = append(ids, b.ID)
	}
	id := strings.Join(ids, idSep)
	if told {
		id = toldMark + id
	}
	return id, nil
}

// part is the body of one batch.
type part struct {
	body     []byte
	requests int
}

// split writes as many batches as the requests need.
func (m *Model) split(requests map[string]llm.Request) (parts []part, told bool, err error) {
	if len(requests) == 0 {
		return nil, false, errors.New("anthropic: a batch without requests")
	}
	var b bytes.Buffer
	n := 0
	end := func() {
		b.WriteString("]}")
		parts = append(parts, part{bytes.Clone(b.Bytes()), n})
		b.Reset()
		n = 0
	}
	for _, key := range slices.Sorted(maps.Keys(requests)) {
		if !customID().MatchString(key) {
			return nil, false, fmt.Errorf("anthropic: %q is no key for a batch: letters, digits, _ and -, at most 64", key)
		}
		params, t := m.request(requests[key])
		told = told || t
		data, err := json.Marshal(one{key, params})
		if err != nil {
			return nil, false, fmt.Errorf("anthropic: request %s: %w", key, err)
		}
		if len(data) > m.batch.bytes {
			e := m.fault(llm.TooLong, 0, "request "+key+" is larger than a batch may be")
			return nil, false, e
		}
		if n == m.batch.requests || n > 0 && b.Len()+len(data) > m.batch.bytes {
			end()
		}
		if n == 0 {
			b.WriteString(`{"requests":[`)
		} else {
			b.WriteByte(',')
		}
		b.Write(data)
		n++
	}
	end()
	return parts, told, nil
}

func (m *Model) create(ctx context.Context, body []byte) (batch, error) {
	b, err := m.account(ctx, http.MethodPost, "", bytes.NewReader(body))
	if err == nil && b.ID == "" {
		err = m.fault(llm.Nonsense, http.StatusOK, "a batch without an id")
	}
	return b, err
}

// lost reports whether a request may have reached the service though no answer came.
func lost(err error) bool {
	e, ok := err.(*llm.Error)
	return ok && e.Unsure()
}

// clocks is how far the service's clock may be from when a batch was sent.
const clocks = time.Minute

// Find implements llm.Finder.
func (m *Model) Find(ctx context.Context, lost llm.Lost) (string, error) {
	var ids []string
	for _, id := range lost.Others {
		id, _ = strings.CutPrefix(id, toldMark)
		ids = append(ids, strings.Split(id, idSep)...)
	}
	b, err := m.look(ctx, lost.Requests, time.Since(lost.Since), ids)
	if e, ok := err.(*llm.Error); ok && (e.Fault == llm.NotFound || e.Fault == llm.Rejected) {
		return "", nil // a service that lists none
	}
	if err != nil || b.ID == "" {
		return "", err
	}
	if _, all := m.told.Load(""); all {
		return toldMark + b.ID, nil
	}
	return b.ID, nil
}

// look looks for a batch of so many requests that was made during the last took,
// by the service's clock, and is none of ids. It must be the only one; else what
// it finds has no id.
func (m *Model) look(ctx context.Context, requests int, took time.Duration, ids []string) (batch, error) {
	var list struct {
		Data []batch `json:"data"`
	}
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	head, err := m.call(ctx, http.MethodGet, "/v1/messages/batches?limit=100", nil, &list)
	if err != nil {
		return batch{}, err
	}
	now, err := http.ParseTime(head.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	var found []batch
	for _, b := range list.Data {
		if b.ID != "" && b.size() == requests && now.Sub(b.CreatedAt) < took+clocks && !slices.Contains(ids, b.ID) {
			found = append(found, b)
		}
	}
	if len(found) != 1 {
		return batch{}, nil
	}
	return found[0], nil
}
