package render

import (
	"bytes"
	"html/template"
	"slices"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

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
