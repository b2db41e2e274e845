package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// hereWait is how long to wait for a server on this machine.
const hereWait = 300 * time.Millisecond

// AskHere queries a server on this machine without a proxy, and reports whether it answered in time. ask may be nil.
func AskHere(ctx context.Context, address, path string, ask, answer any) bool {
	if address == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, hereWait)
	defer cancel()
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	method, body := http.MethodGet, []byte(nil)
	if ask != nil {
		method = http.MethodPost
		body, _ = json.Marshal(ask) // of texts alone
	}
	req, err := http.NewRequestWithContext(ctx, method,
		strings.TrimSuffix(strings.TrimRight(address, "/"), "/v1")+path, bytes.NewReader(body))
	if err != nil {
		return false
	}
	direct := &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := direct.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK && json.NewDecoder(io.LimitReader(res.Body, 4<<20)).Decode(answer) == nil
}
