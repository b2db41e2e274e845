package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"recall/cmd/recall/demo"
)

// What was handed in with a batch is paid for: who turns batches off gets its
// answers, and nothing of it is asked again.
func TestBatchesTurnedOff(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	var mu sync.Mutex
	var keys []string // of the batch's requests
	again := 0        // windows that were asked about at once
	message := func(text string) map[string]any {
		return map[string]any{"type": "message", "model": "m", "stop_reason": "end_turn",
			"content": []any{map[string]any{"type": "text", "text": text}},
			"usage":   map[string]any{"input_tokens": 9, "output_tokens": 9}}
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		counts := map[string]any{"succeeded": len(keys)}
		switch r.URL.Path {
		case "/v1/messages":
			if strings.Contains(string(body), "Now the items of this transcript") {
				again++
			}
			json.NewEncoder(w).Encode(message(`{"items":[],"closed":[]}`))
		case "/v1/messages/batches":
			var q struct {
				Requests []struct {
					ID string `json:"custom_id"`
				}
			}
			json.Unmarshal(body, &q)
			for _, one := range q.Requests {
				keys = append(keys, one.ID)
			}
			fmt.Fprint(w, `{"id":"b1","processing_status":"in_progress"}`)
		case "/v1/messages/batches/b1":
			json.NewEncoder(w).Encode(map[string]any{"id": "b1", "processing_status": "ended", "request_counts": counts})
		case "/v1/messages/batches/b1/results":
			for _, key := range keys {
				json.NewEncoder(w).Encode(map[string]any{"custom_id": key, "result": map[string]any{"type": "succeeded",
					"message": message(`{"items":[],"closed":[]}`)}})
			}
		}
	}))
	defer s.Close()
	sources, home := t.TempDir(), t.TempDir()
	claude, _, err := demo.Write(sources)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(home, "config.yaml")
	sync := func(batch bool) string {
		t.Helper()
		text := fmt.Sprintf("llm: {provider: anthropic, url: %q, model: m}\ndistill: {batch: %v}\nsources: {claude_code: "+
			"[%q], cowork: []}\n", s.URL, batch, claude)
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := recallCmd(t, home, "--config", config, "sync").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if out := sync(true); !strings.Contains(out, "in a pending batch") || len(keys) == 0 {
		t.Fatalf("got %d requests\n%s", len(keys), out)
	}
	if out := sync(false); !strings.Contains(out, "distilled by anthropic/m") || again > 0 {
		t.Errorf("asked again about %d of %d windows\n%s", again, len(keys), out)
	}
}
