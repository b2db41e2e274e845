package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"recall/index/indextest"
	"recall/redact/planted"
)

// bed is where secrets are planted: each in a place of a transcript of its own.
type bed struct {
	t        *testing.T
	r        *rand.Rand
	kinds    []planted.Kind
	kind     int // of those planted in texts
	named    int // and in names
	sessions int
	secrets  map[string]plot // by secret
	leaked   map[string]bool
	heads    map[[head]byte][]string // secrets by their first bytes, lower case
	always   string                  // planted instead of secrets
	at       time.Time
	lines    bytes.Buffer
	id       string
	n        int
	parent   any
	cwd      string
	branch   string
	folders  []string // that sessions worked in
}

// plantedTable is the file that the table of all kinds is written to, "" where a
// sample is enough. It is read before tests clear the environment.
var plantedTable = os.Getenv("RECALL_PLANTED")

// plot is where a secret was planted.
type plot struct {
	kind  planted.Kind
	place string
}

func (p plot) String() string { return p.kind.Class + "/" + p.kind.Name + " in a " + p.place }

// plant draws the next secret, as it stands in text.
func (b *bed) plant(place string) string {
	if b.always != "" {
		return b.always
	}
	b.kind++
	return b.draw(b.kinds[b.kind%len(b.kinds)], place)
}

func (b *bed) draw(k planted.Kind, place string) string {
	text, secrets := k.Draw(b.r)
	for _, s := range secrets {
		b.secrets[s] = plot{k, place}
	}
	return text
}

// name is plant for what a file, a branch, a tool may be called: forms that tell
// themselves.
func (b *bed) name(place string) string {
	if b.always != "" {
		return b.always
	}
	for b.named++; !b.kinds[b.named%len(b.kinds)].Short(); b.named++ {
	}
	return b.draw(b.kinds[b.named%len(b.kinds)], place)
}

type object = map[string]any

func (b *bed) line(o object) {
	text, err := json.Marshal(o)
	if err != nil {
		b.t.Fatal(err)
	}
	b.lines.Write(append(text, '\n'))
}

// record writes a record of the conversation.
func (b *bed) record(kind string, message object, more object) {
	b.at = b.at.Add(time.Minute)
	b.n++
	id := fmt.Sprintf("%s-%04d", b.id[:8], b.n)
	o := object{"type": kind, "uuid": id, "parentUuid": b.parent, "sessionId": b.id, "timestamp": b.at.Format(time.RFC3339Nano), "cwd": b.cwd,
		"version": "2.1.197", "gitBranch": b.branch, "isSidechain": false, "userType": "external", "message": message}
	for k, v := range more {
		o[k] = v
	}
	b.line(o)
	b.parent = id
}

func (b *bed) says(text string) { b.record("user", object{"role": "user", "content": text}, nil) }

func (b *bed) answers(blocks ...object) {
	b.record("assistant", object{"id": fmt.Sprintf("m%d", b.n), "type": "message", "role": "assistant", "model": "claude-opus-4-8", "content": blocks,
		"stop_reason": "end_turn", "usage": object{"input_tokens": 1, "output_tokens": 1}}, nil)
}

func words(text string) object { return object{"type": "text", "text": text} }

// calls has the assistant call a tool, and writes its result.
func (b *bed) calls(name string, input object, result any, more object) {
	id := fmt.Sprintf("toolu_%s_%d", b.id[:8], b.n)
	b.answers(object{"type": "tool_use", "id": id, "name": name, "input": input})
	b.record("user", object{"role": "user", "content": []object{{"type": "tool_result", "tool_use_id": id, "content": result}}}, more)
}

