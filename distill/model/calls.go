package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
)

// calls renders a message's tool calls: what each was to do and its outcome. Edits of one file share a line. Calls
// that only look at something are omitted.
func (c *condenser) calls(t *ingest.Turn) string {
	w := condenser{root: c.root, todos: c.todos}
	var edited *ingest.ToolCall
	for i := range t.Calls {
		call := &t.Calls[i]
		switch {
		case w.onlyLooks(call) && !call.Failed && call.Verdict == ingest.Unasked:
		case !plainEdit(call):
			w.call(call)
			edited = nil
		case edited == nil || edited.Path != call.Path:
			w.line("+ ", w.doing(call))
			edited = call
		}
	}
	return w.b.String()
}

func (c *condenser) onlyLooks(call *ingest.ToolCall) bool {
	switch call.Name {
	case "Read", "NotebookRead":
		return c.path(call.Path) != ""
	case "Grep", "Glob":
		return oneLine(call.Input["pattern"], clipInputs) != ""
	case "LS":
		return c.path(call.Path+call.Input["path"]) != ""
	case "WebFetch":
		return oneLine(call.Input["url"], clipInputs) != ""
	case "WebSearch", "ToolSearch":
		return oneLine(call.Input["query"], clipInputs) != ""
	case "Bash":
		return call.Commit == "" && lookCommand().MatchString(call.Command)
	}
	return false
}

// lookCommand matches a command that only looks at something, with nothing appended that might do more.
var lookCommand = text.Pattern(`^(?:cd \S+ && )?(?:ls|cat|head|tail|wc|pwd|which|tree|file|stat|grep|rg|find|git ` +
	`(?:status|log|diff|show|branch|remote))\b(?:[^;&>` + "`" + `$]|2>&1|2>/dev/null)*$`)

func (c *condenser) call(call *ingest.ToolCall) {
	switch {
	case len(call.Answers)+len(call.Open) > 0:
		c.answers(call)
		return
	case call.Plan != nil:
		c.plan(call)
		return
	case call.Name == "TodoWrite":
		c.todo(call.Input["todos"])
		return
	case call.Name == "TaskUpdate" || call.Name == "TaskList" || call.Name == "TaskGet":
		if status := call.Input["status"]; status != "" && call.Verdict == ingest.Unasked {
			c.line("+ ", oneLine("task "+call.Input["taskId"]+" "+status, clipInputs))
		}
		return
	}
	c.line("+ ", strings.TrimSpace(c.doing(call)+" "+outcome(call)))
	c.page(call)
	c.verdict(call)
}

// todo lists the open entries of a todo list if any are new, or else only counts them.
func (c *condenser) todo(list string) {
	var todos []struct{ Content, Description, Step, Status string } // Claude Code's, Gemini's, Codex's
	if json.Unmarshal([]byte(list), &todos) != nil {
		return
	}
	var open []string
	news := false
	for _, t := range todos {
		if t.Status == "completed" {
			continue
		}
		said := cmp.Or(t.Content, t.Description, t.Step)
		open = append(open, oneLine(said, clipInputs/2))
		news = news || !c.todos[said]
		c.todos[said] = true
	}
	switch {
	case news:
		c.line("+ ", "still to do: "+oneLine(strings.Join(open, "; "), 3*clipInputs))
	case len(open) > 0:
		c.line("+ ", fmt.Sprintf("%d still to do", len(open)))
	}
}

// plainEdit reports whether a call is an edit of code that simply succeeded.
func plainEdit(c *ingest.ToolCall) bool {
	return len(c.Edits) > 0 && c.Done && !c.Failed && c.Verdict == ingest.Unasked && !isProse(c.Path)
}

// path returns a file's name relative to the folder that the session began in.
func (w *condenser) path(p string) string {
	if rest, ok := strings.CutPrefix(strings.ReplaceAll(p, "\\", "/"), w.root+"/"); ok && w.root != "" {
		p = rest
	}
	return oneLine(p, clipInputs)
}

// doing returns a call's name and main input.
func (w *condenser) doing(c *ingest.ToolCall) string {
	switch {
	case c.Command != "":
		command := c.Command
		if at := publishedText().FindStringIndex(command); at != nil && strings.Contains(command[at[0]:at[1]], "\n") {
			command = command[:at[0]] + " …" // shown below
		}
		most := clipInputs
		if outcome(c) == "" && !publishes().MatchString(command) {
			most = clipCommand
		}
		return c.Name + " " + oneLine(command, most)
	case c.Path != "":
		return c.Name + " " + w.path(c.Path)
	}
	for _, key := range []string{"description", "prompt", "query", "pattern", "url", "skill", "subject"} {
		if v := c.Input[key]; v != "" {
			return oneLine(c.Name, 60) + " " + oneLine(v, clipInputs)
		}
	}
	return oneLine(c.Name, 60)
}

