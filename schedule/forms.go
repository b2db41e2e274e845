package schedule

import (
	"embed"
	"encoding/xml"
	"strings"
	"sync"
	"text/template"
)

//go:embed forms
var formFiles embed.FS

var forms = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"xml": escape}).ParseFS(formFiles, "forms/*"))
})

// filled is what a form is filled with: a job of a plan, its words as the system quotes them.
type filled struct {
	Plan
	Job     Job
	Command []string
	Env     any
}

func (f filled) Mark() string  { return Mark }
func (f filled) Label() string { return Label(f.Job) }
func (f filled) Seconds() int  { return f.Job.Every * 60 }

// Arguments are the command's words behind conhost's own.
func (f filled) Arguments() string { return strings.Join(f.Command, " ") }

// in writes a form.
func (f filled) in(form string) string {
	var b strings.Builder
	if err := forms().ExecuteTemplate(&b, form, f); err != nil {
		panic(err) // the forms are our own
	}
	return b.String()
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder doesn't fail
	return b.String()
}
