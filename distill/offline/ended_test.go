package offline

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"recall/ingest"
	"recall/payload"
)

// What was opened at a forge is told with its address, and what became of it; what is only named, or failed, isn't.
func TestOpened(t *testing.T) {
	type calls = []ingest.ToolCall
	const pull, issue = "https://git.example.com/ann/bells/pull/9", "https://git.example.com/ann/bells/issues/7"
	ran := func(command, result string) ingest.ToolCall {
		return ingest.ToolCall{Name: "Bash", Command: command, Result: result, Done: true}
	}
	create := ran("git push && gh pr create --title 'Lock the striker' --body x", "remote: new\n"+pull+"\n")
	fails := create
	fails.Failed = true
	opened := "“Lock the striker · " + pull + "” — pull request opened, turn 2"
	for name, c := range map[string]struct {
		calls calls
		want  string
	}{
		"opened":         {calls{create}, opened},
		"merged":         {calls{create, ran("gh pr merge 9", "")}, opened + "; merged since"},
		"to be merged":   {calls{create, ran("gh pr merge --auto", "")}, opened},
		"another merged": {calls{create, ran("gh pr merge 8", "")}, opened},
		"reopened":       {calls{create, ran("gh pr close "+pull, ""), ran("gh pr reopen", "")}, opened + "; reopened since"},
		"an issue": {calls{ran("glab issue create -t $TITLE", issue)},
			"“" + issue + "” — issue opened, turn 2"},
		"by a tool": {calls{{Name: "mcp__github__create_pull_request", Done: true,
			Input: map[string]string{"title": "Lock the striker"}, Result: `{"html_url":"` + pull + `"}`}}, opened},
		"merged by a tool": {calls{create, {Name: "mcp__github__merge_pull_request", Done: true,
			Input: map[string]string{"pull_number": "9"}}}, opened + "; merged since"},
		"closed by a loop": {calls{create, ran("for i in 3 4; do gh pr close $i; done", "")}, opened},
		"an issue closed":  {calls{create, ran("gh issue close 9", "")}, opened},
		"a branch merged":  {calls{create, ran("gh pr merge lock-2 --squash", "")}, opened},
		"beside another": {calls{ran("gh issue view 7 && gh pr create -t 'Lock the striker'", issue+"\n"+pull)},
			opened},
		"for programs": {calls{{Name: "mcp__github__create_issue", Done: true, Result: `{"url":"https://api.` +
			`example.com/repos/ann/bells/issues/7","html_url":"` + issue + `"}`,
			Input: map[string]string{"body": "x"}}},
			"“" + issue + "” — issue opened, turn 2"},
		"read by a tool": {calls{{Name: "mcp__gitea__issue", Done: true, Result: issue}}, ""},
		"not yet":        {calls{ran("gh pr create --dry-run -b x", "body: "+pull)}, ""},
		"failed":         {calls{fails}, ""},
		"viewed":         {calls{ran("gh pr view 9", pull)}, ""},
		"viewed, merged": {calls{create, ran("gh pr view 9 --json state", `{"state":"MERGED"}`)},
			opened + "; merged since"},
		"which was merged": {calls{create, ran("gh pr view 9 --json state; gh pr view 8 --json state",
			`{"state":"OPEN"}`+"\n"+`{"state":"MERGED"}`)}, opened},
		"logged": {calls{create, ran("git log --oneline", "1a2b3c4 Lock the striker (#9)")}, opened + "; merged since"},
		"in a change": {calls{create, ran("git diff", "+- Locks the striker (#9)"),
			ran("git commit -m x", "[lock 1a2b3c4] Lock the striker (#9)")}, opened},
	} {
		s := talkOf([]string{"Mend the bells."}, nil)
		for _, call := range c.calls {
			s.Turns = append(s.Turns, ingest.Turn{ID: "c", N: len(s.Turns) + 1, Role: ingest.Assistant,
				Kind: ingest.Message, Calls: []ingest.ToolCall{call}})
		}
		all, _ := items(s)
		got := ""
		if at := slices.IndexFunc(all, func(it payload.Item) bool { return it.Rule == payload.OpenedRule }); at >= 0 {
			got = payload.LineOf(&all[at])
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// What the person said last stands where the session ended, in however few words, unless it only thanks or agrees; the
// line of code that the last message announces stands with it.
func TestAskedLast(t *testing.T) {
	const by = "It goes out by this:\n```shell-session\nbells deploy --now\n```\nWrite:\n```\na\nb\n```"
	for said, want := range map[string]string{
		"ship it":            "“The striker is locked.” — assistant, turn 2; answered “ship it”",
		"did you push?":      "“did you push?” — user, turn 3; answered in turn 4",
		"by what is it set?": "“by what is it set?” — user, turn 3; answered in turn 4",
		"by which bell?":     "“by which bell?” — user, turn 3",
		"thanks!":            "",
		"grazie mille":       "",
	} {
		answer := cmp.Or(map[string]string{"by what is it set?": "```\nbells: 3\n```",
			"by which bell?": "Which of the four bells do you mean?"}[said], by)
		s := talkOf([]string{"Mend the bells of the tower before the fair.", "The striker is locked.", said, answer},
			nil)
		p, err := Distiller{}.Distill(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		page := payload.Render(p, payload.Options{}).Text
		_, ended, _ := strings.Cut(page, "## Where it ended\n")
		ended, _, _ = strings.Cut(ended, "\n\n")
		if !strings.Contains(ended+"\n", want+"\n") || want == "" && strings.Contains(page, said) ||
			answer == by && !strings.Contains(ended, "“It goes out by this: `bells deploy --now`”") {
			t.Errorf("%s: %q should stand where it ended:\n%s", said, want, page)
		}
	}
}
