package manifest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/trace"
	_ "recall/library/ramdisk"
)

var noon = time.Date(2026, 8, 3, 12, 0, 0, 0, time.UTC)

const mnt = "/sessions/calm/mnt"

// inVM is a Cowork session of the given calls, a turn each.
func inVM(calls ...ingest.ToolCall) *ingest.Session {
	s := &ingest.Session{ID: "local_1", Source: ingest.Cowork, Title: "Sales chart", Start: noon, End: noon.Add(time.Hour)}
	s.Where = ingest.Where{Process: "calm", Storage: "/Users/ann/Claude/local_1", Folders: []string{"/Users/ann/Sales"}}
	for i, c := range calls {
		c.ID, c.Done = fmt.Sprint("c", i+1), true
		s.Turns = append(s.Turns, ingest.Turn{ID: ingest.TurnID(fmt.Sprint("t", i+1)), N: i + 1, Role: ingest.Assistant,
			Dir: "/sessions/calm",
			At:  noon.Add(time.Duration(i) * time.Minute), Calls: []ingest.ToolCall{c}})
	}
	return s
}

func sh(command string) ingest.ToolCall {
	return ingest.ToolCall{Name: "mcp__workspace__bash", Command: command}
}

func write(path, content string) ingest.ToolCall {
	return ingest.ToolCall{Name: "Write", Path: path, Input: map[string]string{"content": content}}
}

func edit(path string) ingest.ToolCall {
	return ingest.ToolCall{Name: "Edit", Path: path, Edits: []ingest.Edit{{Old: "a", New: "b"}}}
}

func of(s *ingest.Session, archived ...Archived) Manifest { return Of(s, trace.OfSession(s), archived) }

// lines says a manifest's files, one a line.
func lines(m Manifest) string {
	var out []string
	for _, in := range m.Inputs {
		out = append(out, fmt.Sprintf("in %s %s", in.Machine, in.Path))
	}
	for _, group := range []struct {
		name string
		made []Made
	}{{"mid", m.Intermediate}, {"out", m.Outputs}} {
		for _, f := range group.made {
			mark := "lost"
			if f.Rebuildable {
				mark = "ok"
			}
			out = append(out, fmt.Sprintf("%s %s %s %s %s: %s", group.name, f.Machine, f.How, f.Path, mark, f.Reason))
		}
	}
	return strings.Join(out, "\n")
}

// A module that Python runs is no file that was read.
func TestModuleIsNoInput(t *testing.T) {
	got := lines(of(inVM(sh("cd /sessions/calm && python3 -m pytest tests/a.py > report.txt"))))
	if !strings.Contains(got, "report.txt") || strings.Contains(got, "calm/pytest") {
		t.Error(got)
	}
}

func TestFilesOfAMachine(t *testing.T) {
	m := of(inVM(
		ingest.ToolCall{Name: "Read", Path: mnt + "/Sales/2026.csv"},
		sh("pip install pandas==2.2.2 -q"),
		write("/sessions/calm/clean.py", `df = pd.read_csv("/sessions/calm/mnt/Sales/2026.csv"); df.to_csv("clean.csv")`),
		sh("python3 clean.py"),
		sh("sort clean.csv | head -20 > top.csv"),
		sh("curl -s https://example.org/rates.json -o rates.json"),
		sh("jq .eur rates.json > eur.txt"),
		sh("python3 <<'E'\nopen('/tmp/notes.txt','w').write('x')\nE"),
		sh("cat > readme.md <<'E'\n# hello\nE"),
		edit("/sessions/calm/readme.md"),
		sh("cp top.csv "+mnt+"/outputs/top.csv"),
		sh("make report.bin && ./tool -o report.out"),
		write("/sessions/calm/scrap.txt", "x"),
		sh("rm scrap.txt"),
	), Archived{Name: "outputs/top.csv", Size: 9, SHA256: "ab"}, Archived{Name: "uploads/brief.pdf", Size: 5,
		SHA256: "cd"})
	want := strings.TrimSpace(`
in host /sessions/calm/mnt/Sales/2026.csv
in host /sessions/calm/mnt/uploads/brief.pdf
mid vm created /sessions/calm/clean.py ok: its content is in the transcript
mid vm created /sessions/calm/clean.csv ok: made by a command from files that are known
mid vm created /sessions/calm/top.csv ok: made by a command from files that are known
mid vm created /sessions/calm/rates.json lost: fetched by curl: what is there may change
mid vm created /sessions/calm/eur.txt lost: made from rates.json, which can't be made again: fetched by curl: what is there may change
mid vm created /tmp/notes.txt ok: made by a command that reads no file
mid vm created /sessions/calm/readme.md lost: made by a command, then edited by hand
mid vm created /sessions/calm/report.out lost: made by tool; what it read isn't known
out host created /sessions/calm/mnt/outputs/top.csv ok: made by a command from files that are known`)
	if diff := cmp.Diff(want, lines(m)); diff != "" {
		t.Error(diff)
	}
	if m.Machine != VM || len(m.Packages) != 1 || m.Packages[0].Version != "2.2.2" {
		t.Errorf("machine %s, packages %+v", m.Machine, m.Packages)
	}
	for _, f := range m.Outputs {
		if strings.HasSuffix(f.Path, "outputs/top.csv") && (f.SHA256 != "ab" ||
			f.Host != "/Users/ann/Claude/local_1/outputs/top.csv") {
			t.Errorf("got %+v, want the archived sum and the host's path", f)
		}
	}
}