// session writes one Claude Code session with a secret in each place.
func (b *bed) session(root string, i int) {
	b.id, b.parent, b.n = fmt.Sprintf("%08x-0000-4000-8000-0000000000aa", 0xc0000000+i), nil, 0
	b.lines.Reset()
	b.cwd = "/home/ann/src/" + b.name("cwd")
	if i%2 == 1 {
		b.cwd += "/app" // the project below it has a harmless name
	}
	b.folders = append(b.folders, b.cwd)
	b.branch = "fix/" + b.name("branch")
	path := func(place string) string { return b.cwd + "/src/" + b.name(place) + ".go" }
	b.line(object{"type": "custom-title", "customTitle": "Work on " + b.plant("title"), "sessionId": b.id})
	b.says(fmt.Sprintf("Let's build importer %d with a heap instead of a sorted list, because it is faster.", i))
	b.answers(object{"type": "thinking", "thinking": "I think of " + b.plant("thinking")}, words("I begin in "+path("path said")+"."))
	edited := path("path edited")
	b.calls("Read", object{"file_path": path("path read")}, "1 package main", nil)
	b.calls("Edit", object{"file_path": edited, "old_string": "a " + b.plant("edit's old"), "new_string": "b " + b.plant("edit's new")}, "done", nil)
	b.calls("Write", object{"file_path": path("path written"), "content": b.plant("file's content")}, "done", nil)
	b.calls("Bash", object{"command": "cd " + b.cwd + " && go test ./... # " + b.plant("command"), "description": "Run " + b.plant("description")},
		"FAIL "+b.plant("result")+"\nexit status 1", nil)
	b.calls("Bash", object{"command": "git commit -m 'Add a heap " + b.name("commit's message") + "'"}, "[fix 1a2b3c4] Add a heap\n 1 file changed", nil)
	b.calls("Bash", object{"command": "mv " + path("path moved") + " " + path("path moved to")}, "", nil)
	b.calls("mcp__"+b.name("MCP server")+"__query", object{b.name("input's name"): "x", "sql": b.plant("MCP input")}, "ok", nil)
	b.calls("TodoWrite", object{"todos": []object{{"content": "Then tidy " + b.plant("todo"), "status": "pending", "activeForm": "Tidying"}}}, "ok", nil)
	b.calls("Task", object{"subagent_type": b.name("agent's type"), "description": "Look at " + b.plant("agent's task"), "prompt": b.plant("agent's prompt")}, "I found "+b.plant("agent's report"), nil)
	b.calls("ExitPlanMode", object{"plan": "# Plan\n1. Use a heap for " + b.plant("plan"), "planFilePath": "/home/ann/.claude/plans/" + b.name("plan's file") + ".md"}, "User has approved your plan. You can now start coding.", nil)
	question := "Which queue for " + b.plant("question") + "?"
	b.calls("AskUserQuestion", object{"questions": []object{{"question": question, "header": "Queue", "options": []object{{"label": "Heap", "description": b.plant("option")}, {"label": "List", "description": "no"}}}}},
		"ok", object{"toolUseResult": object{"answers": object{question: "Heap"}, "annotations": object{question: object{"notes": b.plant("answer's note")}}}})
	b.record("user", object{"role": "user", "content": "<command-name>/" + b.name("command's name") + "</command-name><command-args>" + b.plant("command's arguments") + "</command-args>"}, nil)
	b.says("<uploaded_files>\n<file><file_path>/tmp/" + b.name("upload") + ".pdf</file_path></file>\n</uploaded_files>\n\nUse " + path("path typed") + " instead of the old file, because " + b.plant("prompt") + " is in it.")
	b.line(object{"type": "queue-operation", "operation": "enqueue", "timestamp": b.at.Format(time.RFC3339Nano), "sessionId": b.id, "content": "Later: " + b.plant("queued")})
	b.record("user", object{"role": "user", "content": "This session is being continued from a previous conversation. " + b.plant("summary")}, object{"isCompactSummary": true})
	b.line(object{"type": "pr-link", "prNumber": 7, "prUrl": "https://github.com/ann/" + b.name("PR") + "/pull/7", "prRepository": "ann/" + b.name("PR's repository"), "sessionId": b.id, "timestamp": b.at.Format(time.RFC3339Nano)})
	b.line(object{"type": "worktree-state", "sessionId": b.id, "worktreeSession": object{"worktreePath": "/home/ann/trees/" + b.name("worktree"), "worktreeName": b.name("worktree's name"),
		"worktreeBranch": b.name("worktree's branch"), "originalCwd": b.cwd}})
	b.line(object{"type": "an-unknown-" + b.name("record's type"), "sessionId": b.id})
	b.record("assistant", object{"id": "mlast", "type": "message", "role": "assistant", "model": "model-" + b.name("model"), "content": []object{words("Next: log what " + b.plant("reply") + " does. The mock is wrong, don't forget.")},
		"stop_reason": "end_turn", "usage": object{"input_tokens": 1, "output_tokens": 1}}, object{"version": "9.9." + b.name("version")})
	b.lines.WriteString(`{"type":"user" "` + b.name("broken line") + "\n")
	slug := strings.Map(func(r rune) rune { // as the client calls the folder
		if r < 0x80 && (r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return r
		}
		return '-'
	}, b.cwd)
	b.file(filepath.Join(root, slug, b.id+".jsonl"), b.lines.Bytes())
}

