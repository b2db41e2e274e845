package ingest

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/ingest/jsonl"
	"recall/internal/text"
)

// EachCall iterates over the calls of turns, each with its turn, in order.
func EachCall(turns []Turn) iter.Seq2[*Turn, *ToolCall] {
	return func(yield func(*Turn, *ToolCall) bool) {
		for i := range turns {
			for c := range turns[i].Calls {
				if !yield(&turns[i], &turns[i].Calls[c]) {
					return
				}
			}
		}
	}
}

// Outcome describes in a word how a call ended.
func (c *ToolCall) Outcome() string {
	switch {
	case c.Verdict == Rejected || c.Verdict == Clarify:
		return "rejected"
	case c.Verdict == Denied:
		return "denied"
	case !c.Done:
		return "no result"
	case c.Failed:
		return "failed"
	}
	return "ok"
}

// With summarizes what a tool was called with: a command, a path, or the most telling input; of a connector, all of it.
func (c *ToolCall) With() string {
	return cmp.Or(c.Command, c.Path, c.Telling(), c.Input["plan"], c.Input["questions"], c.Input["text"], c.connected())
}

// connected lists the inputs of a connector's call.
func (c *ToolCall) connected() string {
	if !strings.HasPrefix(c.Name, "mcp__") {
		return ""
	}
	var all []string
	for _, key := range slices.Sorted(maps.Keys(c.Input)) {
		all = append(all, key+": "+c.Input[key])
	}
	return strings.Join(all, ", ")
}

// Telling returns the input that says most about what a call was for.
func (c *ToolCall) Telling() string {
	for _, key := range []string{"subject", "description", "pattern", "query", "question", "url", "prompt", "skill"} {
		if v := c.Input[key]; v != "" {
			return v
		}
	}
	if id := c.Input["taskId"]; id != "" {
		return strings.TrimSpace("#" + id + " " + c.Input["status"])
	}
	return ""
}

// BindReason takes the next prompt on its branch as the reason for a call refused without a word, if nothing was said
// in between.
func BindReason(call *ToolCall, abandoned bool, next []Turn) {
	if call.Reason != "" {
		return
	}
	for i := range next {
		t := &next[i]
		switch {
		case t.Abandoned != abandoned, t.Kind == Interrupt, t.Kind == Event:
		case t.Kind == Prompt:
			call.Reason, call.ReasonTurn = t.Text, t.ID
			return
		case t.Kind == PlanTurn && call.Plan != nil && SamePlan(call.Plan.Text, t.Text):
			// Approved "with clear context": the call is aborted and the plan sent anew.
			call.Verdict, call.ReasonTurn = Approved, t.ID
			return
		default:
			return
		}
	}
}

// BindReasons calls BindReason for all rejected calls.
func BindReasons(turns []Turn) {
	for i := range turns {
		for c := range turns[i].Calls {
			if call := &turns[i].Calls[c]; call.Verdict == Rejected {
				BindReason(call, turns[i].Abandoned, turns[i+1:])
			}
		}
	}
}

// OwnTool reports whether a tool in a transcript is recall's own, however the client reached the server:
// "mcp__recall__recall_note", "mcp__plugin_recall_recall__recall_note". name is the tool's own name, "" any. What
// recall says, or is told, is never evidence.
func OwnTool(called, name string) bool {
	if !strings.HasPrefix(called, "mcp__") {
		return false
	}
	i := strings.LastIndex(called, "__")
	tool := called[i+2:]
	if name != "" {
		return tool == name
	}
	return strings.HasPrefix(tool, "recall_")
}

var (
	commitCall = text.Pattern(`\bgit(?:\s+-[cC]\s+\S+|\s+--[a-z-]+(?:=\S+)?)*\s+commit\b`)
	commitLine = text.Pattern(`(?m)^\[[^\]\n]* ([0-9a-f]{7,40})\] (.*)$`)
	// The two ways of passing messages: a here-document, or quotes.
	hereMessage   = text.Pattern(`(?s)<<-?\s*['"]?EOF['"]?[^\n]*\n(.*?)\n\s*EOF`)
	quotedMessage = text.Pattern(`(?s)\s-[a-z]*m[ =]?(?:"((?:[^"\\]|\\.)*)"|'([^']*)')`)
)

// NoteCommit finds the commit that a shell command made: its hash as git printed it, and its message, taken from the
// command if git was quiet.
func NoteCommit(call *ToolCall) {
	if !Commits(call.Command) {
		return
	}
	if all := commitLine().FindAllStringSubmatch(call.Result, -1); len(all) > 0 {
		last := all[len(all)-1]
		call.Commit = cmp.Or(call.Commit, last[1])
		call.CommitMessage = cmp.Or(call.CommitMessage, strings.TrimSpace(last[2]))
	}
	if call.CommitMessage == "" {
		call.CommitMessage = CommitSubject(call.Command)
	}
}

// Printed makes a command that the person ran a call of its turn, now that it is known what it printed.
func (t *Turn) Printed(out string, at time.Time) {
	id := "shell-" + strconv.FormatInt(t.At.UnixMilli(), 36) + text.Hash(t.Text, 8) // of any version of the file
	c := ToolCall{ID: id, Name: "Bash", Input: map[string]string{"command": ClippedInput(t.Text)},
		Command: t.Text, Done: true, At: at, ResultTurn: t.ID, Failed: exitFailure().MatchString(out),
		Result: ClippedResult(out), ResultLen: int64(len(out))}
	if !c.Failed {
		NoteCommit(&c)
	}
	t.Calls = []ToolCall{c}
}