// What a person gave is an input though only a command line names it; what was shown to them is
// an output whoever made it; what a server was asked for is known, each once.
func TestGivenShownAndAsked(t *testing.T) {
	m := of(inVM(
		sh("whisper "+mnt+"/uploads/a.mp3 --output_dir=. --model small"),
		sh("mytool --from="+mnt+"/Sales/2026.csv -o "+mnt+"/Sales/new.csv; ls "+mnt+"/Sales/else.csv"),
		sh("rm "+mnt+"/Sales/old.csv; mytool "+mnt+"/outputs/own.csv /etc/passwd.bak"),
		ingest.ToolCall{Name: "mcp__notion__fetch", Input: map[string]string{"id": "page-123"}},
		ingest.ToolCall{Name: "mcp__notion__fetch", Input: map[string]string{"id": "page-123"}},
		ingest.ToolCall{Name: "mcp__notion__search", Failed: true},
		ingest.ToolCall{Name: "WebFetch", Input: map[string]string{"url": "https://example.org/a", "prompt": "rates"}},
		ingest.ToolCall{Name: "mcp__workspace__web_fetch", Input: map[string]string{"url": "https://example.org/b"}},
		ingest.ToolCall{Name: "mcp__recall__recall_query", Input: map[string]string{"question": "x"}},
		sh("python3 make.py"),
		ingest.ToolCall{Name: "mcp__cowork__present_files", Input: map[string]string{
			"files": `[{"file_path":"/sessions/calm/report.docx"},{"file_path":"` + mnt + `/outputs/chart.png"}]`}},
	), Archived{Name: "uploads/a.mp3", Size: 5, SHA256: "cd"}, Archived{Name: "outputs/chart.png", Size: 9, SHA256: "ab"})
	want := strings.TrimSpace(`
in host /sessions/calm/mnt/uploads/a.mp3
in host /sessions/calm/mnt/Sales/2026.csv
mid vm created /sessions/calm/make.py lost: no known call made it
out host created /sessions/calm/mnt/Sales/new.csv lost: made by mytool; what it read isn't known
out host created /sessions/calm/mnt/outputs/chart.png lost: no known call made it
out vm created /sessions/calm/report.docx lost: no known call made it`)
	if diff := cmp.Diff(want, lines(m)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Connector{{Server: "notion", Tool: "fetch", What: "id: page-123", Turn: 4},
		{Server: "web", Tool: "WebFetch", What: "https://example.org/a", Turn: 7},
		{Server: "web", Tool: "web_fetch", What: "https://example.org/b", Turn: 8}}, m.Connectors); diff != "" {
		t.Error(diff)
	}
	again, _ := Stay{m, nil, nil}.Rebuild(nil)
	asked := "\n# Asked of a server, which this script doesn't repeat: notion fetch id: page-123\n"
	if !strings.Contains(again, asked) {
		t.Errorf("whoever brings the machine back isn't told what else there was:\n%s", again)
	}
}

