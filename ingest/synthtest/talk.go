package synthtest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Item is one thing in a session that is worth keeping, with the turn that says it.
type Item struct {
	ID       string // ten base32 characters
	Session  string
	Project  string
	Kind     string // goal, decision, eliminated, next, deferred, flag
	Text     string // one sentence
	Why      string
	Lost     []string // alternatives
	Turn     string   // id of the turn
	TurnText string
	Quote    string // verbatim from TurnText
	At       time.Time
	About    string
	Question string // that somebody could ask months later
}

// Items generates n items with the turns they come from, six to a session, in order of time.
func Items(n int, seed uint64) []Item {
	var items []Item
	for k := 0; len(items) < n; k++ {
		t := newTalk(k, seed, uint64(k))
		at, session := first.Add(time.Duration(k)*37*time.Minute), t.uuid()
		for range 6 {
			item := t.item()
			item.Session, item.Turn, item.At = session, t.uuid(), at
			at = at.Add(time.Duration(2+t.IntN(9)) * time.Minute)
			items = append(items, item)
		}
	}
	return items[:n]
}

// talk says things about one of some projects, with common words often and rare ones hardly ever.
type talk struct {
	*rand.Rand
	project string
	zipf    *rand.Zipf
}

var projects = strings.Fields("tidewater lantern-notes bakehouse signalbox")

func newTalk(project int, seed, stream uint64) talk {
	r := rand.New(rand.NewPCG(seed, stream*0x9e3779b97f4a7c15+1))
	return talk{r, projects[project%len(projects)], rand.NewZipf(r, 1.15, 3, uint64(len(things)*len(parts)-1))}
}

func (t talk) dir() string { return "/home/mira/src/" + t.project }

var (
	things = strings.Fields("reading station tide window batch queue checkpoint offset cursor sample drift threshold " +
		"gap spike shard snapshot interval buffer lease block note selection undo patch outline draft vault preview " +
		"theme index revision device order oven recipe shift invoice ticket platform route delay ledger")
	parts = strings.Fields("ingest scheduler forecast gauge alert export retry archive feed parser editor sync " +
		"search palette storage render plugin history conflict kitchen counter payment roster signal timetable")
	options = strings.Split("SQLite in WAL mode;a Postgres container;one file each;exponential backoff;a fixed delay;"+
		"Parquet files;one big CSV;a CRDT;last write wins;a web worker;a scan at each key press;a global history;"+
		"a nightly job;a webhook;two replicas", ";")
	reasons = strings.Split("one file is easy to copy to the boats;all of them woke up at the same second;the boards "+
		"lose two minutes a week;people lost whole paragraphs on the train;typing stuttered;nobody wants to click "+
		"through pages;the analysts load one column at a time;it took two seconds to open", ";")
)

// kinds are what can be said of a choice: the quote, the item's text and a question about it.
var kinds = []struct{ kind, quote, text, question string }{
	{"decision", "We use {taken} for the {about}, because {why}.", "Use {taken} for the {about}",
		"what did we choose for the {about}?"},
	{"decision", "Let's go with {taken} for the {about} instead of {left}.", "{taken} for the {about}",
		"which way did we go for the {about}?"},
	{"eliminated", "{left} for the {about} is out: {why}.", "{left} for the {about}",
		"did we try {left} for the {about}?"},
	{"next", "Next, move the {about} to {taken}.", "Move the {about} to {taken}", "what comes next for the {about}?"},
	{"deferred", "The {about} can wait until after the release.", "The {about}",
		"what did we put off about the {about}?"},
	{"flag", "Careful with the {about}: {why}.", "The {about}: {why}", "what is wrong with the {about}?"},
	{"goal", "I want the {about} on {taken}.", "The {about} on {taken}", "what did we want of the {about}?"},
}

func (t talk) item() Item {
	k := kinds[t.IntN(len(kinds))]
	of := map[string]string{"about": t.word(), "taken": t.one(options), "left": t.one(options),
		"why": t.one(reasons)}
	fill := func(form string) string {
		for name, value := range of {
			form = strings.ReplaceAll(form, "{"+name+"}", value)
		}
		return form
	}
	i := Item{ID: t.charsOf("abcdefghijklmnopqrstuvwxyz234567", 10), Project: t.project, Kind: k.kind,
		About: of["about"], Quote: fill(k.quote), Text: fill(k.text), Question: fill(k.question)}
	if k.kind == "decision" || k.kind == "eliminated" {
		i.Why, i.Lost = of["why"], []string{of["left"]}
	}
	i.TurnText = t.sentences(1) + " " + i.Quote + " " + t.sentences(1+t.IntN(3))
	return i
}

func (t talk) word() string {
	i := int(t.zipf.Uint64())
	if i < len(things) {
		return things[i]
	}
	return things[i%len(things)] + " " + parts[i/len(things)]
}

// sentences says something that isn't worth keeping.
func (t talk) sentences(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("The %s goes through %s before the %s is read, and %s has to see it too.", t.word(),
			t.name(), t.word(), t.name())
	}
	return strings.Join(all, " ")
}

// code returns lines of source, as repetitive as code.
func (t talk) code(lines int) string {
	var b strings.Builder
	for n := range lines {
		fmt.Fprintf(&b, "%s%s, err := s.%s(ctx, %s.ID, %d) // %s\n", strings.Repeat("\t", n%3), t.one(things), t.name(),
			t.one(things), t.IntN(900), t.word())
	}
	return b.String()
}

func (t talk) name() string { return t.one(parts) + strings.ToUpper(t.one(things)[:1]) + t.one(things) }

func (t talk) file() string { return "internal/" + t.one(parts) + "/" + t.one(things) + ".go" }

func (t talk) one(list []string) string { return list[t.IntN(len(list))] }

func (t talk) uuid() string {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], t.Uint64())
	binary.LittleEndian.PutUint64(b[8:], t.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// chars returns an id as services create them: a beginning and n characters.
func (t talk) chars(beginning string, n int) string {
	return beginning + t.charsOf("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789", n)
}

func (t talk) charsOf(chars string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = chars[t.IntN(len(chars))]
	}
	return string(b)
}
