package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/demo"
)

// chatting answers chat completions with as many items as a session has plain
// words for: none. It says how often it was asked.
func chatting(t *testing.T, asked *atomic.Int64, down *atomic.Bool) string {
	t.Helper()
	var mu sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if down.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			io.WriteString(w, `{"error":{"message":"Incorrect API key `+
				`provided","type":"invalid_request_error","code":"invalid_api_key"}}`)
			return
		}
		var request struct{ Messages []struct{ Content string } }
		json.Unmarshal(body, &request)
		answer := `{"items":[],"closed":[]}`
		if m := typedLine.FindStringSubmatch(request.Messages[len(request.Messages)-1].Content); m != nil {
			item, _ := json.Marshal(map[string]any{"kind": "goal", "text": m[2], "confidence": "high",
				"evidence": []any{map[string]any{"turn": m[1], "quote": m[2]}}})
			answer = fmt.Sprintf(`{"items":[%s],"closed":[]}`, item)
		}
		json.NewEncoder(w).Encode(map[string]any{"id": "1", "model": "small-enough",
			"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"role": "assistant",
				"content": answer}}},
			"usage": map[string]any{"prompt_tokens": len(body) / 4, "completion_tokens": 20}})
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// typedLine is the first line that a person typed in what a model is shown.
var typedLine = regexp.MustCompile(`(?m)^## (t\d+) user\n\| (.{20,80}\S)`)

// The commands around a model, as a person uses them: what it would cost, a key
// that is wrong, asking, what it took, and distilling again.
func TestAskCommands(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	sources, home := t.TempDir(), t.TempDir()
	claude, cowork, err := demo.Write(sources)
	must(t, err)
	var asked atomic.Int64
	var down atomic.Bool
	url := chatting(t, &asked, &down)
	config := filepath.Join(home, "config.yaml")
	text := "llm:\n  provider: openai\n  url: " + url +
		"\n  model: small-enough\n  prices: [{model: small-enough, in: 0.1, out: 0.4}]\nsources:\n  claude_code: [" +
		claude + "]\n  cowork: [" + cowork + "]\n"
	must(t, os.WriteFile(config, []byte(text), 0o600))
	say := func(code int, args ...string) string {
		t.Helper()
		cmd := recallCmd(t, home, append([]string{"--config", config}, args...)...)
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("recall %s: exit code %d, want %d\n%s", strings.Join(args, " "), got, code, out)
		}
		return string(out)
	}
	wants := func(out string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(out, part) {
				t.Errorf("%q isn't in:\n%s", part, out)
			}
		}
	}
	say(0, "sync", "--no-model")
	wants(say(0, "status"), "openai/small-enough", "wait for it")
	wants(say(0, "sync", "--dry-run"), "openai/small-enough would be asked about", "tokens in and", "$0.")
	wants(say(0, "status", "usage"), "No model was asked yet.")
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests before anybody asked", n)
	}
	down.Store(true)
	wants(say(3, "sync"), "nothing new", "wait for the model: unauthorized (401)",
		"hint: check the key in the environment")
	down.Store(false)
	wants(say(0, "sync"), "distilled by openai/small-enough", "tokens, $0.")
	n := asked.Load()
	say(0, "sync")
	if asked.Load() != n {
		t.Errorf("%d requests for nothing", asked.Load()-n)
	}
	var used history.Usage
	if err := json.Unmarshal([]byte(say(0, "status", "usage", "--by", "project", "--json")), &used); err != nil ||
		len(used.Recall.Rows) < 2 || used.Recall.Total.Requests != int(n) || used.Recall.Total.Failed == 0 ||
		used.Recall.Month.Cost <= 0 || used.Recall.Month.Cap != 10 {
		t.Errorf("usage: %v %+v, want %d calls of two projects", err, used, n)
	}
	wants(say(0, "status", "usage", "--by", "day", "--since", "1d"),
		time.Now().UTC().Format("2006-01-02"), "total", "This month: ")
	say(2, "status", "usage", "--by", "moon")
	say(2, "redistill")
	wants(say(2, "redistill", "--since", "2000"), "would be asked about", "hint: confirm with --yes")
	if asked.Load() != n {
		t.Error("redistill asked before it was told to")
	}
	wants(say(0, "redistill", "--since", "2000", "--yes"), "distilled by openai/small-enough")
	if asked.Load() == n {
		t.Error("redistill --yes asked nothing")
	}
	wants(say(0, "check"), "everything is as it was written")

	if runtime.GOOS == "windows" {
		return // no interrupt can be sent there
	}
	hanging := make(chan struct{}, 100)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		hanging <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	if err := os.WriteFile(config, []byte(strings.NewReplacer(url, slow.URL+"/v1",
		"small-enough", "larger").Replace(text)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := recallCmd(t, home, "--config", config, "redistill", "--since", "2000", "--yes")
	must(t, cmd.Start())
	select {
	case <-hanging:
	case <-time.After(2 * time.Minute):
		cmd.Process.Kill()
		t.Fatal("another model wasn't asked")
	}
	interrupted := time.Now()
	must(t, cmd.Process.Signal(os.Interrupt))
	cmd.Wait()
	if took := time.Since(interrupted); took > time.Minute || cmd.ProcessState.ExitCode() != app.ExitError {
		t.Errorf("interrupted while a model was asked: exit code %d after %v", cmd.ProcessState.ExitCode(), took)
	}
}
