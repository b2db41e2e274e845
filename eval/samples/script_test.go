package samples

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A script tells one session. It begins with "key: value" lines (source,
// project, cwd, branch, start, title, …), then a line "---", then blocks. A block
// is a line "@verb argument" and the lines below it up to the next "@"; a line
// "--" parts them. The verbs:
//
//	@user            what the person types; "@user mode=plan", "@user files=a.pdf,b.csv"
//	@queued          the same, typed while the assistant works
//	@think, @say     the assistant's thinking and text; a tool call below @say is of the same message
//	@bash CMD        a shell command, its output below; @bash-fail for exit code 1.
//	                 "CMD  ## words" gives it a description, "[10m]" at the end how long it took
//	@read PATH       file's content below          @grep PATTERN   matching files below
//	@write PATH      content below                 @edit PATH      old text, "--", new text
//	@task+ SUBJECT   a new task, description below @task N STATUS  its new state
//	@ask             "? question | Header", "- label :: description", "= answer", "~ note"; "?*" takes several
//	@plan            a plan that is approved
//	@agent TYPE :: DESCRIPTION   prompt, "--", "$ command" lines with output, "--", report
//	@web URL         a page fetched: what was asked, "--", the answer
//	@mcp TOOL JSON   a call of an MCP tool, result below
//	@compact WISH    the summary below
//	@interrupt       the person stops the assistant
//	@pr N URL        a pull request
//	@mark NAME, @rewind NAME     a place, and the way back to it
//	@wait 3h         time passes
//	@upload NAME     Cowork: a file that the person attaches, content below
//
// A call whose verb ends in "!" is refused by the person, with the last part
// as the reason (there may be none); one that ends in "&" belongs to the
// message of the call before it.
type script struct {
	name   string
	head   map[string]string
	blocks []block
}

type block struct {
	verb     string
	arg      string
	parts    []string // the body at its "--" lines, never empty
	refused  bool
	parallel bool
	took     time.Duration // of a call, 0 if not stated
	line     int
}

func (b block) part(i int) string {
	if i < len(b.parts) {
		return b.parts[i]
	}
	return ""
}

func parse(name, text string) (*script, error) {
	s := &script{name: name, head: map[string]string{}}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	i := 0
	for ; i < len(lines) && lines[i] != "---"; i++ {
		if strings.TrimSpace(lines[i]) == "" {
			continue
		}
		key, value, ok := strings.Cut(lines[i], ": ")
		if !ok {
			return nil, fmt.Errorf("demo %s:%d: no \"key: value\": %q", name, i+1, lines[i])
		}
		s.head[key] = expand(value)
	}
	var body []string
	flush := func() {
		if len(s.blocks) > 0 {
			s.blocks[len(s.blocks)-1].parts = split(body)
		}
		body = nil
	}
	for i++; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], "@") {
			body = append(body, expand(lines[i]))
			continue
		}
		flush()
		s.blocks = append(s.blocks, header(lines[i], i+1))
	}
	flush()
	return s, nil
}

func header(line string, n int) block {
	verb, arg, _ := strings.Cut(line[1:], " ")
	b := block{arg: expand(strings.TrimSpace(arg)), line: n}
	if i := strings.LastIndex(b.arg, " ["); i > 0 && strings.HasSuffix(b.arg, "]") {
		if d, err := time.ParseDuration(b.arg[i+2 : len(b.arg)-1]); err == nil {
			b.arg, b.took = b.arg[:i], d
		}
	}
	for {
		switch {
		case strings.HasSuffix(verb, "!"):
			b.refused = true
		case strings.HasSuffix(verb, "&"):
			b.parallel = true
		default:
			b.verb = verb
			return b
		}
		verb = verb[:len(verb)-1]
	}
}

func split(body []string) []string {
	var parts []string
	var part []string
	for _, line := range append(body, "--") {
		if line == "--" {
			parts = append(parts, strings.Trim(strings.Join(part, "\n"), "\n"))
			part = nil
			continue
		}
		part = append(part, line)
	}
	return parts
}

// expand puts in the made-up secrets. They stand in the scripts in pieces, lest
// a scanner of this repository takes them for real ones.
func expand(s string) string {
	if !strings.Contains(s, "$(") {
		return s
	}
	return strings.NewReplacer(
		"$(STRIPE_KEY)", "sk_"+"live_51QwZr8KpTn3VbYdLm6HsXc2RfJg9AeUo4Ni7Bt",
		"$(DB_PASSWORD)", "vK9"+"rTq2mXw7Lp4Zs",
	).Replace(s)
}

// A mistake in a script is told with its place.
func TestBadScripts(t *testing.T) {
	for text, want := range map[string]string{
		"cwd /x\n---\n": "s:1: no \"key: value\"",
		"start: 2026-09-01T08:00:00Z\n---\n@nod\n":               "s:3: @nod: unknown verb",
		"start: 2026-09-01T08:00:00Z\n---\n@rewind x\n":          "s:3: @rewind: no mark \"x\"",
		"start: 2026-09-01T08:00:00Z\n---\n@ask\nwhat?\n":        "s:3: @ask: not a line of a question: \"what?\"",
		"start: 2026-09-01T08:00:00Z\n---\n@mcp tool {\n":        "s:3: @mcp: input isn't JSON",
		"start: 2026-09-01T08:00:00Z\n---\n@wait soon\n":         "s:3: @wait: ",
		"start: yesterday\n---\n":                                "s: start: ",
		"start: 2026-09-01T08:00:00Z\nfork: none\ncut: x\n---\n": "fork of unknown",
	} {
		s, err := parse("s", text)
		if err == nil {
			_, err = tell(s, map[string]*script{"s": s})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}
