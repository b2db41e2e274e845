package pipeline_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// service speaks the protocol of chat completions as OpenAI's does, and answers
// what recall asks by quoting the transcript. Of its answers a share fails, in
// all the ways that services do.
type service struct {
	*httptest.Server
	faults   int                        // of a hundred answers
	wordy    bool                       // gives items reasons, and many other words
	wordless bool                       // gives items no other words
	arrived  func(n int)                // called with the number of each request
	hold     func(context.Context) bool // called before each good answer; false if there is to be none

	mu       sync.Mutex
	requests int
	tried    map[string]int // requests by their text
	good     map[string]int // well answered
	bodies   []byte         // all that arrived
	in, out  int            // tokens that it charged
	failed   int
	broke    int // of failed: broke off before anything was said
}

func newService(t testing.TB, faults int) *service {
	s := &service{faults: faults, tried: map[string]int{}, good: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// chat is a request as far as it matters here.
type chatRequest struct {
	Model    string `json:"model"`
	Messages []struct{ Role, Content string }
}

func (s *service) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var q chatRequest
	if err == nil {
		err = json.Unmarshal(body, &q)
	}
	if err != nil || len(q.Messages) != 2 {
		http.Error(w, fmt.Sprintf("%d messages, %v", len(q.Messages), err), http.StatusBadRequest)
		return
	}
	text := string(body)
	s.mu.Lock()
	s.requests++
	n := s.requests
	s.tried[text]++
	dice := sha256.Sum256(fmt.Append(body, s.tried[text]))
	s.bodies = append(append(s.bodies, body...), '\n')
	s.mu.Unlock()
	if s.arrived != nil {
		s.arrived(n)
	}
	w.Header().Set("Content-Type", "application/json")
	if int(dice[0])*100/256 < s.faults {
		s.fail(w, q, int(dice[1]))
		return
	}
	if s.hold != nil && !s.hold(r.Context()) {
		return
	}
	s.mu.Lock()
	s.good[text]++
	s.mu.Unlock()
	answer := answerTo(q)
	if s.wordless {
		answer = strings.NewReplacer(`"aliases":`, `"ignored":`, `"asks":`, `"ignored too":`).Replace(answer)
	}
	if s.wordy {
		answer = strings.ReplaceAll(answer, `"why":""`,
			`"why":"`+strings.Repeat("it was said to be simpler than the other. ", 4)+`"`)
		answer = strings.ReplaceAll(answer, `"asks":["What about it?"]`,
			`"asks":["`+strings.Repeat("in which other words may somebody ask about this? ", 8)+`"]`)
	}
	s.reply(w, q, answer, "stop", "")
}

// reply is a 200 with an answer, which is paid for.
func (s *service) reply(w io.Writer, q chatRequest, text, finish, refusal string) {
	in, out := (len(q.Messages[0].Content)+len(q.Messages[1].Content))/4, len(text)/4+1
	s.mu.Lock()
	s.in, s.out = s.in+in, s.out+out
	s.mu.Unlock()
	message := map[string]any{"role": "assistant", "content": text}
	if refusal != "" {
		message["refusal"] = refusal
	}
	json.NewEncoder(w).Encode(map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "model": q.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out}})
}

// fail fails in one of the ways that services do.
func (s *service) fail(w http.ResponseWriter, q chatRequest, how int) {
	s.mu.Lock()
	s.failed++
	if s.broke == 0 {
		how = 4
	}
	if how%8 == 4 || how%8 == 5 {
		s.broke++
	}
	s.mu.Unlock()
	status := func(code int, kind, text string) {
		w.WriteHeader(code)
		json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": text, "type": kind, "code": kind}})
	}
	switch how % 8 {
	case 0:
		w.Header().Set("Retry-After", "0")
		status(http.StatusTooManyRequests, "rate_limit_exceeded", "Rate limit reached")
	case 1:
		status(http.StatusInternalServerError, "server_error", "The server had an error")
	case 2:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		io.WriteString(w, "<html>502 Bad Gateway</html>")
	case 3:
		status(http.StatusServiceUnavailable, "overloaded", "The engine is overloaded")
	case 4: // the stream is cut
		w.Header().Set("Content-Length", "5000")
		io.WriteString(w, `{"id":"chatcmpl-1","choices":[{"message":{"content":"{\"ite`)
	case 5: // the connection is
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			c.Close()
		}
	case 6:
		s.reply(w, q, "", "stop", "")
	case 7:
		s.reply(w, q, `{"items":[{"kind":"decision","text":"It was`, "stop", "")
	}
}

var (
	turnHead = regexp.MustCompile(`^## (t\d+)(?: (\w+))?`)
	pairLine = regexp.MustCompile(`(?m)^\d+\.$`)
)

// answerTo answers a request in the form that its schema asks for.
func answerTo(q chatRequest) string {
	prompt := q.Messages[1].Content
	list := []any{}
	key := "items"
	switch { // without the schema's name too: it isn't sent to a service that passed over it
	case strings.Contains(prompt, "\nNow the items of this transcript"):
		list = decisionsIn(prompt)
	case strings.Contains(prompt, "\nNow the relation of each pair"):
		key = "pairs"
		for i := range pairLine.FindAllString(prompt, -1) {
			list = append(list, map[string]any{"number": i + 1, "why": "", "relation": "unrelated", "earlier_quote": "",
				"later_quote": ""})
		}
	default:
		key = "quotes"
	}
	answer := map[string]any{key: list}
	if key == "items" {
		answer["closed"] = []any{}
	}
	text, _ := json.Marshal(answer)
	return string(text)
}

// decisionsIn makes a decision of every third of the lines that the person typed
// and of the first, whatever part of the transcript is shown.
func decisionsIn(prompt string) []any {
	_, transcript, _ := strings.Cut(prompt, "\n<transcript>\n")
	list := []any{}
	turn, user := "", false
	for _, line := range strings.Split(transcript, "\n") {
		if m := turnHead.FindStringSubmatch(line); m != nil {
			turn, user = m[1], m[2] == "user" || m[2] == "" && user // who goes on isn't named again
			continue
		}
		said, own := strings.CutPrefix(line, "| ")
		if !own || !user || len(said) < 24 || strings.Contains(said, "[…") || len(list) > 0 &&
			sha256.Sum256([]byte(said))[0]%3 > 0 || len(list) == 40 {
			continue
		}
		quote := said[:min(len(said), 120)]
		for len(quote) > 0 && quote[len(quote)-1] >= 0x80 { // not in the middle of a letter
			quote = quote[:len(quote)-1]
		}
		list = append(list, map[string]any{"kind": "decision", "text": said[:len(quote)], "why": "", "by": "user",
			"scope": "", "alternatives": []string{}, "about": []string{},
			"path": "", "status": "", "confidence": "high", "earlier": "", "bearing": "none",
			"aliases": []string{fmt.Sprint("another way to say number ", len(list)+1)}, "asks": []string{"What about it?"},
			"evidence": []any{map[string]any{"turn": turn, "quote": quote}}})
	}
	return list
}

// count is how many requests have arrived.
func (s *service) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// twice lists the requests that were well answered more than once.
func (s *service) twice() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for text, n := range s.good {
		if n > 1 {
			all = append(all, fmt.Sprintf("%d times: %.3000s", n, text))
		}
	}
	return all
}
