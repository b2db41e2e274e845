package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"recall/prompts"
)

// modelAnswers HOW LOG starts a server that speaks OpenAI's protocol, until the
// story ends, and configures it as the model. What it is sent is appended to LOG.
// It finds what speaks of Norrsken (well) or nothing (nothing), doesn't answer in time (slow), or not at all (down).
func modelAnswers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: model-answers well|nothing|slow|down LOG")
	}
	log, err := os.OpenFile(ts.MkAbs(args[1]), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	var mu sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Messages []struct{ Role, Content string } `json:"messages"`
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || len(q.Messages) == 0 ||
			r.URL.Path != "/v1/chat/completions" {
			http.Error(w, `{"error":{"message":"what is this?"}}`, http.StatusBadRequest)
			return
		}
		system, asked := q.Messages[0].Content, q.Messages[len(q.Messages)-1].Content
		mu.Lock()
		fmt.Fprintln(log, asked)
		mu.Unlock()
		switch args[0] {
		case "slow":
			<-r.Context().Done()
			return
		case "down":
			http.Error(w, `{"error":{"message":"no credit left","code":"insufficient_quota"}}`, http.StatusPaymentRequired)
			return
		}
		text := "yes"
		switch {
		case len(q.Messages) == 1:
		case system == prompts.Rerank.Text():
			text = ordered(args[0], asked)
		case strings.Contains(asked, "<transcript>") && strings.Contains(system, prompts.Examples.Text()):
			text = `{"items": [` + goalOf(asked) + `]}`
		case system == prompts.Reconcile.Text():
			text = `{"pairs": []}`
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"id": "1", "object": "chat.completion", "model": "m",
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop",
				"message": map[string]any{"role": "assistant", "content": text}}},
			"usage": map[string]any{"prompt_tokens": len(system+asked) / 3, "completion_tokens": 50}})
	}))
	ts.Defer(func() { s.CloseClientConnections(); s.Close(); log.Close() })
	ts.Setenv("RECALL_LLM_PROVIDER", "openai")
	ts.Setenv("RECALL_LLM_MODEL", args[0]) // what one answered isn't kept for the other
	ts.Setenv("RECALL_LLM_URL", s.URL+"/v1")
}

var numberedLine = regexp.MustCompile(`(?m)^(\d+)\. (.*)$`)

// ordered puts what took the place of Tidemark first.
func ordered(how, prompt string) string {
	if how == "nothing" {
		return `{"order": [], "found": "none"}`
	}
	first := "1"
	for _, m := range numberedLine.FindAllStringSubmatch(prompt, -1) {
		if strings.Contains(m[2], "Took the place of: Which provider") {
			first = m[1]
			break
		}
	}
	return "```json\n{\"order\": [" + first + ", " + first + ", 999, 0], \"found\": \"answer\"}\n```"
}

var firstTyped = regexp.MustCompile(`(?m)^## (t\d+) user\n\| (.*)$`)

// goalOf is an item of what was typed first.
func goalOf(prompt string) string {
	m := firstTyped.FindStringSubmatch(prompt)
	if m == nil {
		return ""
	}
	quote, _ := json.Marshal(m[2])
	return fmt.Sprintf(`{"kind": "goal", "evidence": [{"turn": %q, "quote": %s}], "text": %s, "by": "user",
		"confidence": "high"}`, m[1], quote, quote)
}
