package offline_test

import (
	"context"
	"strings"
	"testing"

	"recall/distill/offline"
	"recall/ingest"
	"recall/payload"
)

// A name that is given and turned down in one breath isn't what was chosen, and
// what stands in brackets doesn't make one course of two.
func TestWhatIsTurnedDownByNameIsNotChosen(t *testing.T) {
	offer := "Options: rent a van (Miller, 39.50 + 0.25 a mile), a cargo bike, or splitting the load over two trips."
	for _, answer := range []string{
		"van: the mileage eats what we earn on a crate, no. two trips", "van: too expensive", "cargo bike, too much hassle", "cargo bike - nope", "van: nein",
	} {
		p := distilled(t, "the crates have to get to the fair", offer, answer, "Noted.")
		for _, it := range p.Items {
			if strings.HasPrefix(it.Rule, "reply-") && !strings.Contains(it.Text, "trips") {
				t.Errorf("%q: %s by %s", answer, it.Text, it.Rule)
			}
		}
	}
	p := distilled(t, "the crates have to get to the fair", offer, "cargo bike, im tired of vans", "Noted.")
	if !found(p, stated{kind: payload.Decision, text: "cargo bike — i'm tired of vans", not: "rent a van two trips", quotes: 2}) {
		t.Errorf("no decision for the cargo bike over both others in%s", decisions(p))
	}
}

// What an answer goes on to say is a reason only if it can be one.
func TestTermIsNoReason(t *testing.T) {
	offer := "MIDI or OSC for the faders? OSC: names instead of numbers, and the desk speaks it already."
	p := distilled(t, "the faders have to reach the desk", offer, "osc. address desk/<strip>/gain, floats", "Noted.")
	if !found(p, stated{kind: payload.Decision, text: "osc desk/<strip>/gain", quotes: 2}) {
		t.Errorf("the term isn't in the decision in%s", decisions(p))
	}
}

// What is so isn't decided: a fault that is still there, work that is left, a file that is up to date.
func TestHowThingsAreIsNotDecided(t *testing.T) {
	p := distilled(t, "the lamp flickers at night", "It may be the dimmer or the cable.",
		"i put a new dimmer in on friday. but it still flickers", "Then it is the cable. I replaced the cable.\n\nSoldering is left: the joints are provisional.\n\n`lamp/wiring.md` and its drawings are updated.", "good")
	for _, it := range p.Items {
		if it.Kind == payload.Decision && (strings.Contains(it.Text, "flickers") || strings.Contains(it.Text, "Soldering") || strings.Contains(it.Text, "drawings")) {
			t.Errorf("decided: %s by %s", it.Text, it.Rule)
		}
	}
}

// "im" is a word of German; it is put right only where it is English.
func TestHasteIsPutRightInEnglishOnly(t *testing.T) {
	for said, want := range map[string]string{
		"wir stellen um, bisher 40 im monat":         "40 im monat",
		"the oven is off and im not sure how to fix": "I'm not sure",
	} {
		p := distilled(t, said, "I see.", "go", "Done.")
		if len(p.Items) == 0 || p.Items[0].Kind != payload.Goal || !strings.Contains(p.Items[0].Text, want) {
			t.Errorf("%q: no %q in %v", said, want, p.Items)
		}
	}
}

// What stays open as a question is one.
func TestLeftOpenIsAQuestion(t *testing.T) {
	p := distilled(t, "the festival gets a second stage", "Where shall it stand?", "by the lake. add it to the map", "Added to the map.\n\nLeft open: how many bands play on it.")
	if !found(p, stated{kind: payload.Question, text: "how many bands"}) {
		t.Errorf("no question in %v", p.Items)
	}
	p = distilled(t, "the festival gets a second stage", "Where shall it stand?", "by the lake. add it to the map", "Added to the map.", "still unclear who pays for the power. joan asks the town", "Noted as open: who pays for the power; Joan asks the town.")
	if !found(p, stated{kind: payload.Question, text: "who pays for the power"}) {
		t.Errorf("no question in %v", p.Items)
	}
}

