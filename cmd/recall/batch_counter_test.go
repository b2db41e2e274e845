package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// counter is a service that takes batches, by OpenAI's protocol (Files and Batches)
// and by Anthropic's (Message Batches). What becomes of each batch is said by its
// number; see fate.
type counter struct {
	*httptest.Server
	running atomic.Pointer[os.Process] // that is killed where a fate says so

	mu       sync.Mutex
	uploads  [][]byte
	batches  []*handed
	looks    int             // at batches
	faults   map[string]bool // that were had
	answered map[string]int  // requests that a batch answered well, by their key
	again    []string        // that were asked although they had been
	keys     map[string]bool // that were sent with requests
	sent     []byte          // all that arrived
	in, out  int             // tokens of the batches' good answers
	atOnce   [2]int          // of those to requests at once
}

// handed is a batch that the counter has taken.
type handed struct {
	id, name string
	n        int // from 1
	requests []slip
	looks    int
	read     bool // its answers were
	made     time.Time
}

// slip is one request of a batch.
type slip struct{ key, system, prompt string }

func newCounter(t *testing.T) *counter {
	d := &counter{faults: map[string]bool{}, answered: map[string]int{}, keys: map[string]bool{}}
	d.Server = httptest.NewServer(d)
	t.Cleanup(d.Close)
	return d
}

// once reports whether a fault is to be had now.
func (d *counter) once(fault string) bool {
	had := d.faults[fault]
	d.faults[fault] = true
	return !had
}

// kill ends the recall that is asking, without a word to it.
func (d *counter) kill() {
	d.running.Load().Kill()
	panic(http.ErrAbortHandler)
}

// fate is what becomes of a batch: it stays a while, and is then "answered",
// "partly", "failed", "expired" or "cancelled".
func (d *counter) fate(b *handed) string {
	switch {
	case b.n == 1 && b.looks < 2:
		return "" // on its way
	case b.n <= 4:
		return []string{"partly", "failed", "expired", "cancelled"}[b.n-1]
	}
	return "answered"
}

// outcome is what became of one request of a batch that has ended: "ok",
// "error", "late", "cut", or "" where it is as if it had never been.
func (d *counter) outcome(b *handed, i int) string {
	switch fate := d.fate(b); {
	case fate == "partly" && i%4 == 1, fate == "expired" && i > 0:
		return "late"
	case fate == "partly" && i%4 == 2:
		return "error"
	case fate == "cancelled" && i > 0:
		return "cancelled"
	case fate == "failed":
		return ""
	}
	return "ok"
}

// take takes a batch. The first is taken from somebody who doesn't live to hear
// of it, of the second the answer is lost.
func (d *counter) take(name string, requests []slip) *handed {
	b := &handed{id: fmt.Sprintf("batch_%d", len(d.batches)+1), name: name, n: len(d.batches) + 1, requests: requests,
		made: time.Now()}
	for _, r := range requests {
		if d.answered[r.key] > 0 {
			d.again = append(d.again, r.key)
		}
	}
	d.batches = append(d.batches, b)
	switch b.n {
	case 1:
		d.kill()
	case 2:
		panic(http.ErrAbortHandler)
	}
	return b
}

func (d *counter) find(id string) *handed {
	i := slices.IndexFunc(d.batches, func(b *handed) bool { return b.id == id })
	if i < 0 {
		return nil
	}
	return d.batches[i]
}

// look counts a look at a batch. The service has its faults.
func (d *counter) look(w http.ResponseWriter, b *handed) bool {
	if d.looks++; d.looks == 2 {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusServiceUnavailable)
		return false
	}
	b.looks++
	return true
}

// results writes a batch's answers, the last first: the first time only a part
// of them, of the fifth batch to somebody who is killed.
func (d *counter) results(w http.ResponseWriter, b *handed, line func(s slip, outcome, answer string, in,
	out int) any) {
	if b.n == 1 && d.once("cut") {
		w.Header().Set("Content-Length", "99999")
		io.WriteString(w, `{"custom_id":"`)
		return
	}
	if b.n == 5 && d.once("kill") {
		d.kill()
	}
	for i := range slices.Backward(b.requests) {
		s := b.requests[i]
		outcome := d.outcome(b, i)
		if outcome == "" {
			continue
		}
		answer, in, out := s.answer()
		if outcome == "ok" && !b.read {
			d.answered[s.key]++
			d.in, d.out = d.in+in, d.out+out
		}
		if text := line(s, outcome, answer, in, out); text != nil {
			json.NewEncoder(w).Encode(text)
		}
	}
	b.read = true
}

