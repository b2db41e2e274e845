package synthtest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// session is an invented session, as seen by records.tmpl.
type session struct {
	talk
	ID, Prompt, Message, Call string // ids of what is being written
	Text                      string // what is said next
	Ends                      bool   // whether that ends the turn
	Said                      []Item

	out     io.Writer
	written int64 // bytes
	most    int64
	err     error
	head    string   // the constant part of each conversation record
	last    string   // id of the previous record, as JSON
	pool    []string // lines of code
	now     time.Time
}

//go:embed records.tmpl
var recordsText string

var records = template.Must(template.New("records").Funcs(template.FuncMap{
	"json": func(s string) string {
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.Encode(s)
		return strings.TrimSuffix(b.String(), "\n")
	},
	"capital": capital,
	"lines":   func(list []string) string { return strings.Join(list, "\n") },
	"numbered": func(from int, list []string) string {
		var b strings.Builder
		for i, l := range list {
			b.WriteString(strconv.Itoa(from+i) + "\t" + l + "\n")
		}
		return b.String()
	},
}).Parse(recordsText))

var oneLine = strings.NewReplacer("\n", "", "\t", "")

func newSession(p *project, o Options, i int) *session {
	g := &session{talk: newTalk(p, newSource(o.Seed, uint64(i)+1<<32)), most: o.BytesEach, last: "null"}
	g.ID = g.UUID()
	g.head = fmt.Sprintf(`"isSidechain":false,"cwd":%q,"userType":"external","entrypoint":"cli","sessionId":%q,`+
		`"version":"2.1.%d","gitBranch":"%s-%s"`, p.dir(), g.ID, 60+i*120/max(1, o.Sessions), g.one(p.parts), g.one(p.things))
	const span = Months * 30 * 24 * time.Hour
	g.now = First.Add(span / time.Duration(max(1, o.Sessions)) * time.Duration(i))
	return g
}

const (
	// Smaller sessions have less around their turns, so that small ones are possible.
	large     = 30 << 10
	turnSize  = 60 << 10 // of a turn with its calls, on average
	poolLines = 3000     // of code per project: the same files are read repeatedly
)

// Large reports whether the session has room for all the records around turns.
func (g *session) Large() bool { return g.most > large }

// Now formats the session's current time.
func (g *session) Now() string { return g.now.Format("2006-01-02T15:04:05.000Z") }

// write writes the records of a template, some seconds apart, and returns the id of the last.
func (g *session) write(step string) (id string) {
	var page bytes.Buffer
	if err := records.ExecuteTemplate(&page, step, g); err != nil {
		panic(err) // a bug in the template
	}
	for text := range strings.SplitSeq(page.String(), "\n\n") {
		kind, body, _ := strings.Cut(strings.TrimSpace(text), " ")
		body = oneLine.Replace(body)
		switch kind {
		case "":
			continue
		case "-":
		default:
			g.now = g.now.Add(time.Duration(g.Some(2000, 10_000)) * time.Millisecond)
			id = g.UUID()
			body = fmt.Sprintf(`{"parentUuid":%s,"type":%q,"uuid":%q,"timestamp":%q,%s,%s`, g.last, kind, id, g.Now(), g.head,
				body[1:])
			g.last = strconv.Quote(id)
		}
		n, err := io.WriteString(g.out, body+"\n")
		if g.written += int64(n); err != nil {
			g.err = err
		}
	}
	return id
}

// play writes turns until the session is long enough.
func (g *session) play() {
	if g.Large() {
		g.write("opening")
	}
	for kind := "goal"; kind == "goal" && len(g.Said) == 0 || g.written < g.most && g.err == nil; kind = g.one(kinds) {
		g.turn(kind)
	}
	g.write("title")
}

// turn writes a prompt, what the assistant does, and its answer, which sometimes adds an item.
func (g *session) turn(kind string) {
	g.now = g.now.Add(time.Duration(g.Some(20, 900)) * time.Second)
	if g.Large() {
		g.write("snapshot")
	}
	g.say("prompt", g.Item(kind))
	left := g.most - g.written
	for n := range g.Some(5, 7) {
		if g.written >= g.most || left < 4<<10 {
			break
		}
		g.Message, g.Call = g.Chars("msg_01", 22), g.Chars("toolu_01", 22)
		switch {
		case n == 4 && g.Chance(3):
			g.write(g.one([]string{"ask", "refuse"}))
		default:
			g.write([]string{"search", "read", "edit", "read", "test"}[n%5])
		}
	}
	g.Message, g.Ends = g.Chars("msg_01", 22), true
	if g.Text = g.Sentences(3); g.Chance(3) {
		g.write("said")
	} else {
		came := g.Item(g.one([]string{"eliminated", "next", "deferred", "decision"}))
		came.TurnText = g.Text + "\n\n" + came.Quote + " " + g.sentence()
		g.say("said", came)
	}
	if g.Ends = false; left > turnSize {
		g.write("duration")
	}
}

// say writes a turn that contains an item.
func (g *session) say(step string, item Item) {
	g.Prompt, g.Text = g.UUID(), item.TurnText
	item.Session, item.Turn = g.ID, g.write(step)
	item.At = g.now
	g.Said = append(g.Said, item)
}

// Path returns the path of one of the project's files.
func (g *session) Path() string { return g.Project.dir() + "/" + g.File() }

// Matches returns the output of a search in them.
func (g *session) Matches() string {
	var found strings.Builder
	for range g.Some(8, 32) {
		fmt.Fprintf(&found, "%s:%d:%s\n", g.File(), g.Some(1, 600), g.Functions(1, 1)[1])
	}
	return found.String()
}

// Code returns between least and most lines of source.
func (g *session) Code(least, most int) []string {
	n := g.Some(least, most)
	from := len(g.pool)
	if from >= poolLines {
		from = g.IntN(from - n)
	}
	for len(g.pool) < from+n {
		g.pool = append(g.pool, g.Functions(1, 1)...)
	}
	return g.pool[from : from+n]
}