// publishes matches a command that publishes work.
var publishes = text.Pattern(`\b(?:git (?:commit|push|tag|merge|revert)|gh \w+ \w+)\b`)

func outcome(c *ingest.ToolCall) string {
	switch {
	case c.Verdict == ingest.Rejected:
		return "-> refused by the user"
	case c.Verdict == ingest.Denied:
		return "-> denied by a rule"
	case c.Verdict == ingest.Clarify:
		return "-> the user wanted to talk first"
	case !c.Done:
		return "-> no result"
	case c.Failed:
		return "-> failed"
	case c.Commit != "":
		return "-> commit " + c.Commit
	}
	return ""
}

// writtenMark marks what a call wrote for people to read.
const writtenMark = "+   | "

// page shows the beginning of a text that a call wrote: documents, notes, issues, comments and commit messages hold
// decisions, code doesn't.
func (c *condenser) page(call *ingest.ToolCall) {
	if call.Failed || call.Verdict == ingest.Rejected {
		return
	}
	if strings.HasPrefix(call.Name, "mcp__") {
		for _, key := range []string{"description", "body", "text", "message"} {
			c.lines(writtenMark, clip(call.Input[key], clipPage))
		}
		return
	}
	if isProse(call.Path) {
		c.lines(writtenMark, clip(call.Input["content"], clipPage))
	}
	texts := wordsIn(call.Command)
	if len(texts) == 0 && call.CommitMessage != "" {
		texts = []string{call.CommitMessage}
	}
	for _, text := range texts {
		c.lines(writtenMark, clip(text, clipPage))
	}
}

// publishedText matches the part of a command that holds text for people: a commit message, a pull request or issue, a
// comment, a document. Very short texts don't count.
var publishedText = text.Pattern(`(?s)(?:` + textFlag + `(?:"\$\(cat )?|\s-F - |>\s*\S+\.(?:md|txt)\s*)` +
	`<<-?\s*['"]?EOF['"]?[^\n]*\n(.*?)\n\s*EOF\b(?:\s*\)")?|` +
	textFlag + `(?:"((?:[^"\\]|\\.){20,})"|'([^']{20,})')`)

const textFlag = `\s(?:-[a-z]*m|(?:--|-f )(?:message|body|description|comment|notes|reason))[ =]*`

func wordsIn(command string) (texts []string) {
	for _, m := range publishedText().FindAllStringSubmatch(command, -1) {
		texts = append(texts, m[1]+m[2]+m[3])
	}
	return texts
}

func (c *condenser) verdict(call *ingest.ToolCall) {
	if call.Reason != "" && call.ReasonTurn == "" && call.Verdict != ingest.Clarify {
		c.lines("= user: ", clip(call.Reason, clipTyped))
	}
}

func (c *condenser) answers(call *ingest.ToolCall) {
	for _, a := range slices.Concat(call.Answers, call.Open) {
		c.lines("? ", clip(a.Question, clipAsked))
		for _, o := range a.Options {
			text := o.Label
			if o.Description != "" {
				text += ": " + o.Description
			}
			c.line("?   - ", oneLine(text, clipAsked/4))
		}
		for _, chosen := range a.Chosen {
			c.lines("= user: ", clip(chosen, clipTyped))
		}
		if a.Notes != "" {
			c.lines("= user notes: ", clip(a.Notes, clipTyped))
		}
		if len(a.Chosen) == 0 && a.Notes == "" {
			c.line("= ", "no answer")
		}
	}
	c.verdict(call)
}

// plan shows a plan that was presented to the person, and their verdict.
func (c *condenser) plan(call *ingest.ToolCall) {
	c.line("+ ", planHead(call))
	mark, most := "|   ", clipPlan
	if call.Verdict == ingest.Rejected {
		mark, most = "x   ", clipRefused
	}
	c.lines(mark, clip(call.Plan.Text, most))
	c.verdict(call)
}

func planHead(call *ingest.ToolCall) string {
	switch {
	case call.Verdict == ingest.Approved && call.Plan.Edited:
		return "plan, changed and approved by the user"
	case call.Verdict == ingest.Approved:
		return "plan approved by the user"
	case call.Verdict == ingest.Rejected:
		return "plan refused by the user"
	}
	return strings.TrimSpace("plan put before the user " + outcome(call))
}
