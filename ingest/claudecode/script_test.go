package claudecode

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"recall/ingest"
)

// A script writes a transcript line by line, each the child of the one
// before.
type script struct {
	lines []string
	last  string // uuid of the last line
	n     int
}

type fields map[string]any

// addRecord adds a record; fields override the usual ones.
func (s *script) addRecord(kind string, more fields) string {
	s.n++
	uuid := fmt.Sprintf("u%d", s.n)
	all := fields{
		"type": kind, "uuid": uuid, "parentUuid": nil, "sessionId": "s", "cwd": "/home/ann/app", "version": "2.1.39",
		"gitBranch": "main", "isSidechain": false,
		"timestamp": day.Add(time.Duration(s.n) * time.Second).Format(time.RFC3339Nano),
	}
	if s.last != "" {
		all["parentUuid"] = s.last
	}
	for k, v := range more {
		all[k] = v
	}
	s.raw(all)
	s.last = fmt.Sprint(all["uuid"])
	return s.last
}

// raw adds a record as it is.
func (s *script) raw(all fields) {
	raw, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	s.lines = append(s.lines, string(raw))
}

func (s *script) user(content any, more ...fields) string {
	all := fields{"message": fields{"role": "user", "content": content}}
	for _, m := range more {
		for k, v := range m {
			all[k] = v
		}
	}
	return s.addRecord("user", all)
}

// say adds a line of the message with an id.
func (s *script) say(id string, blocks ...any) string {
	return s.addRecord("assistant", fields{"message": fields{
		"id": id, "model": "claude-opus-4-8", "role": "assistant", "content": blocks,
		"usage": fields{"output_tokens": 1},
	}})
}

func textBlock(s string) fields { return fields{"type": "text", "text": s} }

func use(id, name string, input any) fields {
	return fields{"type": "tool_use", "id": id, "name": name, "input": input}
}

func result(id, text string, isError bool) []any {
	return []any{fields{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": isError}}
}

// call adds a call and its result.
func (s *script) call(id, name string, input any, text string, structured any) {
	s.say("m-"+id, use(id, name, input))
	more := fields{}
	if structured != nil {
		more["toolUseResult"] = structured
	}
	s.user(result(id, text, false), more)
}

func (s *script) parse(t *testing.T) *ingest.Session {
	t.Helper()
	return parseBytes(t, []byte(strings.Join(s.lines, "\n")+"\n"))
}

// outlineOf lists turns as "kind text", abandoned ones in brackets.
func outlineOf(s *ingest.Session) []string {
	out := []string{}
	for _, turn := range s.Turns {
		line := string(turn.Kind)
		if turn.Name != "" {
			line += " " + turn.Name
		}
		if turn.Text != "" {
			line += " " + turn.Text
		}
		if turn.Abandoned {
			line = "[" + line + "]"
		}
		out = append(out, line)
	}
	return out
}
