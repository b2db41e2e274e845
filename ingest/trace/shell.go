package trace

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"recall/internal/text"

	"mvdan.cc/sh/v3/syntax"
)

// A Step is a simple command in a command line, without preceding keywords and assignments.
type Step struct {
	Program string   // without its folder; "" if only the shell knew
	Args    []string // UnknownArg stands for those that only the shell knew
	Dir     string   // folder that it ran in, "" if unknown
	Here    string   // text of its here-document, if complete
	HasHere bool
	Out     []string // files that its output went to; "" for those only the shell knew
	Piped   bool     // it read the output of the step before it
	Touches []Touch
	sure    bool // if the whole line succeeded, so did this
}

// UnknownArg stands for an argument that only the shell knew, because it contains an expansion.
const UnknownArg = "\x00"

// readShell parses a command line and never runs anything. It leaves out what it doesn't understand: missing a path
// does no harm.
func readShell(line, dir string) []Step {
	if strings.Contains(line, "‹") {
		line = secretHere().ReplaceAllStringFunc(line, func(s string) string { return strings.Replace(s, " ", noBlank, 1) })
	}
	r := &shellReader{dir: dir}
	parser := syntax.NewParser(syntax.RecoverErrors(recovered))
	for range unreadable {
		file, err := parser.Parse(strings.NewReader(line), "")
		r.list(file.Stmts, err == nil)
		var at syntax.ParseError
		if !errors.As(err, &at) {
			break
		}
		// The lines below could still be readable.
		below := line[min(int(at.Pos.Offset()), len(line)):]
		if _, line, _ = strings.Cut(below, "\n"); line == "" {
			break
		}
	}
	return r.out
}

const (
	unreadable = 20 // syntax errors that are skipped
	recovered  = 10 // missing brackets and quotes
)

// secretHere matches the placeholder of a secret, "‹aws-key 2›", which stands for part of a word. While parsing, its
// blank is noBlank.
var secretHere = text.Pattern("‹[^›\\s'\"$`\\\\/]{1,40} \\d+›")

const noBlank = "\ue000"

// shellReader collects the commands of a line in order.
type shellReader struct {
	dir string
	out []Step
}

// list reads commands in sequence: only the last one's success is that of the line.
func (r *shellReader) list(all []*syntax.Stmt, sure bool) {
	for i, s := range all {
		r.statement(s, Step{sure: sure && i == len(all)-1 && !s.Background})
	}
}

// statement reads one command; c is what its context says about it.
func (r *shellReader) statement(s *syntax.Stmt, c Step) {
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
		case syntax.OrStmt:
			left.sure, right.sure = false, false
		default: // the success of a pipe is that of its last command
			left.sure, right.Piped = false, true
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
	default: // a loop, a condition, a function: its commands might never have run
		r.within(s.Cmd, c.Piped)
	}
	var args []string
	for _, w := range words {
		args = append(args, wordOf(w.Parts))
	}
	c.Dir = r.dir
	args = unwrap(args)
	for i := range args {
		if strings.HasSuffix(args[i], UnknownArg) {
			args[i] = UnknownArg
		}
	}
	if len(args) > 0 && args[0] != UnknownArg {
		c.Program = path.Base(args[0])
	}
	c.Args = args[min(1, len(args)):]
	for _, f := range s.Redirs {
		r.redirect(&c, f)
	}
	c.touch()
	if (c.Program == "cd" || c.Program == "pushd") && !c.Piped {
		r.dir = afterCd(r.dir, c.Args)
	}
	if len(args)+len(c.Out)+len(c.Touches) > 0 {
		r.out = append(r.out, c)
	}
}

// within reads the commands in a compound one; pipe: the first reads the output of a command before it.
func (r *shellReader) within(cmd syntax.Command, pipe bool) {
	if cmd == nil {
		return
	}
	syntax.Walk(cmd, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			r.statement(n, Step{Piped: pipe})
			pipe = false
			return false
		case *syntax.Word:
			return false // the commands of a substitution aren't the line's
		}
		return true
	})
}

