package render

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"recall/ingest"
)

// call writes a tool call on one line, with a person's part in it below.
func (t *transcript) call(c *ingest.ToolCall) {
	t.buf.WriteString("- ")
	if c.Verdict != ingest.Unasked || len(c.Answers) > 0 || c.Plan != nil {
		anchors(&t.buf, string(c.ResultTurn), string(c.ReasonTurn))
	}
	t.write("**", plainText(oneLine(c.Name, 80)), "**")
	if what := t.object(c); what != "" {
		t.write(" ", what)
	}
	t.write(" → ")
	t.outcome(c)
	t.write("\n")
	if c.Commit != "" {
		fmt.Fprintf(&t.buf, "  - commit %s %s\n", code(c.Commit), plainText(oneLine(c.CommitMessage, 160)))
	}
	for _, a := range c.Answers {
		fmt.Fprintf(&t.buf, "  - *%s* You: **%s**", plainText(oneLine(a.Question, 400)),
			plainText(oneLine(strings.Join(a.Chosen, ", "), 400)))
		if others := notChosen(a); len(others) > 0 {
			fmt.Fprintf(&t.buf, " (not: %s)", plainText(oneLine(strings.Join(others, ", "), 400)))
		}
		if a.Notes != "" {
			fmt.Fprintf(&t.buf, " — %s", plainText(oneLine(a.Notes, 400)))
		}
		t.buf.WriteByte('\n')
	}
	for _, a := range c.Open {
		fmt.Fprintf(&t.buf, "  - *%s* %s\n", plainText(oneLine(a.Question, 400)), plainText(oneLine(a.Offered(), 2000)))
	}
	if c.Plan != nil && c.Plan.Text != "" {
		t.buf.WriteString("\n" + quoted(safeMarkdown(strings.TrimSpace(c.Plan.Text))) + "\n\n")
	}
	if agents := t.agents[c.ID]; c.ID != "" { // those without a call come last
		delete(t.agents, c.ID) // each once
		for _, a := range agents {
			t.agent(a)
		}
	}
}

func notChosen(a ingest.Answer) []string {
	var others []string
	for _, o := range a.Options {
		if !slices.Contains(a.Chosen, o.Label) {
			others = append(others, o.Label)
		}
	}
	return others
}

// object says what a call was about: its command, its file, or its most telling input.
func (t *transcript) object(c *ingest.ToolCall) string {
	if c.Command != "" {
		return t.marked(oneLine(c.Command, 200))
	}
	if c.Path != "" {
		text := t.path(c)
		if n := len(c.Edits); n > 0 {
			added, removed := 0, 0
			for _, e := range c.Edits {
				added += lineCount(e.New)
				removed += lineCount(e.Old)
			}
			text += fmt.Sprintf(" (+%d −%d lines)", added, removed)
		}
		return text
	}
	if v := tellingInput(c); v != "" {
		return t.marked(oneLine(v, 160))
	}
	return ""
}

// tellingInput returns the input that says most about a call, or else any.
func tellingInput(c *ingest.ToolCall) string {
	if v := c.Telling(); v != "" {
		return v
	}
	for _, key := range slices.Sorted(maps.Keys(c.Input)) {
		if v := c.Input[key]; v != "" && len(c.Answers)+len(c.Open) == 0 && c.Plan == nil {
			return key + ": " + v
		}
	}
	return ""
}

// path returns a call's file, marked with where it is if that is known.
func (t *transcript) path(c *ingest.ToolCall) string {
	text := code(oneLine(c.Path, 300))
	switch {
	case c.HostPath == c.Path:
		return text + " **host**"
	case c.HostPath != "":
		return text + " **VM**, " + code(oneLine(c.HostPath, 300)) + " **host**"
	case t.session.Source == ingest.Cowork && strings.HasPrefix(c.Path, inVM):
		return text + " **VM**"
	}
	return text
}

// verdicts describe the outcome of asking for permission.
var verdicts = map[ingest.Verdict]string{ingest.Rejected: "rejected by you", ingest.Denied: "denied",
	ingest.Clarify: "you wanted to talk about it first", ingest.Approved: "approved by you"}

