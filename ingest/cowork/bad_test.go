package cowork

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

// find returns the ids found under path and the reasons of problems, without their paths.
func find(path string) (ids, reasons []string) {
	found, problems := Reader{}.Find(context.Background(), path, nil)
	for _, f := range found {
		ids = append(ids, string(f.ID))
	}
	for _, p := range problems {
		reasons = append(reasons, filepath.Base(p.Path)+": "+p.Reason())
	}
	return ids, reasons
}

func TestAuditBadLines(t *testing.T) {
	whole := heardUser(0, "a", "One.")
	d := newDisk(t)
	d.put(testID+"/audit.jsonl", strings.Join([]string{
		"\ufeff" + whole + "\r",
		"\r",
		`{"type":"user","uuid":"b","message":{"role":"us`, // cut, but the line goes on below
		"\x00\x00\x00",
		"\x00\x01\x02binary",
		`[1,2]`,
		`{"type":"user","uuid":"c"}`,
		strings.Repeat(`{"a":`, 20_000),
		`{"type":"user","uuid":"g","message":{"role":"user" "content":"Half."}}`,
		// a lost newline
		strings.Replace(heardSays(2, "d", "m1", "Two ? bytes."), "?", "\xff", 1) + heardUser(3, "e", "Three."),
		heardSays(4, "f", "m2", "Four.")[:60],
	}, "\n"))
	s := d.parseSession()
	wantOutline(t, s, "prompt: One. (audit)", "message: Two \ufffd bytes. (audit)", "prompt: Three. (audit)")
	var got []string
	for _, skip := range s.Report.Skipped {
		got = append(got, skip.File+":"+string(rune('0'+skip.Line))+": "+skip.Reason)
	}
	want := []string{
		"audit.jsonl:3: JSON that ends too early",
		"audit.jsonl:5: binary data",
		"audit.jsonl:6: not a JSON object",
		"audit.jsonl:7: no message in it",
		"audit.jsonl:8: JSON nested more than 10,000 levels deep",
		"audit.jsonl:9: not JSON",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("skipped, -want +got:\n%s", diff)
	}
	if !s.Report.Tail {
		t.Error("got no tail, want line 11")
	}
	if s.Report.Blank != 2 {
		t.Errorf("%d blank lines, want 2", s.Report.Blank)
	}
	for _, turn := range s.Turns {
		if turn.Text == "Three." && turn.Line != 10 {
			t.Errorf("the second object of line 10 is said to be at line %d", turn.Line)
		}
	}
}

// A log with CRLF is the log without it.
func TestAuditCRLF(t *testing.T) {
	lines := []string{heardUser(0, "a", "One."), heardSays(1, "b", "m1", "Two."),
		heardAt(2, `"type":"result","subtype":"success","uuid":"c","terminal_reason":"aborted_tools"`)}
	a, b := newDisk(t), newDisk(t)
	a.audit(lines...)
	b.put(testID+"/audit.jsonl", strings.Join(lines, "\r\n")+"\r\n")
	x, y := a.parseSession(), b.parseSession()
	if diff := cmp.Diff(outline(x), outline(y)); diff != "" {
		t.Errorf("-LF +CRLF:\n%s", diff)
	}
	if len(x.Turns) != 3 || y.Report.SkippedTotal != 0 {
		t.Errorf("%d turns, %d skipped", len(x.Turns), y.Report.SkippedTotal)
	}
}

func TestRecordHalfWritten(t *testing.T) {
	d := newDisk(t)
	d.put(testID+".json", `{"sessionId":"`+testID+`","processName":"p","title":"Cut`)
	ids, reasons := find(d.account)
	if diff := cmp.Diff([]string{testID + ".json: half-written; will be read again later"}, reasons); diff != "" ||
		len(ids) != 0 {
		t.Errorf("alone: ids %v, problems -want +got:\n%s", ids, diff)
	}
	d.audit(heardUser(0, "a", "One."))
	s := d.parseSession()
	wantOutline(t, s, "prompt: One. (audit)")
	if s.Where.Process != "p" || !s.Report.Tail {
		t.Errorf("process %q, tail %v; want what the record said so far, and that it waits", s.Where.Process,
			s.Report.Tail)
	}
}

