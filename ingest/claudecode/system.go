package claudecode

import (
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

// takeSystem takes the client's own records.
func (p *parser) takeSystem(r *record, n int32, at time.Time) {
	c := jsonl.NewCursor(r.content)
	switch sub := jsonl.Unquote(r.subtype); sub {
	case "compact_boundary": // the summary that follows says it
	case "local_command":
		typed := p.spoken(r, c.Text())
		if typed.Kind == ingest.Command {
			p.takeTyped(r, n, at, typed)
		}
	case "informational":
		text := c.Text() // a hook prevented a prompt from being sent
		if _, prompt, ok := strings.Cut(text, "\nOriginal prompt: "); ok && strings.Contains(text, "blocked by hook") {
			p.unqueue(strings.TrimSpace(prompt))
		}
	case "away_summary", "scheduled_task_fire":
		d := p.draft(r, n, at, ingest.Assistant, ingest.Event)
		d.turn.Name, d.turn.Text = strings.ReplaceAll(sub, "_", "-"), ingest.ClippedText(c.Text())
	default:
		if !IgnoredSystem(sub) {
			p.unknown("system/" + sub)
		}
	}
}

var ignoredSystem = text.Set(`microcompact_boundary turn_duration stop_hook_summary api_error informational
	bridge_status model_fallback model_refusal_fallback agents_killed init api_retry status permission_auto_approved
	permission_denied permission_request permission_response memory_saved thinking thinking_tokens
	session_state_changed files_persisted elicitation_complete local_command_output`)

// IgnoredSystem reports whether a subtype of the client's own records is known to hold nothing to keep.
func IgnoredSystem(subtype string) bool {
	return subtype == "" || ignoredSystem[subtype] || strings.HasPrefix(subtype, "task_") ||
		strings.HasPrefix(subtype, "hook_")
}

// attachment is the relevant content of an attachment record.
type attachment struct {
	kind, mode, origin string
	prompt             []byte // raw value
	planFile           string
	source             string // uuid of the record that says the same
	goal               string // set by the person
}

// takeAttachment takes context that was given to the model, most of which isn't part of the conversation.
func (p *parser) takeAttachment(r *record, n int32, at time.Time) {
	var a attachment
	jsonl.ReadFields(r.attachment, jsonl.Fields{"type": &a.kind, "commandMode": &a.mode,
		"prompt": &a.prompt, "planFilePath": &a.planFile, "source_uuid": &a.source,
		"condition": &a.goal, "origin": jsonl.Fields{"kind": &a.origin}})
	p.noteInjected(r.attachment, strings.HasPrefix(a.kind, "hook_"))
	switch a.kind {
	case "queued_command":
		p.takeQueuedCommand(r, n, at, a)
	case "plan_mode", "plan_mode_reentry", "plan_mode_exit", "plan_file_reference":
		p.s.PlanFiles = ingest.Union(p.s.PlanFiles, a.planFile)
	case "goal_status":
		p.takeGoal(r, n, at, a.goal)
	}
}

// takeGoal keeps a goal set by the person, at its first mention.
func (p *parser) takeGoal(r *record, n int32, at time.Time, goal string) {
	if goal = strings.TrimSpace(goal); goal == "" || p.meta.goals[goal] {
		return
	}
	p.meta.goals[goal] = true
	d := p.draft(r, n, at, ingest.User, ingest.Event)
	d.turn.Name, d.turn.Text = "goal", ingest.ClippedText(goal)
}

// takeQueuedCommand takes a prompt typed while the model worked.
func (p *parser) takeQueuedCommand(r *record, n int32, at time.Time, a attachment) {
	if a.source != "" && p.seen[a.source] {
		return
	}
	if r.origin = jsonl.Escaped(a.origin); a.mode != "" && a.mode != "prompt" {
		r.origin = jsonl.Escaped(a.mode)
	}
	typed := p.spoken(r, contentText(a.prompt))
	if d := p.takeTyped(r, n, at, typed); d != nil {
		d.turn.Queued = true
	}
}

// contentText reads a string or an array of blocks as text.
func contentText(raw []byte) string {
	r := newRecordReader()
	if r.c = jsonl.NewCursor(raw); r.c.Kind() != '[' {
		return r.c.Text()
	}
	r.readContent()
	text, _ := r.msg.text()
	return text
}
