package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"recall/internal/llm"
	"recall/internal/llm/openai"
	"recall/payload"
)

// A service that speaks the real protocol, strict schemas and all, answers.
func TestImproveByAService(t *testing.T) {
	var asked, strict atomic.Int32
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var body struct {
			Messages []struct{ Role, Content string } `json:"messages"`
			Format   struct {
				Type   string `json:"type"`
				Schema struct {
					Name   string `json:"name"`
					Strict bool   `json:"strict"`
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) != 2 {
			http.Error(w, `{"error":{"message":"what?"}}`, http.StatusBadRequest)
			return
		}
		if body.Format.Schema.Strict {
			strict.Add(1)
		}
		task := map[string]string{"payload_items": "extract"}[body.Format.Schema.Name]
		text, err := obey(llm.Request{Task: task, Prompt: body.Messages[1].Content})
		if err != nil {
			http.Error(w, `{"error":{"message":"no such form"}}`, http.StatusBadRequest)
			return
		}
		answer, _ := json.Marshal(text)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"c1","object":"chat.completion","model":"small-1","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}],"usage":{"prompt_tokens":%d,"completion_tokens":80}}`,
			answer, (len(body.Messages[0].Content)+len(body.Messages[1].Content))/4)
	}))
	defer service.Close()
	chat, err := openai.NewChat(llm.Options{URL: service.URL + "/v1", Model: "small-1", Window: 32_000})
	if err != nil {
		t.Fatal(err)
	}
	s := session("u: goal! Order the jobs by age", "a: decision! Use a heap for the jobs")
	p := must(t, New(Options{Model: chat, Store: newMemory()}), s, nil)
	if len(p.Items) != 2 || p.Items[1].Kind != payload.Decision || len(p.Items[1].Aliases) == 0 ||
		!strings.HasPrefix(p.Made.Distiller, "model/") {
		t.Errorf("got %v made by %+v", texts(p), p.Made)
	}
	if asked.Load() != 1 || strict.Load() != 1 {
		t.Errorf("asked %d times, %d by a strict schema, want one each", asked.Load(), strict.Load())
	}
}
