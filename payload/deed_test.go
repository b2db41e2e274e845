package payload

import (
	"strings"
	"testing"
	"time"
)

func TestDeedsDoWhatIsLeft(t *testing.T) {
	at := time.Date(2026, 4, 17, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		kind      Kind
		left, did string
		want      string
	}{
		{Next, "Write the importer for the fares", "Write the importer for the fares", "sure"},
		{Deferred, "Add a DLQ alert threshold", "feat(queue): add DLQ alert threshold", "sure"},
		{Flag, "checkout.ts line 88 imports UserService directly", "Stop checkout.ts importing UserService directly", "perhaps"},
		{Lead, "nightly.py line 73 imports guests from app and breaks", "nightly.py imports guests from their package",
			"perhaps"},
		{Lead, "nightly.py line 73 imports guests from app and breaks", "Imports of guests from app sorted by name", ""},
		{Lead, "nightly.py imports guests from the old app, which works", "nightly.py imports guests from their package", ""},
		{Next, "Write the importer for the fares, then run it nightly", "Write the importer for the fares", "perhaps"},
		{Next, "Translate the fare table into Swedish and Finnish", "Translate the fare table into Swedish", "perhaps"},
		{Deferred, "Retry counts per tenant", "Retry counts per tenant: defer until billing lands", ""},
		{Flag, "Don't touch the fare table", "Touch the fare table", ""},
		{Next, "Try HEAD first, then the branch hint", "Try the branch hint first, then HEAD", "perhaps"},
		{Next, "Raise the limit to 4096", "Revert raise the limit to 4096", ""},
		{Next, "Run the tests", "Run the tests", ""}, // of what?
		{Decision, "Write the importer for the fares", "Write the importer for the fares", ""},
	} {
		it := &Item{Kind: c.kind, Text: c.left, At: at}
		task := &Item{Kind: Lead, Hint: Next, Rule: TaskRule, Text: strings.ToUpper(c.did), At: at}
		if sure, _ := (&Deed{Text: c.did, Task: true, At: at.Add(time.Hour)}).Does(task); !sure {
			t.Errorf("%q: a task of these words that was completed isn't done", c.did)
		}
		d := &Deed{Text: c.did, At: at.Add(time.Hour)}
		got := ""
		if sure, perhaps := d.Does(it); sure {
			got = "sure"
		} else if perhaps {
			got = "perhaps"
		}
		if got != c.want {
			t.Errorf("%q by %q: got %q, want %q", c.left, c.did, got, c.want)
		}
		if d.At = at; got != "" {
			if sure, perhaps := d.Does(it); sure || perhaps {
				t.Errorf("%q: done before it was left", c.left)
			}
		}
	}
}

// What is left open was spoken of again where later words share what they are about, not the small words of a language.
func TestTakenUp(t *testing.T) {
	at := time.Date(2026, 4, 17, 9, 0, 0, 0, time.UTC)
	left := &Item{Kind: Lead, Hint: Deferred, State: Stands, At: at,
		Text: "se la pido mañana, de momento deja los tests de firma en rojo"}
	for said, want := range map[string]bool{
		"uf no, en los botones de reserva queda fatal con la foto": false,
		"ya tengo la clave, la firma pasa los tests":               true,
	} {
		var talk Talk
		talk.Add(&Payload{Start: at.Add(time.Hour), Items: []Item{{Kind: Lead, Text: said, At: at.Add(time.Hour)}}})
		if got := !talk.TakenUp(left).IsZero(); got != want {
			t.Errorf("%q takes it up: %v, want %v", said, got, want)
		}
	}
}
