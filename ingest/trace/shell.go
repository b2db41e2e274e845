package trace

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"recall/ingest"
)

// A command is one simple command of a shell's command line: a program with
// its arguments. Keywords and assignments before it are left out.
type command struct {
	words []word
	files []redirect
	text  string // of its here-document, "" if none
	here  bool   // it has one, and the text is whole
	dir   string // folder that it runs in, "" if that can't be known
	sure  bool   // if the whole line succeeded, so did this
	chain bool   // what is before it on the line must have succeeded for it to run
	pipe  bool   // it reads what the command before it writes
}

// word is one argument. plain says that it is what stands there: nothing in it
// is for the shell to expand.
type word struct {
	text  string
	plain bool
}

type redirect struct {
	op string // ">", ">>", "<"
	to word
}

// program is the name of the program, without its folder.
func (c command) program() string {
	if len(c.words) == 0 || !c.words[0].plain {
		return ""
	}
	return path.Base(c.words[0].text)
}

// args are the plain arguments as text, UnknownArg for those that aren't plain.
func (c command) args() []string {
	var out []string
	for _, w := range c.words[min(1, len(c.words)):] {
		if w.plain {
			out = append(out, w.text)
		} else {
			out = append(out, UnknownArg)
		}
	}
	return out
}

// UnknownArg stands for an argument that only the shell knew.
const UnknownArg = "\x00"

// readShell takes a command line apart. It never runs anything. Of lines that no
// shell would understand it leaves out what it can't make sense of: a path less
// is no harm.
func readShell(line, dir string) []command {
	if strings.Contains(line, "‹") {
		line = secretHere().ReplaceAllStringFunc(line, func(s string) string { return strings.Replace(s, " ", noBlank, 1) })
	}
	r := &shellReader{dir: dir}
	parser := parsers.Get().(*syntax.Parser)
	defer parsers.Put(parser)
	for range unreadable {
		file, err := parser.Parse(strings.NewReader(line), "")
		r.line = line
		r.list(file.Stmts, err == nil)
		var at syntax.ParseError
		if !errors.As(err, &at) {
			break
		}
		// What stands on the lines below may be understood.
		below := line[min(int(at.Pos.Offset()), len(line)):]
		if _, line, _ = strings.Cut(below, "\n"); line == "" {
			break
		}
	}
	return r.out
}

const (
	unreadable = 20 // faults that are passed over
	recovered  = 10 // brackets and quotes that may be missing
)

var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.RecoverErrors(recovered)) }}

// secretHere is the placeholder of a secret, "‹aws-key 2›", which stands for a part of
// a word, its blank too: noBlank for as long as it is read.
var secretHere = ingest.Lazy("‹[^›\\s'\"$`\\\\/]{1,40} \\d+›")

const noBlank = "\ue000"

// shellReader collects the commands of a line in order.
type shellReader struct {
	line string
	dir  string
	out  []command
}

// list reads commands one after the other: of these only the last one's success is
// the line's.
func (r *shellReader) list(all []*syntax.Stmt, sure bool) {
	for i, s := range all {
		r.statement(s, command{sure: sure && i == len(all)-1 && !s.Background})
	}
}

// statement reads one command; c is what is known of it from where it stands.
func (r *shellReader) statement(s *syntax.Stmt, c command) {
	if s == nil {
		return
	}
	var words []*syntax.Word
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		words = cmd.Args
	case *syntax.DeclClause:
		words = []*syntax.Word{{Parts: []syntax.WordPart{cmd.Variant}}}
		for _, a := range cmd.Args {
			words = append(words, &syntax.Word{Parts: []syntax.WordPart{&syntax.ParamExp{Param: a.Name}}})
		}
	case *syntax.BinaryCmd:
		left, right := c, c
		switch cmd.Op {
		case syntax.AndStmt:
			right.chain = true
		case syntax.OrStmt:
			left.sure = false
		default: // of a pipe the last command's success is the line's
			left.sure, right.chain, right.pipe = false, false, true
		}
		r.statement(cmd.X, left)
		r.statement(cmd.Y, right)
	case *syntax.TimeClause:
		r.statement(cmd.Stmt, c)
	case *syntax.Subshell:
		dir := r.dir
		r.list(cmd.Stmts, c.sure)
		r.dir = dir
	case *syntax.Block:
		r.list(cmd.Stmts, c.sure)
	default: // a loop, a condition, a function: what stands in it may never have run
		r.within(s.Cmd, c.pipe)
	}
	for _, w := range words {
		c.words = append(c.words, wordOf(w.Parts))
	}
	c.words = unwrap(c.words)
	for _, f := range s.Redirs {
		r.redirect(&c, f)
	}
	if c.dir = r.dir; c.program() == "cd" && !c.pipe {
		r.dir = into(r.dir, c.args())
	}
	if len(c.words)+len(c.files) > 0 {
		r.out = append(r.out, c)
	}
}

// within reads the commands of one that is made of others; pipe says that the first
// reads what a command before it writes.
func (r *shellReader) within(cmd syntax.Command, pipe bool) {
	if cmd == nil {
		return
	}
	syntax.Walk(cmd, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			r.statement(n, command{pipe: pipe})
			pipe = false
			return false
		case *syntax.Word:
			return false // a substitution's commands are not the line's
		}
		return true
	})
}

