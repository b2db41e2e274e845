package claudecode

import (
	"cmp"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

// meta is what a parser learns apart from the turns.
type meta struct {
	dir, session, entrypoint string
	sessions                 []string // ids in the lines, in order of first use
	forkOf, branchedFrom     string
	background               bool

	custom, renamed, ai, agent string // titles
	summaries                  []summary
	worktrees                  []string // names of worktrees entered

	goals      map[string]bool // goals the person set
	scheduled  map[string]bool // prompts that the model will have sent to itself
	superseded map[string]bool // uuids of messages that a later one replaced

	leaf     string // last-prompt's leafUuid
	leafNode int    // number of nodes when it was written

	tasks     tasks
	questions map[string][]ingest.Question // of AskUserQuestion, by call
	queued    []queued

	lastPlan, lastPlanFile string
	agentOrder             []string
	agents                 map[string]ingest.Subagent // from .meta.json, by id
	continuedAt            int                        // number of drafts at continued-in
}

type summary struct{ text, leaf string }

// ignoredKinds are known record types that hold nothing to keep.
var ignoredKinds = text.Set(`permission-mode mode file-history-snapshot file-history-delta agent-color agent-setting tag
	bridge-session content-replacement started result attribution-snapshot frame-link history-suppression cost-state
	atis-latch isolation-latch speculation-accept stream_event rate_limit_event tool_use_summary tool_progress
	auth_status api-request api-request-blob api-request-shape tools-used prompt_snapshot keep_alive control_request
	control_response queue-drained pr-link artifact-comment-monitor artifact-autoreact-ledger dev-mods ended-by-model
	failed launched fork-context-ref marble-origami-commit marble-origami-reset marble-origami-snapshot memory-mode
	observer-ref session-name slug api-request-resumed resume-head-vouch data-flow-records data-flow-incomplete
	derived-from session-owner host-row repl-mode hybrid-organization`)

// takeMeta takes the records outside the tree.
func (p *parser) takeMeta(r *record) {
	m := &p.meta
	switch kind := string(r.kind); kind {
	case "custom-title":
		m.custom = jsonl.Unquote(r.title)
	case "ai-title":
		m.ai = jsonl.Unquote(r.title)
	case "agent-name":
		m.agent = jsonl.Unquote(r.title)
	case "summary":
		m.summaries = append(m.summaries, summary{jsonl.Unquote(r.title), string(r.leaf)})
	case "last-prompt":
		if len(r.leaf) > 0 {
			m.leaf, m.leafNode = string(r.leaf), len(p.nodes)
		}
	case "queue-operation":
		p.takeQueue(r)
	case "worktree-state":
		p.takeWorktree(r.worktree, ingest.Worktree{})
	case "relocated":
		p.s.Where.Relocated = jsonl.Unquote(r.relocated)
	case "continued-in":
		p.s.ContinuedIn = ingest.SessionID(jsonl.Unquote(r.continuedIn))
		m.continuedAt = len(p.drafts)
	case "branched-from":
		m.branchedFrom = jsonl.Unquote(r.sourceSession)
		if at, ok := ingest.ParseTime(string(r.branchedAt)); ok {
			p.noteBirth(at)
		}
	default:
		if !ignoredKinds[kind] {
			p.unknown(cmp.Or(jsonl.Unquote(r.kind), "(no type)"))
		}
	}
	if p.meta.session == "" {
		m.sessions = ingest.Union(m.sessions, jsonl.Unquote(r.session))
	}
}

// noteBirth records the time of a bookkeeping record before the first turn.
func (p *parser) noteBirth(at time.Time) {
	if len(p.drafts) == 0 && p.s.Born.IsZero() {
		p.s.Born = at
	}
}

// takeWorktree records the worktree entered; w holds what is already known.
func (p *parser) takeWorktree(raw []byte, w ingest.Worktree) {
	name := ""
	jsonl.ReadFields(raw, jsonl.Fields{"worktreePath": &w.Path, "worktreeName": &name, "originalCwd": &w.Original})
	if w.Path == "" {
		return
	}
	p.s.Where.Worktree = &w
	p.meta.worktrees = append(p.meta.worktrees, cmp.Or(name, ingest.LastName(w.Path)))
}

// noteContext records where a record was written.
func (p *parser) noteContext(r *record) {
	w := &p.s.Where
	if changed(r.cwd, p.meta.dir) {
		p.meta.dir = jsonl.Unquote(r.cwd)
		p.s.CountDir(p.meta.dir, 0)
	}
	if changed(r.branch, w.Branch) && string(r.branch) != "HEAD" {
		w.Branch = jsonl.Unquote(r.branch)
	}
	if changed(r.session, p.meta.session) {
		p.meta.session = jsonl.Unquote(r.session)
		p.meta.sessions = ingest.Union(p.meta.sessions, p.meta.session)
	}
	if changed(r.entrypoint, p.meta.entrypoint) {
		p.meta.entrypoint = jsonl.Unquote(r.entrypoint)
	}
	p.meta.forkOf = cmp.Or(p.meta.forkOf, jsonl.Unquote(r.forkSession))
	p.meta.background = p.meta.background || string(r.sessionKind) == "bg"
}

// changed reports whether raw differs from the last value, which most lines repeat.
func changed(raw []byte, last string) bool {
	return len(raw) > 0 && string(raw) != last
}

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
		d.turn.Name = strings.ReplaceAll(sub, "_", "-")
		d.turn.Text = ingest.ClippedText(strings.TrimSuffix(c.Text(), " (disable recaps in /config)"))
	default:
		if !IgnoredSystem(sub) {
			p.unknown("system/" + sub)
		}
	}
}

var ignoredSystem = text.Set(`microcompact_boundary turn_duration stop_hook_summary api_error informational
	bridge_status model_fallback model_refusal_fallback model_refusal_no_fallback agents_killed init api_retry
	status permission_auto_approved permission_denied permission_request permission_response memory_saved thinking
	thinking_tokens session_state_changed files_persisted elicitation_complete local_command_output
	model_consent_fallback cloud_session_status file_snapshot permission_retry placed rewind_stand_in`)

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
	meta               bool   // the client's
}

// takeAttachment takes context that was given to the model, most of which isn't part of the conversation.
func (p *parser) takeAttachment(r *record, n int32, at time.Time) {
	var a attachment
	jsonl.ReadFields(r.attachment, jsonl.Fields{"type": &a.kind, "commandMode": &a.mode,
		"prompt": &a.prompt, "planFilePath": &a.planFile, "source_uuid": &a.source,
		"condition": &a.goal, "origin": jsonl.Fields{"kind": &a.origin}, "isMeta": &a.meta})
	p.noteInjected(r.attachment, jsonl.Strings, strings.HasPrefix(a.kind, "hook_"))
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
	switch r.origin = jsonl.Escaped(a.origin); {
	case a.mode != "" && a.mode != "prompt" && a.mode != "bash":
		r.origin = jsonl.Escaped(a.mode)
	case a.origin == "" && a.meta:
		r.origin = jsonl.Escaped("system")
	}
	typed := p.spoken(r, contentText(a.prompt))
	if a.mode == "bash" && typed.Kind == ingest.Prompt {
		typed.Kind = ingest.Shell
	}
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
