package terminal

import (
	"cmp"
	"embed"
	"fmt"
	"reflect"
	"strings"
	"text/template"
	"time"

	"recall/answer"
	"recall/index"
	txt "recall/internal/text"
	"recall/payload"
)

// forms holds the layouts of documents shown to people, one text/template file each, with the functions of formFuncs.
// A line that holds only control actions or functions whose names begin with a capital adds no newline of its own:
// such functions end their lines themselves and print nothing if there is nothing to say. A line ending in \ continues
// on the next.
//
//go:embed forms/*.txt
var forms embed.FS

var (
	controlLine = txt.Pattern(`(?m)^[ \t]*((?:\{\{(?:if|else|end|range|with|define|template|\$\w+ :?=|[A-Z])[^}]*\}\})+)\n`)
	continued   = txt.Pattern(`\\\n[ \t]*`)
)

const minute = "2006-01-02 15:04" // local

// Form prints a document with the named form, or with one template of a form: "answer/further".
func (p *Page) Form(name string, doc any) {
	name, part, _ := strings.Cut(name, "/")
	text, err := forms.ReadFile("forms/" + name + ".txt")
	text = continued().ReplaceAll(text, nil)
	var t *template.Template
	if err == nil {
		t, err = template.New(name).Funcs(p.formFuncs()).Parse(string(controlLine().ReplaceAll(text, []byte("$1"))))
	}
	var b strings.Builder
	if err == nil {
		err = t.ExecuteTemplate(&b, cmp.Or(part, name), doc)
	}
	if err != nil {
		panic(err) // the forms are embedded
	}
	fmt.Fprint(p.W, b.String())
}

func (p *Page) formFuncs() template.FuncMap {
	style := func(s string) func() string { return func() string { return s } }
	return template.FuncMap{
		"bold": style(p.St.Bold), "dim": style(p.St.Dim), "green": style(p.St.Green), "red": style(p.St.Red),
		"yellow": style(p.St.Yellow), "reset": style(p.St.Reset),

		"line":      func(s any) string { return p.Line(fmt.Sprint(s)) },
		"path":      func(s string) string { return Line(ShownPath(s)) },
		"clip":      func(n int, s string) string { return txt.Clip(p.Line(s), n) },
		"narrow":    func() bool { return p.Width < Narrow },
		"wide":      func(n int) int { return n * p.Width },
		"hour":      func(t time.Time) string { return t.Local().Format("15:04") },
		"less":      func(n int) int { return p.Width - n },
		"most":      func(a, b int) int { return max(a, b) },
		"least":     func(a, b int) int { return min(a, b) },
		"padded":    func(n int, s string) string { return s + strings.Repeat(" ", max(0, n-Columns(s))) },
		"minus":     func(a, b int) int { return a - b },
		"join":      func(list []string) string { return strings.Join(list, ", ") },
		"count":     answer.Count,
		"thousands": func(n int) string { return txt.Thousands(n) },
		"dollars":   txt.Dollars,
		"size":      txt.Size,
		"elapsed":   Elapsed,
		"day":       answer.Day,
		"coming":    func(t time.Time) string { return t.Local().Format(time.DateOnly) },
		"unended":   func(sentence string) string { return strings.TrimRight(sentence, ".") },
		"spaced":    func(list []string) string { return strings.Join(list, " ") },
		"minute":    func(t time.Time) string { return t.Local().Format(minute) },
		"short":     func(id any) string { return payload.ShortID(fmt.Sprint(id)) },
		"handle":    payload.Handle,
		"head":      func(i int, name string) string { return map[bool]string{true: name}[i == 0] },
		"first":     func(n int, list any) any { return part(list, 0, n).Interface() },
		"more":      func(n int, list any) int { return max(0, reflect.ValueOf(list).Len()-n) },
		"last":      func(list any) any { return part(list, reflect.ValueOf(list).Len()-1, 1).Index(0).Interface() },

		"choose": func(which, yes, no any) any {
			if truth, _ := template.IsTrue(which); truth {
				return yes
			}
			return no
		},
		"now":   time.Now,
		"over":  func(t time.Time) bool { return t.Before(time.Now()) },
		"waits": Waits,

		"mark":     p.mark,
		"sentence": p.Sentence,
		"state":    answer.State,
		"standing": answer.Standing,
		"past":     p.Past,
		"quote":    p.Quote,
		"source":   p.Source,
		"tie":      answer.Tie,
		"session":  p.Session,
		"kinds":    answer.Kinds,
		"aside":    p.Aside,
		"tried":    p.Tried,
		"see":      p.See,
		"was":      p.Was,
		"bare":     func() bool { return p.Bare },
		"agent":    func() bool { return p.Agent },
		"id": func(it payload.Item) string {
			return map[bool]string{true: p.mark(it) + " "}[p.Agent]
		},
		"marked":  p.marked,
		"named":   p.named,
		"passage": p.Passage,
		"teller":  p.Teller,
		"where":   p.Where,
		"place": func(project string, session, turn int) string {
			return p.Where(index.Place{Project: project, SessionN: session}, turn, false)
		},

		"Row": func(name, format string, args ...any) string {
			return p.Say(fmt.Sprintf("%-10s ", name), strings.Repeat(" ", 11), fmt.Sprintf(format, args...))
		},
		"Say":     p.Say,
		"Wrapped": p.Wrapped,
		"Table":   p.table,
		"Field":   p.field,
		"Quoted":  func(text string) string { return p.quoted("", text) },
		"Headed":  p.headed,
		"Told":    p.told,
		"Noted":   p.noted,
		"Marked":  func(mark, text string) string { return p.Wrapped(mark+" ", blanks(mark), text, "") },
		"Besides": p.besides,
		"Spoken":  func(r *answer.Result) string { return p.spoken(r, "") },
		"Beside":  p.beside,
		"Support": p.support,
		"Grounds": p.grounds,
		"Changes": p.changes,
	}
}

// part returns up to n elements of a list, starting at from.
func part(list any, from, n int) reflect.Value {
	v := reflect.ValueOf(list)
	return v.Slice(from, min(v.Len(), from+n))
}