// redirect records where output goes and what is read, ignoring standard error and streams redirected to streams.
func (r *shellReader) redirect(c *Step, f *syntax.Redirect) {
	if f.N != nil && f.N.Value == "2" || f.Word == nil {
		return
	}
	to := Absolute(c.Dir, wordOf(f.Word.Parts))
	switch f.Op {
	case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll:
		c.touchFile(Create, to, "")
		c.Out = append(c.Out, to)
	case syntax.AppOut, syntax.AppAll:
		c.touchFile(Edit, to, "")
		c.Out = append(c.Out, to)
	case syntax.RdrIn:
		c.touchFile(Read, to, "")
	case syntax.Hdoc, syntax.DashHdoc:
		c.Here, c.HasHere = hereText(f)
	}
}

// hereText returns the text of a here-document, if the shell expands nothing in it.
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

var leadingTabs = text.Pattern(`(?m)^\t+`)

func restored(s string) string { return strings.ReplaceAll(s, noBlank, " ") }

// wordOf removes the quotes from a word; from the first expansion on it is UnknownArg.
func wordOf(parts []syntax.WordPart) string {
	text := ""
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "*?[{") && pattern().MatchString(p.Value) {
				return text + UnknownArg
			}
			text += unescaped(p.Value, escape)
		case *syntax.SglQuoted:
			if p.Dollar || p.Right.IsRecovered() {
				return text + UnknownArg
			}
			text += p.Value
		case *syntax.DblQuoted:
			for _, in := range p.Parts {
				lit, ok := in.(*syntax.Lit)
				if !ok || p.Right.IsRecovered() {
					return text + UnknownArg
				}
				text += unescaped(lit.Value, quotedEscape)
			}
		default:
			return text + UnknownArg
		}
	}
	return restored(text)
}

func unescaped(s string, escape func() *regexp.Regexp) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return escape().ReplaceAllString(s, "$1")
}

// A backslash escape outside and inside quotes, and the beginning of an unescaped pattern.
var (
	escape       = text.Pattern(`(?s)\\(.)`)
	quotedEscape = text.Pattern("\\\\([\\\\\"$`])")
	pattern      = text.Pattern(`(?s)^(?:[^\\]|\\.)*?[*?\[{]`)
)

// wrappers run the command that follows them; the number is how many arguments of their own they take.
var wrappers = map[string]int{"sudo": 0, "time": 0, "nice": 0, "nohup": 0, "env": 0, "exec": 0, "command": 0,
	"timeout": 1, "stdbuf": 0, "builtin": 0, "doas": 0}

// unwrap removes sudo, env and the like from a command.
func unwrap(words []string) []string {
	for len(words) > 1 {
		own, ok := wrappers[path.Base(words[0])]
		if !ok {
			return words
		}
		words = words[1:]
		for len(words) > 1 && (strings.HasPrefix(words[0], "-") || assignment().MatchString(words[0])) {
			words = words[1:]
		}
		words = words[min(own, len(words)-1):]
	}
	return words
}

var assignment = text.Pattern(`^[A-Za-z_]\w*=`)

// afterCd returns the folder after a cd.
func afterCd(dir string, args []string) string {
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "--" || a == "-P" || a == "-L" })
	if len(args) != 1 || args[0] == UnknownArg || args[0] == "-" {
		return ""
	}
	return Absolute(dir, args[0])
}

// Absolute resolves a path against a folder, "" if that is needed but unknown; "~" is the home that the folder is in.
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
	case isWindowsPath(p):
		return p
	case dir == "":
		return ""
	case isWindowsPath(dir + `\`):
		return strings.TrimRight(dir, `\/`) + `\` + strings.ReplaceAll(strings.TrimPrefix(p, "./"), "/", `\`)
	}
	return path.Join(dir, p)
}

// home matches where systems put homes.
var home = text.Pattern(`^/(?:root|(?:home|Users|sessions)/[^/]+)/`)

func isWindowsPath(p string) bool {
	return len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/') || strings.HasPrefix(p, `\\`)
}