func TestRecordUnusable(t *testing.T) {
	for name, content := range map[string]string{
		"empty":         "",
		"binary":        "\x7fELF\x00\x01\x02",
		"list":          "[]",
		"zeros":         "\x00\x00\x00\x00",
		"not a session": `{"sessionId":"local_x"}`,
		"deep":          `{"createdAt":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			d := newDisk(t)
			d.put(testID+".json", content)
			d.put("local_b.json", `{"processName":"q","createdAt":1785747590000}`)
			ids, reasons := find(d.account)
			if diff := cmp.Diff([]string{"local_b"}, ids); diff != "" || len(reasons) != 1 {
				t.Errorf("problems %q, ids -want +got:\n%s", reasons, diff)
			}
			d.audit(heardUser(0, "a", "One."))
			found, _ := Reader{}.Find(context.Background(), d.account, nil)
			if len(found) != 2 {
				t.Fatalf("%d sessions, want 2: the log is there", len(found))
			}
			for _, f := range found {
				if s := ingesttest.Parse(t, Reader{}, f); f.ID == testID {
					wantOutline(t, s, "prompt: One. (audit)")
				}
			}
		})
	}
}

func TestRecordLenient(t *testing.T) {
	d := newDisk(t)
	d.put(testID+".json", "\ufeff"+`{"sessionId":"`+testID+`","processName":5,"cwd":null,"createdAt":"2026-08-03T10:00:00+02:00",
		"lastActivityAt":1785747590000.75,"title":["x"],"userSelectedFolders":[{"path":"/a/b"},"/c",7,""],
		"initialMessage":"Do it.\nNow.","unknown":{"deep":[1,2,{}]},"sessionType":"dispatch_child","scheduledTaskId":"nightly",
		"accountName":"Ann Secret","emailAddress":"ann@secret.example","systemPrompt":"You are secret."}`)
	s := d.parseSession()
	if want := time.Date(2026, 8, 3, 8, 0, 0, 0, time.UTC); !s.Start.Equal(want) {
		t.Errorf("start %v, want %v", s.Start, want)
	}
	if want := time.UnixMilli(1785747590000).UTC(); !s.End.Equal(want) {
		t.Errorf("end %v, want %v", s.End, want)
	}
	if !cmp.Equal(s.Where.Folders, []string{"/a/b", "/c"}) || !s.Helper || s.Title != "Do it." {
		t.Errorf("got %+v helper %v title %q", s.Where, s.Helper, s.Title)
	}
	if all := strings.ToLower(cmp.Diff(ingest.Session{}, *s)); strings.Contains(all, "secret") {
		t.Errorf("something of the person or the system prompt was kept:\n%s", all)
	}
}

func TestClockNonsense(t *testing.T) {
	d := newDisk(t)
	d.put(testID+".json", `{"processName":"p","createdAt":-5,"lastActivityAt":99999999999999999,"initialMessage":"x"}`)
	s := d.parseSession()
	if !s.Start.IsZero() || !s.End.IsZero() {
		t.Errorf("from %v to %v, want no times", s.Start, s.End)
	}
}

// A session that two accounts have is one with what either says.
func TestTwoSessionsOfOneID(t *testing.T) {
	root := filepath.Join(t.TempDir(), sessionsFolder)
	a, b := disk{t, filepath.Join(root, "o1", "w")}, disk{t, filepath.Join(root, "o2", "w")}
	const line = `{"type":"user","uuid":%[1]q,"timestamp":"2026-08-03T09:00:0%[1]sZ","message":{"content":"said %[1]s"}}`
	for of, numbers := range map[disk][]string{a: {"1", "2"}, b: {"1", "2", "3", "4"}} { // the same under two accounts
		of.record("")
		var lines []string
		for _, n := range numbers {
			lines = append(lines, fmt.Sprintf(line, n))
		}
		of.transcript("c1", lines...)
	}
	found, problems := Reader{}.Find(context.Background(), root, nil)
	if len(found) != 1 || len(problems) != 0 || len(ingesttest.Parse(t, Reader{}, found[0]).Turns) != 4 {
		t.Errorf("of two copies: %+v, problems %v", found, problems)
	}
	c := newDisk(t)
	c.put("local_other.json", `{"sessionId":"`+testID+`","processName":"p","createdAt":1785747590000}`)
	s := c.parseSession()
	if s.ID != "local_other" || !cmp.Equal(s.Aliases, []ingest.SessionID{testID}) {
		t.Errorf("id %s, aliases %v", s.ID, s.Aliases)
	}
}

func TestUnreadableStorage(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no rights of this kind")
	}
	if os.Geteuid() == 0 {
		t.Log("root reads everything; the refusal itself isn't tried")
	}
	d := newDisk(t)
	d.record(`,"title":"Locked"`)
	locked := filepath.Dir(d.put(testID+"/.claude/projects/s/x.jsonl", ""))
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(locked, 0o700) })
	ids, reasons := find(d.account)
	if len(ids) != 1 || os.Geteuid() != 0 && len(reasons) == 0 {
		t.Errorf("ids %v, problems %v", ids, reasons)
	}
}

// A file that can't be opened is an error of its session.
func TestVanishedWhileRead(t *testing.T) {
	d := newDisk(t)
	d.record("")
	d.audit(heardUser(0, "a", "One."))
	found, _ := Reader{}.Find(context.Background(), d.account, nil)
	if err := os.Remove(filepath.Join(d.account, testID, "audit.jsonl")); err != nil {
		t.Fatal(err)
	}
	if _, err := (Reader{}).Parse(context.Background(), found[0]); err == nil ||
		!strings.Contains(err.Error(), "audit.jsonl") {
		t.Errorf("error %v, want one that names audit.jsonl", err)
	}
}

func TestSymlinks(t *testing.T) {
	d := newDisk(t)
	d.record("")
	secret := filepath.Join(t.TempDir(), "secret.jsonl")
	if err := os.WriteFile(secret, []byte(lineUser(0, "u1", "", "Not ours.")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.transcript("c1", lineUser(0, "u1", "", "Ours."))
	d.put(testID+"/outputs/real.txt", "x")
	d.put(testID+"/.audit-key", "key")
	d.put(testID+"/outputs/.audit-key", "key")
	storage := filepath.Join(d.account, testID)
	projects := filepath.Join(storage, ".claude", "projects")
	for link, target := range map[string]string{
		filepath.Join(storage, "outputs", "loop"):              storage,
		filepath.Join(storage, "outputs", "secret.txt"):        secret,
		filepath.Join(projects, "away"):                        filepath.Dir(secret),
		filepath.Join(projects, "again"):                       filepath.Join(projects, "-sessions-p"),
		filepath.Join(projects, "-sessions-p", "linked.jsonl"): secret,
		filepath.Join(d.account, "local_link"):                 storage,
		filepath.Join(filepath.Dir(d.account), "loop"):         filepath.Dir(d.account),
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	found, problems := Reader{}.Find(context.Background(), filepath.Dir(filepath.Dir(d.account)), nil)
	if len(found) != 1 {
		t.Fatalf("%d sessions, want 1", len(found))
	}
	var names []string
	for _, f := range found[0].Files {
		names = append(names, f.Name)
	}
	want := []string{"transcripts/c1.jsonl", "record.json", "outputs/real.txt"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("files, -want +got:\n%s", diff)
	}
	if len(problems) != 4 { // away, again, linked.jsonl, local_link
		t.Errorf("problems %v, want 4", problems)
	}
	wantOutline(t, ingesttest.Parse(t, Reader{}, found[0]), "prompt: Ours.")
}

func TestFindSkipsLookAlikes(t *testing.T) {
	root := filepath.Join(t.TempDir(), sessionsFolder)
	d := disk{t, filepath.Join(root, "org", "ws")}
	d.record("")
	whole := `{"processName":"p","createdAt":1785747590000}`
	d.put("../../skills-plugin/x/local_a.json", whole)
	d.put("../../node_modules/x/local_b.json", whole)
	d.put("../../.hidden/x/local_c.json", whole)
	d.put("../../../claude-code-sessions/x/y/local_d.json", whole)
	d.put(testID+"/outputs/copy/local_e.json", whole)
	d.put("rpm/x/local_f.json", whole)
	d.put("local_g/readme.txt", "no storage")
	d.put("agent/local_ditto_h.json", whole)
	ids, reasons := find(filepath.Dir(root))
	if diff := cmp.Diff([]string{testID, "local_ditto_h"}, ids); diff != "" || len(reasons) > 0 {
		t.Errorf("problems %v, ids -want +got:\n%s", reasons, diff)
	}
	if ids, _ := find(filepath.Join(d.account, testID, "outputs")); len(ids) != 0 {
		t.Errorf("in outputs: %v, want none", ids)
	}
	if _, reasons := find(filepath.Join(root, "nothing-here")); len(reasons) != 1 {
		t.Errorf("of a missing folder: %v, want one problem", reasons)
	}
}

func TestStorageWithoutRecord(t *testing.T) {
	d := newDisk(t)
	d.transcript("c1", lineUser(0, "u1", "", "Compare offers."),
		`{"type":"ai-title","aiTitle":"Offers","sessionId":"c1"}`)
	s := d.parseSession()
	if s.ID != testID || s.Title != "Offers" {
		t.Errorf("id %s, title %q", s.ID, s.Title)
	}
}

func TestScheduledRun(t *testing.T) {
	d := newDisk(t)
	d.record(`,"scheduledTaskId":"nightly","cliSessionId":"c1"`)
	d.transcript("c1", lineUser(0, "u1", "", `<scheduled-task name="nightly">Check the mail.</scheduled-task>`),
		lineSays(1, "u2", "u1", "m1", "Nothing new."))
	s := d.parseSession()
	if !s.Helper || s.Turns[0].Kind != ingest.Event {
		t.Errorf("helper %v, first turn %s", s.Helper, s.Turns[0].Kind)
	}
	d.transcript("c1", lineUser(0, "u1", "", `<scheduled-task name="nightly">Check the mail.</scheduled-task>`),
		lineSays(1, "u2", "u1", "m1", "Nothing new."),
		lineUser(9, "u3", "u2", "Look again."))
	if s := d.parseSession(); s.Helper {
		t.Error("a scheduled run in which somebody typed counts as a helper")
	}
}

func TestParseRefusesIDs(t *testing.T) {
	for _, id := range []ingest.SessionID{"", "..", "../x", `local_a\b`, "local_\x00"} {
		if _, err := (Reader{}).Parse(context.Background(), ingest.Found{ID: id}); err == nil {
			t.Errorf("%q was accepted", id)
		}
	}
}

// Sessions share the list of spaces, but no path: who remembers which session a
// file belongs to would take them for changed for ever.
func TestNoPathIsTwoSessions(t *testing.T) {
	d := newDisk(t)
	d.put("spaces.json", `[{"id":"s1","name":"Procurement"}]`)
	for _, name := range []string{"local_a", "local_b", "agent/local_c"} {
		d.put(name+".json", `{"processName":"p","createdAt":1785747590000,"spaceId":"s1"}`)
		d.put(name+"/audit.jsonl", heardUser(0, "u", "One.")+"\n")
	}
	found, _ := Reader{}.Find(context.Background(), d.account, nil)
	owner := map[string]ingest.SessionID{}
	for _, f := range found {
		for _, file := range f.Files {
			if other, ok := owner[file.Path]; ok {
				t.Errorf("%s is of %s and of %s", file.Path, other, f.ID)
			}
			owner[file.Path] = f.ID
			if _, err := os.Stat(file.Path); err != nil {
				t.Error(err)
			}
		}
		if s := ingesttest.Parse(t, Reader{}, f); s.Where.Space != "Procurement" {
			t.Errorf("%s: space %q", f.ID, s.Where.Space)
		}
	}
	if len(found) != 3 {
		t.Errorf("%d sessions, want 3", len(found))
	}
}