// What is left for later is put off, once, and no more than that.
func TestLeftForLaterIsPutOff(t *testing.T) {
	p := distilled(t, "how do visitors find a score", "A card index with titles.", "yes card index. finding scores by tune would be cool, not now", "Card index with titles is set up.\n\nLeft for later: finding scores by tune.")
	n := 0
	for _, it := range p.Items {
		if it.Kind == payload.Next && strings.Contains(it.Text, "by tune") || it.Kind == payload.Deferred && strings.Contains(it.Text, "ard index") {
			t.Errorf("%s: %s by %s", it.Kind, it.Text, it.Rule)
		}
		if it.Kind == payload.Deferred && strings.Contains(it.Text, "by tune") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("put off %d times in %v", n, p.Items)
	}
}

// What was said of a file before it was changed tells how it was, not how it is.
func TestFileIsNotAsItWas(t *testing.T) {
	s := spoken([]string{"the prices have to go up", "Right now `prices.toml` has 12 for a pot, now billed by the week.", "make it 14", "Changed."})
	s.Turns[3].Calls = []ingest.ToolCall{{ID: "c1", Name: "Edit", Path: "prices.toml", Done: true, Edits: []ingest.Edit{{Old: "12", New: "14"}}}}
	p, err := offline.Distiller{}.Distill(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range p.Items {
		if it.Kind == payload.File && strings.Contains(it.Text, "12 for a pot") {
			t.Errorf("prices.toml: %s", it.Text)
		}
	}
}

// "a, b, or c" are three, also where the first takes more words to say; a refusal
// that names another value takes nothing, and "make it 48h" changes the one value of that kind.
func TestValuesAndListsAreReadAsTheyStand(t *testing.T) {
	p := distilled(t, "the clocks in the hall differ", "Options: take the time from the radio signal of the station, a quartz of our own, or somebody who sets them on mondays.", "radio signal. its good to a second, enough", "Done.")
	if !found(p, stated{kind: payload.Decision, text: "radio signal", not: "quartz of our own somebody who sets"}) {
		t.Errorf("no decision for the signal alone in%s", decisions(p))
	}
	p = distilled(t, "the limit is 10/min now. back to 20s?", "Yes, 20 s is within 10/min and halves the delay.", "no wait, 15. 4/min is fine", "Set to 15 s.")
	for _, it := range p.Items {
		if strings.HasPrefix(it.Rule, "reply-") {
			t.Errorf("taken though refused: %s by %s", it.Text, it.Rule)
		}
	}
	p = distilled(t, "how do we get the new labels out", "I'd send them to two shops first; after 24 h the other shops follow.", "make it 48h, one weekend day included", "Done.")
	if !found(p, stated{kind: payload.Decision, text: "after 48 h the other shops follow"}) {
		t.Errorf("no decision for 48 h in%s", decisions(p))
	}
}

// A flat no is no decision for what it names, and what is dropped for something
// spoken of before needs no further reason.
func TestFlatNoRulesOut(t *testing.T) {
	p := distilled(t, "brass or reed for the new register", "Reeds are cheaper, brass keeps its tune. Try the reed first?", "yes try the reed", "The reed went flat within the hour.", "ok forget the reed. brass", "Brass it is.")
	if !found(p, stated{kind: payload.Eliminated, text: "reed"}) {
		t.Errorf("the reed isn't ruled out in %v", p.Items)
	}
	p = distilled(t, "how do visitors find a piece", "A card index would do; a database server is a lot for 300 cards.", "card index yes. database server no way", "Done.")
	for _, it := range p.Items {
		if it.Kind == payload.Decision && strings.Contains(it.Text, "no way") {
			t.Errorf("decided: %s by %s", it.Text, it.Rule)
		}
	}
}

// What is typed right after a call was refused is why it was: as if it had been
// said with the refusal, it rules out, and it isn't what the session is for.
func TestReasonTypedAfterARefusalIsNoGoal(t *testing.T) {
	s := &ingest.Session{ID: "s", Turns: []ingest.Turn{
		{ID: "t1", N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: "Plan how the crates get to the fair."},
		{ID: "t2", N: 2, Role: ingest.Assistant, Kind: ingest.Message, Text: "Here is the plan.", Calls: []ingest.ToolCall{{ID: "c1", Name: "ExitPlanMode", Done: true,
			Verdict: ingest.Rejected, Reason: "No van, two trips are enough.", ReasonTurn: "t4", Plan: &ingest.Plan{Text: "# Plan: crates\n\n- Rent a van\n"}}}},
		{ID: "t3", N: 3, Role: ingest.User, Kind: ingest.Interrupt, Text: "[Request interrupted by user for tool use]"},
		{ID: "t4", N: 4, Role: ingest.User, Kind: ingest.Prompt, Text: "No van, two trips are enough."},
		{ID: "t5", N: 5, Role: ingest.Assistant, Kind: ingest.Message, Text: "Two trips, then."},
	}}
	p, err := offline.Distiller{}.Distill(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	ruledOut := false
	for _, it := range p.Items {
		if it.Kind == payload.Goal && strings.Contains(it.Text, "van") {
			t.Errorf("goal: %s", it.Text)
		}
		ruledOut = ruledOut || it.Kind == payload.Eliminated && strings.Contains(it.Text, "van")
	}
	if !ruledOut {
		t.Errorf("the van isn't ruled out: %+v", p.Items)
	}
}

// Answers to two questions, and two open tasks, are two however alike they are worded.
func TestAlikeRecordsAreKeptApart(t *testing.T) {
	ask := func(question, answer string) ingest.Answer {
		return ingest.Answer{Question: question, Options: []ingest.Option{{Label: "8080"}, {Label: "8081"}}, Chosen: []string{answer}}
	}
	s := &ingest.Session{ID: "s", Turns: []ingest.Turn{
		{ID: "t1", N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: "Set up both services."},
		{ID: "t2", N: 2, Role: ingest.Assistant, Kind: ingest.Message, Calls: []ingest.ToolCall{{ID: "c1", Name: "AskUserQuestion", Done: true,
			Answers: []ingest.Answer{ask("Which port for service A?", "8080"), ask("Which port for service B?", "8081")}}}},
		{ID: "t3", N: 3, Role: ingest.Assistant, Kind: ingest.Message, Text: "Both are set up.", Calls: []ingest.ToolCall{
			{ID: "c2", Name: "TaskCreate", Input: map[string]string{"subject": "Write tests for module A"}, Done: true}, {ID: "c3", Name: "TaskCreate", Input: map[string]string{"subject": "Write tests for module B"}, Done: true}}},
	}, Tasks: []ingest.Task{{ID: "1", Subject: "Write tests for module A", Status: "pending", Turn: "t3"}, {ID: "2", Subject: "Write tests for module B", Status: "pending", Turn: "t3"},
		{ID: "3", Subject: "Write tests for module B", Status: "pending", Turn: "t3"}}}
	p, err := offline.Distiller{}.Distill(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	n := map[payload.Kind]int{}
	for _, it := range p.Items {
		n[it.Kind]++
	}
	if n[payload.Decision] != 2 || n[payload.Next] != 2 {
		t.Errorf("%d decisions and %d next actions, want 2 and 2: %+v", n[payload.Decision], n[payload.Next], p.Items)
	}
}

// None of a session's open tasks is left out because there are many.
func TestManyOpenTasks(t *testing.T) {
	s := &ingest.Session{ID: "s", Turns: []ingest.Turn{{ID: "t1", N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: "Set up the services."}, {ID: "t2", N: 2, Role: ingest.Assistant, Kind: ingest.Message, Text: "…"}}}
	for _, subject := range []string{"Write the tests", "Draw the panel", "Order the boards", "Solder the headers", "Print the case", "Flash the firmware", "Measure the current", "Pack the kits"} {
		s.Turns[1].Calls = append(s.Turns[1].Calls, ingest.ToolCall{ID: subject, Name: "TaskCreate", Input: map[string]string{"subject": subject}, Done: true})
		s.Tasks = append(s.Tasks, ingest.Task{ID: subject, Subject: subject, Status: "pending", Turn: "t2"})
	}
	p, err := offline.Distiller{}.Distill(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, it := range p.Items {
		if it.Kind == payload.Next {
			n++
		}
	}
	if n != len(s.Tasks) {
		t.Errorf("%d next actions, want %d", n, len(s.Tasks))
	}
}
