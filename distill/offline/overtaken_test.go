package offline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"recall/ingest"
	"recall/payload"
)

// What was overtaken later in its session isn't told as if it stood: options come with the choice, what was said of a
// file with the note that it was edited, what was asked for with the note that it was worked on, what was taken back or
// refuted not at all, nor as the answer to a question.
func TestOvertaken(t *testing.T) {
	for name, c := range map[string]struct {
		said  []string
		wrote map[int]string
		want  string // a line begins with it; "" if none holds what follows
		with  string
	}{
		"options": {[]string{"The bell tower rings twice at noon, how do we stop that?",
			"Two ways to stop the second ring:\n1. Filter the ring in `bells.go` by its second\n" +
				"2. Lock the striker until the hour is over\n\nWhich one do you want?",
			"let's have it locked then", "Locked. It rings once."}, map[int]string{3: "striker.go"},
			"“Two ways to stop the second ring: Filter", "answered “let's have it locked then”; worked on"},
		"option picked": {[]string{"The bell tower rings twice at noon, how do we stop that?",
			"I see two ways out of the second ring.\n\n1. Filter the ring in `bells.go` by its second\n" +
				"2. Lock the striker until the hour is over\n\nWhich one do you want?",
			"let's do 2", "Locked. It rings once."}, map[int]string{3: "striker.go"}, "", "“Filter the ring"},
		"another list than that of the options": {[]string{"The bell tower rings twice at noon, how do we stop that?",
			"1. The striker of `striker.go` isn't locked\n2. The ropes of `ropes.go` swing\n\n" +
				"I see two ways out of the second ring.\n\n1. Filter the ring by its second\n" +
				"2. Lock the striker until the hour is over\n\nWhich one do you want?",
			"let's do 2", "Locked. It rings once."}, map[int]string{3: "bells.go"},
			"“The striker of `striker.go`", "answered “let's do 2”; worked on"},
		"worked on": {[]string{"The bell tower rings twice at noon, why?", "The striker isn't locked.",
			"please lock the striker until the hour is over", "It is locked.", "and the chime?", "It is quiet."},
			map[int]string{3: "striker.go"}, "“please lock the striker", "; worked on"},
		"outcome": {[]string{"The bell tower rings twice at noon, why?", "The striker isn't locked.",
			"please lock the striker until the hour is over", "The striker stays locked, the hour is over at its bell.",
			"and the chime?", "It is quiet."}, map[int]string{3: "striker.go"}, "“please lock the striker",
			"answered “The striker stays locked, the hour is over at its bell.”"},
		"agreed to": {[]string{"The bell tower rings twice at noon, why?", "The striker isn't locked.",
			"i want the striker locked until the hour is over", "That takes a second lock. Shall I add it?",
			"yes, please", "It is locked."},
			map[int]string{5: "striker.go"}, "“i want the striker locked", "; worked on"},
		"answered by the other choice": {[]string{"The bell tower rings twice at noon, why?",
			"The ropes swing. Shall I take the ropes of the tower down? Or shall they stay?", "rather not",
			"They stay.", "and the chime?", "It is quiet."}, nil,
			"“Shall I take the ropes of the tower down? Or shall they stay?”", "answered “rather not”"},
		"put off": {[]string{"The bell tower rings twice at noon, why?", "The striker isn't locked.",
			"lock it, and the damper of the ropes can wait until the tower has its new roof", "It is locked.",
			"and the chime?", "It is quiet."},
			map[int]string{3: "striker.go"}, "“lock it, and the damper", "turn 3"},
		"asked with a link": {[]string{"The bell tower rings twice at noon, please lock the striker.", "It is locked.",
			"Is there anything in this almanac that would help the tower with summer hours? https://almanac.example",
			"The almanac has tables of the summer hours that the tower can read.", "and the chime?", "It is quiet."},
			map[int]string{3: "hours.go"}, "“Is there anything in this almanac",
			"answered “The almanac has tables of the summer hours that the tower can read.”"},
		"edited since": {[]string{"The bell tower rings twice at noon, why?",
			"The cause is the clock: `bells.go` reads the hour before the clock was set, so noon comes twice.",
			"then read the hour after the clock was set by the tower", "It reads the hour once now."},
			map[int]string{3: "bells.go"}, "“The cause is the clock", "turn 2; file edited since"},
		"reported": {[]string{"The bell tower rings twice at noon, please mend it.",
			"The cause was the clock: `bells.go` read the hour before the clock was set. It reads it once now.",
			"and the chime, is it heard at night?", "It isn't heard at night."}, map[int]string{1: "bells.go"},
			"“The cause was the clock", "turn 3"},
		"reported, and edited since": {[]string{"The bell tower rings twice at noon, please mend it.",
			"The striker of `Tower.Ring` is locked until the hour is over, so that it can't ring again.",
			"and the chime, is it heard at night?", "It isn't heard at night."},
			map[int]string{1: "bells.go", 3: "bells.go"},
			"“The striker of `Tower.Ring`", "turn 3; file edited since"},
		"refused thereupon": {[]string{"The bell tower rings twice at noon, please mend it.",
			"The lock of `striker.go` works, so the tower rings once at noon.\n\nThe chime hangs still at night.",
			"nope, it is twice at noon, I stood there", "Then it is the clock.", "please look", "It is the clock."},
			nil, "", "rings once at noon"},
		"tried": {[]string{"The bell tower rings twice at noon, please mend it.",
			"Try the tower with its clock at noon now, it should ring once.", "ok, rings once. great",
			"Good.", "and the chime?", "It is quiet."}, nil,
			"“Try the tower", "answered “ok, rings once. great”"},
		"asked in a list": {[]string{"The bell tower rings twice at noon, why?",
			"Two notes before I lock the striker of the tower:\n\n- The ropes of the tower stay. OK?\n" +
				"- The chime of the tower goes by wire.", "yes for both", "It is locked.", "and the chime?",
			"It is quiet."},
			map[int]string{3: "striker.go"}, "“Two notes before I lock", "answered “yes for both”; worked on"},
		"refuted": {[]string{"The bell tower rings twice at noon, why?",
			"The ropes of the tower swing back after each stroke.\n\n" +
				"The cause is the rope: `ropes.go` never damps it, and that rings the bell again.\n\n" +
				"The damper of `tower.go` is only called at night, which explains the second ring at noon.",
			"no, the ropes were taken out last year, that can't be it",
			"It isn't the ropes then: the clock strikes by itself.", "please stop it", "It is stopped."}, nil,
			"", "The cause is the rope"},
		"refuted, said earlier": {[]string{"The bell tower rings twice at noon, why?",
			"The damper of the ropes is what rings the bell again: `ropes.go` lets them swing for a minute.",
			"and at night?", "The ropes of the tower hang still at night, so `tower.go` rings once.",
			"no, the ropes were taken out last year, that can't be it",
			"It isn't the damper of the ropes then: the clock strikes by itself.", "please stop it",
			"It is stopped."}, nil, "", "lets them swing"},
		"taken back, all of it": {[]string{"Does the test of the bells catch the second ring at noon?",
			takenBack, "but the second ring comes at noon from the clock, not from the bells in the test",
			"You're right, the test doesn't have the clock, so it can't catch the second ring.",
			"then give it the clock", "It has the clock."}, nil,
			"", "“The test rings"},
	} {
		s := talkOf(c.said, c.wrote)
		p, err := Distiller{}.Distill(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		payload.Mint("s", p.Items, map[payload.ItemID]bool{})
		page := payload.Render(p, payload.Options{}).Text
		if c.want == "" {
			if strings.Contains(page, c.with) {
				t.Errorf("%s: %q is told\n%s", name, c.with, page)
			}
			continue
		}
		_, line, _ := strings.Cut(page, c.want)
		line, _, _ = strings.Cut(line, "\n")
		if !strings.HasSuffix(line, c.with) {
			t.Errorf("%s: want %q after %q, got %q\n%s", name, c.with, c.want, line, page)
		}
	}
}

// What was found and asked in the first third of a session is told only of a short one.
func TestFoundEarly(t *testing.T) {
	said := []string{"please look after the bell tower from here on", "The tower has four bells and a clock.",
		"does the second ring at noon come from the clock?", "The clock of `clock.go` strikes every bell of the tower.",
		"keep the striker of the clock locked until the hour is over, in every season", "It is locked."}
	for exchanges, told := range map[int]bool{3: true, 12: false} {
		said := slices.Clone(said)
		for i := len(said) / 2; i < exchanges; i++ {
			said = append(said, fmt.Sprintf("write the hymn of day %d into the book of hymns", i), "It is written.")
		}
		p, err := Distiller{}.Distill(t.Context(), talkOf(said, nil))
		if err != nil {
			t.Fatal(err)
		}
		page := payload.Render(p, payload.Options{}).Text
		if strings.Contains(page, "strikes every bell") != told || !strings.Contains(page, "keep the striker") {
			t.Errorf("%d exchanges: told %v\n%s", exchanges, !told, page)
		}
	}
}

// What a plan was to do with a file isn't told of the file, which may have become another.
func TestPlanTellsNoFile(t *testing.T) {
	s := talkOf([]string{"Mend the bells.", "I planned it.", "go on", "Mended."}, map[int]string{3: "bells.go"})
	s.Turns[1].Calls = []ingest.ToolCall{{Name: "ExitPlanMode", Done: true, Verdict: ingest.Approved,
		Plan: &ingest.Plan{Text: "# Mend the bells\n\n- `bells.go`: add a lock for the striker"}}}
	all, _ := items(s)
	for _, it := range all {
		if it.Kind == payload.File && it.Text != "New." {
			t.Errorf("%s: %q", it.Path, it.Text)
		}
	}
}

const takenBack = "The test rings the bells at noon and counts the strokes, so a second ring at noon is caught.\n\n" +
	"The comment in `bells_test.go` says that a second ring can't come at noon in the test, only at night."

// A question isn't answered by what was taken back later, nor by what is said of a case that may never come.
func TestNoAnswer(t *testing.T) {
	for _, said := range [][]string{
		{"Does the test of the bells catch the second ring at noon?", takenBack,
			"but the second ring comes at noon from the clock, not from the bells in the test",
			"You're right, the test doesn't have the clock, so it can't catch the second ring."},
		{"Why do the bells ring by wire and not by rope?",
			"If the bells ring by rope again, then the wire of the bells stays as a spare for the rope."},
	} {
		if _, s := listen(talkOf(said, nil)).speeches[0].passages()[0].told(); s != nil {
			t.Errorf("%q is answered by %q", said[0], s.text)
		}
	}
}

// Nor by what is said of a client's notice, unless it speaks of what was asked.
func TestNoticeAnswersNobody(t *testing.T) {
	for said, answers := range map[string]bool{"The job of the ropes ended long ago, nothing is left of it.": false,
		"The tower has four bells, as the job of the ropes says.": true} {
		s := talkOf([]string{"How many bells does the tower have?", said}, nil)
		s.Turns = slices.Insert(s.Turns, 1, ingest.Turn{ID: "n", Kind: ingest.Event, Name: "notification"})
		if _, told := listen(s).speeches[0].passages()[0].told(); (told != nil) != answers {
			t.Errorf("%q answers: %v", said, !answers)
		}
	}
}

// Who declines a plan with words of praise, to clear the context first, ruled nothing out.
func TestPlanThatIsAgreedTo(t *testing.T) {
	for _, reason := range []string{"This plan is excellent, write it to the disk and take option 1",
		"looks good, clear the context", "the last plan sounds really good, keep it for Monday"} {
		s := talkOf([]string{"Plan the new bell tower.", "I have the plan.", "and draw it", "It is drawn."}, nil)
		s.Turns[1].Calls = []ingest.ToolCall{{ID: "c", Name: "ExitPlanMode", Verdict: ingest.Rejected, Reason: reason,
			Plan: &ingest.Plan{Text: "# Bells by wire\n\n1. Hang the wire"}}}
		all, _ := items(s)
		if slices.ContainsFunc(all, func(it payload.Item) bool { return it.Rule == payload.RefusalRule }) {
			t.Errorf("%q refuses", reason)
		}
	}
}

// What an assistant says in a sentence as it takes a step isn't told when the step is taken.
func TestStepsOnTheWay(t *testing.T) {
	s := talkOf([]string{"The bell tower rings twice at noon, please mend it.",
		"Now the second ring goes into the clock of the tower.",
		"and the chime of the tower, is it heard at night?", "It isn't heard at night."}, nil)
	s.Turns[1].Calls = []ingest.ToolCall{{ID: "c", Name: "Edit", Path: "clock.go", Done: true}}
	all, _ := items(s)
	quotes := func(it payload.Item) bool { return strings.Contains(it.Text, "Now the second ring") }
	if slices.ContainsFunc(all, quotes) {
		t.Error("a step on the way is told")
	}
}

// A commit acts on what was asked for too, whatever made it, unless it was taken back.
func TestWorkedOnByCommit(t *testing.T) {
	for then, want := range map[string]string{"git log": payload.WorkedOn, "git revert 76b7d178": payload.TakenBack} {
		s := talkOf([]string{"Mend the bells.", "Mended.", "commit all that the tower needs", "It is committed.",
			"and the chime?", "It is quiet."}, nil)
		s.Turns[3].Calls = []ingest.ToolCall{{Name: "Bash", Command: "git commit -m bells", Done: true,
			Commit: "76b7d178"}}
		s.Turns[5].Calls = []ingest.ToolCall{{Name: "Bash", Command: then, Done: true}}
		all, _ := items(s)
		if !slices.ContainsFunc(all, func(it payload.Item) bool { return it.Since == want }) {
			t.Errorf("%s: nothing is marked %q: %+v", then, want, all)
		}
	}
}

// An order is quoted without what was pasted below it, and a question that is only quoted asks nothing.
func TestOrderBeforePasted(t *testing.T) {
	s := talkOf([]string{"Mend the bells.", "Mended.",
		"please let the help look like this example:\n\n```\nring NAME\n```",
		"It does.", "and the chime?", "It is quiet."}, nil)
	all, _ := items(s)
	const want = "please let the help look like this example …"
	if !slices.ContainsFunc(all, func(it payload.Item) bool { return it.Text == want }) {
		t.Errorf("no %q: %+v", want, all)
	}
	if asks(`A wrong name shows "Did you mean 'ring'?"`) {
		t.Error("a quoted question asks")
	}
}

// Work that a command did on files that it doesn't name is work, whoever was refused another command before.
func TestWorkedOnUnnamedFiles(t *testing.T) {
	for command, want := range map[string]string{
		"grep -rl ring . | xargs sed -i 's/ring/toll/'":             payload.WorkedOn,
		"find . -name '*.go' -exec perl -pi -e 's/ring/toll/' {} +": payload.WorkedOn,
		"grep -rl ring . | xargs grep -i toll":                      "",
	} {
		s := talkOf([]string{"Mend the bells.", "I'd ring them.", "all bells of the tower toll from now on",
			"They toll.", "and the chime?", "It is quiet."}, nil)
		s.Turns[1].Calls = []ingest.ToolCall{{ID: "c", Name: "Bash", Command: "ring bells", Verdict: ingest.Rejected,
			Reason: s.Turns[2].Text, ReasonTurn: s.Turns[2].ID}}
		s.Turns[3].Calls = []ingest.ToolCall{{Name: "Bash", Command: command, Done: true}}
		all, _ := items(s)
		at := slices.IndexFunc(all, func(it payload.Item) bool { return it.Rule == payload.RefusalRule })
		if at < 0 || all[at].Since != want {
			t.Errorf("%s: want %q: %+v", command, want, all)
		}
	}
}

// What the client had a model write down of the session tells where it ended, but not what was to come next when more
// was said since, nor anything when much was.
func TestRecap(t *testing.T) {
	const recap = "Mending the bells of the tower; the striker is locked now. Next: hang the wire of the chime."
	for name, c := range map[string]struct {
		since []string
		want  string
	}{
		"last": {nil, recap},
		"followed": {[]string{"and the ropes?", "They hang."},
			"Mending the bells of the tower; the striker is locked now."},
		"long ago": {[]string{"and the ropes?", "They hang.", "a", "b", "c", "d"}, ""},
	} {
		s := talkOf(append([]string{"Mend the bells.", "The striker is locked."}, c.since...), nil)
		s.Turns = slices.Insert(s.Turns, 2, ingest.Turn{ID: "recap", N: 2, Role: ingest.Assistant, Kind: ingest.Event,
			Name: "away-summary", Text: recap})
		all, _ := items(s)
		got := ""
		for _, it := range all {
			if it.First().Turn == "recap" {
				got = it.Text
			}
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// What is said to work isn't told once the person says, or shows, that it doesn't.
func TestFailed(t *testing.T) {
	const claim = "The striker `bells.go` should be fixed now, it locks before the chime."
	for said, want := range map[string]bool{"it still doesn't work": false, "die glocke läuft immer noch": false,
		"no, the chime does not work": false, "ça ne marche toujours pas": false,
		"```\nerror: striker not locked\n```": false, "now the ropes, and log each error": true,
		"perfect, now show the failed locks in red": true} {
		all, _ := items(talkOf([]string{"Mend the bells.", claim, said, "Turned round.", "and the wire?", "It hangs."},
			nil))
		if got := slices.ContainsFunc(all, func(it payload.Item) bool { return it.Text == claim }); got != want {
			t.Errorf("%s: the claim is told: %t", said, got)
		}
	}
}

// Commits say that no push was seen since, as long as none was, that they passed no hooks, and their branch if it isn't
// the session's.
func TestNotPushed(t *testing.T) {
	s := talkOf([]string{"Mend the bells.", "Mended."}, nil)
	s.Where.Branch = "main"
	s.Turns[1].Calls = []ingest.ToolCall{{Name: "Bash", Command: "git commit --no-verify -m x", Done: true,
		Result: "[toll 76b7d178] lock the striker", CommitMessage: "lock the striker"}}
	tell := func(line string) {
		all, _ := items(s)
		if !slices.ContainsFunc(all, func(it payload.Item) bool { return payload.LineOf(&it) == line }) {
			t.Errorf("%q isn't told: %+v", line, all)
		}
	}
	tell("“lock the striker” — commit on toll, turn 2; no push seen since; hooks skipped")
	hang := ingest.ToolCall{Name: "Bash", Command: "git commit -m x", Done: true, Result: "[wire 76b7d179] hang",
		CommitMessage: "hang"}
	again := ingest.Turn{ID: "c", N: 3, Role: ingest.Assistant, Kind: ingest.Message, Dir: "/w",
		Calls: []ingest.ToolCall{hang}}
	s.Turns = append(s.Turns, again)
	tell("“lock the striker · hang” — commits, the last on wire in turn 3; no push seen since; hooks skipped")
	s.Turns[1].Calls[0].Command = "cd /tmp/try && git commit --no-verify -m x" // of another repository
	tell("“hang” — commit on wire, turn 3; no push seen since")
	for command, want := range map[string]string{"git push origin main": "", "git log": payload.NotPushed,
		"git push --dry-run": payload.NotPushed, "git push origin --delete old": payload.NotPushed} {
		s := talkOf([]string{"Mend the bells.", "Mended.", "and the chime?", "It is quiet."}, nil)
		s.Turns[1].Calls = []ingest.ToolCall{{Name: "Bash", Command: "git commit -m 'lock the striker of the bells'",
			Done: true, Commit: "76b7d178", CommitMessage: "lock the striker of the bells"}}
		s.Turns[3].Calls = []ingest.ToolCall{{Name: "Bash", Command: command, Done: true}}
		all, _ := items(s)
		at := slices.IndexFunc(all, func(it payload.Item) bool { return it.Rule == payload.CommitRule })
		if at < 0 || all[at].Since != want {
			t.Errorf("%s: want %q: %+v", command, want, all)
		}
	}
}

// The last run of tests is told if some failed, which a pipe hides from the client, or if files were changed since.
func TestLastTests(t *testing.T) {
	ran := func(command, result string, fails bool) ingest.ToolCall {
		return ingest.ToolCall{Name: "Bash", Command: command, Done: true, Failed: fails, Result: result}
	}
	write := ingest.ToolCall{Name: "Write", Path: "/w/bells.go", Done: true}
	const failed = "last run of tests, failed"
	for name, c := range map[string]struct {
		calls       []ingest.ToolCall
		text, since string // "" if nothing is told
		why         string
	}{
		"passed": {[]ingest.ToolCall{write, ran("go test ./...", "ok", false)}, "", "", ""},
		"failed": {[]ingest.ToolCall{ran("npm run test:unit", "", true)}, "npm run test:unit", "", failed},
		"behind a pipe": {[]ingest.ToolCall{ran("cd /w && go test ./... 2>&1 | tail -5", "FAIL\tbells 0.1s", false)},
			"cd /w && go test ./...", "", failed},
		"mended": {[]ingest.ToolCall{ran("pytest -q", "2 failed, 7 passed", true),
			ran("uv run pytest", "9 passed, 0 failed", false)}, "", "", ""},
		"run again by a sub-agent": {[]ingest.ToolCall{ran("pytest -q", "2 failed, 7 passed", true),
			{ID: "x", Name: "Task", Done: true}}, "", "", ""},
		"changed since": {[]ingest.ToolCall{ran("make test", "ok", false), write}, "make test", payload.FilesSince,
			"last run of tests, no failure seen"},
		"no tests": {[]ingest.ToolCall{ran("bun run test:env", "", true), ran("grep -r test .", "", true), write},
			"", "", ""},
	} {
		s := talkOf([]string{"Mend the bells."}, nil)
		s.Subagents = []ingest.Subagent{{ID: "b", Call: "x", Turns: []ingest.Turn{{Role: ingest.Assistant,
			Calls: []ingest.ToolCall{ran("pytest -q", "9 passed", false)}}}}}
		for i, call := range c.calls {
			s.Turns = append(s.Turns, ingest.Turn{ID: ingest.TurnID("c" + string(rune('0'+i))), N: i + 2,
				Role: ingest.Assistant, Kind: ingest.Message, Dir: "/w", Calls: []ingest.ToolCall{call}})
		}
		all, _ := items(s)
		var got payload.Item
		if at := slices.IndexFunc(all, func(it payload.Item) bool { return it.Rule == payload.TestRule }); at >= 0 {
			got = all[at]
		}
		if got.Text != c.text || got.Since != c.since || got.Why != c.why {
			t.Errorf("%s: %q, %q, %q", name, got.Text, got.Why, got.Since)
		}
	}
}