// exitFailure matches how clients say that a person's command failed, before or behind its output.
var exitFailure = text.Pattern(`^\s*(?:Command exited with code|Exit code:) -?\d*[1-9]|^Command failed|` +
	`\nExit code -?\d*[1-9]\d*\s*$`)

// Commits reports whether a shell command makes a git commit.
func Commits(command string) bool {
	return strings.Contains(command, "commit") && commitCall().MatchString(command)
}

// CommitSubject returns the first line of the message in a commit command.
func CommitSubject(command string) string {
	at := commitCall().FindStringIndex(command)
	command = command[at[0]:]
	message := ""
	if m := hereMessage().FindStringSubmatch(command); m != nil {
		message = m[1]
	} else if m := quotedMessage().FindStringSubmatch(command); m != nil {
		message = cmp.Or(strings.NewReplacer(`\"`, `"`, `\$`, `$`, "\\`", "`").Replace(m[1]), m[2])
	}
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return line
}

// RunIn returns the command that a shell in the usual folder needs to run command in dir.
func RunIn(dir, usual, command string) string {
	if dir == "" || dir == "." || dir == usual || strings.ContainsAny(dir, "'\n") {
		return command
	}
	return "cd '" + dir + "' && " + command
}

// A Question is one that a tool puts to the person, with an ID where its client gives ids.
type Question struct {
	ID string
	Answer
}

// Questions reads the questions in a tool's input, with their options.
func Questions(input []byte) (all []Question) {
	jsonl.ReadFields(input, jsonl.Fields{"questions": jsonl.List(func(c *jsonl.Cursor) {
		var q Question
		c.Fields(jsonl.Fields{"id": &q.ID, "question": &q.Question, "header": &q.Header,
			"multiSelect": &q.Multi, "multiple": &q.Multi, "options": jsonl.List(func(c *jsonl.Cursor) {
				var o Option
				if c.Kind() == '"' {
					o.Label = c.String()
				} else {
					c.Fields(jsonl.Fields{"label": &o.Label, "description": &o.Description})
				}
				q.Options = append(q.Options, o)
			})})
		all = append(all, q)
	})})
	return all
}

// Offers reports whether a label is among the options.
func (a *Answer) Offers(label string) bool {
	return slices.ContainsFunc(a.Options, func(o Option) bool { return o.Label == label })
}

// Offered lists the options in parentheses.
func (a *Answer) Offered() string {
	var all []string
	for _, o := range a.Options {
		all = append(all, strings.TrimSuffix(o.Label+": "+o.Description, ": "))
	}
	return "(" + strings.Join(all, "; ") + ")"
}

// Choose records the person's answer, in which clients separate labels by commas. Anything that isn't made of labels
// is free text.
func (a *Answer) Choose(said string) {
	if a.Chosen, a.Free = []string{said}, !a.Offers(said); !a.Free || !a.Multi {
		return
	}
	var labels []string
	for _, o := range a.Options {
		if o.Label != "" {
			labels = append(labels, o.Label)
		}
	}
	slices.SortStableFunc(labels, func(a, b string) int { return len(b) - len(a) })
	a.Chosen = nil
	for said != "" {
		i := slices.IndexFunc(labels, func(l string) bool { return said == l || strings.HasPrefix(said, l+", ") })
		if i < 0 {
			a.Chosen = append(a.Chosen, said)
			return
		}
		a.Chosen = append(a.Chosen, labels[i])
		said = strings.TrimPrefix(strings.TrimPrefix(said, labels[i]), ", ")
	}
	a.Free = false
}

// ClippedText clips a turn's text to ClipText.
func ClippedText(s string) string { return text.Head(s, ClipText) }

// Input reads a tool's input in the form of ToolCall.Input.
func Input(c *jsonl.Cursor) map[string]string {
	in := map[string]string{}
	if c.Kind() != '{' {
		in["input"] = ClipValue(c)
		return in
	}
	c.Object(func(name []byte) { in[jsonl.Unquote(name)] = ClipValue(c) })
	return in
}

// ClipValue reads any value as text, clipped to ClipInput bytes.
func ClipValue(c *jsonl.Cursor) string {
	if c.Kind() == '"' {
		return ClippedInput(c.String())
	}
	raw := c.Raw()
	if len(raw) > ClipInput {
		return strings.ToValidUTF8(string(raw[:ClipInput]), "")
	}
	return strings.ToValidUTF8(string(raw), "\ufffd")
}

// LeftOut is part of the mark that stands for what was left out of a text.
const LeftOut = " bytes left out …\n"

// clipMiddle keeps about n bytes of a longer text: its beginning and its end.
func clipMiddle(s string, n int) string {
	if len(s) <= n {
		return s
	}
	head, tail := strings.ToValidUTF8(s[:n*3/4], ""), strings.ToValidUTF8(s[len(s)-n/4:], "")
	return head + "\n… " + strconv.Itoa(len(s)-len(head)-len(tail)) + LeftOut + tail
}

// ClippedInput clips a long input.
func ClippedInput(s string) string { return clipMiddle(s, ClipInput) }

// ClippedResult clips a tool's result, without a terminal's escape sequences.
func ClippedResult(s string) string {
	if strings.Contains(s, "\x1b") {
		s = ansi().ReplaceAllString(s, "")
	}
	return clipMiddle(s, ClipResult)
}

var ansi = text.Pattern("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")
