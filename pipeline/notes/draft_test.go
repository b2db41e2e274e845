package notes

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/payload"
)

// What an agent drafted is kept where the conversation bears it out, by its own
// quote or by one that is found; never by the draft itself.
func TestGroundDraft(t *testing.T) {
	draft := "Here it is:\n\n```markdown\n# Rehydration payload: Queue order\n\n## Current goal\nGive the job queue an order\n\n" +
		"## Decisions made\n- Min-heap instead of the sorted list — because the sorted list was 4x slower above 10k jobs\n" +
		"- The public Queue interface stays as it is\n> don't touch the public Queue interface, billing imports it\n" +
		"- We deploy with Kubernetes on Fridays\n> kubernetes on fridays it is\n\n" +
		"## Hypotheses eliminated\n- Redis streams as the order of jobs\n\n" +
		"## Files in play\n- queue/order.go — DONE — holds the heap\n\n## Mood\n- Good\n\n## Next action\n1. Add a sequence number so that ties keep their order\n```\n"
	at := time.Date(2026, 4, 17, 14, 0, 0, 0, time.UTC)
	said := []struct {
		role ingest.Role
		kind ingest.TurnKind
		text string
	}{
		{ingest.User, ingest.Prompt, "the job queue needs an order. give it one; sorted list?"},
		{ingest.Assistant, ingest.Message,
			"A sorted list was 4x slower above 10k jobs in the benchmark. I'd use a min-heap in queue/order.go."},
		{ingest.User, ingest.Prompt, "ok do that. and don't touch the public Queue interface,\nbilling imports it"},
		{ingest.Assistant, ingest.Message,
			"Done, queue/order.go holds the heap. Ties come out in any order now; I can add a sequence number so that ties keep their order."},
		{ingest.User, ingest.Prompt, "write the payload"},
		{ingest.Assistant, ingest.Message, draft},
	}
	s := &ingest.Session{ID: "s1", End: at}
	for i, x := range said {
		id := string(rune('a' + i))
		s.Turns = append(s.Turns, ingest.Turn{ID: ingest.TurnID(id), N: i + 1, Records: []string{id}, Role: x.role,
			Kind: x.kind, Text: x.text, At: at})
	}
	lines := ReadDraft(draft)
	GroundDraft(s, lines, at)
	want := map[string]string{ // by the beginning of the line: its quote, or "-" and why not
		"Give the job queue":     "job queue needs an order",
		"Min-heap":               "4x slower above 10k jobs",
		"The public Queue":       "billing imports it",
		"We deploy":              "-" + draftNowhere,
		"Redis streams":          "-" + draftNowhere,
		"queue/order.go":         "Done, queue/order.go holds the heap.",
		"Mood: Good":             "-" + draftNowhere,
		"Add a sequence number ": "I can add a sequence number",
	}
	var notes []payload.Note
	for _, l := range lines {
		said, got := payload.LineOf(&l.Item), "-"+l.Why
		if l.Note != nil {
			got = l.Note.Quote
		} else {
			l.Note = l.Claim("s1", at)
		}
		notes = append(notes, *l.Note)
		for begin, sign := range want {
			if strings.HasPrefix(said, begin) {
				delete(want, begin)
				if !strings.Contains(got, sign) {
					t.Errorf("%q: got %q, want %q", said, got, sign)
				}
			}
		}
	}
	for begin := range want {
		t.Errorf("no line begins with %q", begin)
	}
	for _, n := range GroundNotes(s, notes) { // as the next sync will
		if n.Item == nil || (n.Note.Claim != "") != (n.Item.Rule == payload.ClaimRule && n.Item.Kind == payload.Lead) {
			t.Errorf("%q: %s, %+v", n.Note.Text, n.Why, n.Item)
		}
	}
}

// What an agent words in its own way is borne out by the exchange that settled it, wherever its words stand there; what
// turns that round, or puts another number, name, option or state in its place, isn't.
func TestDraftIsHeldToItsExchange(t *testing.T) {
	s := talk(
		"our ferry prints tickets with the wrong pier since Sunday. find out why, the crew's handheld must keep its menu",
		"Should a ticket hold the pier's name, or look it up when it is printed?",
		"look it up. names change every summer",
		"Then the pier is looked up when the ticket is printed. 38 tests pass.\nThe handheld could show a map as well.",
		"better not, the crew loses itself in maps",
		"OK. `print/pier.py` is ready. `fares/child.py` charges children the full fare, shall I mend it?",
		"leave it, Olga is still haggling with the county about that",
		"All right. Bicycles wait for the next boat after 12 of them; is that still wanted?",
		"yes, but tandems count twice",
	)
	borne := "## Goal\n- Find out why tickets show the wrong pier; the menu of the handheld must stay\n" +
		"## Decisions made\n- The pier is looked up when a ticket is printed, because names change every summer\n" +
		"## Put off\n- The full fare of children stays until Olga and the county agree\n" +
		"## Status\n- 38 tests pass\n## Files\n- print/pier.py — DONE\n- fares/child.py — OFF LIMITS\n"
	invented := "## Goal\n- Find out why tickets are slow\n## Decisions made\n- A ticket holds the pier's name\n" +
		"- The pier is not looked up when a ticket is printed\n- The pier is painted when a ticket is printed\n" +
		"- The handheld shows a map as well\n- Igor looks up the pier when a ticket is printed\n" +
		"- Bicycles wait for the next boat after 15 of them\n## Put off\n" +
		"- The children's fare is left until Igor has finished with the county\n## Status\n- 83 tests pass\n" +
		"## Files\n- fares/child.py — DONE\n- print/pier.py — OFF LIMITS\n"
	checkDraft(t, s, borne, true)
	checkDraft(t, s, invented, false)
}