func (b *bed) file(path string, text []byte) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.t.Fatal(err)
	}
	when := b.at
	if err := os.Chtimes(path, when, when); err != nil {
		b.t.Fatal(err)
	}
}

// cowork writes a Cowork session with its record, uploads and outputs.
func (b *bed) cowork(root string, i int) {
	id := fmt.Sprintf("local_%08x-0000-4000-8000-0000000000bb", 0xd0000000+i)
	b.id, b.parent, b.n, b.branch = fmt.Sprintf("%08x-0000-4000-8000-0000000000bc", 0xd0000000+i), nil, 0, "HEAD"
	b.lines.Reset()
	dir := filepath.Join(root, "0a000000-0000-4000-8000-00000000000a", "0b000000-0000-4000-8000-00000000000b")
	b.cwd = "/sessions/calm-" + b.name("VM's process")
	upload, output := b.name("Cowork upload"), b.name("Cowork output")
	b.says("<uploaded_files>\n<file><file_path>" + b.cwd + "/mnt/uploads/" + upload + ".csv</file_path></file>\n</uploaded_files>\n\nLet's compare the offers by price instead of by date, because the budget is fixed.")
	b.calls("Write", object{"file_path": b.cwd + "/mnt/outputs/" + output + ".md", "content": "x"}, "done", nil)
	b.answers(words("Compared. See " + b.cwd + "/mnt/outputs/" + output + ".md"))
	b.file(filepath.Join(dir, id, ".claude", "projects", "-sessions-calm", b.id+".jsonl"), b.lines.Bytes())
	b.file(filepath.Join(dir, id, "uploads", upload+".csv"), []byte("a,b"))
	b.file(filepath.Join(dir, id, "outputs", output+".md"), []byte("x"))
	record := object{"sessionId": id, "processName": strings.TrimPrefix(b.cwd, "/sessions/"), "cliSessionId": b.id, "cwd": b.cwd, "title": "Compare " + b.plant("Cowork title"),
		"initialMessage": "Let's compare " + b.plant("Cowork first message"), "model": "claude-opus-4-8", "scheduledTaskId": b.name("schedule"),
		"createdAt": b.at.UnixMilli(), "lastActivityAt": b.at.UnixMilli(), "spaceId": fmt.Sprintf("space-%d", i)}
	if i%2 == 0 {
		record["userSelectedFolders"] = []string{"/Users/ann/" + b.name("Cowork folder")}
	}
	text, err := json.Marshal(record)
	if err != nil {
		b.t.Fatal(err)
	}
	b.file(filepath.Join(dir, id+".json"), text)
}

// spaces writes the table of Cowork's spaces.
func (b *bed) spaces(root string, n int) {
	var all []object
	for i := range n {
		all = append(all, object{"id": fmt.Sprintf("space-%d", i), "name": "Space " + b.name("space")})
	}
	text, err := json.Marshal(object{"spaces": all})
	if err != nil {
		b.t.Fatal(err)
	}
	b.file(filepath.Join(root, "0a000000-0000-4000-8000-00000000000a", "0b000000-0000-4000-8000-00000000000b", "spaces.json"), text)
}

// keyFiles may say exactly where something is: they are as raw as raw/ is, and so
// is the list of what the session.json files say. What is derived names those
// places by what library.Project.Show makes of them.
var keyFiles = map[string]bool{"session.json": true, "projects.toml": true, "seen.tsv": true, "archived.tsv": true}

