package opencode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"

	"recall/ingest"
	"recall/ingest/ingesttest"
	"recall/ingest/opencode/opencodetest"
)

const (
	main = "ses_main00000000000000000001"
	sub  = "ses_sub000000000000000000001"
	back = "ses_back00000000000000000002"
)

// home is the client's folder with the sample's database, as it is while no client runs.
func home(t testing.TB) string {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := filepath.Join(t.TempDir(), "opencode")
	raw, err := os.ReadFile("../testdata/samples/11-opencode/rows.sql")
	err = errors.Join(err, os.Mkdir(dir, 0o700), opencodetest.Exec(filepath.Join(dir, dataName), string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// sql changes the database.
func sql(t testing.TB, dir string, statements ...string) {
	t.Helper()
	if err := opencodetest.Exec(filepath.Join(dir, dataName), strings.Join(statements, ";")); err != nil {
		t.Fatal(err)
	}
}

func find(t testing.TB, at string) (map[string]ingest.Found, []ingest.Problem) {
	t.Helper()
	found, problems := Reader{}.Find(context.Background(), at, nil)
	all := map[string]ingest.Found{}
	for _, f := range found {
		all[string(f.ID)] = f
	}
	return all, problems
}

// bytesOf are a file's, which are as many as it says.
func bytesOf(t testing.TB, f ingest.File) []byte {
	t.Helper()
	in, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(in)
	if err := errors.Join(err, in.Close()); err != nil {
		t.Fatal(err)
	}
	if int64(len(raw)) != f.Size {
		t.Errorf("%s: got %d bytes, it says %d", f.Name, len(raw), f.Size)
	}
	return raw
}

func file(t testing.TB, f ingest.Found, name string) ingest.File {
	t.Helper()
	at := slices.IndexFunc(f.Files, func(file ingest.File) bool { return file.Name == name })
	if at < 0 {
		t.Fatalf("no %s in %v", name, f.Files)
	}
	return f.Files[at]
}

// says is a statement that adds what somebody said.
func says(ses, id, role, text string) string {
	return fmt.Sprintf(`INSERT INTO message VALUES ('%[2]s', '%[1]s', 1789390000000, 1789390000000,
			'{"role":%[3]q,"time":{"created":1789390000000}}');
		INSERT INTO part VALUES ('prt_%[2]s', '%[2]s', '%[1]s', 1789390000000, 1789390000000, '{"type":"text","text":%[4]q}');`,
		ses, id, role, text)
}

// What was taken back stays, left; from a part on, what is behind that.
func TestRevert(t *testing.T) {
	dir := home(t)
	s := ingesttest.All(t, Reader{}, dir)[back]
	ingesttest.Equal(t, "left", ingesttest.Texts(s, ingest.Message, true), []string{"Done with tabs."})
	ingesttest.Equal(t, "stays", ingesttest.Texts(s, ingest.Message, false), []string{"Done with commas."})
	ingesttest.Equal(t, "title", s.Title, "Export orders as CSV.")
	sql(t, dir, `INSERT INTO part VALUES ('prt_zz', 'msg_b004', '`+back+`', 1, 1, '{"type":"text","text":"And more."}');
		UPDATE session SET revert = '{"messageID":"msg_b004","partID":"prt_zz"}' WHERE id = '`+back+`'`)
	s = ingesttest.All(t, Reader{}, dir)[back]
	ingesttest.Equal(t, "left", ingesttest.Texts(s, ingest.Message, true), []string{"And more."})
}

// Each row of a session is in one of its files, as it is stored, and how long they are is known without reading them.
func TestRows(t *testing.T) {
	dir := home(t)
	odd := "it's \"odd\"\n\x01\u00e9"
	sql(t, dir, `ALTER TABLE part ADD COLUMN "o'd""d" ANY; ALTER TABLE session ADD COLUMN share blob;
		CREATE TABLE future (session_id text, thing text, data blob); CREATE TABLE other (id text);
		INSERT INTO future VALUES ('`+main+`', '`+strings.ReplaceAll(odd, "'", "''")+`', x'00ff'), ('`+main+`', NULL, 1.5);
		CREATE TABLE session_message (id text, session_id text, time_created integer, data text);
		INSERT INTO session_message VALUES ('m', '`+main+`', 9, '{"text":"as later versions have it"}');
		UPDATE part SET "o'd""d" = 'x'; UPDATE session SET share = x'0a22'`)
	found, problems := find(t, dir)
	ingesttest.Equal(t, "problems", problems, nil)
	ingesttest.Equal(t, "sessions", len(found), 2)
	counted := map[string]int{}
	for _, f := range found {
		for _, file := range f.Files {
			for line := range bytes.Lines(bytesOf(t, file)) {
				table, _, _ := strings.Cut(strings.TrimPrefix(string(line), `{"table":"`), `"`)
				counted[table]++
			}
		}
	}
	ingesttest.Equal(t, "rows", counted, map[string]int{"session": 3, "message": 19, "part": 35, "todo": 1, "future": 2,
		"session_message": 1})
	record := string(bytesOf(t, file(t, found[main], recordName)))
	for _, want := range []string{`"thing":"it's \"odd\"\n\u0001é","data":` + "\x00\xff}", `"thing":null,"data":1.5}`,
		`"share":"0A22"}`} {
		if !strings.Contains(record, want) {
			t.Errorf("no %s in %s", want, record)
		}
	}
	for _, id := range []string{"session", "todo", "future"} {
		if !strings.Contains(record, `{"table":"`+id+`"`) {
			t.Errorf("no row of %s in %s", id, record)
		}
	}
	if first, _, _ := bytes.Cut(bytesOf(t, file(t, found[main], ingest.MainName)), []byte("\n")); !bytes.Contains(first,
		[]byte("as later versions have it")) {
		t.Errorf("the conversation as later versions keep it isn't in order: %s", first)
	}
	if line := `,"o'd\"d":"x","data":{"type":"text","text":"Commit it.","synthetic":false}}` + "\n"; !strings.Contains(
		string(bytesOf(t, file(t, found[main], ingest.MainName))), line) {
		t.Errorf("no %s", line)
	}
}

// What can't be read is said, and costs nothing else.
func TestBad(t *testing.T) {
	for name, in := range map[string]struct {
		do       func(t *testing.T, dir string)
		sessions int
		problem  string
	}{
		"no database": {func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, dataName), strings.Repeat("no database ", 1000))
		}, 0, "not a database"},
		"torn": {func(t *testing.T, dir string) {
			info, err := os.Stat(filepath.Join(dir, dataName))
			if err := errors.Join(err, os.Truncate(filepath.Join(dir, dataName), info.Size()/3)); err != nil {
				t.Fatal(err)
			}
		}, 0, "malformed"},
		"empty":             {func(t *testing.T, dir string) { write(t, filepath.Join(dir, dataName), "") }, 0, "which this version needs"},
		"no sessions":       {func(t *testing.T, dir string) { sql(t, dir, "DROP TABLE session") }, 0, "no session.id"},
		"no parts":          {func(t *testing.T, dir string) { sql(t, dir, "DROP TABLE part") }, 0, "no part.message_id"},
		"no messages":       {func(t *testing.T, dir string) { sql(t, dir, "DROP TABLE message") }, 0, "no message.time_created"},
		"nobody's rows":     {func(t *testing.T, dir string) { sql(t, dir, says("ses_x", "m", "user", "hi")) }, 2, `"ses_x"`},
		"another channel's": {func(t *testing.T, dir string) { write(t, filepath.Join(dir, "opencode-dev.db"), "x") }, 2, "not a database"},
		"its own parent":    {func(t *testing.T, dir string) { sql(t, dir, "UPDATE session SET parent_id = id") }, 3, ""},
		"in a circle": {func(t *testing.T, dir string) {
			sql(t, dir, "UPDATE session SET parent_id = CASE id WHEN '"+main+"' THEN '"+sub+"' ELSE '"+main+"' END")
		}, -1, ""},
		"a virtual table": {func(t *testing.T, dir string) {
			sql(t, dir, `PRAGMA writable_schema = ON; INSERT INTO sqlite_schema
				VALUES ('table', 'found', 'found', 0, 'CREATE VIRTUAL TABLE found USING unheardof(body)')`)
		}, 2, ""},
		"held": {func(t *testing.T, dir string) {
			sql(t, dir, "PRAGMA journal_mode = DELETE")
			c, err := sqlite3.Open("file:" + filepath.Join(dir, dataName))
			if err := errors.Join(err, c.Exec("BEGIN EXCLUSIVE; UPDATE session SET title = 'x'")); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
		}, 0, "locked"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := home(t)
			in.do(t, dir)
			found, problems := find(t, dir)
			if len(found) != in.sessions && in.sessions >= 0 || in.sessions < 0 && len(found) == 0 {
				t.Errorf("got %d sessions, want %d", len(found), in.sessions)
			}
			var said string
			for _, p := range problems {
				said += p.Reason()
			}
			if (said != "") != (in.problem != "") || !strings.Contains(said, in.problem) {
				t.Errorf("got %q, want %q", said, in.problem)
			}
			of := 0
			for _, f := range found {
				of += len(f.FilesOf(ingest.Transcript)) + len(f.FilesOf(ingest.SubagentFile))
				ingesttest.Parse(t, Reader{}, f)
			}
			if in.sessions != 0 && of != 3 {
				t.Errorf("got the conversations of %d sessions, want 3", of)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err := errors.Join(err, os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// A row that isn't as the client writes it is counted, and those around it are read.
func TestBadRows(t *testing.T) {
	dir := home(t)
	sql(t, dir, says(back, "msg_b999", "user", "Last."))
	for id, data := range map[string]string{"c": `'{"role":"user"'`, "d": `x'ff00'`, "e": `''`, "f": `'[1]'`,
		"g": "'a' || char(10) || 'b'", "h": "5"} {
		sql(t, dir, "INSERT INTO part VALUES ('prt_"+id+"', 'msg_b002', '"+back+"', 1, 1, "+data+")")
	}
	c, err := opencodetest.Open(filepath.Join(dir, dataName))
	if err != nil {
		t.Fatal(err)
	}
	huge, _, err := c.Prepare("INSERT INTO part VALUES ('prt_huge', 'msg_b002', '" + back + "', 1, 1, ?)")
	text := `{"type":"text","text":"` + strings.Repeat("x", 50<<20) + `"}`
	if err := errors.Join(err, huge.BindText(1, text), huge.Exec(), huge.Close(), c.Close()); err != nil {
		t.Fatal(err)
	}
	found, problems := find(t, dir)
	ingesttest.Equal(t, "problems", problems, nil)
	for _, f := range found[back].Files {
		bytesOf(t, f)
	}
	s := ingesttest.Parse(t, Reader{}, found[back])
	ingesttest.Equal(t, "skipped", s.Report.SkippedTotal, 5) // one of them is two lines
	ingesttest.Equal(t, "unknown", s.Report.Unknown, map[string]int{"part ": 2})
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, false), []string{"Export orders as CSV."})
	if got := ingesttest.Texts(s, ingest.Message, false); len(got) != 1 || len(got[0]) > ingest.ClipText {
		t.Errorf("got %d messages", len(got))
	}
}

// upgraded makes the tables of version 2.
const upgraded = `CREATE TABLE session_v2 (id text PRIMARY KEY, parent_id text, directory text, title text, version text,
		time_created integer, time_updated integer, time_archived integer);
	CREATE TABLE session_message (id text PRIMARY KEY, session_id text, type text, seq integer, time_created integer,
		time_updated integer, data text);`

// An upgraded database keeps what was said before as it was, has it in the newer tables as well, and goes on there.
func TestUpgraded(t *testing.T) {
	const tables = upgraded + `		INSERT INTO session_v2 VALUES ('` + back + `', NULL, '/home/ann/shop', 'Exports', '2.0.3', 1, 1, NULL),
			('ses_new', NULL, '/home/ann/shop', 'Imports', '2.0.3', 1, 1, NULL);
		INSERT INTO session_message
			SELECT id, session_id, 'user', 0, time_created, 1, '{"text":"again"}' FROM message WHERE session_id = '` + back + `';
		INSERT INTO session_message VALUES ('msg_z1', '` + back + `', 'user', 8, 1790000000000, 1, '{"text":"Semicolons."}'),
			('msg_z2', '` + back + `', 'assistant', 9, 1790000000001, 1, '{"model":{"id":"m-2"},"content":[' ||
				'{"type":"text","text":"Done."},{"type":"tool","tool":"bash","callID":"c9","state":{"status":"completed",' ||
				'"input":{"command":"make"},"output":"ok"}}]}'),
			('msg_n1', 'ses_new', 'user', 0, 5, 1, '{"text":"Read CSV."}')`
	dropped := "DROP TABLE part; DROP TABLE message; DROP TABLE session"
	for name, before := range map[string]string{"upgraded": "", "new": dropped} {
		t.Run(name, func(t *testing.T) {
			dir := home(t)
			sql(t, dir, tables)
			if before != "" {
				c, err := sqlite3.Open("file:" + filepath.Join(dir, dataName))
				if err := errors.Join(err, c.Exec(before), c.Close()); err != nil {
					t.Fatal(err)
				}
			}
			found, problems := find(t, dir)
			ingesttest.Equal(t, "newer session", ingesttest.Texts(ingesttest.Parse(t, Reader{}, found["ses_new"]),
				ingest.Prompt, false), []string{"Read CSV."})
			s := ingesttest.Parse(t, Reader{}, found[back])
			said := ingesttest.Texts(s, ingest.Prompt, false)
			if before == "" {
				ingesttest.Equal(t, "problems", problems, nil)
				ingesttest.Equal(t, "prompts", said, []string{"Export orders as CSV.", "Semicolons."})
			} else if len(said) == 0 || said[len(said)-1] != "Semicolons." {
				t.Errorf("got prompts %q", said)
			}
			last := s.Turns[len(s.Turns)-1]
			if last.Text != "Done." || last.Model != "m-2" || len(last.Calls) != 1 || last.Calls[0].Name != "Bash" {
				t.Errorf("got %+v", last)
			}
		})
	}
}

// Version 2 keeps what nobody said among what was said, a tool's call in one part with its result, and refusals of
// other wordings.
func TestVersion2(t *testing.T) {
	dir := home(t)
	rows := []string{
		"user", `{"text":"Count the bells.","files":[{"mime":"image/png","name":"tower.png"}],"time":{"created":5}}`,
		"synthetic", `{"text":"<system-reminder>Plan mode.</system-reminder>"}`, "system", `{"text":"You are."}`,
		"skill", `{"skill":"s","name":"review","text":"We decided on Redis."}`,
		"agent-switched", `{"agent":"build"}`, "model-switched", `{"model":{"id":"m"}}`,
		"shell", `{"shellID":"s","command":"ls","status":"exited","exit":2,"output":{"output":"none","truncated":false}}`,
		"assistant", `{"model":{"id":"m-2"},"content":[{"type":"reasoning","text":"hm"},{"type":"text","text":"Nine."},
			{"type":"tool","id":"c1","name":"shell","time":{"created":6,"completed":7},"state":{"status":"completed",
				"input":{"command":"make"},"content":[{"type":"text","text":"ok"},{"type":"text","text":"done"}],
				"metadata":{"exit":0}}},
			{"type":"tool","id":"c2","name":"edit","state":{"status":"error","input":{"path":"bells.go",
				"oldString":"8","newString":"9"},"error":{"type":"aborted","message":"The user declined this tool call"}}},
			{"type":"tool","id":"c3","name":"write","state":{"status":"error","input":{"path":"x"},
				"error":{"type":"permission.rejected","message":"Permission denied: edit"}}},
			{"type":"tool","id":"c4","name":"read","state":{"status":"streaming","input":"{\"pa"}}],
			"error":{"type":"aborted","message":"Step interrupted"},"finish":"error"}`,
		"idle", `{"outcome":"interrupted"}`,
		"location-switched", `{"location":{"directory":"/home/ann/tower"}}`,
		"compaction", `{"status":"running","summary":"","recent":""}`,
		"compaction", `{"status":"completed","summary":"Nine bells.","recent":"x"}`,
		"user", `{"text":"Go on."}`, "hologram", `{"text":"We decided on Mongo."}`,
	}
	statement := upgraded + `INSERT INTO session_v2 VALUES ('ses_v2', NULL, '/home/ann/shop', 'Bells', '2.0.14', 1, 1, NULL);`
	for i := 0; i < len(rows); i += 2 {
		statement += fmt.Sprintf("INSERT INTO session_message VALUES ('msg_%02d', 'ses_v2', '%s', %d, %d, 1, '%s');", i, rows[i],
			i, 1790000000000+i, strings.ReplaceAll(rows[i+1], "\n", ""))
	}
	sql(t, dir, statement)
	s := ingesttest.All(t, Reader{}, dir)["ses_v2"]
	var got []string
	for _, turn := range s.Turns {
		got = append(got, strings.Join([]string{string(turn.Role), string(turn.Kind), turn.Text, turn.Dir}, "|"))
		for _, c := range turn.Calls {
			got = append(got, fmt.Sprintf("  %s %s %s %q %v %s", c.ID, c.Name, c.Path+c.Command, c.Result, c.Failed, c.Verdict))
		}
	}
	if diff := cmp.Diff([]string{
		"user|prompt|Count the bells.|/home/ann/shop",
		"user|shell|ls|/home/ann/shop",
		"assistant|message||/home/ann/shop", `  msg_12 Bash ls "Exit code 2\nnone" true `,
		"assistant|message|Nine.|/home/ann/shop", `  c1 Bash make "ok\ndone" false `,
		`  c2 Edit bells.go "The user declined this tool call" true rejected`,
		`  c3 Write x "Permission denied: edit" true denied`, `  c4 Read  "" false `,
		"user|interrupt|[interrupted]|/home/ann/shop",
		"assistant|summary|Nine bells.|/home/ann/tower",
		"user|prompt|Go on.|/home/ann/tower",
	}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	ingesttest.Equal(t, "uploads", s.Turns[0].Uploads, []string{"tower.png"})
	ingesttest.Equal(t, "unknown", s.Report.Unknown, map[string]int{"message of hologram": 1})
}

// A fork holds copies under ids of its own; its parent owns them.
func TestFork(t *testing.T) {
	dir := home(t)
	sql(t, dir, `INSERT INTO session SELECT 'ses_fork', NULL, directory, title || ' (fork #1)', version, NULL,
			time_created + 1000000, time_updated, NULL FROM session WHERE id = '`+main+`';
		INSERT INTO message SELECT 'msg_f' || id, 'ses_fork', time_created + 1000000, time_updated, data FROM message
			WHERE session_id = '`+main+`' AND id < 'msg_0004';
		INSERT INTO part SELECT 'prt_f' || id, 'msg_f' || message_id, 'ses_fork', time_created, time_updated, data FROM part
			WHERE session_id = '`+main+`' AND message_id < 'msg_0004'`)
	sql(t, dir, says("ses_fork", "msg_z", "user", "Try it otherwise."))
	all := ingesttest.All(t, Reader{}, dir)
	family := []*ingest.Session{all["ses_fork"], all[main]}
	ingest.Own(family)
	own := 0
	for _, turn := range family[0].Turns {
		if !turn.Copied {
			own++
		}
	}
	if own != 1 || family[0].Parent == nil || family[0].Parent.Session != main {
		t.Errorf("got %d turns of its own, of %v", own, family[0].Parent)
	}
}

// Sessions whose rows tell no times aren't taken for copies of one another.
func TestNoTimes(t *testing.T) {
	dir := home(t)
	for _, id := range []string{"ses_x", "ses_y"} {
		sql(t, dir, "INSERT INTO session (id, directory) VALUES ('"+id+"', '/w'); "+
			strings.ReplaceAll(says(id, "msg_"+id, "user", "Begin "+id), "1789390000000", "0"))
	}
	all := ingesttest.All(t, Reader{}, dir)
	family := []*ingest.Session{all["ses_x"], all["ses_y"]}
	ingest.Own(family)
	for _, s := range family {
		if s.Turns[0].Copied {
			t.Errorf("what was said in %s isn't its own", s.ID)
		}
	}
}

func TestFind(t *testing.T) {
	dir := home(t)
	elsewhere := filepath.Join(t.TempDir(), "kept.db")
	if err := os.Rename(filepath.Join(dir, dataName), elsewhere); err != nil {
		t.Fatal(err)
	}
	found, problems := find(t, elsewhere)
	ingesttest.Equal(t, "a database that is named", fmt.Sprint(len(found), problems), "2 []")
	write(t, filepath.Join(dir, "opencode-dev.db"), "x")
	if _, problems = find(t, dir); len(problems) != 1 || !strings.Contains(problems[0].Reason(), "not a database") {
		t.Errorf("got %v, want that it can't be read", problems)
	}
	if err := os.Remove(filepath.Join(dir, "opencode-dev.db")); err != nil {
		t.Fatal(err)
	}
	none, problems := find(t, filepath.Join("..", "testdata", "samples", "01-branching"))
	ingesttest.Equal(t, "another client's", fmt.Sprint(len(none), problems), "0 []")
	write(t, filepath.Join(dir, "notes.db"), "mine")
	_, problems = find(t, filepath.Join(dir, "notes.db"))
	ingesttest.Equal(t, "nobody's", len(problems), 0)
	if err := os.Rename(elsewhere, filepath.Join(dir, "work.db")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OPENCODE_DB", filepath.Join(dir, "work.db"))
	found, problems = find(t, dir)
	ingesttest.Equal(t, "a database that OPENCODE_DB names", fmt.Sprint(len(found), problems), "2 []")
	ingesttest.Equal(t, "its log is watched", slices.Contains(ingest.WatchedIn(ingest.OpenCode, dir),
		filepath.Join(dir, "work.db-wal")), true)
	t.Setenv("OPENCODE_DB", "")
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	t.Setenv("XDG_DATA_HOME", filepath.Dir(dir))
	ingesttest.Equal(t, "roots", Reader{}.Roots(), []string{dir})
}

// FuzzParse holds that every line is kept, known and ignored by name, or reported, and that an end of line after the
// last one changes nothing.
func FuzzParse(f *testing.F) {
	raw, err := os.ReadFile("../testdata/samples/11-opencode/rows.sql")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(raw) {
		f.Add(line)
	}
	f.Add(raw[:6<<10])
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := ingesttest.Bytes(t, Reader{}, ingest.Transcript, ingest.MainName, raw)
		ended := ingesttest.Bytes(t, Reader{}, ingest.Transcript, ingest.MainName, append(bytes.Clone(raw), '\n'))
		if d := cmp.Diff(s.Turns, ended.Turns); d != "" && !s.Report.Tail {
			t.Fatalf("with an end of line at the end (-without +with):\n%s", d)
		}
	})
}
