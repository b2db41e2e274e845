package trace

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
)

var noon = time.Date(2026, 4, 17, 12, 0, 0, 0, time.UTC)

// run is a shell call that succeeded, or failed where its output begins so.
func run(command, output string) ingest.ToolCall {
	return ingest.ToolCall{Name: "Bash", Command: command, Done: true, Result: output,
		Failed: strings.HasPrefix(output, "Exit code "),
		Input:  map[string]string{"command": command}}
}

// session has a turn for each call, a minute apart, begun by a person's word.
func session(calls ...ingest.ToolCall) *ingest.Session {
	s := &ingest.Session{ID: "s", Source: ingest.ClaudeCode}
	s.Where.Branch = "main"
	s.Turns = append(s.Turns, ingest.Turn{ID: "t1", N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: "do it", At: noon})
	for i, c := range calls {
		at := noon.Add(time.Duration(i+1) * time.Minute)
		c.ID = fmt.Sprintf("c%d", i+2)
		if c.Done {
			c.At = at.Add(3 * time.Second)
		}
		s.Turns = append(s.Turns, ingest.Turn{ID: ingest.TurnID(fmt.Sprintf("t%d", i+2)), N: i + 2, Role: ingest.Assistant,
			Kind: ingest.Message,
			At:   at, Dir: "/w", Text: fmt.Sprintf("Step %d.\n\nNow the call.", i+2), Calls: []ingest.ToolCall{c}})
	}
	return s
}

// A session worked where a person asked, a sub-agent began, files were changed and commits made; where it only read, it
// didn't.
func TestWorkedIn(t *testing.T) {
	s := session(run("cd /w2 && cat a.go && git commit -qam 'one'", "[main abc1234] one"),
		run("cd /w3 && sed -i s/a/b/ b.go", ""), run("cd /w4 && sed -i s/a/b/ b.go", "Exit code 1"),
		ingest.ToolCall{Name: "Edit", Path: "/w5/c.go", Done: true},
		ingest.ToolCall{Name: "Read", Path: "/w6/c.go", Done: true})
	s.Turns[0].Dir = "/w1"
	s.Subagents = []ingest.Subagent{{ID: "a", Turns: []ingest.Turn{{Role: ingest.Program, Dir: "/w7"}}}}
	want := ingest.Work{In: []string{"/w1", "/w7", "/w2"}, Changed: []string{"/w3/b.go", "/w5/c.go"}}
	if diff := cmp.Diff(want, WorkedIn(s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.Source, s.Where.Folders = ingest.Cowork, []string{"/home/ann/Offers", "/home/ann/Bills"}
	if got := WorkedIn(s); !cmp.Equal(got, ingest.Work{In: s.Where.Folders}) {
		t.Errorf("of Cowork: %v", got)
	}
}

func TestActions(t *testing.T) {
	s := session(run("make", "ok"), ingest.ToolCall{Name: "Task", Done: true},
		ingest.ToolCall{Name: "Bash", Command: "rm x", Done: true, Failed: true, Verdict: ingest.Rejected, Reason: "keep it"})
	s.Subagents = []ingest.Subagent{
		{ID: "a1", Call: "c3", Turns: []ingest.Turn{{ID: "u1", N: 1, Role: ingest.Assistant, Text: "I look.",
			Calls: []ingest.ToolCall{{ID: "x", Name: "Read", Path: "/w/a.go", Done: true}}}}},
		{ID: "a2", Turns: []ingest.Turn{{ID: "u2", N: 1, Role: ingest.Assistant, Calls: []ingest.ToolCall{run("ls", "")}}}},
	}
	var got []string
	for _, a := range OfSession(s).Actions {
		got = append(got, fmt.Sprintf("%d %s%s %v %q ran=%v touches=%d", a.N, a.Agent, a.Call.Name, a.Took, a.Why,
			a.Call.Ran(),
			len(a.Touches)))
	}
	want := []string{
		`2 Bash 3s "Now the call." ran=true touches=0`,
		`3 Task 3s "Now the call." ran=true touches=0`,
		`3 a1Read 0s "I look." ran=true touches=1`,
		`4 Bash 3s "Now the call." ran=false touches=0`,
		`0 a2Bash 0s "" ran=true touches=0`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTouches(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"cat a.txt > b.txt", "created /w/b.txt; read /w/a.txt"},
		{"cd sub && git mv -f a.go b.go", "renamed /w/sub/b.go from /w/sub/a.go"},
		{"mv a.go b.go lib/", "renamed /w/lib/a.go from /w/a.go; renamed /w/lib/b.go from /w/b.go"},
		{"cp 'my file.txt' ./-odd", "read /w/my file.txt; created /w/-odd"},
		{"rm -rf -- -x build *.o", "deleted /w/-x; deleted /w/build"},
		{"sed -i 's/a/b/' a.go", "edited /w/a.go"},
		{"sed -n '1,20p' a.go", "read /w/a.go"},
		{"go build -o bin/x.out ./cmd", "created /w/bin/x.out"},
		{"python3 -m http.server 8888 && python3 -m json.tool in.json", "read /w/in.json"},
		{"python3 make.py in.csv | tee -a log.txt", "read /w/make.py; read /w/in.csv; edited /w/log.txt"},
		{"curl -s https://example.org/x.zip -o /tmp/x.zip", "created /tmp/x.zip"},
		{"go test ./... 2>/dev/null", ""},
		{"rm /dev/shm/a.txt", "deleted /dev/shm/a.txt"},
		{"grep -o foo a.txt", ""},
		{"git checkout -- a.go", "edited /w/a.go, back"},
		{"git restore --source=HEAD~1 a.go lib", "edited /w/a.go, back; edited /w/lib, back"},
		{"git restore --staged a.go", ""},
		{"git reset --hard", "edited /w, back"},
		{"git reset --hard origin/main", ""},
		{"echo hi >> notes.md", "edited /w/notes.md"},
		{"cat > x.py <<'E'\nrm y\nE", "created /w/x.py"},
		{"rm 'a\nb' c", "deleted /w/c"},
	} {
		tr := OfSession(session(run(c.line, "")))
		var got []string
		for _, x := range tr.Actions[0].Touches {
			text := string(x.How) + " " + x.Path
			if x.From != "" {
				text += " from " + x.From
			}
			if x.Back {
				text += ", back"
			}
			got = append(got, text)
		}
		if g := strings.Join(got, "; "); g != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.line, g, c.want)
		}
	}
	failed := OfSession(session(run("rm a && false", "Exit code 1"),
		ingest.ToolCall{Name: "Edit", Path: "/w/a", Done: true, Failed: true}))
	if x := failed.Actions[0].Touches; len(x) != 1 || !x[0].Unsure {
		t.Errorf("of a line that failed: got %v, want one that isn't sure", x)
	}
	odd := OfSession(session(ingest.ToolCall{Name: "Edit", Path: "/w\nx/a", Done: true}))
	if x := odd.Actions[0].Touches; len(x) != 1 || x[0].Path != "/w\nx/a" {
		t.Errorf("in a folder whose name holds a line's end: got %v", x)
	}
	if x := failed.Actions[1].Touches; len(x) != 0 {
		t.Errorf("of a refused edit: got %v, want none", x)
	}
}