// redirect notes where a command's output goes, and what it reads. Messages are no
// product, and streams handed to streams say nothing.
func (r *shellReader) redirect(c *command, f *syntax.Redirect) {
	if f.N != nil && f.N.Value == "2" || f.Word == nil {
		return
	}
	to := wordOf(f.Word.Parts)
	switch f.Op {
	case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll:
		c.files = append(c.files, redirect{">", to})
	case syntax.AppOut, syntax.AppAll:
		c.files = append(c.files, redirect{">>", to})
	case syntax.RdrIn:
		c.files = append(c.files, redirect{"<", to})
	case syntax.Hdoc, syntax.DashHdoc:
		c.text, c.here = hereText(f)
	}
}

// hereText is the text of a here-document, if the shell changes nothing in it.
func hereText(f *syntax.Redirect) (text string, whole bool) {
	if f.Hdoc != nil {
		for _, p := range f.Hdoc.Parts {
			lit, ok := p.(*syntax.Lit)
			if !ok {
				return "", false
			}
			text += lit.Value
		}
	}
	if _, bare := f.Word.Parts[0].(*syntax.Lit); bare && strings.Contains(text, `\`) {
		return "", false
	}
	if f.Op == syntax.DashHdoc {
		text = leadingTabs().ReplaceAllString(text, "")
	}
	return restored(text), true
}

var leadingTabs = ingest.Lazy(`(?m)^\t+`)

func restored(s string) string { return strings.ReplaceAll(s, noBlank, " ") }

// wordOf takes the quotes off a word.
func wordOf(parts []syntax.WordPart) word {
	w := word{plain: true}
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			w.plain = w.plain && !(strings.ContainsAny(p.Value, "*?[{") && pattern().MatchString(p.Value))
			w.text += unescaped(p.Value, escape)
		case *syntax.SglQuoted:
			w.plain = w.plain && !p.Dollar && !p.Right.IsRecovered()
			w.text += p.Value
		case *syntax.DblQuoted:
			w.plain = w.plain && !p.Right.IsRecovered()
			for _, in := range p.Parts {
				if lit, ok := in.(*syntax.Lit); ok {
					w.text += unescaped(lit.Value, quotedEscape)
				} else {
					w.plain = false
				}
			}
		default:
			w.plain = false
		}
	}
	w.text = restored(w.text)
	return w
}

func unescaped(s string, escape func() *regexp.Regexp) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return escape().ReplaceAllString(s, "$1")
}

// What a backslash keeps as it is, and the beginning of a pattern that none keeps.
var (
	escape       = ingest.Lazy(`(?s)\\(.)`)
	quotedEscape = ingest.Lazy("\\\\([\\\\\"$`])")
	pattern      = ingest.Lazy(`(?s)^(?:[^\\]|\\.)*?[*?\[{]`)
)

// wrappers run the command that follows them; the number is how many
// arguments of their own they take.
var wrappers = map[string]int{"sudo": 0, "time": 0, "nice": 0, "nohup": 0, "env": 0, "exec": 0, "command": 0,
	"timeout": 1, "stdbuf": 0, "builtin": 0, "doas": 0}

// unwrap takes sudo, env and their like off a command.
func unwrap(words []word) []word {
	for len(words) > 1 {
		own, ok := wrappers[path.Base(words[0].text)]
		if !ok || !words[0].plain {
			return words
		}
		words = words[1:]
		for len(words) > 1 && (strings.HasPrefix(words[0].text, "-") || assignment().MatchString(words[0].text)) {
			words = words[1:]
		}
		words = words[min(own, len(words)-1):]
	}
	return words
}

var assignment = ingest.Lazy(`^[A-Za-z_]\w*=`)

// into is the folder after a cd.
func into(dir string, args []string) string {
	args = slices.DeleteFunc(args, func(a string) bool { return a == "--" || a == "-P" || a == "-L" })
	if len(args) != 1 || args[0] == UnknownArg || args[0] == "-" {
		return ""
	}
	return Absolute(dir, args[0])
}

// Absolute is a path as seen from a folder, "" if that folder isn't known and
// the path needs it. "~" is the home that the folder lies in.
func Absolute(dir, p string) string {
	switch {
	case p == "" || strings.ContainsRune(p, 0):
		return ""
	case p == "~" || strings.HasPrefix(p, "~/"):
		if home := home().FindString(dir + "/"); home != "" {
			return path.Join(home, p[1:])
		}
		return path.Clean(p)
	case strings.HasPrefix(p, "/"):
		return path.Clean(p)
	case ofWindows(p):
		return p
	case dir == "":
		return ""
	case ofWindows(dir + `\`):
		return strings.TrimRight(dir, `\/`) + `\` + strings.ReplaceAll(strings.TrimPrefix(p, "./"), "/", `\`)
	}
	return path.Join(dir, p)
}

// home is where systems put homes.
var home = ingest.Lazy(`^/(?:root|(?:home|Users|sessions)/[^/]+)/`)

func ofWindows(p string) bool {
	return len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/') || strings.HasPrefix(p, `\\`)
}
