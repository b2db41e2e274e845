package render

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"
	"time"

	"recall/ingest"
	"recall/payload"
	"recall/sink"
)

//go:embed transcript.html
var htmlText string

var htmlPage = sync.OnceValue(func() *template.Template {
	_, css, _ := strings.Cut(htmlText, "<style>")
	css, _, _ = strings.Cut(css, "</style>")
	sum := sha256.Sum256([]byte(css))
	return template.Must(template.New("transcript").Parse(strings.Replace(htmlText, "STYLE",
		"'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'", 1)))
})

// HTML renders a session as one page that needs nothing from anywhere else: no
// script, no font, no request, and a policy that lets a browser do none of these.
// Messages are laid out as Markdown; what they say is escaped. p may be nil.
func HTML(s *ingest.Session, a About, p *payload.Payload) ([]byte, error) {
	h := htmlSession{transcript: transcript{session: s, about: a, sides: sidesOf(s)},
		agents: map[string][]ingest.Subagent{}}
	for _, agent := range s.Subagents {
		h.agents[agent.Call] = append(h.agents[agent.Call], agent)
	}
	page := h.page(p)
	var b bytes.Buffer
	if err := htmlPage().Execute(&b, page); err != nil {
		return nil, fmt.Errorf("html of session %s: %w", s.ID, err)
	}
	return []byte(sink.Page(b.String(), sink.HTML)), nil
}

type htmlDoc struct {
	Title    string
	Facts    []string
	Sides    bool
	Parent   string
	Files    []htmlFile
	Sections []htmlSection // of the payload
	Turns    []htmlTurn
	Agents   []htmlAgent // whose call isn't known
	Said     int         // by the person
}

type htmlFile struct{ What, Name, Path string }

type htmlSection struct {
	Title string
	Items []htmlItem
}

type htmlItem struct{ Text, Why, Turn string }

type htmlTurn struct {
	Anchors []string
	N       int
	Day     string // where a new one begins
	Who     string
	When    string
	Note    string
	Class   string        // user, assistant, other
	Body    template.HTML // of a message, by goldmark
	Calls   []htmlCall
}

type htmlCall struct {
	Anchors       []string
	Name, What    string
	Where         []string
	State, Gist   string // State: ok, failed, none, refused
	Verdict, Word string
	Commit        string
	Answers       []htmlAnswer
	Plan          template.HTML
	Agents        []htmlAgent
}

type htmlAnswer struct{ Question, Chosen, Others, Notes string }

type htmlAgent struct {
	Name, About string
	Turns       []htmlTurn
}

// htmlSession is a session on its way to a page.
type htmlSession struct {
	transcript
	agents map[string][]ingest.Subagent
	last   string // day
}

func (h *htmlSession) page(p *payload.Payload) htmlDoc {
	s := h.session
	doc := htmlDoc{Title: oneLine(h.about.Title, 200), Sides: len(h.sides) > 0}
	if doc.Title == "" {
		doc.Title = "Session " + string(s.ID)
	}
	doc.Facts = []string{string(s.ID), string(s.Source)}
	if h.about.Project != "" {
		doc.Facts = append(doc.Facts, "project "+h.about.Project)
	}
	if s.Where.Branch != "" {
		doc.Facts = append(doc.Facts, "branch "+s.Where.Branch)
	}
	if !s.Start.IsZero() {
		doc.Facts = append(doc.Facts, stamps(s.Start, s.End)+" UTC")
	}
	if s.Parent != nil {
		doc.Parent = fmt.Sprintf("From session %s (%s); turns copied from it: %d.", s.Parent.Session, s.Parent.How,
			s.Parent.Turns)
	}
	for _, f := range s.Uploads {
		doc.Files = append(doc.Files, htmlFile{"given", f.Name, f.Path})
	}
	for _, f := range s.Outputs {
		doc.Files = append(doc.Files, htmlFile{"produced", f.Name, f.Path})
	}
	doc.Sections = htmlSections(p)
	for _, t := range s.Turns {
		doc.Turns = append(doc.Turns, h.turn(t, true))
		if t.Role == ingest.User && t.Kind == ingest.Prompt {
			doc.Said++
		}
	}
	for _, a := range s.Subagents {
		if left := h.agents[a.Call]; len(left) > 0 {
			doc.Agents = append(doc.Agents, h.agent(left[0]))
			h.agents[a.Call] = left[1:]
		}
	}
	return doc
}

// htmlSections are a payload's items by kind, each with the turn that it stands
// on.
func htmlSections(p *payload.Payload) []htmlSection {
	if p == nil {
		return nil
	}
	var all []htmlSection
	for _, k := range payload.Kinds {
		var items []htmlItem
		for _, it := range p.Items {
			if it.Kind != k || !it.Current() {
				continue
			}
			item := htmlItem{Text: it.Text, Why: it.Why}
			if it.Path != "" {
				item.Text = it.Path + " — " + it.Text
			}
			if len(it.Evidence) > 0 {
				item.Turn = it.Evidence[0].Turn
			}
			items = append(items, item)
		}
		if len(items) > 0 {
			all = append(all, htmlSection{strings.ToUpper(string(k[:1])) + string(k[1:]), items})
		}
	}
	return all
}

