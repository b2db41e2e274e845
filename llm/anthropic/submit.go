package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"recall/llm"
	"recall/llm/wire"
	"recall/text"
)

// limits are those of one batch.
type limits struct{ requests, bytes int }

// documented are Anthropic's limits, 100,000 requests and 256 MB, with room
// for what is between the requests.
var documented = limits{100_000, 250_000_000}

var customID = text.Pattern(`^[a-zA-Z0-9_-]{1,64}$`)

// one is a request in a batch.
type one struct {
	CustomID string  `json:"custom_id"`
	Params   request `json:"params"`
}

// Submit implements llm.Batcher.
func (m *Model) Submit(ctx context.Context, _ string, requests map[string]llm.Request) (string, error) {
	mark := ""
	parts, err := wire.Parts(requests, m.batch.requests, m.batch.bytes, func(key string, r llm.Request) ([]byte, error) {
		if !customID().MatchString(key) {
			return nil, fmt.Errorf("anthropic: %q is no key for a batch: letters, digits, _ and -, at most 64", key)
		}
		told := r.Schema != nil && m.told.Of(r.Schema)
		if told {
			mark = toldMark
		}
		data, err := json.Marshal(one{key, m.request(r, told)})
		switch {
		case err != nil:
			return nil, fmt.Errorf("anthropic: request %s: %w", key, err)
		case len(data) > m.batch.bytes:
			return nil, m.wire.Fail(llm.TooLong, 0, "request "+key+" is larger than a batch may be")
		}
		return data, nil
	})
	if err != nil {
		return "", err
	}
	seek := func(p *wire.Part, since time.Time, ids []string) (string, error) {
		return m.look(ctx, len(p.Keys), time.Since(since), ids)
	}
	id, err := wire.Submit(ctx, parts, func(p *wire.Part) (string, error) { return m.create(ctx, p) }, seek, m.Cancel)
	if err != nil {
		return "", err
	}
	return mark + id, nil
}

func (m *Model) create(ctx context.Context, p *wire.Part) (string, error) {
	body := slices.Concat([]byte(`{"requests":[`), bytes.Join(p.Lines, []byte(",")), []byte("]}"))
	b, err := m.account(ctx, http.MethodPost, "", bytes.NewReader(body))
	if err == nil && b.ID == "" {
		err = m.wire.Fail(llm.Nonsense, http.StatusOK, "a batch without an id")
	}
	return b.ID, err
}

// clocks is how far the service's clock may be from when a batch was sent.
const clocks = time.Minute

// Find implements llm.Finder.
func (m *Model) Find(ctx context.Context, lost llm.Lost) (string, error) {
	id, err := m.look(ctx, lost.Requests, time.Since(lost.Since),
		wire.IDs(strings.ReplaceAll(strings.Join(lost.Others, ","), toldMark, "")))
	if e, ok := err.(*llm.Error); ok && (e.Fault == llm.NotFound || e.Fault == llm.Rejected) {
		return "", nil // a service that lists none
	}
	if err == nil && id != "" && m.told.Of(&llm.Schema{}) {
		id = toldMark + id
	}
	return id, err
}

// look looks for a batch of so many requests that was made during the last took,
// by the service's clock, and is none of ids. It must be the only one; else what
// it finds is "".
func (m *Model) look(ctx context.Context, requests int, took time.Duration, ids []string) (string, error) {
	var list struct {
		Data []batch `json:"data"`
	}
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	head, err := m.call(ctx, http.MethodGet, "/v1/messages/batches?limit=100", nil, &list)
	if err != nil {
		return "", err
	}
	now, err := http.ParseTime(head.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	var found []string
	for _, b := range list.Data {
		if b.ID != "" && b.size() == requests && now.Sub(b.CreatedAt) < took+clocks && !slices.Contains(ids, b.ID) {
			found = append(found, b.ID)
		}
	}
	if len(found) != 1 {
		return "", nil
	}
	return found[0], nil
}