func TestPackages(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls []ingest.ToolCall
		want  string
	}{
		{"pip with its output", []ingest.ToolCall{run("pip install 'requests>=2' python-dateutil 2>&1 | tail -1",
			"Successfully installed certifi-2024.8 python_dateutil-2.9.0.post0 requests-2.32.3")},
			"pip requests 2.32.3; pip python-dateutil 2.9.0.post0"},
		{"pip, quiet", []ingest.ToolCall{run("pip install -q flask==3.0", "")}, "pip flask 3.0"},
		{"quiet, and its failure hidden", []ingest.ToolCall{run("pip install -q flask || true", "")}, ""},
		{"piped away", []ingest.ToolCall{run("pip install flask | tail -1", "")}, ""},
		{"failed", []ingest.ToolCall{run("pip install nosuch",
			"Exit code 1\nERROR: No matching distribution found for nosuch")}, ""},
		{"failed behind a pipe", []ingest.ToolCall{run("pip install nosuch 2>&1 | tail -1",
			"ERROR: No matching distribution found for nosuch")}, ""},
		{"installed, and then the test failed", []ingest.ToolCall{run("pip install flask && pytest",
			"Exit code 1\nSuccessfully installed flask-3.0.3\n1 failed")}, "pip flask 3.0.3"},
		{"already there", []ingest.ToolCall{run("python3 -m pip install numpy",
			"Requirement already satisfied: numpy in /usr/lib/python3 (1.26.4)")}, "pip numpy 1.26.4 had"},
		{"a list", []ingest.ToolCall{run("pip install -r requirements.txt", "Successfully installed a-1.0 b-c-2.0")},
			"pip a 1.0; pip b-c 2.0"},
		{"removed again", []ingest.ToolCall{run("pip install a", ""), run("pip uninstall -y a", "")}, ""},
		{"upgraded", []ingest.ToolCall{run("pip install a", "Successfully installed a-1.0"),
			run("pip install -U a", "Successfully installed a-1.1")}, "pip a 1.1"},
		{"npm", []ingest.ToolCall{run("cd web && npm install -D vite@5.1.0 @types/node", "added 12 packages in 3s")},
			"npm vite 5.1.0 in /w/web; npm @types/node  in /w/web"},
		{"npm failed", []ingest.ToolCall{run("npm i nosuch | tail",
			"npm error code E404\nnpm error 404  'nosuch@*' is not in this registry.")}, ""},
		{"pnpm", []ingest.ToolCall{run("pnpm add zod | cat", "dependencies:\n+ zod 3.23.8\n")}, "pnpm zod 3.23.8 in /w"},
		{"apt", []ingest.ToolCall{run("sudo apt-get update && sudo DEBIAN_FRONTEND=noninteractive apt-get install -y jq "+
			"poppler-utils 2>&1 | tail -3", "Setting up jq (1.6-2.1ubuntu3) ...\nSetting up poppler-utils (22.02.0-2) ...")},
			"apt jq 1.6-2.1ubuntu3; apt poppler-utils 22.02.0-2"},
		{"apt, one unknown", []ingest.ToolCall{run("apt-get install -y nosuch",
			"Exit code 100\nE: Unable to locate package nosuch")}, ""},
		{"cargo", []ingest.ToolCall{run("cargo install ripgrep",
			"  Installing ripgrep v14.1.0\n   Installed package `ripgrep v14.1.0` (executable `rg`)")}, "cargo ripgrep 14.1.0"},
		{"go get", []ingest.ToolCall{run("go get github.com/spf13/cobra@latest",
			"go: added github.com/inconshreveable/mousetrap v1.1.0\ngo: added github.com/spf13/cobra v1.10.2")},
			"go github.com/spf13/cobra v1.10.2 in /w"},
		{"go install", []ingest.ToolCall{run("go install golang.org/x/tools/gopls@v0.16.0", "")},
			"go golang.org/x/tools/gopls v0.16.0"},
		{"go's own packages", []ingest.ToolCall{run("go install ./...", "")}, ""},
		{"uv", []ingest.ToolCall{run("uv pip install polars", "Installed 1 package in 5ms\n + polars==1.2.0")},
			"uv polars 1.2.0"},
		{"brew", []ingest.ToolCall{run("brew install tmux", "==> Pouring tmux--3.5a.arm64_sonoma.bottle.tar.gz")},
			"brew tmux 3.5a"},
		{"said, not done", []ingest.ToolCall{run(`echo "run pip install flask"`, "run pip install flask")}, ""},
		{"in the background", []ingest.ToolCall{run("pip install torch", "Command running in background with ID: b1")}, ""},
		{"refused by the person", []ingest.ToolCall{{Name: "Bash", Command: "pip install torch", Done: true, Failed: true,
			Verdict: ingest.Rejected}}, ""},
	} {
		var got []string
		for _, p := range OfSession(session(c.calls...)).Packages {
			text := p.Manager + " " + p.Name + " " + p.Version
			if p.Dir != "" {
				text += " in " + p.Dir
			}
			if p.Had {
				text += " had"
			}
			got = append(got, strings.TrimSpace(text))
		}
		if g := strings.Join(got, "; "); g != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, g, c.want)
		}
	}
}

