// Package synthtest generates Claude Code transcripts and payload items in any amount, for tests and benchmarks.
// Everything in them is invented; the same options give the same bytes. As in real sessions, most of a transcript is
// what tools return, once as text and once as an object; 43 real ones have 2 to 3 % of what is said, 16 % of results
// as text and 34 % as objects. Words follow Zipf's law.
package synthtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"recall/ingest/claudecode"
)

// Options says how much to generate.
type Options struct {
	Sessions  int
	BytesEach int64   // approximate size of a session's file, which has at least a prompt and an answer
	Sizes     []int64 // replaces BytesEach: the sizes of successive sessions, repeated as needed
	Seed      uint64  // another seed gives other sessions
}

// Session describes a generated session.
type Session struct {
	ID    string
	Path  string
	Bytes int64
}

// Sessions are spread over so many hours from the first one on: nine months.
const hours = 9 * 30 * 24

var first = time.Date(2026, 1, 5, 8, 30, 0, 0, time.UTC)

// Write generates sessions under dir, as projects/<folder>/<id>.jsonl, and returns them in order of time. Files have
// the time of their last record.
func Write(dir string, o Options) ([]Session, error) {
	all := make([]Session, o.Sessions)
	for i := range all {
		most := o.BytesEach
		if len(o.Sizes) > 0 {
			most = o.Sizes[i%len(o.Sizes)]
		}
		s := session{talk: newTalk(i, o.Seed, uint64(i)+1<<32), most: most,
			now: first.Add(hours * time.Hour / time.Duration(o.Sessions) * time.Duration(i))}
		s.id = s.uuid()
		for s.Len() == 0 || !s.full() {
			s.turn()
		}
		path := filepath.Join(dir, "projects", claudecode.Slug(s.dir()), s.id+".jsonl")
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, s.Bytes(), 0o600)
		}
		if err == nil {
			err = os.Chtimes(path, s.now, s.now)
		}
		if err != nil {
			return nil, err
		}
		all[i] = Session{s.id, path, int64(s.Len())}
	}
	return all, nil
}

// session is one being written.
type session struct {
	talk
	bytes.Buffer
	most int64
	id   string
	last any // id of the previous record, nil before the first
	now  time.Time
}

type object = map[string]any

func (s *session) full() bool { return int64(s.Len()) >= s.most }

// turn writes a prompt, what the assistant does, and its answer; both say something that is worth keeping.
func (s *session) turn() {
	s.now = s.now.Add(time.Duration(1+s.IntN(15)) * time.Minute)
	s.record("user", object{"role": "user", "content": s.item().TurnText}, nil)
	for n := 0; n < 6 && s.most-int64(s.Len()) > 4<<10; n++ {
		s.call(n)
	}
	s.block("end_turn", object{"type": "text", "text": s.item().TurnText})
}

// call writes a call of a tool and its result.
func (s *session) call(n int) {
	id, path := s.chars("toolu_01", 22), s.dir()+"/"+s.file()
	tool, input, said := "Read", object{"file_path": path}, s.code(30+s.IntN(100))
	result := object{"type": "text", "file": object{"filePath": path, "content": said, "numLines": 80, "startLine": 1,
		"totalLines": 700}}
	switch n % 3 {
	case 1:
		from, to := s.code(9), s.code(15)
		tool, input = "Edit", object{"file_path": path, "old_string": from, "new_string": to}
		said = "The file " + path + " has been updated successfully."
		result = object{"filePath": path, "oldString": from, "newString": to, "originalFile": s.code(150 + s.IntN(300)),
			"userModified": false, "replaceAll": false, "structuredPatch": []any{}}
	case 2:
		tool, input = "Bash", object{"command": "go test ./...", "description": "Run the tests"}
		said = "ok\t" + s.sentences(9)
		result = object{"stdout": said, "stderr": "", "interrupted": false, "isImage": false}
	}
	s.block("tool_use", object{"type": "tool_use", "id": id, "name": tool, "input": input})
	s.record("user", object{"role": "user", "content": []any{object{"type": "tool_result", "tool_use_id": id,
		"content": said}}}, result)
}

// block writes a message of the assistant with one content block.
func (s *session) block(stop string, content object) {
	s.record("assistant", object{"role": "assistant", "type": "message", "model": "claude-opus-4-8",
		"id": s.chars("msg_01", 22), "stop_reason": stop, "content": []any{content}, "usage": object{
			"input_tokens": s.IntN(40), "cache_creation_input_tokens": s.IntN(9000), "service_tier": "standard",
			"cache_read_input_tokens": 12_000 + s.IntN(90_000), "output_tokens": 40 + s.IntN(1800)}}, nil)
}

// record writes a record of the conversation, some seconds after the last.
func (s *session) record(kind string, message, result object) {
	s.now = s.now.Add(time.Duration(2+s.IntN(8)) * time.Second)
	line := object{"type": kind, "uuid": s.uuid(), "parentUuid": s.last, "sessionId": s.id, "cwd": s.dir(),
		"timestamp": s.now.Format("2006-01-02T15:04:05.000Z"), "gitBranch": "main", "version": "2.1.200",
		"isSidechain": false, "userType": "external", "entrypoint": "cli", "message": message}
	if result != nil {
		line["toolUseResult"] = result
	}
	if err := json.NewEncoder(s).Encode(line); err != nil {
		panic(fmt.Sprint("synthtest: ", err)) // a bug: it holds only texts and numbers
	}
	s.last = line["uuid"]
}