// A secret may stand anywhere in a transcript, in the name of a folder, a
// branch, a tool too. It is nowhere but in raw/ and in the keys by which things
// are found again: not in a derived file or a file's name, not in the index, not
// in what a command prints, not in what a model is asked.
func TestPlantedSecretsStayInRaw(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	d := newDesk(t)
	b := &bed{t: t, r: rand.New(rand.NewPCG(7, 11)), kinds: planted.Kinds(), secrets: map[string]plot{}, at: time.Now().UTC().Add(-60 * 24 * time.Hour)}
	if b.sessions = 34; plantedTable != "" { // each kind in a dozen places
		b.sessions = len(b.kinds) / 3
	}
	code, cowork := filepath.Join(d.home, "code", "projects"), filepath.Join(d.home, "cowork", "local-agent-mode-sessions")
	for i := range b.sessions {
		b.session(code, i)
		b.cowork(cowork, i)
	}
	b.spaces(cowork, b.sessions)
	if len(b.secrets) < 1000 {
		t.Fatalf("%d secrets planted: this test proves too little", len(b.secrets))
	}
	var bodies bytes.Buffer
	var mu sync.Mutex
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = bodies.ReadFrom(r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":"1","object":"chat.completion","model":"small","choices":[{"index":0,"message":{"role":"assistant","content":"{\"items\":[]}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`)
	}))
	defer service.Close()
	b.file(filepath.Join(d.home, "config", "recall", "config.yaml"), []byte("sources:\n  claude_code: ["+filepath.Dir(code)+"]\n  cowork: ["+cowork+"]\n"+
		"llm: {provider: openai, model: small, url: '"+service.URL+"/v1'}\n"))
	outputs := b.printed()
	for what, out := range outputs {
		b.look("what recall "+what+" prints", out)
	}
	if n := bytes.Count(bodies.Bytes(), []byte("‹")); n < 500 {
		t.Errorf("%d placeholders were sent: this test proves nothing", n)
	}
	b.look("what a model was asked", bodies.Bytes())
	entries, err := os.ReadDir(d.home) // the library, the cache, logs, exports, what hooks left
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch dir := filepath.Join(d.home, e.Name()); {
		case dir == filepath.Dir(code) || dir == filepath.Dir(cowork) || dir == d.project:
		case e.IsDir():
			b.lookIn(dir)
		default:
			text, err := os.ReadFile(dir)
			if err != nil {
				t.Fatal(err)
			}
			b.look(e.Name(), text)
		}
	}
	b.lookAtIndex()
	b.table()
}

// table reports more than one leak in a hundred, and writes how many of each kind
// leaked to the file that RECALL_PLANTED names.
func (b *bed) table() {
	type row struct{ planted, leaked int }
	rows := map[string]*row{}
	for secret, p := range b.secrets {
		for _, name := range []string{"all", p.kind.Class + "/" + p.kind.Name} {
			if rows[name] == nil {
				rows[name] = &row{}
			}
			rows[name].planted++
			if b.leaked[secret] {
				rows[name].leaked++
			}
		}
	}
	var out strings.Builder
	out.WriteString("| kind | leaked of planted |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(&out, "| %s | %d / %d |\n", name, rows[name].leaked, rows[name].planted)
	}
	if plantedTable == "" {
		plantedTable = os.DevNull
	}
	if err := os.WriteFile(plantedTable, []byte(out.String()), 0o600); err != nil {
		b.t.Fatal(err)
	}
	if all := rows["all"]; all.leaked*100 > all.planted {
		b.t.Errorf("%d of %d planted secrets leaked, want at most 1 %%", all.leaked, all.planted)
	}
}

// head is how many bytes of a secret are looked up at once.
const head = 6

// look reports the planted secrets in a text, in any case of letters.
func (b *bed) look(where string, text []byte) {
	if b.heads == nil {
		b.heads, b.leaked = map[[head]byte][]string{}, map[string]bool{}
		for secret := range b.secrets {
			low := strings.ToLower(secret)
			b.heads[[head]byte([]byte(low[:head]))] = append(b.heads[[head]byte([]byte(low[:head]))], secret)
		}
	}
	low := bytes.ToLower(text)
	here := map[string]bool{}
	for i := range max(len(low)-head+1, 0) {
		for _, secret := range b.heads[[head]byte(low[i:i+head])] {
			if here[secret] || !bytes.HasPrefix(low[i:], []byte(strings.ToLower(secret))) {
				continue
			}
			here[secret], b.leaked[secret] = true, true
			place := b.secrets[secret]
			b.t.Logf("%s holds the secret of a %s: %.70q", where, place, low[max(0, i-20):min(len(low), i+50)])
		}
	}
}

