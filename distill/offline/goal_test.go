package offline

import (
	"slices"
	"strings"
	"testing"

	"recall/ingest"
	"recall/payload"
)

// A greeting, or a word to go on, states no goal: the next request does.
func TestGreetingIsNoGoal(t *testing.T) {
	for _, c := range []struct{ first, then, want string }{
		{"Good morning.", "Move the import to a worker.", "Move the import to a worker."},
		{"continue please", "Move the import to a worker.", "Move the import to a worker."},
		{"Guten Morgen, Claude!", "Move the import to a worker.", "Move the import to a worker."},
		{"Hello, fix the parser of dates.", "Move the import to a worker.", "Hello, fix the parser of dates."},
	} {
		s := &ingest.Session{ID: "s"}
		for i, text := range []string{c.first, c.then} {
			s.Turns = append(s.Turns, ingest.Turn{ID: ingest.TurnID(text), N: i + 1, Role: ingest.User,
				Kind: ingest.Prompt, Text: text})
		}
		if got := goal(listen(s)); len(got) != 1 || got[0].Text != c.want {
			t.Errorf("%q, %q: got %+v, want %q", c.first, c.then, got, c.want)
		}
	}
}

// What is ordered next is the goal from then on; what only goes on with the same isn't.
func TestNextTaskIsTheGoal(t *testing.T) {
	const first = "Push everything that is staged to the remote."
	for then, turns := range map[string]bool{
		"now add the search endpoint with pagination":         true,
		"yes, now go on with the booking flow and its design": true,
		"good. now write the docs of the importer":            true,
		"now it fails with a timeout in the second test":      false,
		"now make a plan for the two days, who comes when":    false,
		"gut, jetzt mach bitte einen Plan für den Umzug":      false,
		"yes, go on": false,
		"the search endpoint is slow now, why is that": false,
	} {
		s := &ingest.Session{ID: "s"}
		for i, text := range []string{first, then} {
			s.Turns = append(s.Turns, ingest.Turn{ID: ingest.TurnID(text), N: i + 1, Role: ingest.User,
				Kind: ingest.Prompt, Text: text})
		}
		if got := goal(listen(s)); len(got) != 1 || got[0].Text == first == turns {
			t.Errorf("%q: got %+v", then, got)
		}
	}
}

// The title of a plan isn't the person's word.
func TestPlanAsGoal(t *testing.T) {
	s := &ingest.Session{ID: "s", Turns: []ingest.Turn{{ID: "p", N: 1, Role: ingest.User, Kind: ingest.PlanTurn,
		Text: "# Cap the queue\n\nAt 500 jobs."}}}
	if got := goal(listen(s)); len(got) != 1 || got[0].Text != "Cap the queue" || got[0].By != payload.ByBoth {
		t.Errorf("got %+v", got)
	}
}

