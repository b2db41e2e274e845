package payload

import (
	"strings"
	"testing"
	"time"
)

// What a person turned to in the middle of a session isn't what it began with.
func TestTurnedTo(t *testing.T) {
	said := func(kind Kind, rule string, turn int, what string) Item {
		return Item{Kind: kind, Rule: rule, Maker: ByRule, By: ByUser, State: Stands, At: time.Unix(int64(turn), 0),
			Text: what, Evidence: []Evidence{{Turn: "u", N: turn, Quote: what}}}
	}
	p := &Payload{Schema: Schema, Session: "s", Items: []Item{said(Goal, RequestRule, 5, "now move the import"),
		said(Lead, "", 9, "and write the notes")}}
	for _, heading := range []string{beganWith, turnedTo} {
		if page := Render(p, Options{}).Text; !strings.Contains(page, "\n## "+heading+"\n“now move the import”") {
			t.Errorf("want it under %q:\n%s", heading, page)
		}
		if KindOf(heading) != Goal || !IsHeading("## "+heading) {
			t.Errorf("%q is no heading of a goal", heading)
		}
		p.Items = append(p.Items, said(Lead, "", 1, "is the branch merged?"))
	}
}
