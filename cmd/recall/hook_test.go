package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/serve/hooks"
)

// desk is a machine with a project, Claude Code's folder and a library.
type desk struct {
	t                      *testing.T
	home, project, library string
	branch                 string // of what is said next
	at                     time.Time
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	home := t.TempDir()
	for name, value := range map[string]string{"HOME": home, "USERPROFILE": home,
		"XDG_CACHE_HOME": filepath.Join(home, "cache"), "LocalAppData": filepath.Join(home, "cache"),
		"XDG_CONFIG_HOME": filepath.Join(home, "config"), "AppData": filepath.Join(home, "config"), "CLAUDE_CONFIG_DIR": "",
		"NO_COLOR": "1"} {
		t.Setenv(name, value)
	}
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "RECALL_") {
			t.Setenv(name, "") // so that it comes back
			os.Unsetenv(name)
		}
	}
	t.Setenv(embedProvider, config.EmbedOff)
	// noon: not over midnight
	d := &desk{t: t, home: home, branch: "main", project: filepath.Join(home, "harborlight"),
		library: filepath.Join(home, "Recall"),
		at:      time.Now().UTC().Add(-72 * time.Hour).Truncate(24 * time.Hour).Add(12 * time.Hour)}
	must(t, os.MkdirAll(d.project, 0o700))
	t.Chdir(d.project)
	return d
}

// removeAtEnd removes the home, in which a hook's process in the background may still write, and what such a process
// makes again.
func (d *desk) removeAtEnd() {
	d.t.Cleanup(func() {
		gone := 0
		for range 100 {
			time.Sleep(100 * time.Millisecond)
			if _, err := os.Stat(d.home); err == nil {
				gone = 0
				os.RemoveAll(d.home)
			} else if gone++; gone == 10 {
				break
			}
		}
	})
}

// path is where the client keeps a session of the project.
func (d *desk) path(session string) string {
	return filepath.Join(d.home, ".claude", "projects", "-harborlight", session+".jsonl")
}

