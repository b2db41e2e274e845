package distill

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"recall/ingest"
	"recall/payload"
)

// talk makes a session of lines "you …" and "says …".
func talk(lines ...string) *ingest.Session {
	s := &ingest.Session{}
	for i, line := range lines {
		who, text, _ := strings.Cut(line, " ")
		t := ingest.Turn{ID: ingest.TurnID("t" + string(rune('1'+i))), N: i + 1, Role: ingest.User, Kind: ingest.Prompt,
			Text: text}
		if who == "says" {
			t.Role, t.Kind = ingest.Assistant, ingest.Message
		}
		s.Turns = append(s.Turns, t)
	}
	return s
}

// item is one that rests on "turn: quote" pieces of evidence.
func item(kind payload.Kind, text string, evidence ...string) payload.Item {
	it := payload.Item{Kind: kind, Text: text, By: payload.ByAssistant, Maker: payload.ByRule, State: payload.Stands}
	for _, e := range evidence {
		turn, quote, _ := strings.Cut(e, ": ")
		it.Evidence = append(it.Evidence, payload.Evidence{Turn: turn, Quote: quote})
	}
	return it
}

func TestContract(t *testing.T) {
	chat := talk(
		"you how do we keep the lists?",  // t1
		"says In memory, or in a file?",  // t2
		"you in a file",                  // t3
		"says The lists stand in a file", // t4
	)
	asked := talk(
		"you the export is slow",
		"says It writes row by row. Should I also raise the batch size of the export to 500?",
		"you no, don't raise it, the proxy cuts at 200",
	)
	short := talk("you tidy up", "says Tidied the helpers. Shall I also move the fixtures into testdata?", "you no",
		"says Fine.")
	ignored := talk(
		"you the lock file shows up in git",
		"says Added `jobs.lock` to `.gitignore` of this repository.",
		"you sure, but the tool should see to that, not you adding it to this repository",
		"says Right, the tool writes the line itself now.",
	)
	cause := talk("you why do two workers get one job?",
		"says `SELECT … FOR UPDATE` alone is **not** enough here, the row is read before.\n\nThe reader is **not** atomic. It rules out the clock as the cause.")
	tests := []struct {
		name    string
		s       *ingest.Session
		in      payload.Item
		want    payload.Item // kind, text, why and evidence's turns; the zero item: dropped
		turns   []string
		counted string
	}{
		{"a refused proposal", asked,
			item(payload.Decision, "Raise the batch size of the export to 500.",
				"t2: Should I also raise the batch size of the export to 500?"),
			payload.Item{Kind: payload.Eliminated, Text: "Raise the batch size of the export to 500.",
				Why: "no, don't raise it, the proxy cuts at 200"}, []string{"t3", "t2"}, MendRefused},
		{"a bare no to what was asked last", short,
			item(payload.Decision, "Move the fixtures into testdata.", "t2: Shall I also move the fixtures into testdata?"),
			payload.Item{Kind: payload.Eliminated, Text: "Move the fixtures into testdata.", Why: "no"}, []string{"t3", "t2"},
			MendRefused},
		{"a bare no isn't of what was said before", short,
			item(payload.Decision, "Tidied the helpers.", "t2: Tidied the helpers."),
			item(payload.Decision, "Tidied the helpers."), []string{"t2"}, ""},
		{"taken back by the next prompt", ignored,
			item(payload.Decision, "Added `jobs.lock` to `.gitignore` of this repository.",
				"t2: Added `jobs.lock` to `.gitignore` of this repository."),
			payload.Item{Kind: payload.Eliminated, Text: "Added `jobs.lock` to `.gitignore` of this repository.",
				Why: "sure, but the tool should see to that, not you adding it to this repository"}, []string{"t3", "t2"},
			MendRefused},
		{"what the person then said stands", ignored,
			item(payload.Decision, "The tool writes the line itself now.", "t4: the tool writes the line itself now"),
			item(payload.Decision, "The tool writes the line itself now."), []string{"t4"}, ""},
		{"nobody knows what it is", cause,
			item(payload.Eliminated, "It rules out the clock as the cause.", "t2: It rules out the clock as the cause."),
			payload.Item{}, nil, DropHalf},
		{"a bracket left open", chat,
			item(payload.Decision, "Keep the lists in memory (a map", "t4: The lists stand in a file"), payload.Item{}, nil,
			DropHalf},
		{"an end that goes on", chat,
			item(payload.Decision, "The lists stand in a file since.", "t4: The lists stand in a file"), payload.Item{}, nil,
			DropHalf},
		{"a colon for what comes", chat,
			item(payload.Flag, "The lists stand in:", "t4: The lists stand in a file"), payload.Item{}, nil, DropHalf},
		{"a quote that has nothing to do with it", chat,
			item(payload.Decision, "Archive stays where billing has it.", "t4: The lists stand in a file"), payload.Item{}, nil,
			DropUnrelated},
	}
	for _, tt := range tests {
		p := &payload.Payload{Items: []payload.Item{tt.in}}
		Hold(tt.s, p)
		var want map[string]int
		if tt.counted != "" {
			want = map[string]int{tt.counted: 1}
		}
		if !reflect.DeepEqual(p.Dropped, want) {
			t.Errorf("%s: counted %v, want %v", tt.name, p.Dropped, want)
		}
		if tt.want.Kind == "" {
			if len(p.Items) != 0 {
				t.Errorf("%s: got %+v, want it dropped", tt.name, p.Items)
			}
			continue
		}
		if len(p.Items) != 1 {
			t.Errorf("%s: got %d items, want one", tt.name, len(p.Items))
			continue
		}
		got := p.Items[0]
		var turns []string
		for _, e := range got.Evidence {
			turns = append(turns, e.Turn)
		}
		if got.Kind != tt.want.Kind || got.Text != tt.want.Text || got.Why != tt.want.Why || !slices.Equal(turns, tt.turns) {
			t.Errorf("%s:\n got %s %q because %q on %v\nwant %s %q because %q on %v", tt.name, got.Kind, got.Text, got.Why,
				turns, tt.want.Kind, tt.want.Text, tt.want.Why, tt.turns)
		}
		again := &payload.Payload{Items: slices.Clone(p.Items)}
		if Hold(tt.s, again); !reflect.DeepEqual(again.Items, p.Items) || len(again.Dropped) != 0 {
			t.Errorf("%s: held to it twice: got %+v, %v, want no change", tt.name, again.Items, again.Dropped)
		}
	}
}

