package trace

import (
	"path"
	"strings"
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

// args are the plain arguments as text, "\x00" for those that aren't plain.
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

// readShell takes a command line apart. What it can't make sense of it leaves
// out: it never runs anything, and a path less is no harm.
func readShell(line, dir string) []command {
	line = strings.ReplaceAll(line, "\\\n", " ")
	l := &lexer{src: line}
	l.list(0)
	return settle(l.out, dir)
}

// lexed is a command with the operator that ends it.
type lexed struct {
	command
	end   string // ";", "&&", "||", "|", "&", "(", ")" or ""
	block int    // depth of if, for, while and the like
}

type lexer struct {
	src     string
	at      int
	out     []lexed
	waiting []waitingDoc
	block   int
}

// waitingDoc is a here-document whose text begins at the next line.
type waitingDoc struct {
	end   string
	tabs  bool
	into  int // place in out of its command
	plain bool
}

const deepest = 40 // nested substitutions that are followed

// list reads commands up to a closing parenthesis or the end.
func (l *lexer) list(depth int) {
	var now lexed
	now.block = l.block
	done := func(op string) {
		now.end = op
		l.out = append(l.out, now)
		now = lexed{block: l.block}
	}
	for l.at < len(l.src) {
		c := l.src[l.at]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			l.at++
		case c == '\n':
			l.at++
			done(";")
			l.documents()
		case c == '#' && (l.at == 0 || strings.IndexByte(" \t\n;(", l.src[l.at-1]) >= 0):
			l.skipLine()
		case c == ';':
			l.at++
			done(";")
		case c == '&' || c == '|':
			op := l.operator()
			if op == "&>" || op == "&>>" {
				l.redirect(&now, op[1:], depth)
				continue
			}
			done(op)
		case c == '(':
			l.at++
			done("(")
		case c == ')':
			l.at++
			done(")")
			if depth > 0 {
				return
			}
		case c == '<' || c == '>':
			l.redirect(&now, "", depth)
		default:
			l.argument(&now, depth)
		}
	}
	done("")
	l.documents()
}

func (l *lexer) skipLine() {
	for l.at < len(l.src) && l.src[l.at] != '\n' {
		l.at++
	}
}

func (l *lexer) operator() string {
	for _, op := range []string{"&>>", "&&", "||", "|&", "&>", "&", "|"} {
		if strings.HasPrefix(l.src[l.at:], op) {
			l.at += len(op)
			if op == "|&" {
				return "|"
			}
			return op
		}
	}
	return ""
}

// argument reads a word and says what it is: an argument, an assignment, a
// keyword, the number of a redirected stream.
func (l *lexer) argument(now *lexed, depth int) {
	w := l.word(depth)
	if len(now.words) == 0 {
		switch w.text {
		case "if", "for", "while", "until", "case", "select":
			l.block++
			now.block = l.block
			return
		case "fi", "done", "esac":
			l.block = max(0, l.block-1)
			return
		case "then", "do", "else", "elif", "{", "}", "!", "in":
			now.block = l.block
			return
		}
		if isAssignment(w.text) {
			return
		}
	}
	if l.at < len(l.src) && (l.src[l.at] == '>' || l.src[l.at] == '<') && isNumber(w.text) {
		stream := w.text
		l.redirect(now, "", depth)
		if stream == "2" && len(now.files) > 0 { // messages are no product
			now.files = now.files[:len(now.files)-1]
		}
		return
	}
	now.words = append(now.words, w)
}