// says writes a session: who speaks takes turns, the person first.
func (d *desk) says(session string, texts ...string) string {
	d.t.Helper()
	path := d.path(session)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	var b bytes.Buffer
	parent := "null"
	for i, text := range texts {
		d.at = d.at.Add(time.Minute)
		uuid := fmt.Sprintf("%q", fmt.Sprintf("%s-%d", session, i))
		quoted, _ := json.Marshal(text)
		message := fmt.Sprintf(`{"role":"user","content":%s}`, quoted)
		kind := "user"
		if i%2 == 1 {
			kind = "assistant"
			message = fmt.Sprintf(`{"id":"m%d","type":"message","role":"assistant","model":"claude-opus-4-8",`+
				`"content":[{"type":"text","text":%s}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`, i,
				quoted)
		}
		dir, _ := json.Marshal(d.project)
		fmt.Fprintf(&b,
			`{"type":%q,"uuid":%s,"parentUuid":%s,"sessionId":%q,"timestamp":%q,"cwd":%s,"version":"2.1.197",`+
				`"gitBranch":%q,"isSidechain":false,"userType":"external","message":%s}`+"\n",
			kind, uuid, parent, session, d.at.Format(time.RFC3339Nano), dir, d.branch, message)
		parent = uuid
		if i%2 == 1 || !settles(text) {
			continue
		}
		call, result := answeredQuestion(fmt.Sprintf("toolu_%d", i), fmt.Sprintf("Is point %d settled?", i), text)
		for k, record := range []map[string]any{call, result} {
			maps.Copy(record, map[string]any{"uuid": fmt.Sprintf("%s-%d-%d", session, i, k),
				"parentUuid": strings.Trim(parent, `"`), "sessionId": session, "timestamp": d.at.Format(time.RFC3339Nano),
				"cwd": d.project, "version": "2.1.197", "gitBranch": d.branch, "isSidechain": false, "userType": "external"})
			line, _ := json.Marshal(record)
			b.Write(append(line, '\n'))
			parent = fmt.Sprintf("%q", record["uuid"])
		}
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return path
}

// settles reports whether what a person says is a decision: it is asked back, and
// what they answer stands on record.
func settles(text string) bool {
	return strings.HasPrefix(text, "Let's use ") || strings.HasPrefix(text, "Never ") || strings.HasPrefix(text, "Always ")
}

// recall runs a command and gives its output.
func (d *desk) recall(args ...string) string {
	d.t.Helper()
	var out, errs bytes.Buffer
	if code := run(d.t.Context(), args, strings.NewReader(""), &out, &errs); code != app.ExitOK {
		d.t.Fatalf("recall %v: exit code %d\n%s%s", args, code, out.String(), errs.String())
	}
	return out.String()
}

// hook is a call of the client's; more fields of its input come in pairs. Its
// exit code must be 0 and stderr empty, whatever happens.
func (d *desk) hook(event hooks.Event, session string, more ...any) string {
	d.t.Helper()
	in := map[string]any{"session_id": session, "transcript_path": d.path(session), "cwd": d.project,
		"hook_event_name": event}
	for i := 0; i+1 < len(more); i += 2 {
		in[more[i].(string)] = more[i+1]
	}
	text, err := json.Marshal(in)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.raw(event.Word(), string(text))
}

func (d *desk) raw(word, stdin string) string {
	d.t.Helper()
	var out, errs bytes.Buffer
	if code := run(d.t.Context(), append([]string{"hook"}, strings.Fields(word)...), strings.NewReader(stdin), &out,
		&errs); code != app.ExitOK || errs.Len() > 0 {
		d.t.Errorf("hook %s: exit code %d, stderr %q", word, code, errs.String())
	}
	return out.String()
}

// context is what an answer puts before the model.
func (d *desk) context(answer string) string {
	d.t.Helper()
	if answer == "" {
		return ""
	}
	var a struct {
		Specific struct {
			Event    string `json:"hookEventName"`
			Context  string `json:"additionalContext"`
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		d.t.Fatalf("%v in %q", err, answer)
	}
	if a.Specific.Decision != "" {
		return a.Specific.Decision + ": " + a.Specific.Reason
	}
	return a.Specific.Context
}

func (d *desk) log() string {
	text, _ := os.ReadFile(filepath.Join(hooks.Dir(), hooks.LogName))
	return string(text)
}

const (
	sessionA = "aaaaaaaa-0000-4000-8000-000000000001"
	sessionB = "bbbbbbbb-0000-4000-8000-000000000002"
	sessionC = "cccccccc-0000-4000-8000-000000000003"
)

var first = []string{
	"The stop lookup at the kiosk is slow. Find a place for the timetable index.",
	"We could use SQLite or Postgres for the timetable index. Which one do you prefer?",
	"Let's use SQLite for the timetable index, not Postgres, because one file ships with the kiosk.",
	"SQLite it is. I'll write the timetable index to one file.",
	"Never edit files in internal/gen, they come out of the schema.",
	"Understood. Next: write the importer for the timetable index.",
}

func TestHooksOverASession(t *testing.T) {
	d := newDesk(t)
	if got := d.hook(hooks.SessionStart, sessionA, "source", "startup"); got != "" {
		t.Errorf("without a library: %s", got)
	}
	d.recall("sync") // makes the library
	if got := d.hook(hooks.SessionStart, sessionA, "source", "startup"); got != "" {
		t.Errorf("with nothing worth saying: %s", got)
	}
	path := d.says(sessionA, first...)
	if got := d.hook(hooks.SessionEnd, sessionA, "reason", "other"); got != "" {
		t.Errorf("SessionEnd says %s", got)
	}
	if got := d.recall("guard", path); !strings.Contains(got, "1 archived as they are now, 0 not") {
		t.Errorf("after SessionEnd: %s", got)
	}

	start := d.context(d.hook(hooks.SessionStart, sessionB, "source", "startup"))
	for _, want := range []string{"<!-- recall ", "(session 1, " + d.at.Format("Jan 2") + ")",
		"SQLite for the timetable index", "not instructions", "<!-- /recall -->"} {
		if !strings.Contains(start, want) {
			t.Errorf("the payload lacks %q:\n%s", want, start)
		}
	}
	if again := d.context(d.hook(hooks.SessionStart, sessionB, "source", "clear")); again != start {
		t.Errorf("the second start says something else:\n%s", again)
	}

	// Against a decision: one note, once a session; in agreement: nothing.
	prompt := func(session, text string) string {
		return d.context(d.hook(hooks.UserPromptSubmit, session, "prompt", text))
	}
	if got := prompt(sessionB, "Add a covering column to the timetable index in SQLite"); got != "" {
		t.Errorf("in agreement: %s", got)
	}
	if got := prompt(sessionB, "Let's move the timetable index to Postgres after all."); !strings.Contains(got,
		"Warning from recall") || !strings.Contains(got, "one file ships") || !strings.Contains(got, "recall why ") {
		t.Errorf("against a decision: %q", got)
	} else {
		_, id, _ := strings.Cut(got, "recall why ")
		id, _, _ = strings.Cut(id, "`")
		if why := d.recall("why", id); !strings.Contains(why, "one file ships") {
			t.Errorf("recall why %s, as the note says: %q", id, why)
		}
	}
	if got := prompt(sessionB, "Let's move the timetable index to Postgres, now."); got != "" {
		t.Errorf("the same item a second time: %s", got)
	}
	edit := func(session, file string) string {
		return d.context(d.hook(hooks.PreToolUse, session, "tool_name", "Edit", "tool_input",
			map[string]string{"file_path": filepath.Join(d.project, file), "old_string": "a", "new_string": "b"}))
	}
	if got := edit(sessionB, "internal/gen/fares.go"); !strings.Contains(got, "internal/gen") ||
		strings.HasPrefix(got, "deny") {
		t.Errorf("an edit of what must not be edited: %q", got)
	}
	if got := edit(sessionB, "internal/fares.go"); got != "" {
		t.Errorf("an edit of something else: %q", got)
	}

	// A resume says nothing until another session has changed what stands.
	if got := d.hook(hooks.SessionStart, sessionB, "source", "resume"); got != "" {
		t.Errorf("a resume with nothing new: %s", got)
	}
	d.says(sessionC, "Which cache for the weather feed?", "Redis or memory?",
		"Let's keep the weather feed in memory rather than in Redis, because ten minutes old is fine.", "In memory, then.")
	d.hook(hooks.SessionEnd, sessionC, "reason", "prompt_input_exit")
	news := d.hook(hooks.SessionStart, sessionB, "source", "resume")
	if !strings.Contains(news, "weather feed in memory") {
		t.Errorf("a resume after news: %q", news)
	}
	if got := d.hook(hooks.SessionStart, sessionB, "source", "resume"); got != "" {
		t.Errorf("the next resume: %s", got)
	}

	// What a compaction drops is kept first, and said again after it.
	d.says(sessionB, "Go on with the importer.", "The importer can run at every change or once at night.",
		"Let's run the importer once at night rather than at every change, because changes come in storms.",
		"Once at night, then.")
	if got := d.hook(hooks.PreCompact, sessionB, "trigger", "auto"); got != "" {
		t.Errorf("PreCompact says %s", got)
	}
	after := d.context(d.hook(hooks.SessionStart, sessionB, "source", "compact"))
	if !strings.Contains(after, "importer once at night") {
		t.Errorf("after the compaction:\n%s", after)
	}
	if got := prompt(sessionB, "Let's move the timetable index to Postgres."); got == "" {
		t.Error("after a compaction the note is gone, and isn't said again")
	}
	if got := d.log(); got != "" {
		t.Errorf("the log says\n%s", got)
	}
}

// A fork's conversation holds what the session that it is of was told.
func TestHooksOfAFork(t *testing.T) {
	d := newDesk(t)
	d.says(sessionA, first...)
	d.recall("sync")
	against := []any{"prompt", "Let's move the timetable index to Postgres."}
	if d.hook(hooks.UserPromptSubmit, sessionB, against...) == "" {
		t.Fatal("no note")
	}
	copied := `{"type":"user","forkedFrom":{"sessionId":"` + sessionB + `","messageUuid":"u1"},"message":{"content":"x"}}`
	must(t, os.WriteFile(d.path(sessionC), []byte(copied+"\n"), 0o600))
	d.hook(hooks.SessionStart, sessionC, "source", "fork")
	if got := d.hook(hooks.UserPromptSubmit, sessionC, against...); got != "" {
		t.Errorf("the fork is told what stands in its conversation already: %s", got)
	}
	other := "dddddddd-0000-4000-8000-000000000004"
	if got := d.hook(hooks.UserPromptSubmit, other, against...); got == "" {
		t.Error("another session isn't told")
	}
}

// A rule that a person pinned stops the tool, each time; nothing else does.
func TestPinnedRuleStops(t *testing.T) {
	d := newDesk(t)
	d.says(sessionA, first...)
	d.recall("sync")
	md, err := filepath.Glob(filepath.Join(d.library, "*", "*", "payload.md"))
	if err != nil || len(md) != 1 {
		t.Fatal(md, err)
	}
	text, err := os.ReadFile(md[0])
	must(t, err)
	if err := os.WriteFile(md[0], bytes.Replace(text, []byte("- Is point 4 settled?"),
		[]byte("- [pinned] Is point 4 settled?"), 1),
		0o600); err != nil {
		t.Fatal(err)
	}
	d.recall("sync")
	input := map[string]string{"file_path": filepath.Join(d.project, "internal/gen/fares.go"), "old_string": "a",
		"new_string": "b"}
	for range 2 {
		if got := d.context(d.hook(hooks.PreToolUse, sessionB, "tool_name", "Edit", "tool_input",
			input)); !strings.HasPrefix(got, "deny: ") || !strings.Contains(got, "internal/gen") {
			t.Errorf("a pinned rule: %q\n%s", got, text)
		}
	}
	if got := d.context(d.hook(hooks.UserPromptSubmit, sessionB, "prompt",
		"Edit internal/gen/fares.go for me.")); got == "" || strings.HasPrefix(got, "deny") {
		t.Errorf("the person is told, not stopped: %q", got)
	}
}

// Nothing of recall's trouble is felt.
func TestHooksFailOpen(t *testing.T) {
	d := newDesk(t)
	d.says(sessionA, first...)
	d.recall("sync")
	for name, stdin := range map[string]string{"empty": "", "no JSON": "{", "a list": "[]",
		"wrong types": `{"session_id":7}`, "long": strings.Repeat("x", 1<<20)} {
		if got := d.raw("session-start", stdin); got != "" {
			t.Errorf("%s on stdin: %s", name, got)
		}
	}
	if got := d.raw("no-such-event", "{}"); got != "" {
		t.Errorf("an unknown event: %s", got)
	}
	if !strings.Contains(d.log(), "no hook \"no-such-event\"") {
		t.Errorf("the log lacks it:\n%s", d.log())
	}
	if fi, err := os.Stat(filepath.Join(hooks.Dir(), hooks.LogName)); err != nil ||
		fi.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("the log is %v, %v; want 0600", fi, err)
	}
	// "claude mcp list" ends with a path of no file.
	if got := d.hook(hooks.SessionEnd, "ffffffff-0000-4000-8000-00000000000f", "reason", "other"); got != "" ||
		strings.Contains(d.log(), "ffffffff") {
		t.Errorf("a session without a file: %q\n%s", got, d.log())
	}
	start := func() string { return d.hook(hooks.SessionStart, sessionB, "source", "startup") }
	if start() == "" {
		t.Fatal("nothing is said at all")
	}
	indexes, _ := filepath.Glob(filepath.Join(d.home, "cache", "recall", "*", "index.db"))
	if len(indexes) != 1 {
		t.Fatal(indexes)
	}
	must(t, os.WriteFile(indexes[0], []byte("no index at all"), 0o600))
	if got := d.hook(hooks.UserPromptSubmit, sessionB, "prompt",
		"Let's move the timetable index to Postgres."); got != "" {
		t.Errorf("with a damaged index: %s", got)
	}
	toml := filepath.Join(d.library, "library.toml")
	text, err := os.ReadFile(toml)
	must(t, err)
	must(t, os.WriteFile(toml, []byte("format = 'what'\n"), 0o600))
	if got := start(); got != "" {
		t.Errorf("with a damaged library: %s", got)
	}
	os.WriteFile(toml, text, 0o600)
	must(t, os.MkdirAll(filepath.Join(d.home, "config", "recall"), 0o700))
	os.WriteFile(filepath.Join(d.home, "config", "recall", "config.yaml"), []byte("no: such: key\n"), 0o600)
	if got := start(); got != "" {
		t.Errorf("with a broken configuration: %s", got)
	}
	os.WriteFile(filepath.Join(d.home, "config", "recall", "config.yaml"),
		[]byte("hooks:\n  notes: false\n  confirm: true\n"), 0o600)
	if got := d.hook(hooks.UserPromptSubmit, sessionC, "prompt",
		"Let's move the timetable index to Postgres."); got != "" {
		t.Errorf("notes are off: %s", got)
	}
	if got := start(); !strings.Contains(got, "your understanding of the current goal") {
		t.Errorf("the confirmation is on: %s", got)
	}
}
