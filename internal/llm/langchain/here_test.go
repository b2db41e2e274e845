package langchain

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestNewest(t *testing.T) {
	answer := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/tags" || r.Method != http.MethodGet {
			t.Errorf("got %s %s, want GET /api/tags alone", r.Method, r.URL.Path)
		}
		if answer == "slow" {
			<-r.Context().Done()
		}
		fmt.Fprint(w, answer)
	}))
	defer s.Close()
	for _, c := range []struct{ answer, want string }{
		{`{"models":[{"name":"nomic-embed-text:latest","details":{"family":"nomic-bert"}},` +
			`{"name":"llama3:latest","details":{"family":"llama"}}]}`, "llama3"},
		{`{"models":[{"name":"x\u001b[31mchat","details":{}}]}`, "x[31mchat"},
		{`{"models":[{"name":"all-minilm:33m","details":{"family":"bert"}}]}`, ""},
		{`{"models":null}`, ""},
		{`hello`, ""},
		{"slow", ""},
	} {
		answer = c.answer
		if got := Newest(t.Context(), s.URL); got != c.want {
			t.Errorf("%s: got %q, want %q", c.answer, got, c.want)
		}
	}
	s.Close()
	if got := Newest(t.Context(), s.URL); got != "" {
		t.Errorf("nobody listens: got %q, want none", got)
	}
}
