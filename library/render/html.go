package render

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"recall/ingest"
)

//go:embed turn.html
var turnText string

var turnTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("turn").Funcs((*transcript)(nil).funcs()).Parse(turnText))
})

// Turns returns a function that renders single turns of a session as parts of a page, without their sub-agents.
// Messages are laid out as Markdown, with their content escaped.
func Turns(s *ingest.Session, a About) (func(ingest.Turn) (template.HTML, error), error) {
	t := newTranscript(s, a)
	page, err := turnTemplate().Clone()
	if err != nil {
		return nil, err
	}
	page.Funcs(t.funcs())
	return func(one ingest.Turn) (template.HTML, error) {
		var b bytes.Buffer
		if err := page.ExecuteTemplate(&b, "turn", one); err != nil {
			return "", fmt.Errorf("html of session %s, turn %d: %w", s.ID, one.N, err)
		}
		return template.HTML(b.String()), nil
	}, nil
}

// funcs returns the functions that the template calls.
func (t *transcript) funcs() template.FuncMap {
	return template.FuncMap{
		"who": who, "note": note, "class": class, "state": state, "subject": subject, "where": t.where,
		"done": done, "diffs": diffs, "output": output,
		"gist": firstLine, "others": notChosen, "clip": oneLine, "join": strings.Join,
		"body":    Message,
		"opens":   func(calls []ingest.ToolCall) bool { return slices.ContainsFunc(calls, opens) },
		"verdict": func(c ingest.ToolCall) string { return verdicts[c.Verdict] },
		"ids":     func(t ingest.Turn) []string { return anchorIDs(append([]string{string(t.ID)}, t.Records...)) },
		"resultIDs": func(c ingest.ToolCall) []string {
			return anchorIDs([]string{string(c.ResultTurn), string(c.ReasonTurn)})
		},
	}
}

// who is speaker without Markdown.
func who(t ingest.Turn) string {
	if t.Kind == ingest.Command && t.Role == ingest.User {
		return "You: " + oneLine(t.Name, 80)
	}
	return speaker(&t)
}

func class(t ingest.Turn) string {
	name := "other"
	switch {
	case t.Kind == ingest.Message:
		name = "assistant"
	case t.Role == ingest.User && t.Kind != ingest.Event:
		name = "user"
	}
	if t.Abandoned {
		name += " abandoned"
	}
	return name
}

// note says when a turn was said and what else is notable about it.
func note(t ingest.Turn) string {
	var all []string
	if !t.At.IsZero() {
		all = append(all, t.At.UTC().Format("15:04"))
	}
	if t.N > 0 {
		all = append(all, strconv.Itoa(t.N))
	}
	all = append(all, remarks(&t)...)
	for _, f := range t.Foreign {
		if f.Label == ingest.ForeignPasted {
			continue
		}
		all = append(all, foreign(t.Text, f))
	}
	for _, name := range t.Uploads {
		all = append(all, "attached: "+oneLine(name, 200))
	}
	return strings.Join(all, " · ")
}

// opens reports whether a call isn't folded: it failed, or contains something that a person was asked or said.
func opens(c ingest.ToolCall) bool {
	return len(c.Answers) > 0 || c.Plan != nil || c.Reason != "" || state(c) == "failed"
}

// state is the outcome of a call.
func state(c ingest.ToolCall) string {
	switch {
	case c.Verdict == ingest.Rejected || c.Verdict == ingest.Denied || c.Verdict == ingest.Clarify:
		return "refused"
	case !c.Done:
		return "none"
	case c.Failed:
		return "failed"
	}
	return "ok"
}

// subject says what a call was about, in plain text.
func subject(c ingest.ToolCall) string {
	return cmp.Or(oneLine(c.Command, 400), oneLine(c.Path, 300), oneLine(tellingInput(&c), 300))
}

// where says on which side a call's paths are.
func (t *transcript) where(c ingest.ToolCall) []string {
	switch c.HostPath {
	case "":
		return t.sidesIn(subject(c))
	case c.Path:
		return []string{"host"}
	}
	return []string{"VM", c.HostPath + " on the host"}
}

// mostRendered is the longest message, in bytes, that is laid out. A longer one is a pasted file or tool output and
// is shown as is.
const mostRendered = 256 << 10

// markdown lays out a message without anything that could hide text or reach out: HTML and link definitions are shown
// as text, links lead nowhere (their target is shown beside them), and a picture is its name and target.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	blocks := slices.DeleteFunc(parser.DefaultBlockParsers(), func(p util.PrioritizedValue) bool {
		return p.Value == parser.NewHTMLBlockParser()
	})
	inline := []util.PrioritizedValue{util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(parser.NewLinkParser(), 200), util.Prioritized(parser.NewEmphasisParser(), 500)}
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inline...))),
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Strikethrough),
		goldmark.WithRendererOptions(html.WithXHTML(), html.WithHardWraps(),
			renderer.WithNodeRenderers(util.Prioritized(plainNodes{}, 100))))
})

