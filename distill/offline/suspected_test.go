package offline

import (
	"context"
	"strings"
	"testing"

	"recall/payload"
)

const offersUnderHeadings = "Three ways to tell people:\n\n## Option 1: Mail each customer\n- One mail a change\n- **Downside**: the mail queue is too slow for 40,000 of them\n\n" +
	"## Option 2: A banner in the app (recommended)\nShow it above the price list:\n\n```\nprices change on Monday\n```\n\n- Seen by whoever opens the app\n- Gone after a week\n\n" +
	"## Option 3: Say nothing\n- The change is small\n\nWhich option do you want?"

func TestOptionsUnderHeadings(t *testing.T) {
	s := session(user("Tell our customers about the new prices."), says(offersUnderHeadings),
		user("let's implement option 2"), says("The banner is in.", edit("/home/ann/app/banner.go")))
	if got := strings.Join(of(t, s, payload.Decision), "\n"); !strings.Contains(got, "A banner in the app") {
		t.Errorf("decisions: got %q, want the banner", got)
	}
	if got := strings.Join(of(t, s, payload.Eliminated), "\n"); !strings.Contains(got, "Mail each customer") || strings.Contains(got, "Say nothing") {
		t.Errorf("ruled out: got %q, want the mails, of which something bad was said, and only them", got)
	}
}

func TestOwnPointIsNoPick(t *testing.T) {
	for reply, want := range map[string]bool{"1": true, "1. and add an index": true, "1. this has happened twice now": false} {
		s := session(user("Retries hammer the provider."), says("Two ways:\n\n1. **Exponential backoff** with jitter, five attempts.\n2. **A fixed delay** of 30 seconds.\n\nWhich one?"),
			user(reply), says("Done.", edit("/home/ann/app/retry.go")))
		if got := strings.Contains(strings.Join(of(t, s, payload.Decision), "\n"), "backoff"); got != want {
			t.Errorf("%q picks the first option: got %v, want %v", reply, got, want)
		}
	}
}

func TestRuledOutByAnswers(t *testing.T) {
	tests := []struct{ name, said, answer, want string }{
		{"a suspicion denied", "We upgraded the mail library last week, could this be related?", "No, the mail library isn't called before the page is rendered.", "upgraded the mail library"},
		{"a suspicion confirmed", "We upgraded the mail library last week, could this be related?", "Yes, the mail library drops the header since then.", ""},
		{"an idea given up", "The idea was to cache the tiles in the browser, but the quota is too small, so let's keep them on the server.", "They stay on the server.", "Cache the tiles in the browser"},
		{"one fails, another works", "batches of 500 get an internal server error, 100 works again, so I guess we take 100", "100 it is.", "Batches of 500"},
	}
	for _, tt := range tests {
		s := session(user("The page is slow, find out why."), says("I looked at the log."), user(tt.said), says(tt.answer))
		got := strings.Join(append(of(t, s, payload.Eliminated), of(t, s, payload.Finding)...), "\n")
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestPastedErrorIsInTheGoal(t *testing.T) {
	tests := []struct{ typed, want string }{
		{"I get this error in the shop, and nothing is open there:\n\n$ shop import prices.csv\nprices.csv is locked by another import. Try later.", "`shop import prices.csv`: prices.csv is locked by another import."},
		{`We sync 40k prices and get this error: 2026/06/18 13:17:39 WARN sync failed error="import: post https://shop.example/api: http 400: too many prices in one call: 40210 (limit 10000)"`, "too many prices in one call: 40210 (limit 10000)"},
		{"The tide table fails to load, can you take a look?\n\nRangeError: Invalid tide date\n    at table.js:40:2", "RangeError: Invalid tide date"},
		{"Fix the failing import of prices please.", ""},
	}
	for _, tt := range tests {
		p, err := Distiller{}.Distill(context.Background(), session(user(tt.typed), says("Done.")))
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range p.Items {
			if it.Kind == payload.Goal && (!strings.Contains(it.Text, tt.want) || tt.want == "" && strings.Contains(it.Text, ": ")) {
				t.Errorf("goal of %.40q: got %q, want %q in it", tt.typed, it.Text, tt.want)
			}
		}
		if len(p.Items) == 0 {
			t.Errorf("%.40q: no items", tt.typed)
		}
	}
}
