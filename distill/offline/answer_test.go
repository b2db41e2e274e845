package offline

import (
	"slices"
	"strings"
	"testing"

	"recall/ingest"
	"recall/payload"
)

// A person's question stands on one line with the sentence that answers it, which no other line repeats; one that
// nobody answered says nothing. A list has its heading, and says where it goes on; links alone say nothing.
func TestQuestionsAndLists(t *testing.T) {
	long := strings.Repeat("- The seats of the balcony have numbers of their own in `hall.py` now.\n", 6)
	s := talkOf([]string{"Sell the seats of the balcony too.", "## Done today\n" + long +
		"\n## Sources\n- [The plan of the hall](https://example.org/plan)",
		"are the boxes counted twice in the plan of the hall?", "`★ Insight ──────────`\nI looked. " +
			"The plan of the hall counts its boxes once. The doors are in `doors.py` since May.",
		"and what about the wind in the street?", "Done.", "Thanks, draw the doors as well.",
		"Drawn in `doors.py`."}, nil)
	s.Turns[1].Calls = []ingest.ToolCall{{Name: "TaskCreate", Input: map[string]string{"subject": "Draw the stairs"}}}
	s.Tasks = []ingest.Task{{Subject: "Draw the stairs", Status: "in_progress", Turn: s.Turns[5].ID}}
	p, err := Distiller{}.Distill(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	page := payload.Render(p, payload.Options{}).Text
	for _, want := range []string{
		"“are the boxes counted twice in the plan of the hall?” — user, turn 3; " +
			"answered “The plan of the hall counts its boxes once.”",
		"“Done today: " + strings.Repeat("The seats of the balcony have numbers of their own in `hall.py` now. · ", 4) +
			"…”",
		"1. “Draw the stairs” — task in progress, turn 2",
	} {
		if strings.Count(page, want) != 1 {
			t.Errorf("%q should stand once on the page:\n%s", want, page)
		}
	}
	for _, not := range []string{"the wind", "Sources", "Insight", "I looked"} {
		if strings.Contains(page, not) {
			t.Errorf("%q is on the page:\n%s", not, page)
		}
	}
}

// A message without a sentence, such as one of code alone, says nothing, wherever it stands.
func TestNoSentence(t *testing.T) {
	const code = "```\nx := 1\n```"
	for _, said := range [][]string{{code}, {"Draw the hall.", code}, {"Draw the hall.", "Drawn.", code},
		{code, code, code, code}} {
		if _, err := (Distiller{}).Distill(t.Context(), talkOf(said, nil)); err != nil {
			t.Error(err)
		}
	}
}

// Where a session ended is told with what its last line announces, or by the message before one with nothing to quote.
// A reply stands with the option that its words take, not with the question below, nor with an offer that it repeats.
func TestEndsAndReplies(t *testing.T) {
	options := "Two ways:\n1. Add `outDir`, so that files go to a directory of their own.\n2. Skip the compiler.\n" +
		"\nOr shall I only clean up the files?"
	for _, c := range []struct {
		said       []string
		want, gone string
	}{
		{[]string{"Show it to the others.",
			"Done! The plan of the hall, with its stairs, has been published:\n\nhttps://example.org/p"},
			"“The plan of the hall, with its stairs, has been published: https://example.org/p”", ""},
		{[]string{"Close the ticket.", "Ticket 241 is cancelled, 242 is the one to track.", "which setting was it?",
			"In `hall.json`:\n\n```\n{}\n```"},
			"## Where it ended\n- “Ticket 241 is cancelled, 242 is the one to track.”", ""},
		{[]string{"Why are there two of each file?", options, "yes pls, add a directory instead", "Done."},
			"after “Add `outDir`, so that files go to a directory of their own.”", "Or shall I"},
		{[]string{"Draw the hall.", "It is drawn.", "what does a seat of the balcony cost with the fee of today",
			"A seat of the balcony costs 14 €.", "Add the doors too, please.", "The doors are drawn now, all nine."},
			"of today” — user, turn 3; answered “A seat of the balcony costs 14 €.”", ""},
		{[]string{"Draw the hall.", "Drawn. Want me to draw the stairs of the hall too?", "yes draw the stairs too",
			"Drawn."},
			"Draw the hall.", "yes draw"},
		{[]string{"Draw the hall.", "It is drawn in `hall.svg`.", "the doors too",
			"## Are you happy with the doors?\n- [Y]es, keep all doors\n- [N]o, draw the doors again", "y", "Kept."},
			"Draw the hall.", "[Y]es"},
	} {
		p, err := Distiller{}.Distill(t.Context(), talkOf(c.said, nil))
		if err != nil {
			t.Fatal(err)
		}
		page := payload.Render(p, payload.Options{}).Text
		if !strings.Contains(page, c.want) || c.gone != "" && strings.Contains(page, c.gone) {
			t.Errorf("%q should be on the page, %q not:\n%s", c.want, c.gone, page)
		}
	}
}

// Who is told that they are right is answered there, not where the work thereupon is told in more of their words.
func TestConceded(t *testing.T) {
	s := talkOf([]string{"Hide the names.", "The names are hidden in all letters.",
		"need the names be hidden in the letters?", "You're right, every member stands in the printed list.", "",
		"The letters show the names, the hidden ones too.", "and the fees?", "They stay."}, nil)
	s.Turns = slices.DeleteFunc(s.Turns, func(turn ingest.Turn) bool { return turn.Text == "" })
	const want = "need the names be hidden in the letters?” — user, turn 3; answered “You're right, every member"
	all, _ := items(s)
	if !slices.ContainsFunc(all, func(it payload.Item) bool { return strings.Contains(payload.LineOf(&it), want) }) {
		t.Errorf("%q isn't told: %+v", want, all)
	}
}