// What was said in a few words is borne out by what they answer, and in other words by what was said elsewhere.
func TestDraftInItsAuthorsWords(t *testing.T) {
	s := talk(
		"pull the berths and the moorings out of harbour.py. I'd sort boats by arrival; a skip list or a plain slice?",
		"The slice needs 4 ms for each insert, the skip list 0.6 ms.",
		"skip list then, and that's that",
		"For errors I could make one errors.py for both modules, or let each keep its own classes.",
		"each its own. one day the berths move to another town without the moorings",
		"Where does a boat's position live? I could keep it in the process, that's simplest.",
		"no, Redis. Ines said no to anything in the process, we'll run four of them behind the balancer",
		"bin/nightly.py line 51 still imports sell from harbour and will break once that is empty.",
		"hm yes. on the list, not today. And leave letters.py alone, that isn't part of this",
		"The skip list and the berths are complete. Of the moorings, lines 9 to 27 of `moorings.py` hold the list; "+
			"reading it back is only a stub. Nothing has been done about metrics and the admin page.",
		"thanks",
	)
	checkDraft(t, s, "## Decisions made\n- Skip list for sorting boats, not a plain slice: it needs 0.6 ms\n"+
		"- Each module keeps its own error classes, since the berths move to another town one day\n"+
		"- Positions live in Redis, not in the process: Ines rejected it because four run behind the balancer\n"+
		"## On hold\n- bin/nightly.py line 51 still imports sell from harbour and will break\n"+
		"## Where files stand\n- letters.py: hands off\n- `moorings.py`: not finished\n"+
		"## Status\n- Complete: the skip list, the berths\n- Not started: metrics, admin page\n"+
		"## Remember\n- Lines 9-27 of moorings.py hold the list, reading it back is a stub\n", true)
	checkDraft(t, s, "## Decisions made\n- Both modules use one errors.py\n"+
		"- Positions live in the process, not in Redis\n"+
		"- A plain slice, not the skip list, holds the boats\n"+
		"## Where files stand\n- letters.py is finished\n- moorings.py is done\n"+
		"## Status\n- Complete: metrics, admin page\n- Not started: the berths\n"+
		"## Remember\n- Lines 9-72 of moorings.py hold the list\n", false)
}

// A note that takes a passage's place keeps its files, by which the session belongs to its thread.
func TestNoteKeepsFiles(t *testing.T) {
	lead := payload.Item{Kind: payload.Lead, Text: "move tickets out of app.py", About: []string{"app.py"},
		Evidence: []payload.Evidence{{Turn: "a", Quote: "move tickets out of app.py"}}}
	note := payload.Item{Kind: payload.Decision, Text: "Tickets get a module", Rule: payload.NoteRule,
		Evidence: []payload.Evidence{{Turn: "a", Quote: "move tickets out of app.py"}}}
	if got := Join([]payload.Item{lead}, &note); len(got) != 1 || !cmp.Equal(got[0].About, lead.About) {
		t.Errorf("got %+v", got)
	}
}

func talk(said ...string) *ingest.Session {
	at := time.Date(2026, 4, 17, 14, 0, 0, 0, time.UTC)
	s := &ingest.Session{ID: "s1", End: at}
	for i, said := range said {
		turn := ingest.Turn{ID: ingest.TurnID(string(rune('a' + i))), N: i + 1, Role: ingest.User, Kind: ingest.Prompt,
			Text: said, At: at}
		if i%2 == 1 {
			turn.Role, turn.Kind = ingest.Assistant, ingest.Message
		}
		s.Turns = append(s.Turns, turn)
	}
	return s
}

