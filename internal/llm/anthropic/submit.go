package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"recall/internal/llm"
)

// batchRequest is a request in a batch.
type batchRequest struct {
	CustomID string  `json:"custom_id"`
	Params   request `json:"params"`
}

// Submit implements llm.Batcher.
func (m *Model) Submit(ctx context.Context, _ string, requests map[string]llm.Request) (string, error) {
	var body struct {
		Requests []batchRequest `json:"requests"`
	}
	for _, key := range slices.Sorted(maps.Keys(requests)) {
		r := requests[key]
		body.Requests = append(body.Requests, batchRequest{key, m.request(r, r.Schema != nil && m.refused.Has(r.Schema))})
	}
	data, err := json.Marshal(body)
	if err != nil {
		return "", fmt.Errorf("anthropic: %w", err)
	}
	b, err := m.account(ctx, http.MethodPost, "", bytes.NewReader(data))
	if err == nil && b.ID == "" {
		err = m.wire.Fail(llm.Nonsense, http.StatusOK, "a batch without an id")
	}
	if err != nil {
		return "", err
	}
	return b.ID, nil
}

// clockSkew is the maximum difference between the service's clock and ours.
const clockSkew = time.Minute

// Find implements llm.Batcher by the service's clock. It only returns an unambiguous match.
func (m *Model) Find(ctx context.Context, lost llm.Lost) (string, error) {
	took := time.Since(lost.Since)
	var list struct {
		Data []batch `json:"data"`
	}
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	head, err := m.call(ctx, http.MethodGet, "/v1/messages/batches?limit=100", nil, &list)
	if e, ok := err.(*llm.Error); ok && (e.Fault == llm.NotFound || e.Fault == llm.Rejected) {
		return "", nil // the service has no list
	}
	if err != nil {
		return "", err
	}
	now, err := http.ParseTime(head.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	var found []string
	for _, b := range list.Data {
		if b.ID != "" && b.done()+b.Counts.Processing == lost.Requests && now.Sub(b.CreatedAt) < took+clockSkew &&
			!slices.Contains(lost.Others, b.ID) {
			found = append(found, b.ID)
		}
	}
	if len(found) != 1 {
		return "", nil
	}
	return found[0], nil
}
