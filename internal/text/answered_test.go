package text

import "testing"

// What gives a question another answer is told from what only shares words with it, or with the option not taken.
func TestReopened(t *testing.T) {
	for _, c := range []struct {
		question, reply, later string
		reopens                bool
	}{
		{"Is the pass valid a year or half a year?", "half a year", "lets make the pass valid a full year after all", true},
		{"Is the pass valid a year or half a year?", "half a year", "show the year in the footer", false},
		{"Which tongue, Norse or Latin?", "latin", "the abbot says norse now", true},
		{"Which tongue, Norse or Latin?", "latin", "Add a norse alphabet to the appendix of the book", false},
		{"Round or oval windows?", "round please", "actually oval windows please", true},
		{"Round or oval windows?", "round, the joiner counts the price", "the oval mirror has its price on the back", false},
		{"Shall I row it against wind or current?", "wind first! never row without me", "gotta row, see you tomorrow", false},
		{"Round or oval windows?", "round please", "Thanks. The round ones look good now", false},
		{"May one guest borrow 3 or 5 oars?", "3", "one guest may borrow 5 oars now, the shed is full", true},
		{"May one guest borrow 3 or 5 oars?", "3", "print 5 copies of the map", false},
		{"How long do we keep the logbook?", "30 days", "keep the logbook for 90 days", true},
		{"How long do we keep the logbook?", "30 days", "keep the receipts for 90 days", false},
		{"How long do we keep the logbook?", "30 days", "keep the logbook in 2 files", false},
		{"Do rowers need a key?", "yes, always", "drop the key thing, rowers should get in without", true},
		{"Do rowers need a key?", "yes, always", "rowers must not need a key", true},
		{"Do rowers need a key?", "yes, always", "do rowers not need a key?", false},
		{"Want me to change that?", "yes", "don't change that any more", false},
		{"Shall I paint the mast?", "can you look at the sail first?", "we no longer paint the mast", false},
		{"The mast is up.", "fine", "we no longer need the mast", false},
	} {
		a := Answer("Done. "+c.question, c.reply)
		said, again := "", false
		if a != nil {
			said, again = a.Reopened(c.later)
		}
		if got := said != "" && !again; got != c.reopens {
			t.Errorf("%s %q, later %q: %v", c.question, c.reply, c.later, got)
		}
	}
	windows := Answer("Round or oval windows?", "round")
	said, again := windows.Reopened("Hm. Back to round windows please")
	if said != "Back to round windows please" || !again {
		t.Errorf("%q %v", said, again)
	}
}
