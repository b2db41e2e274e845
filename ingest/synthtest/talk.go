package synthtest

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

//go:embed said.toml
var saidTOML []byte

// said is the content of said.toml.
var said = func() (s struct {
	Projects []project
	Kinds    map[string]struct {
		Text, Question string
		Quotes         []string
	}
	Talk struct{ Small, Onward []string }
}) {
	if err := toml.Unmarshal(saidTOML, &s); err != nil {
		panic(err)
	}
	for i := range s.Projects {
		p := &s.Projects[i]
		p.parts, p.things = strings.Fields(p.Parts), strings.Fields(p.Things)
	}
	return s
}()

// project is an invented project: what its people talk about.
type project struct {
	Name, Root    string
	Lang          string // extension of its files
	Test          string // the command that runs its tests
	Parts, Things string
	Function      string      // of its code
	Choices       [][4]string // what to decide, what is chosen, what is rejected, why

	parts, things []string
}

func (p *project) dir() string { return p.Root + "/" + p.Name }

// Item is one thing in a session that is worth keeping, with the turn that says it.
type Item struct {
	ID       string // ten base32 characters
	Session  string
	Project  string
	Kind     string // goal, decision, eliminated, next, deferred, flag
	Text     string // one sentence
	Why      string
	Scope    string   // "" if it holds everywhere
	Lost     []string // alternatives
	Turn     string   // id of the turn
	TurnText string
	Quote    string // verbatim from TurnText
	At       time.Time
	About    string
}

// Question returns a question that this item answers, as somebody could ask months later.
func (i Item) Question() string {
	return fill(said.Kinds[i.Kind].Question, "about", i.About, "left", strings.Join(i.Lost, ""))
}

// Items generates n items with the turns they come from, in order of time.
func Items(n int, seed uint64) []Item {
	items := make([]Item, 0, n)
	for k := 0; len(items) < n; k++ {
		t := newTalk(&said.Projects[k%len(said.Projects)], newSource(seed, uint64(k)))
		at := First.Add(time.Duration(k) * 37 * time.Minute)
		session := t.UUID()
		for range 6 {
			item := t.Item(t.one(kinds))
			item.Session, item.Turn, item.At = session, t.UUID(), at
			at = at.Add(time.Duration(2+t.IntN(9)) * time.Minute)
			items = append(items, item)
		}
	}
	return items[:n]
}

var kinds = []string{"decision", "decision", "eliminated", "next", "deferred", "flag", "goal"}

// talk says things in the vocabulary of a project, with common words often and rare ones hardly ever.
type talk struct {
	source
	Project *project
	zipf    *rand.Zipf
}

func newTalk(p *project, r source) talk {
	return talk{r, p, rand.NewZipf(r.Rand, 1.15, 3, uint64(len(p.parts)*len(p.things)-1))}
}

func (t talk) Word() string {
	i, things := int(t.zipf.Uint64()), t.Project.things
	if i < len(things) {
		return things[i]
	}
	return things[i%len(things)] + " " + t.Project.parts[i/len(things)%len(t.Project.parts)]
}

// Identifier returns a name as in code, made of a verb, a part and a thing.
func (t talk) Identifier() string {
	verb, a, b := t.one(verbs), t.one(t.Project.parts), t.one(t.Project.things)
	if t.Project.Lang == "py" || t.Project.Lang == "rs" {
		return verb + "_" + a + "_" + b
	}
	return verb + capital(a) + capital(b)
}

var verbs = strings.Fields("load store find merge split check apply build parse flush open close drop keep count " +
	"render plan resolve rebuild collect")

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// fill replaces {names} by their values.
func fill(text string, namesAndValues ...string) string {
	namesAndValues = slices.Clone(namesAndValues)
	for i := 0; i < len(namesAndValues); i += 2 {
		namesAndValues[i] = "{" + namesAndValues[i] + "}"
	}
	return strings.NewReplacer(namesAndValues...).Replace(text)
}

// File returns the path of one of the project's files, relative to its directory.
func (t talk) File() string {
	name := t.one(t.Project.things)
	if t.Chance(4) {
		name += "_test"
	}
	return "internal/" + t.one(t.Project.parts) + "/" + name + "." + t.Project.Lang
}

// Item generates an item of a kind, and a turn around it.
func (t talk) Item(kind string) Item {
	c := t.Choice()
	about, taken, left, why := c[0], c[1], c[2], c[3]
	i := Item{ID: t.base32(), Project: t.Project.Name, Kind: kind, About: about}
	says := []string{"about", about, "taken", taken, "left", left, "Left", capital(left), "why", why, "word", t.Word(),
		"file", t.File()}
	k := said.Kinds[kind]
	i.Quote = fill(t.one(k.Quotes), says...)
	i.Text = fill(k.Text, says...)
	switch kind {
	case "decision", "eliminated":
		i.Why, i.Lost = why, []string{left}
	case "flag":
		i.Why = why
	}
	i.TurnText = t.sentence() + " " + i.Quote + " " + t.Sentences(1+t.IntN(3))
	return i
}

// Choice returns one of the project's choices, its subject often narrowed to a thing for variety.
func (t talk) Choice() [4]string {
	c := t.Project.Choices[t.IntN(len(t.Project.Choices))]
	if !t.Chance(3) {
		c[0] += " of the " + t.Word()
	}
	return c
}

// sentence says something that isn't worth keeping.
func (t talk) sentence() string {
	s := fill(t.one(said.Talk.Small), "a", t.Word(), "b", t.Word(), "name", t.Identifier())
	if !t.Chance(3) { // people and models don't stop after seven words
		s = strings.TrimSuffix(s, ".") + fill(t.one(said.Talk.Onward), "a", t.Word(), "name", t.Identifier())
	}
	return s
}

func (t talk) Sentences(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = t.sentence()
	}
	return strings.Join(all, " ")
}

// Functions returns the lines of between least and most functions. They needn't compile, but are as repetitive as code.
func (t talk) Functions(least, most int) (lines []string) {
	for range t.Some(least, most) {
		thing, other := t.one(t.Project.things), t.one(t.Project.things)
		lines = append(lines, strings.Split(fill(t.Project.Function, "name", t.Identifier(), "other", t.Identifier(),
			"thing", thing, "thing2", other, "Thing2", capital(other), "word", t.Word(), "Word", capital(t.Word()),
			"part", t.one(t.Project.parts), "k", strconv.Itoa(t.IntN(900))), "\n")...)
	}
	return lines
}

// TestRun generates the output of a test command.
func (t talk) TestRun(fails bool) string {
	var b strings.Builder
	for range 4 + t.IntN(8) {
		fmt.Fprintf(&b, "=== RUN   Test%s\n--- PASS: Test%[1]s (0.%02ds)\n",
			capital(t.one(t.Project.parts))+capital(t.one(t.Project.things)), t.IntN(99))
	}
	if fails {
		fmt.Fprintf(&b, "--- FAIL: Test%s (0.%02ds)\n    %s:%d: %s: got %d, want %d\nFAIL\n",
			capital(t.one(t.Project.things)),
			t.IntN(99), t.File(), 20+t.IntN(300), t.Identifier(), t.IntN(50), t.IntN(50))
		return b.String()
	}
	fmt.Fprintf(&b, "PASS\nok  \t%s/internal/%s\t%d.%03ds\n", t.Project.Name, t.one(t.Project.parts), t.IntN(9),
		t.IntN(999))
	return b.String()
}