// What a person answered, approved, or said as they refused a call bears a line out as what they typed does; what they
// refused, or didn't choose, doesn't.
func TestDraftOfCalls(t *testing.T) {
	s := talk("let the ferry's ticket machines fetch their updates", "Here is a plan.", "go on", "They fetch them.")
	s.Turns[1].Calls = []ingest.ToolCall{
		{ID: "1", Name: "ExitPlanMode", Done: true, Failed: true, Verdict: ingest.Rejected,
			Plan:   &ingest.Plan{Text: "1. Machines restart by themselves at 3 in the morning"},
			Reason: "no, a machine must never restart by itself while the ramp is down. the crew presses a key"},
		{ID: "2", Name: "AskUserQuestion", Done: true, Answers: []ingest.Answer{
			{Question: "Where is the image kept?", Chosen: []string{"On the harbour's server"},
				Options: []ingest.Option{{Label: "On the harbour's server"}, {Label: "On a memory card"}}},
			{Question: "Is the log sent at night or by day?", Chosen: []string{"At night, compressed"},
				Options: []ingest.Option{{Label: "At night, compressed"}, {Label: "By day"}}}}},
		{ID: "3", Name: "ExitPlanMode", Done: true, Verdict: ingest.Approved,
			Plan: &ingest.Plan{Text: "1. Fetch the image in the background\n" +
				"2. A key press in the idle menu starts it"}},
	}
	checkDraft(t, s, "## Decisions made\n- A machine never restarts by itself while the ramp is down\n"+
		"- A key press in the idle menu starts the image\n- The image is kept on the harbour's server\n", true)
	checkDraft(t, s, "## Decisions made\n- Machines restart by themselves at 3 in the morning\n"+
		"- A machine restarts by itself while the ramp is down\n- The image is kept on a memory card\n"+
		"- The log is sent by day, compressed\n"+
		"- A key press in the idle menu removes the image\n", false)
}

// checkDraft checks that all lines of a draft are borne out, or none, also at the sync that follows.
func checkDraft(t *testing.T, s *ingest.Session, draft string, want bool) {
	t.Helper()
	lines := ReadDraft(draft)
	GroundDraft(s, lines, s.End)
	for _, l := range lines {
		n := l.Note
		if n == nil {
			n = l.Claim("s1", s.End)
		}
		later := GroundNotes(s, []payload.Note{*n})[0].Item
		if borne := later != nil && !later.Said(); (l.Note != nil) != want || borne != want {
			t.Errorf("%s: got %+v (%s), later %t, want %t", payload.LineOf(&l.Item), l.Note, l.Why, borne, want)
		}
	}
}

// A draft is read by meaning: leads in bold, headings by any name, paragraphs, lines that
// go on.
func TestReadDraft(t *testing.T) {
	lines := ReadDraft("Sure:\n\n## Payload of session 3\n**Current goal:** Sort the shelves\nby colour.\n" +
		"**Architecture decisions locked in:**\n- Red first\n(decided session 1 - it is seen\nbest)\n- Blue last — nobody buys it\n\n" +
		"**Hypothesis that survived last session:** The lamp\nflickers.\n**Hypotheses eliminated (do not revisit):**\n- The fuse: ruled out - it is new\n" +
		"### Current implementation status\n- COMPLETE: two shelves\n**Files in play:**\n- DONE: a.txt, b.txt\n- IN PROGRESS: c.txt (half of it)\n- d.txt (the list)\n" +
		"**Mood**\nFine\n## In their own words\n- “Paint it red.” — user, turn 5 (session 1, Nov 16)\n\n… and 7 more: recall show 7f3c1a2b\n<!-- /recall -->\n\nBased on that, what next?\n")
	want := []string{"goal 4 Sort the shelves by colour.", "decision 7 Red first — because it is seen best",
		"decision 10 Blue last — because nobody buys it",
		"hypothesis 12 The lamp flickers.", "eliminated 15 The fuse — it is new", "status 17 COMPLETE: two shelves",
		"file 19 a.txt — DONE", "file 19 b.txt — DONE", "file 20 c.txt — IN PROGRESS — half of it",
		"file 21 d.txt — the list", "flag 23 Mood: Fine", "flag 25 Paint it red."}
	var got []string
	for _, l := range lines {
		got = append(got, fmt.Sprint(l.Item.Kind, " ", l.N, " ", payload.LineOf(&l.Item)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The first heading is the draft's title, unless it says what stands under it.
func TestDraftBeginsWithHeading(t *testing.T) {
	for head, want := range map[string]int{"# Goal": 1, "# Next steps": 1, "# Payload: what is next": 0,
		"# The shelves": 0} {
		if got := ReadDraft(head + "\nSort the shelves.\n"); len(got) != want {
			t.Errorf("%s: %d lines, want %d", head, len(got), want)
		}
	}
}

// However long a line is, it isn't lost.
func TestLongClaimIsKept(t *testing.T) {
	lines := ReadDraft("## Decisions\n- " + strings.Repeat("Nobody ever said this. ", 60) + "\n")
	GroundDraft(&ingest.Session{ID: "s1"}, lines, time.Now())
	if n := lines[0].Claim("s1", time.Now()); lines[0].Note != nil || n.Check() != nil || n.Claim == "" {
		t.Errorf("got %+v, %v", n, n.Check())
	}
}