// A farewell is neither what is to be done next nor worth a line.
func TestFarewell(t *testing.T) {
	for _, bye := range []string{"great, till tomorrow", "ok, enough for today", "thanks, see you", "fine, tomorrow",
		"Super, bis morgen!", "Great work, see you after the weekend."} {
		s := talkOf([]string{"Split the reader of the ledger in two.", "Both halves are in and pass.", bye}, nil)
		p, err := Distiller{}.Distill(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range p.Items {
			if it.Kind == payload.Next || strings.Contains(it.Text, bye) {
				t.Errorf("%q: got %s %q", bye, it.Kind, it.Text)
			}
		}
	}
}

// Words that say nothing of themselves are a consent where something was asked.
func TestConsentIsNoFarewell(t *testing.T) {
	s := talkOf([]string{"Split the reader of the ledger in two.", "Shall the old reader be deleted from the ledger?",
		"perfect", "It is deleted."}, nil)
	p, err := Distiller{}.Distill(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	asked := func(it payload.Item) bool { return strings.Contains(it.Text, "Shall the old reader") }
	if !slices.ContainsFunc(p.Items, asked) {
		t.Errorf("a consent isn't quoted with its question: %v", p.Items)
	}
}

// A yes answers all that was asked; what asks something else answers nothing.
func TestYesToTwoQuestions(t *testing.T) {
	const asked = "Shall I extend the reader to bank files? Or would you rather keep it on the ledger alone?"
	for reply, want := range map[string]string{
		"yes":                                  asked,
		"which banks write such files at all?": "",
	} {
		s := talkOf([]string{"What does the reader of the ledger do?", "It reads the ledger's own files.\n\n" +
			asked, reply, "Well."}, nil)
		p, err := Distiller{}.Distill(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, it := range p.Items {
			if len(it.Evidence) > 1 && slices.Contains(it.Quotes(), reply) {
				got = it.Text
			}
		}
		if got != want {
			t.Errorf("%q: got %q with it, want %q", reply, got, want)
		}
	}
}

// An order that was begun and cut off is still to be done, and the page says at what that was; one whose work ended in
// a report isn't, nor one that only needed the commit that was begun.
func TestCutOffOrderIsNext(t *testing.T) {
	const order = "Move the seat map into its own package"
	call := func(name, command string) ingest.ToolCall { return ingest.ToolCall{Name: name, Command: command} }
	refused := ingest.ToolCall{Name: "ExitPlanMode", Done: true, Verdict: ingest.Rejected,
		Plan: &ingest.Plan{Text: "# Seats by row\n\n1. Number the rows"}}
	reworded := refused
	reworded.Reason = "Write the plan to the disk, then take the second option"
	agreed := refused
	agreed.Reason, agreed.Plan = "Great plan, write it to the disk first", &ingest.Plan{Text: refused.Plan.Text,
		File: "/home/ana/.claude/plans/seats.md"}
	fault := &ingest.Turn{Role: ingest.Assistant, Kind: ingest.Event, Name: "api-error", Text: "Your limit is reached"}
	stopped := &ingest.Turn{Kind: ingest.Interrupt, Text: "[Request interrupted by user]"}
	moved := &ingest.Turn{Role: ingest.Assistant, Kind: ingest.Message, Text: "It is moved."}
	exit := &ingest.Turn{Role: ingest.User, Kind: ingest.Command, Name: "/exit"}
	commit := call("Bash", `git commit -m "Seats have a package"`)
	const steps = "Move the seat map into its own package, and then answer the comments on the pull request"
	for name, c := range map[string]struct {
		order       string
		call        ingest.ToolCall
		then        *ingest.Turn
		want, ended string
	}{
		"no result":     {order, call("Bash", "go test ./seats"), exit, order, "“go test ./seats” — call without a result on record"},
		"refused plan":  {order, refused, stopped, order, "“Seats by row” — plan without an approval on record"},
		"reworded plan": {order, reworded, nil, reworded.Reason, "“Seats by row” — plan refused by the user"},
		"agreed plan": {order, agreed, nil, "",
			"“Seats by row” — plan agreed to in words, in ~/.claude/plans/seats.md"},
		"stopped": {order, ingest.ToolCall{Name: "Bash", Done: true}, stopped, order,
			"“[Request interrupted by user]” — the client"},
		"fault":          {order, ingest.ToolCall{Name: "Bash", Done: true}, fault, order, "“Your limit is reached” — the client"},
		"commit begun":   {order, commit, nil, "", "“Seats have a package” — commit without a result on record"},
		"commit amid":    {steps, commit, nil, steps, "“Seats have a package” — commit without a result on record"},
		"closing report": {order, refused, moved, "", ""},
	} {
		s := talkOf([]string{"List the halls of the theatre.", "They are in halls.txt.", c.order,
			"I look at the map first."}, nil)
		last := &s.Turns[len(s.Turns)-1]
		last.Calls = []ingest.ToolCall{c.call}
		if c.then != nil {
			c.then.ID, c.then.N = "then", last.N+1
			s.Turns = append(s.Turns, *c.then)
		}
		p, err := Distiller{}.Distill(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		got, ended := "", ""
		for _, it := range p.Items {
			if it.Kind == payload.Next {
				got = it.Text
			} else if it.Rule == payload.CutOffRule {
				ended, _, _ = strings.Cut(payload.LineOf(&it), ", turn ")
			}
		}
		if got != c.want || ended != c.ended {
			t.Errorf("%s: got %q, ended %q, want %q and %q", name, got, ended, c.want, c.ended)
		}
	}
}

// What a person changed of a plan that was being made isn't next once it was shown, though that was refused.
func TestPlanShown(t *testing.T) {
	const change = "Name the halls in the plan after their streets, and number the rows from the stage"
	for shown, want := range map[bool]string{true: "", false: change} {
		s := talkOf([]string{"Plan the seats of the theatre.", "Here is the plan.", change, "I look at the plan."}, nil)
		plan := ingest.ToolCall{Name: "ExitPlanMode", Done: true, Verdict: ingest.Rejected,
			Plan: &ingest.Plan{Text: "# Seats by row\n\n1. Number the rows"}}
		s.Turns[1].Calls = []ingest.ToolCall{{Name: "EnterPlanMode", Done: true}}
		s.Turns[3].Calls = []ingest.ToolCall{{Name: "Bash", Command: "ls halls"}}
		if shown {
			s.Turns[3].Calls = []ingest.ToolCall{plan}
		}
		all, _ := items(s)
		got := ""
		for _, it := range all {
			if it.Kind == payload.Next {
				got = it.Text
			}
		}
		if got != want {
			t.Errorf("shown %v: next %q, want %q", shown, got, want)
		}
	}
}

// An order after which calls were made, and nothing was said, is still to be done, and so is one that nobody answered.
func TestEndsWithoutReport(t *testing.T) {
	for _, c := range []struct {
		bye, answer string
		work        map[int]string
		want        string
	}{
		{"the stairs too, with a rail", "", map[int]string{1: "hall.svg", 3: "stairs.svg"},
			"## Next action\n1. “the stairs too, with a rail” — user, turn 4"},
		{"I ask Maren about the stairs. Do the doors of the balcony", "", map[int]string{1: "hall.svg"},
			"## Next action\n1. “I ask Maren about the stairs. Do the doors of the balcony” — user, turn 4"},
	} {
		s := talkOf([]string{"Draw the hall and its doors.", "The hall has all its doors now, the stairs are missing.",
			c.bye, c.answer, "", ""}, c.work)
		s.Turns = s.Turns[:len(s.Turns)-1] // no report
		if c.answer == "" && len(c.work) == 1 {
			s.Turns = s.Turns[:4]
		}
		p, err := Distiller{}.Distill(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if page := payload.Render(p, payload.Options{}).Text; !strings.Contains(page, c.want) {
			t.Errorf("%q isn't on the page:\n%s", c.want, page)
		}
	}
}

// A commit in a folder of a moment is none of the work.
func TestCommitThrownAway(t *testing.T) {
	commit := func(command string) ingest.ToolCall {
		return ingest.ToolCall{Name: "Bash", Command: command, Done: true, Result: "[main 1234567] Seats by row",
			CommitMessage: "Seats by row", Commit: "1234567"}
	}
	for command, want := range map[string]bool{
		`cd /tmp/try && git init && git commit -m "Seats by row"`: false,
		`git commit -m "Seats by row"`:                            true,
	} {
		s := talkOf([]string{"Number the rows of the theatre.", "They are numbered now."}, nil)
		s.Turns[1].Calls = []ingest.ToolCall{commit(command)}
		all, _ := items(s)
		if got := slices.ContainsFunc(all, func(it payload.Item) bool { return it.Rule == payload.CommitRule }); got != want {
			t.Errorf("%s: told %v", command, got)
		}
	}
}