func TestCommits(t *testing.T) {
	for _, c := range []struct{ name, line, output, want string }{
		{"printed", `git commit -m "fix: a"`, "[fix/a 1234abc] fix: a\n 1 file changed", "fix/a 1234abc fix: a"},
		{"the first of all", `git init && git commit -m init`, "[main (root-commit) 967fe65] init", "main 967fe65 init"},
		{"two", "git commit -m a; git commit -m b", "[main 1111111] a\n[main 2222222] b", "main 1111111 a; main 2222222 b"},
		{"then the push failed", `git commit -m a && git push`, "Exit code 1\n[main 1111111] a\nfatal: no upstream",
			"main 1111111 a"},
		{"quiet, with a log", `git commit -qm "a b" && git log --oneline -1`, "1234abcd (HEAD -> main) a b",
			"main 1234abcd a b"},
		{"quiet, and pushed", `git commit -qm "a b" && git push`, "To github.com:ann/app\n   1111111..2222222  main -> main",
			"main 2222222 a b"},
		{"quiet, before other commands", "git commit -qm 'a b'\ngit push -q", "", "main  a b"},
		{"nothing there", `git commit -m a; true`, "nothing to commit, working tree clean", ""},
		{"another repository", `git -C /r commit -m a`, "[main 1111111] a", "main 1111111 a"},
		{"only talk", `echo "git commit"`, "git commit", ""},
		{"to see what it would do", `git commit --dry-run -m "a b"`, "Changes to be committed:", ""},
		{"piped", `git commit -m "a b" | tail -1`, " 1 file changed, 2 insertions(+)", "main  a b"},
		{"piped, and a hook objected", `git commit -m "a b" 2>&1 | tail -3`, "gofmt: a.go", ""},
	} {
		call := run(c.line, c.output)
		ingest.NoteCommit(&call)
		var got []string
		for _, m := range OfSession(session(call)).Commits {
			got = append(got, m.Branch+" "+m.Hash+" "+m.Subject)
		}
		if g := strings.Join(got, "; "); g != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, g, c.want)
		}
	}
}