// What a person chose by a tool's question isn't what they didn't.
func TestContractOfAnswers(t *testing.T) {
	s := talk("you set up the store", "says Asking.")
	s.Turns[1].Calls = []ingest.ToolCall{{ResultTurn: "r1",
		Answers: []ingest.Answer{{Question: "Which store for the events?", Chosen: []string{"SQLite"},
			Options: []ingest.Option{{Label: "Redis", Description: "fast, one more server to run"},
				{Label: "SQLite", Description: "one file"}}}}}}
	p := &payload.Payload{Items: []payload.Item{
		item(payload.Decision, "Store for the events: Redis", "r1: Redis"),
		item(payload.Decision, "Store for the events: SQLite", "r1: SQLite"),
		item(payload.Decision, "Use Redis for the events", "r1: SQLite"),
		item(payload.Decision, "Redis stores the events", "r1: Which store for the events?"),
		item(payload.Decision, "Events go into a folder", "r1: SQLite"),
	}}
	for i := range p.Items {
		p.Items[i].Maker, p.Items[i].Why = payload.ByModel, "one more server to run"
	}
	Hold(s, p)
	if len(p.Items) != 2 || p.Items[0].Text != "Store for the events: SQLite" || p.Items[0].Why != "" ||
		p.Dropped[DropOpposite] != 3 || !p.Items[1].Said() {
		t.Errorf("got %+v, dropped %v, want SQLite, without Redis' reason, and what the model says", p.Items, p.Dropped)
	}
}

// People's own items, and what doesn't hold any more, are left as they are.
func TestContractLeavesPeoplesOwn(t *testing.T) {
	own := payload.Item{Kind: payload.Eliminated, Text: "it isn't (so", Maker: payload.ByHuman}
	past := item(payload.Decision, "and that:", "t1: tidy")
	past.State = payload.Superseded
	in := []payload.Item{own, past}
	if kept, counts := Contract(talk("you tidy up"), in); !reflect.DeepEqual(kept, in) || len(counts) != 0 {
		t.Errorf("got %+v, %v, want both unchanged", kept, counts)
	}
}

