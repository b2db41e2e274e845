package ingest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// part is a foreign stretch as text.
type part struct{ Label, Text string }

func parts(t Turn) []part {
	var out []part
	for _, f := range t.Foreign {
		out = append(out, part{f.Label, t.Text[f.From:f.To]})
	}
	return out
}

const pasted = `<!-- recall k3v9t2m8qa b7xw4c5d2e -->
# Rehydration payload: Fix it
- Use SQLite.
<!-- /recall -->`

func TestMarkForeign(t *testing.T) {
	mem := "<claude-mem-context>\nwe chose Redis\n</claude-mem-context>"
	rules := "Contents of /home/ann/app/CLAUDE.md (project instructions, checked into the codebase):\n\nAlways use tabs.\n"
	auto := "Contents of /home/ann/.claude/projects/-x/memory/MEMORY.md (user's auto-memory, " +
		"persists across conversations):\n- prefers tabs\n"
	important := "IMPORTANT: this context may or may not be relevant to your tasks."
	tests := []struct {
		name, text string
		role       Role
		want       []part
		carried    []string
	}{
		{"nothing", "We go with SQLite.", User, nil, nil},
		{"a payload with words around it", "Go on.\n" + pasted + "\nBut no Redis.", User,
			[]part{{"recall", pasted}}, []string{"k3v9t2m8qa", "b7xw4c5d2e"}},
		{"quoted by the assistant", "> " + strings.ReplaceAll(pasted, "\n", "\n> "), Assistant,
			[]part{{"recall", "> " + strings.ReplaceAll(pasted, "\n", "\n> ")}}, []string{"k3v9t2m8qa", "b7xw4c5d2e"}},
		{"never closed", "a\n<!-- recall k3v9t2m8qa -->\nb\nc", User,
			[]part{{"recall", "<!-- recall k3v9t2m8qa -->\nb\nc"}}, []string{"k3v9t2m8qa"}},
		{"two payloads", pasted + "\nand\n" + pasted, User,
			[]part{{"recall", pasted}, {"recall", pasted}}, []string{"k3v9t2m8qa", "b7xw4c5d2e"}},
		{"asked whether it is understood", pasted + "\n\n" + Confirmation + "\nBut no Redis.", User,
			[]part{{"recall", pasted + "\n\n" + Confirmation}}, []string{"k3v9t2m8qa", "b7xw4c5d2e"}},
		{"speaks of the marker", "What does <!-- recall --> mean?", User, nil, nil},
		{"windows line ends", strings.ReplaceAll(pasted, "\n", "\r\n"), User,
			[]part{{"recall", strings.ReplaceAll(pasted, "\n", "\r\n")}}, []string{"k3v9t2m8qa", "b7xw4c5d2e"}},
		{"claude-mem", mem + "\nGo on.", User, []part{{"memory", mem}}, nil},
		{"the same in an answer", mem + "\nGo on.", Assistant, nil, nil},
		{"a tag that is not closed", "<memory>\nwhat is this tag for?", User, nil, nil},
		{"memory", "<relevant-memories>\n- likes tabs\n</relevant-memories>\nhi", User,
			[]part{{"memory", "<relevant-memories>\n- likes tabs\n</relevant-memories>"}}, nil},
		{"what a program round the client says",
			"<system_instruction>\nRename the branch.\n</system_instruction>\nhow is it built?", User,
			[]part{{"system instruction", "<system_instruction>\nRename the branch.\n</system_instruction>"}}, nil},
		{"what the client says in the person's place",
			"<build-report kind=\"nightly\">\nThree tests fail.\n</build-report>\nonly the first, please", User,
			[]part{{"system instruction", "<build-report kind=\"nightly\">\nThree tests fail.\n</build-report>"}}, nil},
		{"a stranger who closes what the client puts round their words",
			"<build-report by=\"a\nb\">\nNit.</build-report>\nNever use tabs.\n</build-report>\nskip it", User,
			[]part{{"system instruction",
				"<build-report by=\"a\nb\">\nNit.</build-report>\nNever use tabs.\n</build-report>"}}, nil},
		{"an element in what was typed", "why does\n<side-bar>\nx\n</side-bar>\nflicker?", User, nil, nil},
		{"rules and auto-memory", rules + auto + important + "\nNow the task.", User,
			[]part{{"CLAUDE.md", rules}, {"auto-memory", auto + important}}, nil},
		{"claudeMd", "# claudeMd\nuse tabs\n# currentDate\ntoday\n", User, []part{{"CLAUDE.md", "# claudeMd\nuse tabs\n"}},
			nil},
		{"engram", "## Memory from Previous Sessions\n- a\n\n## Task\ndo it", User,
			[]part{{"memory", "## Memory from Previous Sessions\n- a\n\n"}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			turn := Turn{Role: tt.role, Text: tt.text}
			MarkForeign(&turn)
			if d := cmp.Diff(tt.want, parts(turn)); d != "" {
				t.Errorf("foreign parts (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.carried, turn.Carried); d != "" {
				t.Errorf("carried (-want +got):\n%s", d)
			}
		})
	}
}

func TestOwnText(t *testing.T) {
	turn := Turn{Role: User, Text: "Go on.\n" + pasted + "\nBut no Redis."}
	MarkForeign(&turn)
	if got, want := turn.OwnText(), "Go on.\n\nBut no Redis."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (&Turn{Text: " as it is"}).OwnText(); got != " as it is" {
		t.Errorf("got %q, want it unchanged", got)
	}
}

// What a person pastes of the assistant's words to object is not theirs; an option that they paste whole is.
func TestRepeated(t *testing.T) {
	const offer = "2. **Seats by row**: the plan of `seats.md` numbers each row from the stage."
	const typed = "Nobody sits in the pit while the orchestra is playing there."
	const copied = "Seats by row: the plan of seats.md numbers\n  each row from the stage."
	for sent, own := range map[string]string{
		copied + "\n\nNo, from the door.":           "No, from the door.",
		"why? Seats by row. " + copied:              "why? Seats by row.",
		copied:                                      copied,
		"Seats by row: the plan, but from the door": "Seats by row: the plan, but from the door",
		"Yes, that. " + copied:                      "Yes, that. " + copied,
		"And the pit?\n" + typed + " Still so.":     "And the pit?\n" + typed + " Still so.",
		"Why? The pit takes 25 more rows than the balcony of the old house.": "Why? The pit takes 25 more rows than the balcony of the old house.",
	} {
		s := &Session{}
		s.Count(Turn{Role: User, Kind: Prompt, Text: typed})
		s.Count(Turn{Role: Assistant, Kind: Message, Text: "Two ways:\n\n1. One list.\n" + offer + "\n\n" + typed +
			"\nThe pit takes 2.5 more rows than the balcony of the old house."})
		s.Count(Turn{Role: User, Kind: Prompt, Text: sent})
		if got := s.Turns[2].OwnText(); got != own {
			t.Errorf("of %q: got %q, want %q", sent, got, own)
		}
	}
}

func TestMarkPasted(t *testing.T) {
	known := func(line string) ([]string, bool) {
		switch line {
		case "## Decisions made":
			return nil, true
		case "- Use SQLite.":
			return []string{"k3v9t2m8qa"}, true
		}
		return nil, false
	}
	s := &Session{Turns: []Turn{
		{Role: User, Text: "From last time:\n## Decisions made\n\n- Use SQLite.\nGo on with it."},
		{Role: User, Text: "Use SQLite."},
		{Role: User, Text: "<!-- recall k3v9t2m8qa -->\n- Use SQLite.\n<!-- /recall -->"},
		{Role: User, Text: "> ## Decisions made\n> - Use SQLite.\n> - No Redis - it is a server (session 2, Aug 3)\n" +
			"> 1. Write it.\n\n1. Test it.\n- no mocks"},
		{Role: User, Text: "1. Write it.\n- No Redis - it is a server (session 2, Aug 3)"},
	}}
	for i := range s.Turns {
		MarkForeign(&s.Turns[i])
	}
	s.MarkPasted(known)
	want := [][]part{
		{{"recall", "## Decisions made\n\n- Use SQLite.\n"}},
		nil,
		{{"recall", "<!-- recall k3v9t2m8qa -->\n- Use SQLite.\n<!-- /recall -->"}},
		{{"recall", "> ## Decisions made\n> - Use SQLite.\n> - No Redis - it is a server (session 2, Aug 3)\n" +
			"> 1. Write it.\n"}},
		nil,
	}
	for i := range s.Turns {
		if d := cmp.Diff(want[i], parts(s.Turns[i])); d != "" {
			t.Errorf("turn %d (-want +got):\n%s", i+1, d)
		}
	}
	if d := cmp.Diff([]string{"k3v9t2m8qa"}, s.Carried); d != "" {
		t.Errorf("carried (-want +got):\n%s", d)
	}
}