// What isn't known for sure can't be made again.
func TestNotRebuildable(t *testing.T) {
	in := "/sessions/calm/x.csv"
	for name, c := range map[string]struct {
		calls []ingest.ToolCall
		want  string
	}{
		"a failed line": {[]ingest.ToolCall{{Name: "Bash", Command: "echo a > x.csv && false", Failed: true}},
			"failed somewhere"},
		"a secret":              {[]ingest.ToolCall{sh("echo '‹api-key 1›' > x.csv")}, "holds a secret"},
		"a glob":                {[]ingest.ToolCall{sh("cat *.csv > x.csv")}, "known only to the shell"},
		"a substitution":        {[]ingest.ToolCall{sh("echo $(date) > x.csv")}, "known only to the shell"},
		"a file of the machine": {[]ingest.ToolCall{sh("sort /opt/before.csv > x.csv")}, "was in the machine before"},
		"a program's file":      {[]ingest.ToolCall{sh("sort /sessions/calm/before.csv > x.csv")}, "no known call made it"},
		"a script of before":    {[]ingest.ToolCall{sh("python3 old.py > x.csv")}, "whose text isn't known"},
		"a script's folder walk": {[]ingest.ToolCall{sh("python3 -c 'import os; print(os.listdir(\".\"))' > x.csv")},
			"os.listdir"},
		"a script that fetches": {[]ingest.ToolCall{sh("python3 -c 'import requests' > x.csv")}, "fetches"},
		"edited, was there":     {[]ingest.ToolCall{edit(in)}, "existed before"},
		"changed in place": {[]ingest.ToolCall{sh("cat > x.csv <<'E'\na\nE"), sh("sed -i s/a/b/ x.csv")},
			"changed in place"},
		"its source is gone": {[]ingest.ToolCall{write("/sessions/calm/a", "1"), sh("cp a x.csv"), sh("rm a")},
			"deleted or renamed"},
		"from itself":     {[]ingest.ToolCall{sh("sort y.csv > x.csv"), sh("sort x.csv > y.csv")}, "which"},
		"behind a pipe":   {[]ingest.ToolCall{sh("mysql -e 'select 1' | sort > x.csv")}, "made by mysql"},
		"too long a line": {[]ingest.ToolCall{sh("cat > x.csv <<'E'\n… 900 bytes left out …\nE")}, "too long"},
	} {
		m := of(inVM(c.calls...))
		found := false
		for _, f := range append(m.Intermediate, m.Outputs...) {
			if f.Path != in {
				continue
			}
			if found = true; f.Rebuildable || !strings.Contains(f.Reason, c.want) {
				t.Errorf("%s: rebuildable %v: %q, want a reason with %q", name, f.Rebuildable, f.Reason, c.want)
			}
		}
		if !found {
			t.Errorf("%s: x.csv isn't in the manifest: %s", name, lines(m))
		}
	}
}

// What was moved under names that only the shell knew comes back in its old place, and the script says so.
func TestUnfollowedMoves(t *testing.T) {
	const loop = "for f in a; do mv $f.csv b_$f.csv; done"
	m := of(inVM(write("/sessions/calm/a.csv", "1"), sh(loop), sh("mv *.csv old/")))
	script, r := Stay{m, map[string][]byte{"/sessions/calm/a.csv": []byte("1")}, []string{"/sessions/calm"}}.Rebuild(nil)
	for _, command := range []string{loop, "mv *.csv old/"} {
		if !strings.Contains(script, "#   "+command+": it moved files") || len(r.Lost) != 2 {
			t.Errorf("%s isn't told:\n%.800s", command, script)
		}
	}
}

func TestOnTheHost(t *testing.T) {
	s := inVM(ingest.ToolCall{Name: "Read", Path: "/app/a.go"}, edit("/app/a.go"), write("/app/b.go", "package b"),
		sh("git mv b.go c.go"), write("/tmp/x.sh", "ls"), sh("mv scans/1.jpg 2026/lake.jpg"))
	s.Source, s.Where = ingest.ClaudeCode, ingest.Where{}
	for i := range s.Turns {
		s.Turns[i].Dir = "/app"
	}
	want := strings.TrimSpace(`
in host /app/a.go
mid host created /tmp/x.sh ok: its content is in the transcript
out host edited /app/a.go lost: it existed before; its content then isn't known
out host created /app/c.go ok: its content is in the transcript
out host created /app/2026/lake.jpg lost: it existed before under another name; its content isn't known`)
	m := of(s)
	moved := "# On the host, where it was: /app/2026/lake.jpg, by a command that this script doesn't repeat: " +
		"mv scans/1.jpg 2026/lake.jpg\n"
	if script, _ := (Stay{m, nil, []string{"/app"}}).Rebuild(nil); !strings.Contains(script, moved) {
		t.Errorf("the script says nothing of a file that was moved:\n%s", script)
	}
	if diff := cmp.Diff(want, lines(m)); diff != "" || m.Machine != Host {
		t.Error(m.Machine, diff)
	}
}
