package synthtest

import (
	"fmt"
	"strings"
	"time"
)

// Item is one thing worth keeping of a session, with the turn that says it.
type Item struct {
	ID       string // ten base32 characters
	Session  string
	Project  string
	Kind     string // goal, decision, eliminated, next, deferred, flag
	Text     string // one sentence
	Why      string
	Scope    string   // "" if it holds everywhere
	Lost     []string // alternatives
	By       string   // user, assistant-accepted
	Turn     string   // id of the turn
	TurnText string
	Quote    string // verbatim from TurnText
	At       time.Time
	about    string
}

// Question is what somebody may ask months later for this item to be the answer.
func (i Item) Question() string {
	switch i.Kind {
	case "decision":
		return "what did we decide about " + i.about + "?"
	case "eliminated":
		return "why didn't we use " + i.Lost[0] + " for " + i.about + "?"
	case "deferred":
		return "what did we put off about " + i.about + "?"
	case "next":
		return "what is left to do for " + i.about + "?"
	}
	return "what do we know about " + i.about + "?"
}

// Items makes up n items with the turns they come from, in order of time.
func Items(n int, seed uint64) []Item {
	items := make([]Item, 0, n)
	for k := 0; len(items) < n; k++ {
		p := &projects[k%len(projects)]
		t := newTalk(p, newSource(seed, uint64(k)))
		at := First.Add(time.Duration(k) * 37 * time.Minute)
		session := t.uuid()
		for range 6 {
			item := t.item(t.one(kinds))
			item.Session, item.Turn, item.At = session, t.uuid(), at
			at = at.Add(time.Duration(2+t.IntN(9)) * time.Minute)
			items = append(items, item)
		}
	}
	return items[:n]
}

var kinds = []string{"decision", "decision", "eliminated", "next", "deferred", "flag", "goal"}

// talk says things in the words of a project's people.
type talk struct {
	source
	p    *project
	word func() string
}

func newTalk(p *project, r source) talk { return talk{r, p, p.words(r.Rand)} }

// item makes up an item of a kind, and a turn around it.
func (t talk) item(kind string) Item {
	c := t.choice()
	i := Item{ID: t.base32(), Project: t.p.name, Kind: kind, about: c.about, By: "user"}
	word, file := t.word(), t.p.file(t.source)
	switch kind {
	case "decision":
		i.Text, i.Why, i.Lost = "Use "+c.taken+" for "+c.about+".", c.why, []string{c.left}
		i.Quote = fmt.Sprintf(t.one(decided), c.taken, c.about, c.left, c.why)
	case "eliminated":
		i.Text, i.Why, i.Lost = capital(c.left)+" is ruled out for "+c.about+".", c.why, []string{c.left}
		i.Quote = fmt.Sprintf(t.one(ruledOut), c.left, c.about, c.why)
	case "next":
		i.Text = "Write the " + word + " part of " + c.about + "."
		i.Quote = fmt.Sprintf(t.one(left), word, c.about)
	case "deferred":
		i.Text = "Leave the " + word + " side of " + c.about + " for later."
		i.Quote = fmt.Sprintf(t.one(later), word, c.about)
	case "flag":
		i.Text, i.Why = "Don't touch "+file+" while "+c.about+" changes.", c.why
		i.Quote = fmt.Sprintf(t.one(careful), file, c.about)
	default:
		i.Text = "Get " + c.about + " right for the " + word + "."
		i.Quote = fmt.Sprintf(t.one(wanted), c.about, word)
	}
	i.TurnText = t.sentence() + " " + i.Quote + " " + t.sentences(1+t.IntN(3))
	return i
}

// choice is one of the project's, its subject narrowed to a thing so that there
// are many.
func (t talk) choice() choice {
	c := t.p.choices[t.IntN(len(t.p.choices))]
	if !t.chance(3) {
		c.about += " of the " + t.word()
	}
	return c
}

var (
	decided = []string{
		"Let's go with %[1]s for %[2]s instead of %[3]s, because %[4]s.",
		"I decided: %[1]s for %[2]s, not %[3]s. Reason: %[4]s.",
		"Use %[1]s for %[2]s, %[3]s is out because %[4]s.",
		"OK then we take %[1]s for %[2]s. %[4]s, so %[3]s won't do.",
		"yes, %[1]s please. I don't want %[3]s for %[2]s since %[4]s",
	}
	ruledOut = []string{
		"We tried %[1]s for %[2]s and it didn't work because %[3]s.",
		"%[1]s is not an option for %[2]s: %[3]s.",
		"I ruled out %[1]s for %[2]s, since %[3]s.",
		"No, not %[1]s for %[2]s. %[3]s.",
	}
	left = []string{"Next is the %[1]s part of %[2]s.", "Still to do: the %[1]s in %[2]s.",
		"What remains is %[1]s for %[2]s."}
	later = []string{"Leave the %[1]s of %[2]s for later.", "The %[1]s side of %[2]s is out of scope for now.",
		"Put the %[1]s of %[2]s on the list, not today."}
	careful = []string{"Don't touch %[1]s while %[2]s changes.", "Careful with %[1]s, %[2]s depends on it.",
		"Never edit %[1]s by hand, it is generated for %[2]s."}
	wanted = []string{"I want %[1]s to work for every %[2]s.", "Can you look at %[1]s? The %[2]s is wrong since Monday.",
		"The goal is %[1]s without a broken %[2]s."}
)

// sentence says something that is not worth keeping.
func (t talk) sentence() string {
	said := fmt.Sprintf(t.one(small), t.word(), t.word(), t.p.identifier(t.source))
	if !t.chance(3) { // people and models don't stop after seven words
		said = strings.TrimSuffix(said, ".") + fmt.Sprintf(t.one(onward), t.word(), t.p.identifier(t.source))
	}
	return said
}

var onward = []string{
	", so that the %[1]s is known by the time `%[2]s` needs it.",
	", which is why %[2]s has seen two of each %[1]s since the last release.",
	" and leaves the %[1]s to %[2]s, as the other callers of it do.",
	", while %[2]s still goes by the %[1]s that it was given at the start.",
}

func (t talk) sentences(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.sentence())
	}
	return b.String()
}

var small = []string{
	"The %[1]s reads the %[2]s before `%[3]s` runs.",
	"I see that %[3]s is called twice for each %[1]s.",
	"Let me check how the %[1]s and the %[2]s fit together.",
	"`%[3]s` returns early when there is no %[1]s.",
	"Now the %[2]s has its own test, and the %[1]s is covered by %[3]s.",
	"The test of the %[1]s passes, the one of the %[2]s doesn't yet.",
	"I'll read %[3]s first.",
	"That leaves the %[1]s, which nothing but %[3]s uses.",
	"There are three callers of %[3]s, all in the %[2]s.",
}

func (t talk) base32() string {
	const chars = "abcdefghijklmnopqrstuvwxyz234567"
	b := make([]byte, 10)
	for i := range b {
		b[i] = chars[t.IntN(32)]
	}
	return string(b)
}