func isAssignment(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	if !ok || name == "" {
		return false
	}
	for i, c := range name {
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// redirect reads what follows < or >. Streams handed to streams say nothing.
func (l *lexer) redirect(now *lexed, op string, depth int) {
	if op == "" {
		for _, o := range []string{"<<<", "<<-", "<<", "<&", ">>", ">&", ">|", "<(", ">(", "<>", "<", ">"} {
			if strings.HasPrefix(l.src[l.at:], o) {
				op = o
				break
			}
		}
		l.at += len(op)
	}
	if op == "<(" || op == ">(" { // a process: its commands are not of this one
		l.nested(depth)
		now.words = append(now.words, word{})
		return
	}
	for l.at < len(l.src) && (l.src[l.at] == ' ' || l.src[l.at] == '\t') {
		l.at++
	}
	from := l.at
	w := l.word(depth)
	switch op {
	case ">", ">|":
		now.files = append(now.files, redirect{">", w})
	case ">>", "<":
		now.files = append(now.files, redirect{op, w})
	case "<<", "<<-":
		raw := l.src[min(from, l.at):l.at]
		l.waiting = append(l.waiting, waitingDoc{end: w.text, tabs: op == "<<-", into: len(l.out),
			plain: strings.ContainsAny(raw, `'"\`)})
	}
}

// documents reads the texts of the here-documents that wait for a new line.
func (l *lexer) documents() {
	for _, d := range l.waiting {
		var text strings.Builder
		whole := false
		for l.at < len(l.src) {
			line, _, more := strings.Cut(l.src[l.at:], "\n")
			l.at += len(line)
			if more {
				l.at++
			}
			if d.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			if strings.TrimRight(line, "\r") == d.end {
				whole = true
				break
			}
			text.WriteString(line)
			text.WriteByte('\n')
		}
		if d.into < len(l.out) {
			c := &l.out[d.into]
			c.text, c.here = text.String(), whole && (d.plain || !strings.ContainsAny(text.String(), "$`\\"))
		}
	}
	l.waiting = nil
}

// nested skips commands up to the parenthesis that closes them.
func (l *lexer) nested(depth int) {
	if depth >= deepest {
		l.at = len(l.src)
		return
	}
	inner := &lexer{src: l.src, at: l.at}
	inner.list(depth + 1)
	l.at = inner.at
}

// word reads one word with its quotes.
func (l *lexer) word(depth int) word {
	var b strings.Builder
	plain := true
	for l.at < len(l.src) {
		if end := placeholderEnd(l.src, l.at); end > 0 {
			b.WriteString(l.src[l.at:end])
			l.at = end
			continue
		}
		c := l.src[l.at]
		switch c {
		case ' ', '\t', '\r', '\n', ';', '&', '|', '(', ')', '<', '>':
			return word{b.String(), plain}
		case '\'':
			end := strings.IndexByte(l.src[l.at+1:], '\'')
			if end < 0 {
				end = len(l.src) - l.at - 1
				plain = false
			}
			b.WriteString(l.src[l.at+1 : l.at+1+end])
			l.at = min(len(l.src), l.at+end+2)
		case '"':
			plain = l.quoted(&b, depth) && plain
		case '\\':
			if l.at+1 < len(l.src) {
				b.WriteByte(l.src[l.at+1])
			}
			l.at = min(len(l.src), l.at+2)
		case '$', '`':
			l.expansion(depth)
			plain = false
		case '*', '?', '[', '{':
			plain = false
			b.WriteByte(c)
			l.at++
		default:
			b.WriteByte(c)
			l.at++
		}
	}
	return word{b.String(), plain}
}

// placeholderEnd is where the placeholder of a secret that begins at at ends, 0 if
// there is none: "‹aws-key 2›" stands for a part of a word, its blank too.
func placeholderEnd(s string, at int) int {
	const open, shut, longest = "‹", "›", 48
	if !strings.HasPrefix(s[at:], open) {
		return 0
	}
	i := strings.Index(s[at:min(len(s), at+longest)], shut)
	if i < 0 || strings.ContainsAny(s[at:at+i], "\n\t'\"$`\\/") {
		return 0
	}
	return at + i + len(shut)
}

// quoted reads a text in double quotes; false if there is something to expand in it.
func (l *lexer) quoted(b *strings.Builder, depth int) bool {
	plain := true
	for l.at++; l.at < len(l.src); {
		switch c := l.src[l.at]; {
		case c == '"':
			l.at++
			return plain
		case c == '\\' && l.at+1 < len(l.src) && strings.IndexByte("\\\"$`", l.src[l.at+1]) >= 0:
			b.WriteByte(l.src[l.at+1])
			l.at += 2
		case c == '$' || c == '`':
			l.expansion(depth)
			plain = false
		default:
			b.WriteByte(c)
			l.at++
		}
	}
	return false
}

// expansion skips $name, ${…}, $(…) and `…`.
func (l *lexer) expansion(depth int) {
	if l.src[l.at] == '`' {
		end := strings.IndexByte(l.src[l.at+1:], '`')
		if end < 0 {
			l.at = len(l.src)
			return
		}
		l.at += end + 2
		return
	}
	l.at++
	switch {
	case l.at >= len(l.src):
	case l.src[l.at] == '(':
		l.at++
		l.nested(depth)
	case l.src[l.at] == '{':
		end := strings.IndexByte(l.src[l.at:], '}')
		if end < 0 {
			end = len(l.src) - l.at - 1
		}
		l.at += end + 1
	case strings.IndexByte("@*#?-$!", l.src[l.at]) >= 0:
		l.at++
	default:
		for l.at < len(l.src) && (l.src[l.at] == '_' || l.src[l.at]|0x20 >= 'a' && l.src[l.at]|0x20 <= 'z' || l.src[l.at] >= '0' && l.src[l.at] <= '9') {
			l.at++
		}
	}
}