func (b *bed) lookIn(dir string) {
	eachFile(b.t, dir, func(path string, _ fs.DirEntry) {
		folder := filepath.Base(filepath.Dir(path))
		rel, _ := filepath.Rel(dir, path)
		if folder == "raw" {
			return
		}
		if folder != "outputs" { // their names are raw
			b.look("the name "+rel, []byte(rel))
		}
		if keyFiles[filepath.Base(path)] || filepath.Ext(path) == ".list" {
			return
		}
		text, err := os.ReadFile(path)
		if err != nil {
			b.t.Fatal(err)
		}
		b.look(rel, text)
	})
}

// lookAtIndex looks at all that the index holds, unpacked.
func (b *bed) lookAtIndex() {
	eachFile(b.t, os.Getenv("XDG_CACHE_HOME"), func(path string, _ fs.DirEntry) {
		if filepath.Base(path) != "index.db" {
			return
		}
		all, err := indextest.Dump(path)
		if err != nil {
			b.t.Fatal(err)
		}
		for _, want := range []string{"a heap instead of a sorted list", "budget is fixed", "‹"} {
			if !bytes.Contains(all, []byte(want)) {
				b.t.Fatalf("the dump of the index doesn't hold %q: this test proves nothing", want)
			}
		}
		b.look("the index", all)
		secrets := strings.ToLower(strings.Join(slices.Collect(maps.Keys(b.secrets)), "\n"))
		for word := range strings.Lines(string(all)) {
			word = strings.ToLower(strings.TrimSpace(word))
			if len(word) < 12 || strings.Contains(word, " ") || !strings.Contains(secrets, word) {
				continue
			}
			for secret := range b.secrets {
				if strings.Contains(strings.ToLower(secret), word) {
					b.leaked[secret] = true
					b.t.Logf("the index holds %q, a part of a secret of a %s", word, b.secrets[secret])
				}
			}
		}
	})
}