// Files of a repository count as open from when they are written until a commit, or until git has nothing to commit.
func TestUncommitted(t *testing.T) {
	type calls = []ingest.ToolCall
	write := func(name string) ingest.ToolCall {
		return ingest.ToolCall{Name: "Write", Path: "/w/" + name, Done: true}
	}
	edit := func(old, new string) ingest.ToolCall {
		return ingest.ToolCall{Name: "Edit", Path: "/w/a.go", Done: true, Edits: []ingest.Edit{{Old: old, New: new}}}
	}
	commit := ingest.ToolCall{Name: "Bash", Command: "git commit -m done", Done: true, Commit: "76b7d178"}
	shell := func(command string) ingest.ToolCall {
		return ingest.ToolCall{Name: "Bash", Command: command, Done: true}
	}
	clean := shell("git status")
	clean.Result = "nothing to commit, working tree clean"
	begun := ingest.ToolCall{Name: "Bash", Command: "git commit -m done"}
	remove := shell("rm /w/a.go")
	outside := ingest.ToolCall{Name: "Write", Path: "/home/ann/notes.md", Done: true}
	for name, c := range map[string]struct {
		calls  calls
		branch string
		want   int
	}{
		"none":            {calls{write("a.go"), write("b.go"), write("a.go")}, "main", 2},
		"committed":       {calls{write("a.go"), commit}, "main", 0},
		"since":           {calls{write("a.go"), commit, write("b.go")}, "main", 1},
		"taken back":      {calls{edit("x", "y"), edit("z", "0"), edit("0", "z"), edit("y", "x")}, "main", 0},
		"half taken back": {calls{edit("x", "y"), edit("z", "0"), edit("y", "x")}, "main", 1},
		"of a commit":     {calls{edit("x", "y"), commit, edit("y", "x")}, "main", 1},
		"left by a commit": {calls{edit("x", "y"), {Name: "Bash", Command: "git add b.go && git commit -m done",
			Done: true, Commit: "76b7d178"}, edit("z", "0"), edit("0", "z")}, "main", 1},
		"committed elsewhere": {calls{write("a.go"), clean}, "main", 0},
		"begun":               {calls{write("a.go"), begun}, "main", 0},
		"conflicts resolved":  {calls{write("a.go"), shell("git add . && git rebase --continue")}, "main", 0},
		"removed":             {calls{write("a.go"), remove}, "main", 0},
		"outside":             {calls{outside}, "main", 0},
		"on another drive":    {calls{{Name: "Write", Path: `D:\other\a.go`, Done: true}}, "main", 0},
		"renamed":             {calls{write("a.go"), shell("git mv a.go b.go")}, "main", 1},
		"folder removed":      {calls{write("sub/a.go"), write("b.go"), shell("rm -rf sub")}, "main", 1},
		"all put back": {calls{write("a.go"), write("sub/b.go"), shell("git reset --hard")},
			"main", 0},
		"left out": {calls{write("a.go"), write("b.go"), shell("git add a.go"), commit}, "main", 1},
		"taken out": {calls{write("a.go"), write("b.go"),
			shell("git add -A && git restore --staged a.go"), commit}, "main", 1},
		"added anew": {calls{write("a.go"), write("b.go"),
			shell("git add . && git reset && git add a.go"), commit}, "main", 1},
		"added unnamed":      {calls{write("a.go"), write("b.go"), shell("git add *.go"), commit}, "main", 0},
		"added by a pattern": {calls{write("a.go"), shell("git add '*.go'"), commit}, "main", 0},
		"added from a list":  {calls{write("a.go"), shell("git add --pathspec-from-file=x"), commit}, "main", 0},
		"added somewhere":    {calls{write("a.go"), shell(`cd "$ROOT" && git add .`), commit}, "main", 0},
		"added all of a folder": {calls{write("a.go"), write("s/b.go"), shell("git add -A s"), commit},
			"main", 1},
		"moved by git":      {calls{write("a.go"), shell("git mv a.go b.go && git add c.go"), commit}, "main", 0},
		"edited once added": {calls{write("a.go"), shell("git add a.go"), write("a.go"), commit}, "main", 1},
		"undone, added anew": {calls{write("a.go"), write("b.go"),
			shell("git add . && git reset HEAD~1 && git add a.go"), commit}, "main", 1},
		"no repository": {calls{write("a.go")}, "", 0},
	} {
		s := talk("you write it")
		s.Where.Branch, s.Where.Cwds = c.branch, []ingest.CwdCount{{Dir: "/w", Turns: 1}}
		for i, call := range c.calls {
			s.Turns = append(s.Turns, ingest.Turn{N: i + 2, Role: ingest.Assistant, Dir: "/w",
				Calls: []ingest.ToolCall{call}})
		}
		p := &payload.Payload{}
		Hold(s, p)
		if p.Uncommitted != c.want {
			t.Errorf("%s: %d, want %d", name, p.Uncommitted, c.want)
		}
	}
}