func (d *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent = append(d.sent, body...)
	d.keys[r.Header.Get("Authorization")+r.Header.Get("x-api-key")] = true
	w.Header().Set("Content-Type", "application/json")
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	if rest, ok := strings.CutPrefix(path, "/messages"); ok {
		d.anthropic(w, r.Method, strings.Split(strings.TrimPrefix(rest, "/batches"), "/"), rest == "", body)
		return
	}
	d.openai(w, r, strings.Split(path, "/"), body)
}

// anthropic speaks Message Batches, and Messages.
func (d *counter) anthropic(w http.ResponseWriter, method string, path []string, atOnce bool, body []byte) {
	type params struct {
		System   []struct{ Text string }
		Messages []struct{ Content string }
	}
	message := func(answer string, in, out int) any {
		return map[string]any{"type": "message", "role": "assistant", "model": "small", "stop_reason": "end_turn",
			"content": []any{map[string]any{"type": "text", "text": answer}},
			"usage":   map[string]any{"input_tokens": in, "output_tokens": out}}
	}
	account := func(b *handed) any {
		counts, status := map[string]int{"processing": len(b.requests)}, "in_progress"
		if d.fate(b) != "" {
			status = "ended"
			counts = map[string]int{}
			for i := range b.requests {
				counts[map[string]string{"ok": "succeeded", "late": "expired", "cancelled": "canceled", "error": "errored",
					"": "errored"}[d.outcome(b, i)]]++
			}
		}
		return map[string]any{"id": b.id, "type": "message_batch", "processing_status": status, "request_counts": counts,
			"created_at": b.made, "expires_at": b.made.Add(24 * time.Hour)}
	}
	switch {
	case atOnce:
		var p params
		json.Unmarshal(body, &p)
		answer, in, out := slip{"", p.System[0].Text, p.Messages[0].Content}.answer()
		d.atOnce[0], d.atOnce[1] = d.atOnce[0]+in, d.atOnce[1]+out
		json.NewEncoder(w).Encode(message(answer, in, out))
	case method == http.MethodPost:
		var q struct {
			Requests []struct {
				Key    string `json:"custom_id"`
				Params params
			}
		}
		json.Unmarshal(body, &q)
		var slips []slip
		for _, one := range q.Requests {
			slips = append(slips, slip{one.Key, one.Params.System[0].Text, one.Params.Messages[0].Content})
		}
		json.NewEncoder(w).Encode(account(d.take("", slips)))
	case len(path) == 1:
		var all []any
		for _, b := range slices.Backward(d.batches) {
			all = append(all, account(b))
		}
		json.NewEncoder(w).Encode(map[string]any{"data": all, "has_more": false})
	case len(path) == 2:
		if b := d.find(path[1]); d.look(w, b) {
			json.NewEncoder(w).Encode(account(b))
		}
	default:
		b := d.find(path[1])
		d.results(w, b, func(s slip, outcome, answer string, in, out int) any {
			result := map[string]any{"type": map[string]string{"ok": "succeeded", "late": "expired", "cancelled": "canceled",
				"error": "errored"}[outcome]}
			switch outcome {
			case "ok":
				result["message"] = message(answer, in, out)
			case "error":
				result["error"] = map[string]any{"type": "error", "error": map[string]any{"type": "api_error",
					"message": "Internal server error"}}
			}
			return map[string]any{"custom_id": s.key, "result": result}
		})
		if d.fate(b) == "failed" { // here that is an error of each
			for _, s := range b.requests {
				json.NewEncoder(w).Encode(map[string]any{"custom_id": s.key, "result": map[string]any{"type": "errored",
					"error": map[string]any{"type": "error", "error": map[string]any{"type": "overloaded_error",
						"message": "Overloaded"}}}})
			}
		}
	}
}