// printed is what commands print, errors too, by command.
func (b *bed) printed() map[string][]byte {
	all := map[string][]byte{}
	say := func(args ...string) []byte {
		var out, errs bytes.Buffer
		run(b.t.Context(), args, strings.NewReader(""), &out, &errs)
		all[strings.Join(args, " ")] = append(out.Bytes(), errs.Bytes()...)
		return out.Bytes()
	}
	say("init", "--yes")
	say("sync")
	var sessions []listed
	if err := json.Unmarshal(say("list", "--json"), &sessions); err != nil || len(sessions) != 2*b.sessions {
		b.t.Fatalf("%d sessions, %v\n%s", len(sessions), err, all["sync"])
	}
	var projects []projectDoc
	if err := json.Unmarshal(say("project", "list", "--json"), &projects); err != nil || len(projects) < min(b.sessions, 20) {
		b.t.Fatalf("%d projects, %v", len(projects), err)
	}
	for i, s := range sessions {
		if i%6 > 1 { // what is printed is made of what is looked through whole
			continue
		}
		id := string(s.ID)
		say("show", id)
		say("show", id, "--transcript")
		say("actions", id, "--json")
		say("manifest", id, "--json")
	}
	for i, p := range projects {
		if i%4 > 0 {
			continue
		}
		say("resume", p.Name, "--no-sync")
		say("thread", p.Name)
	}
	id := string(sessions[0].ID)
	for _, args := range [][]string{{"list"}, {"project", "list"}, {"status"}, {"status", "--json"}, {"changed"}, {"log"}, {"log", "--json"}, {"habits"}, {"verify"}, {"repair"},
		{"usage"}, {"review"}, {"query", "--no-sync", "heap instead of sorted list"}, {"query", "--no-sync", "--json", "which offers do we compare"}, {"thread"},
		{"inspect", filepath.Join(os.Getenv("HOME"), "code")}, {"inspect", "--json", filepath.Join(os.Getenv("HOME"), "cowork")}, {"export", id, "--to", filepath.Join(os.Getenv("HOME"), "out")}, {"export", id, "--to", filepath.Join(os.Getenv("HOME"), "out.html")},
		{"brief", "build the importer with a heap"}, {"handoff", "--to", "bea"}, {"guard"}, {"guard", os.Getenv("HOME")}, {"restore", id, "--dry-run"},
		{"forget", id, "--dry-run"}, {"why", "src/x.go:1"}, {"files", "x.go"}, {"fix", "FAIL exit status 1"}, {"progress", id, "--once"}, {"reindex"}, {"archive"}, {"sync"}} {
		say(args...)
	}
	var asked []string
	call := func(method string, params object) {
		line, err := json.Marshal(object{"jsonrpc": "2.0", "id": len(asked) + 1, "method": method, "params": params})
		if err != nil {
			b.t.Fatal(err)
		}
		asked = append(asked, string(line)+"\n")
	}
	call("initialize", object{"protocolVersion": "2025-06-18", "capabilities": object{}, "clientInfo": object{"name": "x", "version": "1"}})
	call("resources/list", object{})
	for i, s := range sessions {
		if i%8 > 1 {
			continue
		}
		call("resources/read", object{"uri": "recall://payload/" + string(s.ID)})
		call("tools/call", object{"name": "recall_session", "arguments": object{"session": string(s.ID)}})
		call("tools/call", object{"name": "recall_state", "arguments": object{"session": string(s.ID)}})
	}
	for i, p := range projects {
		if i%8 == 0 {
			call("tools/call", object{"name": "recall_resume", "arguments": object{"project": p.Name}})
		}
	}
	for _, question := range []string{"which queue, heap or sorted list", "which offers do we compare", "what is next", "what went wrong"} {
		call("tools/call", object{"name": "recall_query", "arguments": object{"question": question}})
		call("tools/call", object{"name": "recall_check", "arguments": object{"plan": question}})
	}
	said := b.asksServer(asked)
	if n := bytes.Count(said, []byte("‹")); n < 100 {
		b.t.Errorf("%d placeholders were answered over MCP: this test proves nothing", n)
	}
	all["over MCP"] = said
	told := 0
	for i, folder := range b.folders {
		if i%8 > 0 {
			continue
		}
		for event, in := range map[string]object{"session-start": {"source": "startup"}, "user-prompt-submit": {"prompt": "Which queue do we use, a heap?"},
			"pre-tool-use": {"tool_name": "Bash", "tool_input": object{"command": "rm -rf " + os.Getenv("HOME")}}, "pre-compact": {"trigger": "auto"}, "session-end": {"reason": "exit"}} {
			in["session_id"], in["cwd"], in["hook_event_name"] = fmt.Sprintf("hooked-%d", i), folder, event
			text, err := json.Marshal(in)
			if err != nil {
				b.t.Fatal(err)
			}
			var out, errs bytes.Buffer
			run(b.t.Context(), []string{"hook", event}, bytes.NewReader(text), &out, &errs)
			all[fmt.Sprintf("hook %s %d", event, i)] = append(out.Bytes(), errs.Bytes()...)
			told += out.Len()
		}
	}
	if told == 0 {
		b.t.Error("no hook said anything: this test proves nothing about them")
	}
	return all
}

// asksServer sends requests to `recall mcp` and returns all its answers.
func (b *bed) asksServer(requests []string) []byte {
	said := &allAnswers{left: len(requests), done: make(chan struct{})}
	var errs bytes.Buffer
	run(b.t.Context(), []string{"mcp"}, io.MultiReader(strings.NewReader(strings.Join(requests, "")), said), said, &errs)
	return append(said.Bytes(), errs.Bytes()...)
}

// allAnswers is what a server says, and the end of its input once it has answered
// everything.
type allAnswers struct {
	bytes.Buffer
	left int
	done chan struct{}
}

func (a *allAnswers) Write(p []byte) (int, error) {
	n, err := a.Buffer.Write(p)
	if a.left -= bytes.Count(p, []byte("\n")); a.left == 0 {
		close(a.done)
	}
	return n, err
}

func (a *allAnswers) Read([]byte) (int, error) {
	<-a.done
	return 0, io.EOF
}
