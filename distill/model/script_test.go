package model

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"recall/ingest"
	"recall/internal/llm"
)

// scripted answers by rules from what it is asked, as a service would.
type scripted struct {
	name   string
	window int
	answer func(r llm.Request) (string, error) // nil: obey

	mu    sync.Mutex
	asked []llm.Request
}

func (s *scripted) Name() string {
	if s.name == "" {
		return "scripted/1"
	}
	return s.name
}
func (s *scripted) Window() int { return s.window }
func (s *scripted) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	s.mu.Lock()
	s.asked = append(s.asked, r)
	s.mu.Unlock()
	answer := s.answer
	if answer == nil {
		answer = obey
	}
	text, err := answer(r)
	if err != nil {
		return llm.Response{}, err
	}
	return llm.Response{Text: text}, nil
}

// of lists the requests of a task.
func (s *scripted) of(task string) []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []llm.Request
	for _, r := range s.asked {
		if r.Task == task {
			out = append(out, r)
		}
	}
	return out
}

func (s *scripted) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = nil
}

// obey finds what the transcript marks: a line "KIND! text" is an item of that
// kind, "KIND!i3 supersedes! text" one with a bearing, "done! i2" closes one.
func obey(r llm.Request) (string, error) {
	if r.Task == "extract" {
		data, err := json.Marshal(marked(r.Prompt))
		return string(data), err
	}
	return "", &llm.Error{Fault: llm.Refused, Model: "scripted"}
}

var (
	heading  = regexp.MustCompile(`^## (t\d+) `)
	markLine = regexp.MustCompile(`^[|=] (?:user: )?(\w+)!(?:(i\d+) (\w+)!)? (.+)$`)
)

func marked(prompt string) answer {
	a := answer{Items: []found{}, Closed: []closing{}}
	_, transcript, _ := strings.Cut(prompt, "\n<transcript>\n")
	turn := ""
	for _, line := range strings.Split(transcript, "\n") {
		if m := heading.FindStringSubmatch(line); m != nil {
			turn = m[1]
		}
		m := markLine.FindStringSubmatch(line)
		switch {
		case m == nil:
		case m[1] == "done" || m[1] == "dropped":
			a.Closed = append(a.Closed, closing{Item: word(m[4]), How: word(m[1]), Turn: word(turn), Quote: word(m[0][2:])})
		default:
			f := found{Kind: word(m[1]), Text: word(m[4]), Evidence: []cited{{word(turn), word(m[4])}}, By: "user",
				Confidence: "high", Earlier: word(m[2]), Bearing: word(m[3]),
				Aliases: many[word]{word(fmt.Sprintf("other words %d", len(a.Items)+1))}, Asks: many[word]{"What was it about?"}}
			if f.Bearing == "" {
				f.Bearing = "none"
			}
			if f.Kind == "file" {
				path, text, _ := strings.Cut(m[4], " ")
				f.Path, f.Text = word(path), word(text)
				f.Status = "DONE"
			}
			a.Items = append(a.Items, f)
		}
	}
	return a
}

// memory keeps answers for the length of a test.
type memory struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func newMemory() *memory { return &memory{kept: map[string][]byte{}} }

func (s *memory) Answer(key string) ([]byte, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.kept[key]
	return data, ok, nil
}

var goodKey = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

func (s *memory) KeepAnswer(key string, data []byte) error {
	if !goodKey.MatchString(key) {
		return fmt.Errorf("key %q", key)
	}
	var answer struct{ Of []string }
	if err := json.Unmarshal(data, &answer); err != nil || len(answer.Of) == 0 || answer.Of[0] == "" {
		return fmt.Errorf("key %q: %.100s says of no session (%v)", key, data, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[key] = data
	return nil
}

// session is one of turns "u: …" typed and "a: …" said.
func session(lines ...string) *ingest.Session {
	s := &ingest.Session{ID: "s1", Source: ingest.ClaudeCode, Title: "Order of jobs", Start: day(0)}
	for _, line := range lines {
		say(s, line)
	}
	return s
}

func say(s *ingest.Session, line string) *ingest.Turn {
	n := len(s.Turns) + 1
	id := "r" + strconv.Itoa(n)
	t := ingest.Turn{ID: ingest.TurnID(id), N: n, Records: []string{id}, Role: ingest.User, Kind: ingest.Prompt,
		Text: line[3:], At: day(0).Add(time.Duration(n) * time.Minute)}
	if line[0] == 'a' {
		t.Role, t.Kind = ingest.Assistant, ingest.Message
	}
	ingest.MarkForeign(&t)
	s.Turns = append(s.Turns, t)
	return &s.Turns[n-1]
}

func day(n int) time.Time { return time.Date(2026, 4, 1+n, 9, 0, 0, 0, time.UTC) }

// filler is talk that says nothing in particular, different for each n.
func filler(n, words int) string {
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "word%d ", (n*31+i*7)%997)
	}
	return b.String()
}

func improver(t *testing.T, m *scripted, store llm.Store, change func(*Options)) *Improver {
	t.Helper()
	o := Options{Model: m, Store: store}
	if change != nil {
		change(&o)
	}
	return New(o)
}
