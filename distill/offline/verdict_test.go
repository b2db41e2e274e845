package offline

import (
	"slices"
	"strings"
	"testing"

	"recall/ingest"
	"recall/payload"
)

// What a person rules on in few words stands before what they asked at length, and shows the option that it takes.
func TestVerdicts(t *testing.T) {
	const offer = "Two ways to store them:\n\n**Option A: one table** for all the seats\n\n" +
		"**Option B: a file a hall** in the repository\n\nYour call - which path?"
	long := "how is it that the halls of the old theatre have seats without a number, and " +
		strings.Repeat("where would somebody who sits there find out which door to take, ", 3) + "do you know?"
	for reply, want := range map[string]string{
		"I like option B": "“I like option B” — user, turn 3, after “Option B: a file a hall in the repository”",
		"B":               "“Option B: a file a hall in the repository” — assistant, turn 2; answered “B”",
		"A with B as the export": "“Option A: one table for all the seats” — assistant, turn 2; " +
			"answered “A with B as the export”",
		"option A is likely but let's try option B": "“option A is likely but let's try option B” — user, turn 3, " +
			"after “Option B: a file a hall in the repository”",
		"let's do options B": "“Option B: a file a hall in the repository” — assistant, turn 2; " +
			"answered “let's do options B”",
		"change in plan: all in memory": "“change in plan: all in memory” — user, turn 3, to “Your call - which path?”",
		"the halls aren't alike, I don't want one table": "“the halls aren't alike, I don't want one table” — " +
			"user, turn 3, to “Your call - which path?”",
	} {
		items, _ := items(talkOf([]string{"Make the seat plan.", offer, reply, "Done.", long, "At the door.", "draw it",
			"Drawn."}, nil))
		line, weight, asked := "", 0.0, 0.0
		for _, it := range items {
			switch l := payload.LineOf(&it); {
			case it.Kind != payload.Lead:
			case strings.HasPrefix(l, "“how is it"):
				asked = it.Confidence
			case it.Evidence[len(it.Evidence)-1].N == 3 || it.Evidence[0].N == 3:
				line, weight = l, it.Confidence
			}
		}
		if line != want || asked == 0 || weight <= asked {
			t.Errorf("%q: %s, weight %.2f, a question's %.2f; want %s", reply, line, weight, asked, want)
		}
	}
}

// What says of something supposed that it isn't the cause rules it out, in whatever words; elsewhere they rule out
// nothing.
func TestDenials(t *testing.T) {
	for _, no := range []string{"So it's not the proxy.", "The proxy is fine.", "The proxy can't be it, all arrives.",
		"All of them arrive, no proxy error.",
		"I can exclude the proxy.", "My theory about the proxy was wrong.", "The proxy has nothing to do with it."} {
		for _, before := range []string{"Perhaps the proxy drops some of them.", "I look at the proxy first."} {
			s := talkOf([]string{"Some orders get lost, find out why.", before, "", no, "",
				"It's `x.py`: two keys are equal."}, nil)
			s.Turns = slices.DeleteFunc(s.Turns, func(turn ingest.Turn) bool { return turn.Text == "" })
			all, _ := items(s)
			denied := slices.ContainsFunc(all, func(it payload.Item) bool { return it.Hint == payload.Eliminated })
			if want := strings.HasPrefix(before, "Perhaps"); denied != want {
				t.Errorf("%q after %q: ruled out %v", no, before, denied)
			}
		}
	}
}

// A suspicion is quoted with what refuted it, though either says enough alone.
func TestRefutedSuspicion(t *testing.T) {
	s := talkOf([]string{"The worker dies each night, find out why.",
		"Suspect: a memory leak in the worker of the mails.", "",
		"It stays flat at 81 MB over the whole night, no leak.", "", "The night job of the host kills it."}, nil)
	s.Turns = slices.DeleteFunc(s.Turns, func(turn ingest.Turn) bool { return turn.Text == "" })
	p, err := Distiller{}.Distill(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	const want = "“Suspect: a memory leak in the worker of the mails.” — assistant, turn 2; " +
		"answered “It stays flat at 81 MB over the whole night, no leak.”"
	if page := payload.Render(p, payload.Options{}).Text; !strings.Contains(page, want) {
		t.Errorf("%q isn't on the page:\n%s", want, page)
	}
}

// What the assistant says of a notice that came meanwhile answers no person; what it reports at length after one does.
func TestAnswersOfNotices(t *testing.T) {
	const order = "Install the printer of the box office, please"
	const blocked = "The driver is there. The only blocker is the network."
	for said, want := range map[string]string{
		"Already processed that.": blocked,
		"The printer is installed and prints the seats of all halls, and the network is back too.": "The printer is " +
			"installed and prints the seats of all halls, and the network is back too.",
	} {
		s := talkOf([]string{order, blocked, "", said}, nil)
		s.Turns[2].Kind, s.Turns[2].Text = ingest.Event, "Background command completed"
		if got := listen(s).asked.answer; got == nil || got.text != want {
			t.Errorf("%q: answered %v, want %q", said, got, want)
		}
	}
}
