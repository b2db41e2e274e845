package offline_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"recall/distill/offline"
	"recall/payload"
)

// Answers in a few words to what a message offers, in other fields than ours:
// each decision has the course's own words.
func TestShortAnswersTakeWhatWasOffered(t *testing.T) {
	list := "Three ways to ship the brochures:\n\n1. **Courier**: same day, 40 euros a box\n2. **Parcel post**: two days, insured up to 500 euros\n3. **Own van**: free, but somebody has to drive\n\nI'd take 2. What do you say?"
	bullets := "Two kinds of glue would hold here:\n\n- `hide glue`, reversible with steam, needs an hour in the clamps\n- epoxy from the tin, sets in five minutes\n\nI prefer hide glue: a luthier can open the joint again."
	either := "The rota can be printed. Either a wall calendar for the whole quarter, or weekly sheets at the kitchen door."
	proposal := "Nobody waters the seedlings at night. I'd open the valve in the greenhouse while the tank is above half, with a manual bypass."
	open := "A booking stays blocked for ever when the guest leaves. I suggest that a blocked table is given free after some minutes."
	for _, c := range []struct{ name, offer, answer, text, why, not string }{
		{"a number", list, "2", "parcel post insured", "", "courier"},
		{"a number with a term", list, "ok 1 then, but only for the north", "courier same day only north", "", "parcel"},
		{"a place in words", list, "the second one", "parcel post insured", "", "own van"},
		{"a place, and a reason", list, "third. we have the van anyway", "own van free", "van anyway", "courier"},
		{"a name", list, "parcel post it is", "parcel post insured", "", "courier"},
		{"a name and a reason", list, "courier, the fair opens tomorrow", "courier same day", "fair opens", "own van"},
		{"a name from a list of bullets", bullets, "go with hide glue", "hide glue reversible steam not epoxy", "luthier open the joint", "epoxy"},
		{"either", either, "weekly sheets. people look at the door anyway", "weekly sheets kitchen door wall calendar", "people look", "wall calendar"},
		{"a yes and a no", proposal, "valve yes, bypass no, the kids play with it", "open the valve tank half without bypass", "kids", ""},
		{"a name of what was proposed", proposal, "ok, valve then", "open the valve greenhouse tank", "", ""},
		{"a value left open", open, "20 minutes. and no cleaner has to press anything", "blocked table free 20 minutes", "", ""},
		{"a value confirmed", "Each visitor gets a locker key. I'd ask a deposit of 5 euros for it.", "5 is fine, they bring it back then", "deposit 5 euros", "bring it back", ""},
		{"a value changed", "The pass of the sauna is printed with a validity of 30 days.", "30 days is too short for the season, make it 120", "validity 120 days", "", ""},
		{"a reason before the proposal", "The blackboard is full of old notes; I'd wipe it each Friday after choir.", "ok, friday then", "wipe each Friday choir", "full of old notes", ""},
		{"a row of a table", "Which glaze?\n\n| glaze | firing |\n|---|---|\n| celadon ash | 1280 °C |\n| tin white | 1060 °C |\n\nI'd take the tin white, since the old kiln can't go over 1100 °C.", "tin white. gently", "tin white", "old kiln", ""},
		{"letters in a sentence", "For the key we can (a) leave it with the neighbour, (b) hang it in a safe with a code, (c) post it before each visit.", "b, a code can be changed", "hang in a safe with a code", "changed", "neighbour"},
		{"initials", "The flyers could go out by door-to-door, or lie in the shops of the old town. I'd do door-to-door in the two nearest streets.", "dtd then", "door-to-door nearest streets", "", ""},
		{"a proposal as it is", "Suggestion: late returns go to the shelf by the door with a red slip.", "yes exactly", "late returns shelf red slip", "", ""},
		{"where", "The ledger has a page for each year. Where does the stamp number go?", "in the margin of the first page", "stamp number goes in the margin", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := distilled(t, "we need to settle this today, what is there", c.offer, c.answer, "Noted.")
			if !found(p, stated{kind: payload.Decision, text: c.text, why: c.why, not: c.not, quotes: 2}) {
				t.Errorf("%q: no decision with %q, why %q, not %q in%s", c.answer, c.text, c.why, c.not, decisions(p))
			}
		})
	}
}

// Several points answered in one message are several decisions, and none of
// them what another lost against.
func TestPointsAnsweredOneByOne(t *testing.T) {
	p := distilled(t, "the museum shop loses money, what can be done",
		"One by one:\n\n1. **Postcards**: print 500 of each instead of 2000\n2. **Till**: close the second till on weekdays\n3. **Books**: send what didn't sell in a year back to the publishers",
		"1 ok, 500 is plenty. 2 no, the queue. 3 yes, they take it back", "Done so.")
	for _, w := range []stated{{kind: payload.Decision, text: "postcards 500", quotes: 2}, {kind: payload.Decision, text: "books publishers", why: "take it back", quotes: 2}} {
		if !found(p, w) {
			t.Errorf("no decision with %q in%s", w.text, decisions(p))
		}
	}
	for _, it := range p.Items {
		if it.Kind == payload.Decision && (strings.Contains(it.Text, "second till") || strings.Contains(strings.Join(it.Alternatives, " "), "Books")) {
			t.Errorf("what was refused, or agreed to beside it, is in %q, not %v", it.Text, it.Alternatives)
		}
	}
}

// What was offered two messages ago is still what a letter means, if the last
// message goes on about it.
func TestAnswerToWhatWasOfferedBefore(t *testing.T) {
	p := distilled(t, "the choir needs a place to rehearse",
		"Options:\n\n- **A** the parish hall on Tuesdays, 60 seats\n- **B** the school gym, free after six, echoes badly\n- **C** the old cinema",
		"can you ask what they cost",
		"The parish hall is 30 euros an evening, the cinema 120. I would drop C and take A.",
		"good. A.", "Booked.")
	if !found(p, stated{kind: payload.Decision, text: "parish hall Tuesdays", not: "gym", quotes: 2}) {
		t.Errorf("no decision for the parish hall in%s", decisions(p))
	}
}

// Who asks, objects, speaks of something else or names what fits several
// courses has chosen nothing.
func TestNoChoiceWithoutOne(t *testing.T) {
	list := "Two ways to hang the lamps:\n\n1. **Chains** from the beam, heavy\n2. **Rails** along the wall, lamps can be moved\n\nWhich one?"
	for _, answer := range []string{
		"2 sounds safest?", "what does 2 cost", "no, neither", "chains? how heavy are they", "1. this fell down twice already",
		"lamps please be careful with them", "thanks, I'll ask my wife", "2 people fell over it yesterday", "rails no, they rust",
	} {
		p := distilled(t, "the hall is dark, what can we do", list, answer, "I see.")
		for _, it := range p.Items {
			if strings.HasPrefix(it.Rule, "reply-") {
				t.Errorf("%q: %s by %s", answer, it.Text, it.Rule)
			}
		}
	}
}

func distilled(t *testing.T, said ...string) *payload.Payload {
	t.Helper()
	p, err := offline.Distiller{}.Distill(context.Background(), spoken(said))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func decisions(p *payload.Payload) string {
	var b strings.Builder
	for _, it := range p.Items {
		if it.Kind == payload.Decision {
			fmt.Fprintf(&b, "\n  %s (why: %s; not: %v; %s; %d quotes)", it.Text, it.Why, it.Alternatives, it.Rule, len(it.Evidence))
		}
	}
	return b.String()
}