// What commands take back of the commits made: u with the files, l but for the files.
func TestUndone(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"the last", "git reset --hard HEAD~1", "aaaaaaa bbbbbbb cccccccu"},
		{"more than were made", "git reset --soft @^^^^", "aaaaaaal bbbbbbbl cccccccl"},
		{"those after one", "git reset --hard aaaaaaaa12", "aaaaaaa bbbbbbbu cccccccu"},
		{"one reverted", "git revert bbbbbbb", "aaaaaaa bbbbbbbu ccccccc"},
		{"joined", `git reset --soft HEAD~3 && git commit -m all`, "aaaaaaal bbbbbbbl cccccccl ddddddd"},
		{"put right", `git commit --amend -m "all"`, "aaaaaaa bbbbbbb ddddddd"},
		{"another repository", "git -C /r reset --hard HEAD~1", "aaaaaaa bbbbbbb ccccccc"},
		{"the changes alone", "git reset --hard HEAD", "aaaaaaa bbbbbbb ccccccc"},
		{"a file", "git reset HEAD~1 a.go", "aaaaaaa bbbbbbb ccccccc"},
		{"somewhere", "git reset --hard origin/main", "aaaaaaa bbbbbbb ccccccc"},
		{"only if tests fail", "make test || git reset --hard HEAD~1", "aaaaaaa bbbbbbb ccccccc"},
		{"moved onto a branch", "git branch feature && git reset --hard HEAD~1", "aaaaaaa bbbbbbb ccccccc"},
		{"on another branch", "git switch main && git revert --no-edit HEAD", "aaaaaaa bbbbbbb ccccccc"},
		{"reverted twice", "git revert HEAD && git revert HEAD", "aaaaaaa bbbbbbb cccccccu"},
		{"put back", "git reset --hard aaaaaaa && git reset --hard bbbbbbb", "aaaaaaa bbbbbbb cccccccu"},
		{"picked again", "git reset --hard aaaaaaa && git cherry-pick bbbbbbb ccccccc", "aaaaaaa bbbbbbb ccccccc"},
		{"put back as it was", "git reset --hard HEAD~2 && git reset --hard HEAD@{1}", "aaaaaaa bbbbbbb ccccccc"},
		{"thrown away", "git reset --keep HEAD~1", "aaaaaaa bbbbbbb cccccccu"},
	} {
		var calls []ingest.ToolCall
		for _, hash := range []string{"aaaaaaa", "bbbbbbb", "ccccccc"} {
			calls = append(calls, run("git commit -m "+hash, "[main "+hash+"] "+hash))
		}
		calls = append(calls, run(c.line, "[main ddddddd] all"))
		ingest.NoteCommit(&calls[3])
		var got []string
		for _, m := range OfSession(session(calls...)).Commits {
			switch {
			case m.Left:
				m.Hash += "l"
			case m.Undone > 0:
				m.Hash += "u"
			}
			got = append(got, m.Hash)
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, g, c.want)
		}
	}
}
