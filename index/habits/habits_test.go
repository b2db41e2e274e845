package habits

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func turnsOf(lines string) []Turn {
	var out []Turn
	for i, l := range strings.Split(strings.TrimSpace(lines), "\n") {
		session, text, _ := strings.Cut(l, ": ")
		out = append(out, Turn{Session: session, At: time.Date(2026, 4, 1+i, 0, 0, 0, 0, time.UTC), Text: text})
	}
	return out
}

// What recurs over sessions is found however it is worded; what was said once,
// or is about one place, isn't.
func TestFind(t *testing.T) {
	turns := turnsOf(`
a: fix the flaky test in queue. and never run the whole suite, only the package
a: we use pnpm, not npm
b: no, don't run the whole test suite!
b: never touch go.mod in this branch; add the header
c: please never run the whole suite
c: again: use pnpm instead of npm
c: don't add comments to line 40
d: always run the whole suite before a release
d: should we use pnpm here?
e: I prefer small commits
f: no comments in the code please, keep it short`)
	got := map[string]string{}
	for _, h := range Find(turns, 2) {
		got[h.Text] = fmt.Sprintf("%d of %d", len(h.Sayings), h.Sessions)
	}
	want := map[string]string{"Never run the whole suite.": "3 of 3", "We use pnpm, not npm.": "2 of 2"}
	for text, n := range want {
		if got[text] != n {
			t.Errorf("%q: got %q, want %q; all: %v", text, got[text], n, got)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, h := range Find(turns, 3) {
		if h.Sayings[0].Session != "c" || h.Sayings[2].Place != 0 {
			t.Errorf("the latest first, with its place: %+v", h.Sayings)
		}
	}
}

// Short orders that recur are found, too; what states something, or is said in every session, isn't.
func TestShortOrders(t *testing.T) {
	turns := turnsOf(`
a: add a search box, and pnpm not npm
a: back to main, pull in latest
a: the tests are green
a: run the tests
a: double quotes aren't used anywhere, single quotes are what the linter wants
b: pnpm, not npm!
b: ok. go back to main and pull the latest
b: use single quotes, as always
b: the tests are green now
b: run the tests again
b: create a plan and implement it with Sonnet 5
c: the menu is too wide
c: and single quotes please
c: please break the parser into pieces
c: create a plan and implement with sonnet 5
c: keep all changes
c: create a PR
d: please break the parser into pieces
d: keep it
d: and create PR
d: ff main, clean up branches
e: the header is too wide
e: ff main and clean up the branches`)
	got := map[string]int{}
	for _, h := range Find(turns, 1) { // what isn't marked as a standing wish, in one more
		if h.Sessions > 1 {
			got[h.Text] = h.Sessions
		}
	}
	want := map[string]int{"Pnpm not npm.": 2, "Back to main, pull in latest.": 2, "Single quotes please.": 2,
		"Create a plan and implement with sonnet 5.": 2, "Ff main, clean up branches.": 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Two orders that share only one word are the same if their answers ran much the same by that word. What a session
// is about, and an order that names a file, is no habit.
func TestByWhatWasRun(t *testing.T) {
	turns := turnsOf(`
a: the header is too wide
a: merged. switch to main, newest state
b: main page has no title
b: ok, go back to main and update it
c: talk about the secrets
c: open the main menu please
c: y.py must not be modified
d: talk about the secrets again tomorrow. y.py must not be modified`)
	for _, i := range []int{1, 3} {
		turns[i].Ran = []string{"git", "checkout", "main", "git", "pull", "--ff-only"}
	}
	turns[5].Ran = []string{"grep", "main", "src/menu.ts"}
	got := Find(turns, 1)
	if len(got) != 1 || got[0].Text != "Switch to main, newest state." || len(got[0].Sayings) != 2 {
		t.Errorf("the habits are %+v", got)
	}
}

// Who says what to use and what not means the same as who says one of them, and not as who wanted what is given up.
func TestDoAndDont(t *testing.T) {
	for _, c := range []struct {
		first, then string
		n           int
	}{
		{"it's pnpm in this house, not npm", "pnpm please, we never use npm here", 1},
		{"it's pnpm in this house, not npm", "don't use pnpm, npm only", 0},
		{"I'd say 14 days, customs may ask", "and retention: legal says 90 days, not 14", 0},
	} {
		if got := Find(turnsOf("a: "+c.first+"\nb: "+c.then), 2); len(got) != c.n {
			t.Errorf("%q, %q: the habits are %+v", c.first, c.then, got)
		}
	}
}

// A wish for one thing counts if it is all that was said; small talk, a number and a bare order don't. What isn't
// marked as a wish is one if it was said three times.
func TestOneThing(t *testing.T) {
	for said, n := range map[string]int{"please no emojis|no emojis, thanks": 1, "use pnpm|ok, please use pnpm": 1,
		"never use emojis|use emojis": 0, "use pnpm|the pnpm": 0, "no problem|no problem": 0, "commit|commit": 0,
		"先に必ずテストを実行して|先に必ずテストを実行して|先に必ずテストを実行して": 1, "never 300|never 300": 0,
		"push the branch|push the branch": 0} {
		var lines []string
		for i, part := range strings.Split(said, "|") {
			lines = append(lines, fmt.Sprintf("%d: it is late\n%d: %s", i, i, part))
		}
		got := Find(turnsOf(strings.Join(lines, "\n")), 2)
		if len(got) != n {
			t.Errorf("%q: the habits are %+v", said, got)
		}
	}
}

// A program's template is sent whole again and again: that is no habit.
func TestTemplatesAreNoHabit(t *testing.T) {
	text := strings.Repeat("You review code. Never write files. ", 8)
	var turns []Turn
	for i := range 5 {
		turns = append(turns, Turn{Session: fmt.Sprint(i), Text: text})
	}
	if got := Find(turns, 2); len(got) != 0 {
		t.Errorf("got %+v", got)
	}
	if got := Find([]Turn{{Session: "a", Text: strings.Repeat("x ", 5000) + "never do that"}}, 1); len(got) != 0 {
		t.Errorf("of a pasted text: %+v", got)
	}
}

// A habit says what was said: "no" before what is unwanted isn't a word that opens a sentence.
func TestNoStays(t *testing.T) {
	for said, want := range map[string]string{"no new dependencies": "No new dependencies.",
		"no double quotes please": "No double quotes please.", "no, use pnpm here": "Use pnpm here.",
		"nope. always use tabs": "Always use tabs."} {
		if got := line(said); got != want {
			t.Errorf("%q is the habit %q, want %q", said, got, want)
		}
	}
	found := Find(turnsOf("a: no new dependencies\nb: no new dependencies please\nc: ok, no new dependencies"), 2)
	if len(found) != 1 || !strings.HasPrefix(found[0].Text, "No new dependencies") {
		t.Errorf("the habits are %+v", found)
	}
}