func (h *htmlSession) turn(t ingest.Turn, days bool) htmlTurn {
	v := htmlTurn{N: t.N, Who: speakerName(t), Class: "other",
		Anchors: anchorIDs(append([]string{string(t.ID)}, t.Records...))}
	if !t.At.IsZero() {
		v.When = t.At.UTC().Format("15:04")
		if day := t.At.UTC().Format(time.DateOnly); days && day != h.last {
			v.Day, h.last = day, day
		}
	}
	switch {
	case t.Role == ingest.User && (t.Kind == ingest.Prompt || t.Kind == ingest.Command || t.Kind == ingest.Shell):
		v.Class = "user"
	case t.Kind == ingest.Message:
		v.Class = "assistant"
	}
	var notes []string
	for _, n := range []struct {
		is   bool
		text string
	}{{t.Queued, "typed while the assistant worked"}, {t.Abandoned, "abandoned: on a branch that was rewound"},
		{t.Copied, "copied from the session this was forked from"}} {
		if n.is {
			notes = append(notes, n.text)
		}
	}
	for _, f := range t.Foreign {
		notes = append(notes, fmt.Sprintf("%d characters of this are from %s, not the speaker's own words",
			len([]rune(part(t.Text, f))), f.Label))
	}
	for _, name := range t.Uploads {
		notes = append(notes, "attached: "+oneLine(name, 200))
	}
	v.Note = strings.Join(notes, " · ")
	v.Body = message(h.markPaths(t.Text))
	for _, c := range t.Calls {
		v.Calls = append(v.Calls, h.call(c))
	}
	return v
}

// speakerName is speaker without Markdown.
func speakerName(t ingest.Turn) string {
	if t.Kind == ingest.Command {
		return "You: " + oneLine(t.Name, 80)
	}
	return speaker(&t)
}

func anchorIDs(ids []string) []string {
	var out []string
	for _, id := range ids {
		if id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

func (h *htmlSession) call(c ingest.ToolCall) htmlCall {
	what := h.subject(c)
	v := htmlCall{Name: oneLine(c.Name, 80), What: what, Gist: firstLine(c.Result), State: "ok",
		Word: oneLine(c.Reason, 600)}
	v.Anchors = anchorIDs([]string{string(c.ResultTurn), string(c.ReasonTurn)})
	v.Where = h.where(c, what)
	switch {
	case c.Verdict == ingest.Rejected || c.Verdict == ingest.Denied || c.Verdict == ingest.Clarify:
		v.State = "refused"
	case !c.Done:
		v.State = "none"
	case c.Failed:
		v.State = "failed"
	}
	v.Verdict = map[ingest.Verdict]string{ingest.Rejected: "rejected by you", ingest.Denied: "denied",
		ingest.Clarify: "you wanted to talk about it first", ingest.Approved: "approved by you"}[c.Verdict]
	if c.Commit != "" {
		v.Commit = c.Commit + " " + oneLine(c.CommitMessage, 160)
	}
	for _, a := range c.Answers {
		v.Answers = append(v.Answers, htmlAnswer{a.Question, strings.Join(a.Chosen, ", "),
			strings.Join(notChosen(a), ", "), a.Notes})
	}
	if len(c.Answers) > 0 || c.Plan != nil {
		v.Gist = ""
	}
	if c.Plan != nil {
		v.Plan = message(h.markPaths(c.Plan.Text))
	}
	if c.ID != "" {
		for _, a := range h.agents[c.ID] {
			v.Agents = append(v.Agents, h.agent(a))
		}
		delete(h.agents, c.ID)
	}
	return v
}

// where says on which side a call's paths are.
func (h *htmlSession) where(c ingest.ToolCall, what string) []string {
	if c.HostPath != "" && c.HostPath == c.Path {
		return []string{"host"}
	}
	if c.HostPath != "" {
		return []string{"VM", c.HostPath + " on the host"}
	}
	var on []string
	for _, m := range strings.Fields(h.marks(what)) {
		on = append(on, strings.Trim(m, "*"))
	}
	return on
}

// subject is what a call was about, in plain text.
func (h *htmlSession) subject(c ingest.ToolCall) string {
	switch {
	case c.Command != "":
		return oneLine(c.Command, 400)
	case c.Path != "":
		return oneLine(c.Path, 300)
	}
	return oneLine(tellingInput(&c), 300)
}

func (h *htmlSession) agent(a ingest.Subagent) htmlAgent {
	v := htmlAgent{Name: oneLine(strings.TrimSpace(a.Type+" "+a.ID), 80), About: oneLine(a.Description, 160)}
	for _, t := range a.Turns {
		turn := h.turn(t, false)
		if t.Role == ingest.User && t.Kind == ingest.Prompt {
			turn.Who, turn.Class = "Task given to it", "other"
		}
		v.Turns = append(v.Turns, turn)
	}
	return v
}