// Message renders a turn's Markdown as HTML.
func Message(text string) template.HTML {
	var b bytes.Buffer
	if len(text) <= mostRendered && markdown().Convert([]byte(text), &b) == nil {
		return template.HTML(b.String())
	}
	return template.HTML("<pre>" + template.HTMLEscapeString(text) + "</pre>")
}

// plainNodes renders Markdown that would interfere with the page in a harmless form.
type plainNodes struct{}

func (plainNodes) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindHeading, boldLine)
	reg.Register(ast.KindLink, withTarget)
	reg.Register(ast.KindImage, withTarget)
}

// boldLine renders a heading as a bold line, because the page has its own headings.
func boldLine(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	_, err := w.WriteString(map[bool]string{true: "<p><b>", false: "</b></p>\n"}[entering])
	return ast.WalkContinue, err
}

func withTarget(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	var to, title []byte
	switch n := n.(type) {
	case *ast.Link:
		to, title = n.Destination, n.Title
	case *ast.Image:
		to, title = n.Destination, n.Title
	}
	if entering {
		return ast.WalkContinue, nil
	}
	w.WriteString(` <span class="dim">(`)
	w.Write(util.EscapeHTML(bytes.TrimSpace(append(append(slices.Clone(to), ' '), title...))))
	_, err := w.WriteString(")</span>")
	return ast.WalkContinue, err
}

// mostDone is how many steps the line over folded calls names.
const mostDone = 6

// done says in one line what a turn's calls did: "Edit route.go +12 −3 · Bash go test ./… ✗ · Read ×6".
func done(calls []ingest.ToolCall) string {
	var steps []string
	for i, left := 0, len(calls); i < len(calls); left = len(calls) - i {
		if len(steps) == mostDone && left > 1 {
			steps = append(steps, fmt.Sprintf("%d more", left))
			break
		}
		alike := i + 1
		for alike < len(calls) && calls[alike].Name == calls[i].Name &&
			tersely(&calls[i])+tersely(&calls[alike]) == "" {
			alike++
		}
		step := oneLine(calls[i].Name, 40)
		if alike > i+1 {
			step += fmt.Sprintf(" ×%d", alike-i)
		} else if what := cmp.Or(tersely(&calls[i]), base(calls[i].Path), oneLine(calls[i].Telling(), 60)); what != "" {
			step += " " + what
		}
		steps, i = append(steps, step), alike
	}
	return strings.Join(steps, " · ")
}

// tersely says what sets a call apart from others of its tool: its command, how much it changed, that it failed. It is
// "" for one like all others.
func tersely(c *ingest.ToolCall) string {
	what := oneLine(c.Command, 60)
	if added, removed := c.Lines(); added+removed > 0 {
		what = fmt.Sprintf("%s +%d −%d", base(c.Path), added, removed)
	}
	if s := state(*c); s == "failed" || s == "refused" {
		what = strings.TrimSpace(cmp.Or(what, base(c.Path)) + " ✗")
	}
	return what
}

func base(name string) string { return oneLine(ingest.LastName(name), 60) }

// diffs returns the lines that a call replaced or wrote, "…" between two places.
func diffs(c ingest.ToolCall) (all []diffLine) {
	put := func(sign string, lines []string) {
		for _, l := range lines {
			all = append(all, diffLine{sign, l})
		}
	}
	for i, e := range c.Replaced() {
		if i > 0 {
			all = append(all, diffLine{"", "…"})
		}
		before, old, now, after := e.Lines()
		put("", before)
		put("−", old)
		put("+", now)
		put("", after)
	}
	return all
}

// A line of a replacement: Sign is "+" if it was added, "−" if it was removed, "" if it is beside them.
type diffLine struct{ Sign, Text string }

// output returns what a tool said if that is more than the line that is shown anyway: its beginning and its end, as far
// as they are kept.
func output(c ingest.ToolCall) string {
	if len(c.Answers) > 0 || c.Plan != nil || lineCount(c.Result) < 2 && len(c.Result) <= 120 {
		return ""
	}
	said := strings.TrimRight(c.Result, "\n")
	if left := c.ResultLen - int64(len(c.Result)); left > 0 {
		said += fmt.Sprintf("\n\n(%d bytes in all)", c.ResultLen)
	}
	return said
}