// outcome writes the gist of a result.
func (t *transcript) outcome(c *ingest.ToolCall) {
	said := verdicts[c.Verdict]
	if said != "" && c.Verdict != ingest.Denied {
		said = "**" + said + "**"
	}
	t.write(said)
	if c.Verdict != ingest.Unasked && c.Reason != "" {
		t.write(": ", plainText(oneLine(c.Reason, 600)))
	}
	switch c.Verdict {
	case ingest.Rejected, ingest.Denied, ingest.Clarify:
		return
	case ingest.Approved:
		t.write(" · ")
	}
	if !c.Done {
		t.write("no result")
		return
	}
	if c.Failed {
		t.write("**failed**")
	} else {
		t.write("ok")
	}
	if len(c.Answers) == 0 && c.Plan == nil {
		if gist := firstLine(c.Result); gist != "" {
			t.write(": ", t.marked(gist))
		}
	}
	if lineCount(c.Result) > 1 {
		fmt.Fprintf(&t.buf, " … (%d bytes)", c.ResultLen)
	}
	if c.Spilled != "" {
		t.write(" · whole in ", code(oneLine(c.Spilled, 200)))
	}
}

// firstLine returns the first line that isn't blank, with the next one after "Exit code 1".
func firstLine(text string) string {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "<tool_use_error>"), "</tool_use_error>")
	gist := ""
	for line := range strings.Lines(text) {
		if line = oneLine(strings.TrimRight(line, " \r\n"), 120); line == "" {
			continue
		}
		if gist != "" {
			return gist + ": " + line
		}
		if gist = line; !strings.HasPrefix(line, "Exit code ") {
			break
		}
	}
	return gist
}

func lineCount(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
}

// inVM is what all paths in a session's virtual machine begin with.
const inVM = "/sessions/"

// sidesOf returns a pattern for the beginnings of paths that are known to be in a session's virtual machine or on its
// host. It is nil if the source makes no such difference.
func sidesOf(s *ingest.Session) *regexp.Regexp {
	if s.Source != ingest.Cowork {
		return nil
	}
	begin := inVM
	for _, dir := range append([]string{s.Where.Storage}, s.Where.Folders...) {
		if len(dir) > 1 && !strings.HasPrefix(dir, inVM) {
			begin += "|" + regexp.QuoteMeta(strings.TrimRight(dir, `/\`))
		}
	}
	return regexp.MustCompile(`(?:^|://|[^\w/.+@%~:,=#-])(` + begin + ")") // not in the middle of a longer path
}

// sidesIn says where the paths in a text are: "VM", "host" or both, as far as that is known.
func (t *transcript) sidesIn(text string) (on []string) {
	if t.sides == nil {
		return nil
	}
	for _, m := range t.sides.FindAllStringSubmatch(text, -1) {
		on = append(on, map[bool]string{true: "VM", false: "host"}[m[1] == inVM])
	}
	slices.Sort(on)
	return slices.Compact(on)
}

// marked is code followed by where the paths in it are.
func (t *transcript) marked(text string) string {
	out := code(text)
	for _, side := range t.sidesIn(text) {
		out += " **" + side + "**"
	}
	return out
}

// files lists the files given to a Cowork session or produced by it.
func (t *transcript) files(what string, refs []ingest.FileRef) {
	if len(refs) == 0 {
		return
	}
	const most = 100
	t.buf.WriteString("\n" + what + ":\n\n")
	for i, f := range refs {
		if i == most {
			t.buf.WriteString(fmt.Sprintf("- … and %d more\n", len(refs)-most))
			break
		}
		t.buf.WriteString("- " + code(oneLine(f.Name, 200)))
		if kept := t.about.Outputs["outputs/"+f.Name]; kept != "" && !strings.ContainsAny(kept, "<>\n") {
			t.buf.WriteString(" · kept as [" + plainText(kept) + "](<" + kept + ">)")
		}
		if f.Path != "" {
			t.buf.WriteString(" · " + code(oneLine(f.Path, 300)) + " **host**")
		}
		t.buf.WriteByte('\n')
	}
}
