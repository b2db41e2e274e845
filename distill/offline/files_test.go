package offline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/payload"
)

// A folder that goes, gets another name or is put back takes along what lies below it; what a
// file tool names counts also where nobody knows the working directory.
func TestFilesThroughFolders(t *testing.T) {
	file := func(path string) ingest.ToolCall {
		return ingest.ToolCall{Name: "Write", Path: path, Done: true, Input: map[string]string{"content": "x\n"}}
	}
	edit := func(path string) ingest.ToolCall {
		return ingest.ToolCall{Name: "Edit", Path: path, Done: true, Edits: []ingest.Edit{{Old: "a", New: "b"}}}
	}
	shell := func(line string) ingest.ToolCall { return ingest.ToolCall{Name: "Bash", Command: line, Done: true} }
	for name, c := range map[string]struct {
		dir   string
		calls []ingest.ToolCall
		want  map[string]string
	}{
		"deleted": {"/w", []ingest.ToolCall{file("/w/old/a.go"), file("/w/older.go"), shell("rm -rf old")},
			map[string]string{"older.go": "New."}},
		"made again": {"/w", []ingest.ToolCall{file("/w/old/a.go"), shell("rm -rf old"), file("/w/old/a.go")},
			map[string]string{"old/a.go": "New, then edited."}},
		"renamed": {"/w", []ingest.ToolCall{file("/w/old/a.go"), shell("git mv old new")},
			map[string]string{"new/a.go": "New as old/a.go, then renamed."}},
		"renamed, which was there": {"/w", []ingest.ToolCall{shell("git mv a.go b.go"), shell("mv b.go c.go")},
			map[string]string{"c.go": "Renamed from a.go."}},
		"renamed there and back": {"/w", []ingest.ToolCall{edit("/w/a.go"), shell("mv a.go b.go && mv b.go a.go")},
			map[string]string{"a.go": "Edited."}},
		"put back": {"/w", []ingest.ToolCall{edit("/w/a.go"), edit("/w/a.go"), edit("/w/b.go"),
			shell("git checkout -- a.go c.go")},
			map[string]string{"a.go": "Edited, then put back.", "b.go": "Edited."}},
		"put back, less of it named": {"/w", []ingest.ToolCall{
			{Name: "Edit", Path: "/w/a.go", Done: true, Edits: []ingest.Edit{{Old: "rows\none\nend", New: "rows\ntwo\nend"}}},
			{Name: "Edit", Path: "/w/a.go", Done: true, Edits: []ingest.Edit{{Old: "two\nend", New: "one\nend"}}}},
			map[string]string{"a.go": "Edited, then put back."}},
		"put back as committed": {"/w", []ingest.ToolCall{edit("/w/a.go"),
			{Name: "Bash", Done: true, Commit: "76b7d178", Command: "git commit -am x"}, edit("/w/a.go"),
			shell("git checkout -- a.go")}, map[string]string{"a.go": ""}},
		"by a sub-agent": {"/w", []ingest.ToolCall{edit("/w/a.go"), {ID: "x", Name: "Task", Done: true,
			Input: map[string]string{"description": "Tidy up b.go."}}},
			map[string]string{"a.go": "Edited.", "b.go": "Edited."}},
		"put back, and edited": {"/w", []ingest.ToolCall{edit("/w/a.go"), shell("git restore a.go"), edit("/w/a.go")},
			map[string]string{"a.go": "Edited."}},
		"all put back": {"/w", []ingest.ToolCall{edit("/w/a.go"), edit("/w/lib/b.go"), edit("/v/c.go"),
			shell("git restore .")}, map[string]string{"a.go": "Edited, then put back.",
			"lib/b.go": "Edited, then put back.", "/v/c.go": "Edited."}},
		"unstaged": {"/w", []ingest.ToolCall{edit("/w/a.go"), shell("git restore --staged a.go && git reset a.go")},
			map[string]string{"a.go": "Edited."}},
		"moved over another": {"/w", []ingest.ToolCall{file("/w/a.go"), file("/w/b.go"), file("/w/b.go"),
			shell("mv a.go b.go")},
			map[string]string{"b.go": "New as a.go, then renamed."}},
		"hidden folder": {"/w", []ingest.ToolCall{shell("rm -rf .cache && echo x > .env")},
			map[string]string{".env": "New."}},
		"further worktree": {"/w", []ingest.ToolCall{file("/w/a.go"), shell("git worktree add -b fix ../w-fix"),
			file("/w-fix/a.go")},
			map[string]string{"a.go": "New, then edited."}},
		"worktree in it": {"/w", []ingest.ToolCall{file("/w/a.go"), shell("git worktree add -b fix .trees/fix"),
			file("/w/.trees/fix/a.go")}, map[string]string{"a.go": "New, then edited."}},
		"git's own":    {"/w", []ingest.ToolCall{file("/w/.git/hooks/pre-push")}, map[string]string{}},
		"no directory": {"", []ingest.ToolCall{file("docs/a.md")}, map[string]string{"docs/a.md": "New."}},
	} {
		s := &ingest.Session{ID: "s", Turns: []ingest.Turn{
			{ID: "u", N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: "Tidy up.", Dir: c.dir},
			{ID: "a", N: 2, Role: ingest.Assistant, Kind: ingest.Message, Dir: c.dir, Calls: c.calls}}}
		s.Where.Cwds = []ingest.CwdCount{{Dir: c.dir, Turns: 2}}
		s.Subagents = []ingest.Subagent{{ID: "b", Call: "x", Turns: []ingest.Turn{{Role: ingest.Assistant, Dir: c.dir,
			Calls: []ingest.ToolCall{edit("/w/b.go")}}}}}
		got := map[string]string{}
		made, _ := Distiller{}.Distill(t.Context(), s)
		for _, it := range made.Items {
			if it.Kind == payload.File {
				got[it.Path] = it.Text
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Of files of one name each has what is said of it by its path, and its own place as
// evidence; of one that was only read, while a command changed files that it doesn't name, no more is claimed.
func TestFilesOfOneName(t *testing.T) {
	call := func(tool, path string) ingest.ToolCall {
		return ingest.ToolCall{Name: tool, Path: path, Done: true, Input: map[string]string{"content": "x\n"}}
	}
	s := &ingest.Session{ID: "s", Turns: []ingest.Turn{
		{ID: "u", N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: "Put up a landing page.", Dir: "/w"},
		{ID: "a", N: 2, Role: ingest.Assistant, Kind: ingest.Message, Dir: "/w", Calls: []ingest.ToolCall{
			{Name: "Bash", Command: "find . -name '*.html' -exec sed -i s/a/b/ {} +", Done: true},
			call("Read", "/w/qmd/index.html"), call("Write", "/w/tmp/index.html"), call("Write", "/w/index.html"),
			call("Write", "/w/go.mod")}},
		{ID: "b", N: 3, Role: ingest.Assistant, Kind: ingest.Message, Dir: "/w",
			Text: "Done:\n\n- `index.html` — landing page that lists the games with links\n" +
				"- `tmp/index.html` — the same as above\n" +
				"- `go.mod` and `mise.toml`: the next version of Go\n"}}}
	s.Where.Cwds = []ingest.CwdCount{{Dir: "/w", Turns: 3}}
	talk, all := listen(s), touchedFiles(s, trace.OfSession(s))
	findMentions(talk, all)
	type file struct{ Status, Text, Quote string }
	got := map[string]file{}
	for _, f := range all {
		it := f.item(talk)
		got[it.Path] = file{it.Status, it.Text, it.Evidence[len(it.Evidence)-1].Quote}
	}
	if diff := cmp.Diff(map[string]file{
		"qmd/index.html": {"", "Read; a command or sub-agent may have changed it.", "/w/qmd/index.html"},
		"tmp/index.html": {"", "New.", "/w/tmp/index.html"},
		"go.mod":         {"", "“`go.mod` and `mise.toml`: the next version of Go”", "/w/go.mod"},
		"index.html":     {"", "“landing page that lists the games with links”", "/w/index.html"},
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What no record shows isn't said: that a file is done which no commit has, that one is in progress whose commit was
// the last thing to happen, what a report said of one that is gone, or that one is new
// which the client says it wrote over.
func TestFilesByRecordAlone(t *testing.T) {
	call := func(tool, path, result string) ingest.ToolCall {
		return ingest.ToolCall{Name: tool, Path: path, Done: true, Result: result, Input: map[string]string{"content": "x\n"}}
	}
	over := call("Write", "/w/over.go", "The file /w/over.go has been updated successfully.")
	for name, c := range map[string]struct {
		last []ingest.ToolCall // after the report
		want string
	}{
		"reported": {nil, " “rejects stale events, and waits for its push”"},
		"deleted":  {[]ingest.ToolCall{{Name: "Bash", Command: "rm guard.go", Done: true}}, " Deleted."},
		"read beside a change of branch": {[]ingest.ToolCall{{Name: "Bash", Command: "git pull", Done: true}},
			" “rejects stale events, and waits for its push”"},
		"broken off": {[]ingest.ToolCall{call("Edit", "/w/guard.go", "")}, "IN PROGRESS “rejects stale events, and waits for its push”; edited since."},
		"committed": {[]ingest.ToolCall{call("Edit", "/w/guard.go", ""), {Name: "Bash", Command: "git commit -am x",
			Done: true, Commit: "76b7d178"}}, "DONE “rejects stale events, and waits for its push”; edited since."},
		"quiet commit": {[]ingest.ToolCall{call("Edit", "/w/guard.go", ""), {Name: "Bash", Command: "git commit -qm x",
			Done: true, CommitMessage: "x"}}, " “rejects stale events, and waits for its push”; edited since."},
		"cut off while it commits": {[]ingest.ToolCall{call("Edit", "/w/guard.go", ""), {Name: "Bash",
			Command: "git add -A && git commit -m x"}}, " “rejects stale events, and waits for its push”; edited since."},
		"commit failed": {[]ingest.ToolCall{call("Edit", "/w/guard.go", ""), {Name: "Bash", Command: "git commit -m x",
			Done: true, Failed: true, CommitMessage: "x"}}, "IN PROGRESS “rejects stale events, and waits for its push”; edited since."},
	} {
		s := talkOf([]string{"Reject what is stale.",
			"Done:\n\n| # | File | What |\n|---|---|---|\n" +
				"| 1 | `guard.go` | rejects stale events, and waits for its push |\n",
			"Go on.", "It goes on."}, nil)
		s.Turns[1].Calls = []ingest.ToolCall{call("Write", "/w/guard.go", ""), over}
		s.Turns[3].Calls = c.last
		s.Where.Cwds = []ingest.CwdCount{{Dir: "/w", Turns: 4}}
		talk, all := listen(s), touchedFiles(s, trace.OfSession(s))
		findMentions(talk, all)
		got := map[string]string{}
		for _, f := range all {
			it := f.item(talk)
			got[it.Path] = it.Status + " " + it.Text
		}
		over := " Edited."
		if name == "committed" {
			over = "DONE "
		}
		if diff := cmp.Diff(map[string]string{"guard.go": c.want, "over.go": over}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Of a file whose edit was refused, what the person said with that is told.
func TestRefusedFile(t *testing.T) {
	s := talkOf([]string{"Number the rows of the theatre.", "They are in seats.go."}, nil)
	s.Turns[1].Dir = "/w"
	s.Turns[1].Calls = []ingest.ToolCall{{Name: "Edit", Path: "/w/seats.go", Done: true, Verdict: ingest.Rejected,
		Reason: "not in this branch"}}
	for _, f := range touchedFiles(s, trace.OfSession(s)) {
		if line := f.item(listen(s)); line.Text != "Not changed: “not in this branch”" {
			t.Errorf("got %q", line.Text)
		}
	}
}

// A file is done that a commit has as it was last written, and in progress if it was written since the last one.
func TestCommittedFiles(t *testing.T) {
	edit := func(p string) ingest.ToolCall { return ingest.ToolCall{Name: "Edit", Path: "/w/" + p, Done: true} }
	run := func(command, result string) ingest.ToolCall {
		c := ingest.ToolCall{Name: "Bash", Command: command, Done: true, Result: result}
		ingest.NoteCommit(&c)
		return c
	}
	commit := run(`git commit -m "Seats by row"`, "[main 1234567] Seats by row")
	for name, c := range map[string]struct {
		calls []ingest.ToolCall
		want  map[string]string
	}{
		"all": {[]ingest.ToolCall{edit("a.go"), edit("b/c.go"), run("git add -A", ""), commit},
			map[string]string{"a.go": "DONE", "b/c.go": "DONE"}},
		"named": {[]ingest.ToolCall{edit("a.go"), edit("b/c.go"), edit("d.go"), run("git -C /w add b d.go", ""), commit},
			map[string]string{"a.go": "", "b/c.go": "DONE", "d.go": "DONE"}},
		"taken out": {[]ingest.ToolCall{edit("a.go"), edit("d.go"), run("git add . && git reset HEAD d.go", ""), commit},
			map[string]string{"a.go": "DONE", "d.go": ""}},
		"edited since": {[]ingest.ToolCall{edit("a.go"), run("git add a.go", ""), commit, edit("a.go"), edit("d.go")},
			map[string]string{"a.go": "IN PROGRESS", "d.go": "IN PROGRESS"}},
		"nothing left": {[]ingest.ToolCall{edit("a.go"), commit, run("git status", "nothing to commit, working tree clean")},
			map[string]string{"a.go": "DONE"}},
		"ignored by git": {[]ingest.ToolCall{{Name: "Write", Path: "/w/n.md", Done: true}, edit("a.go"),
			run("git add a.go", ""), commit, run("git status", "nothing to commit, working tree clean")},
			map[string]string{"a.go": "DONE", "n.md": ""}},
		"conflicts resolved": {[]ingest.ToolCall{commit, edit("a.go"), run("git rebase --continue", "")},
			map[string]string{"a.go": "DONE"}},
		"by somebody": {[]ingest.ToolCall{edit("a.go"), commit}, map[string]string{"a.go": ""}},
		"thrown away": {[]ingest.ToolCall{edit("a.go"), run(`cd /tmp/try && git add -A && git commit -m "try"`,
			"[main 1234567] try")}, map[string]string{"a.go": ""}},
		"failed": {[]ingest.ToolCall{edit("a.go"), run(`git commit -am "try"`, "hook failed")},
			map[string]string{"a.go": ""}},
		"failed, piped": {[]ingest.ToolCall{edit("a.go"), run(`git commit -am "try" | tail -1`, "gofmt: a.go")},
			map[string]string{"a.go": ""}},
		"undone": {[]ingest.ToolCall{edit("a.go"), run("git add .", ""), commit, run("git reset --hard HEAD^", "")},
			map[string]string{"a.go": ""}},
		"uncommitted": {[]ingest.ToolCall{edit("a.go"), run("git add .", ""), commit, run("git reset HEAD^", "")},
			map[string]string{"a.go": ""}},
		"reverted, then done again": {[]ingest.ToolCall{edit("a.go"), run("git add .", ""), commit,
			run("git revert HEAD", ""), edit("a.go"), run(`git commit -am "Seats"`, "[main 7654321] Seats")},
			map[string]string{"a.go": "DONE"}},
	} {
		s := talkOf([]string{"Number the rows of the theatre.", "They are numbered now."}, nil)
		var turns []ingest.Turn
		for i, call := range c.calls {
			if strings.HasSuffix(call.Result, "hook failed") {
				call.Failed = true
			}
			turns = append(turns, ingest.Turn{ID: ingest.TurnID(fmt.Sprint("c", i)), N: i + 2, Role: ingest.Assistant,
				Kind: ingest.Message, Dir: "/w", Calls: []ingest.ToolCall{call}})
		}
		s.Turns[1].N = len(turns) + 2
		s.Turns = slices.Insert(s.Turns, 1, turns...)
		talk, got := listen(s), map[string]string{}
		for _, f := range touchedFiles(s, trace.OfSession(s)) {
			got[f.path] = f.item(talk).Status
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A commit is told of, also one that the person made by "!"; taken back, it is told of nowhere, and nothing that only
// it did.
func TestUndoneCommits(t *testing.T) {
	s := talkOf([]string{"Number the rows of the theatre.", "Committed.", "That's wrong, take it back.", "Gone."}, nil)
	call := func(at int, command, result string) {
		c := ingest.ToolCall{ID: command, Name: "Bash", Command: command, Done: true, Result: result}
		ingest.NoteCommit(&c)
		s.Turns[at].Calls = append(s.Turns[at].Calls, c)
	}
	s.Turns[1].Role, s.Turns[1].Kind = ingest.User, ingest.Shell
	call(1, `git commit -am "Seats by row"`, "[main 1234567] Seats by row")
	for _, told := range []bool{true, false} {
		p, err := Distiller{}.Distill(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		quoted := slices.ContainsFunc(p.Items, func(it payload.Item) bool { return it.Rule == payload.CommitRule })
		if did := len(p.Did) == 1; quoted != told || did != told {
			t.Errorf("commit quoted %v, among what was done %v, want %v", quoted, did, told)
		}
		call(3, "git revert 1234567", "")
	}
}

// A file that was only read is said to be untouched where nothing ran that changes files without naming them.
func TestFilesUntouched(t *testing.T) {
	for line, want := range map[string]string{
		"git status && git stash list":     payload.FileUntouched,
		"git checkout -b fix":              payload.FileUntouched,
		"git checkout -- b.go":             payload.FileUntouched,
		"sed -i s/a/b/ b.go":               payload.FileUntouched,
		"git checkout main":                "",
		"git pull --rebase":                "",
		"git stash":                        "",
		"sed -i s/a/b/ $(grep -rl a .)":    "",
		"gofmt -w .":                       "",
		"git diff | ssh there git apply -": payload.FileUntouched,
	} {
		s := talkOf([]string{"See whether it is right.", "It is."}, nil)
		s.Turns[1].Calls = []ingest.ToolCall{{Name: "Read", Path: "/w/a.go", Done: true},
			{Name: "Bash", Command: line, Done: true}}
		s.Where.Cwds = []ingest.CwdCount{{Dir: "/w", Turns: 2}}
		for _, f := range touchedFiles(s, trace.OfSession(s)) {
			if got := f.status(listen(s)); f.path == "a.go" && got != want {
				t.Errorf("%s: status %q, want %q", line, got, want)
			}
		}
	}
}

// A file is off limits because the person said so: not because they asked, quoted it, or let the session write it
// after all.
func TestFilesOffLimits(t *testing.T) {
	for said, want := range map[string]string{
		"Don't touch legacy.go, it is generated.":                           payload.FileOffLimits,
		"Do not touch \"legacy.go\".":                                       payload.FileOffLimits,
		"Do we never touch legacy.go?":                                      "",
		"Should legacy.go stay as it is, off limits?":                       "",
		"> Never touch legacy.go.\n\nThat is what the wiki says.":           "",
		"The wiki says \"do not touch legacy.go\", but that is outdated.":   "",
		"Im Wiki steht „legacy.go nicht anfassen“, das ist von 2019.":       "",
		"fix new.go only, legacy.go is generated, never edit it by hand":    payload.FileOffLimits,
		"stay away from legacy.go, Ines is in the middle of it":             payload.FileOffLimits,
		"ok but legacy.go must not be modified":                             payload.FileOffLimits,
		"just new.go please, not legacy.go":                                 payload.FileOffLimits,
		"please no changes in legacy.go":                                    payload.FileOffLimits,
		"don't touch new.go or legacy.go":                                   payload.FileOffLimits,
		"Use legacy.go, don't touch new.go.":                                "",
		"you can change legacy.go, but hands off new.go":                    "",
		"legacy.go is frozen until the fair":                                payload.FileOffLimits,
		"legacy.go: do not edit":                                            payload.FileOffLimits,
		"i dont want any changes in legacy.go":                              payload.FileOffLimits,
		"nobody edits legacy.go before the audit":                           payload.FileOffLimits,
		"don't change the names in legacy.go":                               "",
		"The tests don't change legacy.go, so it isn't that.":               "",
		"legacy.go must not be changed by the installer":                    "",
		"It's in new.go, not legacy.go.":                                    "",
		"Don't touch legacy.go.\x00Now fix the bug in legacy.go.":           "",
		"Don't touch legacy.go.\x00What does legacy.go do?":                 payload.FileOffLimits,
		"Don't touch legacy.go.\x00Fix legacy.go.\x00Don't edit legacy.go.": payload.FileOffLimits,
	} {
		var talk []string
		for _, line := range strings.Split(said, "\x00") {
			talk = append(talk, line, "Understood.")
		}
		s := talkOf(talk, nil)
		untouched := status(s, "legacy.go")
		if len(talk) == 2 && untouched != want {
			t.Errorf("%q, not touched: status %q, want %q", said, untouched, want)
		}
		s.Turns[len(s.Turns)-1].Calls = []ingest.ToolCall{{Name: "Edit", Path: "/w/legacy.go", Done: true,
			Edits: []ingest.Edit{{Old: "a", New: "b"}}}}
		s.Where.Cwds = []ingest.CwdCount{{Dir: "/w", Turns: len(s.Turns)}}
		if got := status(s, "legacy.go"); (got == payload.FileOffLimits) != (want == payload.FileOffLimits) {
			t.Errorf("%q, and edited: status %q, want %q", said, got, want)
		}
	}
}

// What a report calls done isn't claimed if the person then says that it isn't.
func TestDoneIsDenied(t *testing.T) {
	for said, want := range map[string]string{
		"no, the chapter on seats is empty":  "",
		"the chapter on seats is missing":    "",
		"great, thanks":                      payload.FileDone,
		"i don't know, ask Birgit":           payload.FileDone,
		"is the chapter on seats missing?":   payload.FileDone,
		"now write the guide of the cashier": payload.FileDone,
	} {
		s := talkOf([]string{"Write the guide.", "guide.md is done.", said}, nil)
		s.Turns[1].Calls = []ingest.ToolCall{{Name: "Write", Path: "/w/guide.md", Done: true}}
		s.Where.Cwds = []ingest.CwdCount{{Dir: "/w", Turns: 3}}
		if got := status(s, "guide.md"); got != want {
			t.Errorf("%q: status %q, want %q", said, got, want)
		}
	}
}

// status returns the status of a file in what is distilled from a session, "" without one.
func status(s *ingest.Session, path string) string {
	made, _ := Distiller{}.Distill(context.Background(), s)
	for _, it := range made.Items {
		if it.Kind == payload.File && strings.HasSuffix(it.Path, path) {
			return it.Status
		}
	}
	return ""
}