// openai speaks Files and Batches, and chat completions.
func (d *counter) openai(w http.ResponseWriter, r *http.Request, path []string, body []byte) {
	type chat struct {
		Messages []struct{ Content string }
	}
	completion := func(answer string, in, out int) any {
		return map[string]any{"id": "c", "model": "small", "choices": []any{map[string]any{"finish_reason": "stop",
			"message": map[string]any{"role": "assistant", "content": answer}}},
			"usage": map[string]any{"prompt_tokens": in, "completion_tokens": out}}
	}
	account := func(b *handed) any {
		fate := d.fate(b)
		a := map[string]any{"id": b.id, "object": "batch", "endpoint": "/v1/chat/completions", "completion_window": "24h",
			"created_at": b.made.Unix(),
			"status": map[string]string{"": "in_progress", "partly": "completed", "answered": "completed", "failed": "failed",
				"expired": "expired", "cancelled": "cancelled"}[fate],
			"metadata":       map[string]any{"recall": b.name, "recall_json": "1"},
			"request_counts": map[string]int{"total": len(b.requests)}}
		switch fate {
		case "":
		case "failed":
			a["errors"] = map[string]any{"object": "list", "data": []any{map[string]any{"code": "token_limit_exceeded",
				"message": "Enqueued token limit reached"}}}
		default:
			a["output_file_id"], a["error_file_id"] = "out-"+b.id, "errors-"+b.id
		}
		return a
	}
	switch {
	case path[1] == "chat":
		var q chat
		json.Unmarshal(body, &q)
		answer, in, out := slip{"", q.Messages[0].Content, q.Messages[1].Content}.answer()
		d.atOnce[0], d.atOnce[1] = d.atOnce[0]+in, d.atOnce[1]+out
		json.NewEncoder(w).Encode(completion(answer, in, out))
	case path[1] == "files" && r.Method == http.MethodPost:
		from, to := strings.Index(string(body), `{"custom_id"`), strings.LastIndex(string(body), "\n--")
		d.uploads = append(d.uploads, body[from:to])
		json.NewEncoder(w).Encode(map[string]any{"id": fmt.Sprint(len(d.uploads) - 1), "object": "file", "purpose": "batch"})
	case path[1] == "files":
		kind, id, _ := strings.Cut(path[2], "-")
		b := d.find(id)
		if kind == "errors" {
			for i, s := range b.requests {
				switch d.outcome(b, i) {
				case "late", "cancelled":
					code := map[string]string{"late": "batch_expired", "cancelled": "batch_cancelled"}[d.outcome(b, i)]
					json.NewEncoder(w).Encode(map[string]any{"custom_id": s.key, "response": nil,
						"error": map[string]any{"code": code, "message": "no answer"}})
				case "error":
					json.NewEncoder(w).Encode(map[string]any{"custom_id": s.key, "response": map[string]any{"status_code": 500,
						"body": map[string]any{"error": map[string]any{"message": "The server had an error", "type": "server_error"}}}})
				}
			}
			return
		}
		d.results(w, b, func(s slip, outcome, answer string, in, out int) any {
			if outcome != "ok" {
				return nil
			}
			return map[string]any{"custom_id": s.key, "response": map[string]any{"status_code": 200,
				"body": completion(answer, in, out)}, "error": nil}
		})
	case path[1] == "batches" && r.Method == http.MethodPost:
		var q struct {
			File     string `json:"input_file_id"`
			Metadata map[string]string
		}
		json.Unmarshal(body, &q)
		var n int
		fmt.Sscan(q.File, &n)
		var slips []slip
		for line := range strings.Lines(string(d.uploads[n])) {
			var one struct {
				Key  string `json:"custom_id"`
				Body chat
			}
			if json.Unmarshal([]byte(line), &one) == nil && one.Key != "" {
				slips = append(slips, slip{one.Key, one.Body.Messages[0].Content, one.Body.Messages[1].Content})
			}
		}
		json.NewEncoder(w).Encode(account(d.take(q.Metadata["recall"], slips)))
	case len(path) == 2:
		var all []any
		for _, b := range slices.Backward(d.batches) {
			all = append(all, account(b))
		}
		json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": all, "has_more": false})
	default:
		if b := d.find(path[2]); d.look(w, b) {
			json.NewEncoder(w).Encode(account(b))
		}
	}
}

var (
	slipTurn = regexp.MustCompile(`(?m)^## (t\d+) user.*\n\| (.{24,})$`)
	slipPair = regexp.MustCompile(`(?m)^\d+\.$`)
)

// answer answers a request in the form that it asks for, with a decision of what
// a person typed first in each turn, and counts its tokens.
func (s slip) answer() (text string, in, out int) {
	var answer any
	list := []any{}
	switch {
	case strings.Contains(s.prompt, "Now the items of this transcript"):
		_, transcript, _ := strings.Cut(s.prompt, "\n<transcript>\n")
		for _, m := range slipTurn.FindAllStringSubmatch(transcript, -1) {
			quote := strings.ToValidUTF8(m[2][:min(len(m[2]), 100)], "")
			list = append(list, map[string]any{"kind": "decision", "text": "Heard: " + quote, "why": "", "by": "user",
				"scope": "", "alternatives": []string{}, "about": []string{}, "path": "", "status": "",
				"confidence": "high", "earlier": "", "bearing": "none", "evidence": []any{map[string]any{"turn": m[1],
					"quote": quote}}})
		}
		answer = map[string]any{"items": list, "closed": []any{}}
	case strings.Contains(s.prompt, "Now the relation of each pair"):
		for i := range slipPair.FindAllString(s.prompt, -1) {
			list = append(list, map[string]any{"number": i + 1, "why": "", "relation": "unrelated", "earlier_quote": "",
				"later_quote": ""})
		}
		answer = map[string]any{"pairs": list}
	default:
		answer = map[string]any{"quotes": list}
	}
	data, _ := json.Marshal(answer)
	return string(data), (len(s.system) + len(s.prompt)) / 4, len(data) / 4
}
