package claudecode

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

// takeUser takes a record under the person's name, whoever wrote it. The checks are in the order of the format
// reference.
func (p *parser) takeUser(r *record, n int32, at time.Time) {
	if r.summary {
		p.takeSummary(r, n, at)
		return
	}
	if r.msg.odd {
		p.unknown("user content")
		return
	}
	p.noteInjected(r.msg.plain, jsonl.Unquote, false)
	results := false
	for i := range r.msg.blocks {
		b := &r.msg.blocks[i]
		if p.noteInjected(b.text, jsonl.Unquote, false); string(b.kind) == "tool_result" {
			p.takeResult(b, r, at)
			results = true
		}
	}
	if results {
		p.continued(n)
		p.takeBeside(r, n, at)
		return
	}
	text := p.userText(r)
	if r.meta || r.synthetic {
		if p.unqueue(text) {
			typed := p.spoken(r, text)
			typed.Role, typed.Kind, typed.Name = ingest.Program, ingest.Event, "wake-up" // the model scheduled it
			p.takeTyped(r, n, at, typed)
		}
		return
	}
	p.takeTyped(r, n, at, p.spoken(r, text))
	p.takePrinted(text, at)
}

// takePrinted takes what a command that the person ran printed.
func (p *parser) takePrinted(text string, at time.Time) {
	if p.ran != nil && strings.HasPrefix(text, "<bash-") && strings.Contains(text, "<bash-std") {
		p.ran.turn.Printed(inTag(text, "bash-stdout")+"\n"+inTag(text, "bash-stderr"), at)
		p.ran = nil
	}
}

// takeBeside takes text beside a tool's result: what the person typed while the tool ran, and the client's notices.
func (p *parser) takeBeside(r *record, n int32, at time.Time) {
	text, _ := r.msg.text()
	typed := p.spoken(r, text)
	if r.meta || r.synthetic || typed.Kind != ingest.Prompt && typed.Name != "system" {
		return
	}
	d := p.takeTyped(r, n, at, typed)
	if d == nil {
		return
	}
	d.turn.Queued = true
	for i := range r.msg.blocks { // the record now belongs to that turn, not to the call's
		if of := p.callIn[string(r.msg.blocks[i].toolUse)]; of != nil {
			of.turn.Records = slices.DeleteFunc(of.turn.Records, func(id string) bool { return id == string(r.uuid) })
		}
	}
}

// takeTyped begins a turn; nil if there is nothing to keep, or it is there already.
func (p *parser) takeTyped(r *record, n int32, at time.Time, typed Typed) *draft {
	if typed.Kind == "" || p.repeated(at, typed.Text) {
		return nil
	}
	d := p.draft(r, n, at, typed.Role, typed.Kind)
	d.turn.Name, d.turn.Text, d.turn.Uploads = typed.Name, ingest.ClippedText(typed.Text), typed.Uploads
	switch typed.Kind {
	case ingest.Prompt, ingest.PlanTurn, ingest.Command, ingest.Shell:
		if n >= 0 {
			p.nodes[n].prompt = typed.Kind != ingest.Shell
		}
	}
	if p.ran = nil; typed.Kind == ingest.Shell {
		p.ran = d
	}
	if typed.Kind == ingest.PlanTurn && len(r.planContent) > 0 {
		d.turn.Text = ingest.ClippedText(jsonl.Unquote(r.planContent))
	}
	if typed.Kind == ingest.Command && typed.Name == "/rename" && typed.Text != "" {
		p.meta.renamed = d.turn.Text
	}
	d.turn.Keys = keysOf(r, at, typed.Text)
	return d
}

// repeated reports whether a text with the same time, to the millisecond, was seen before: clients write prompts again
// after a compaction or on resume.
func (p *parser) repeated(at time.Time, text string) (before bool) {
	if at.IsZero() || text == "" {
		return false
	}
	key := timeKey(at, text)
	before = p.seen[key]
	p.seen[key] = true
	return before
}

func (p *parser) userText(r *record) string {
	text, _ := r.msg.text()
	for _, b := range r.msg.blocks {
		switch string(b.kind) {
		case "text":
		case "image", "document":
			text = cmp.Or(text, ingest.ImageOnly)
		default:
			p.unknown("block " + jsonl.Unquote(b.kind))
		}
	}
	return text
}

func (p *parser) takeSummary(r *record, n int32, at time.Time) {
	text := stripInjected(p.userText(r))
	d := p.draft(r, n, at, ingest.Assistant, ingest.Summary)
	d.turn.Text = ingest.ClippedText(text)
	d.turn.Keys = keysOf(r, at, text)
}

// queued is a prompt queued while the model worked.
type queued struct {
	text   string
	at     time.Time
	line   int
	file   string
	drafts int // number of drafts before it
}

func (p *parser) takeQueue(r *record) {
	c := jsonl.NewCursor(r.content)
	at, _ := ingest.ParseTime(string(r.at))
	p.noteBirth(at)
	if c.Kind() != '"' {
		return
	}
	text := c.String()
	switch string(r.operation) {
	case "enqueue":
		p.meta.queued = append(p.meta.queued, queued{text, at, p.line, p.file, len(p.drafts)})
	case "popAll":
		p.unqueue(text)
	}
}

// unqueue removes a prompt that its author took back to edit it, that was blocked, or that is a program's; an earlier
// version of the source may have had it still. It reports whether there was one.
func (p *parser) unqueue(text string) bool {
	for i := len(p.meta.queued) - 1; i >= 0; i-- {
		if q := p.meta.queued[i]; q.text == text {
			p.s.TakenBack = append(p.s.TakenBack, timeKey(q.at, p.spoken(&record{}, q.text).Text))
			p.meta.queued = append(p.meta.queued[:i], p.meta.queued[i+1:]...)
			return true
		}
	}
	return false
}

// recoverQueued restores queued prompts that appear nowhere else.
func (p *parser) recoverQueued() {
	for k, q := range p.meta.queued {
		typed := p.spoken(&record{}, q.text)
		if typed.Kind != ingest.Prompt || strings.HasPrefix(typed.Text, "{") ||
			slashCommand().MatchString(typed.Text) || p.typed(typed.Text) {
			continue
		}
		d := &draft{node: -1}
		d.turn = ingest.Turn{
			ID: lineID(q.file, q.line), Role: typed.Role, Kind: ingest.Prompt, At: q.at,
			Text:   ingest.ClippedText(typed.Text),
			Queued: true, Dir: p.meta.dir, File: q.file, Line: q.line,
		}
		if !q.at.IsZero() {
			d.turn.Keys = []string{timeKey(q.at, typed.Text)}
		}
		p.drafts = slices.Insert(p.drafts, q.drafts, d)
		for i := k + 1; i < len(p.meta.queued); i++ {
			p.meta.queued[i].drafts++
		}
	}
}

var slashCommand = text.Pattern(`^/[a-z][\w:-]*(\s|$)`)

// typed reports whether text is a person's turn, or whole lines of one: queued prompts are delivered as one.
func (p *parser) typed(text string) bool {
	return slices.ContainsFunc(p.drafts, func(d *draft) bool {
		return d.turn.Role != ingest.Assistant && len(d.turn.Text) >= len(text) &&
			strings.Contains("\n"+d.turn.Text+"\n", "\n"+text+"\n")
	})
}

// placeQueued moves queued prompts, and commands recorded on completion, to the time at which they were typed.
func (p *parser) placeQueued() {
	for i, d := range p.drafts {
		if !d.turn.Queued && d.turn.Kind != ingest.Command || d.turn.At.IsZero() {
			continue
		}
		k := i
		for k > 0 && p.drafts[k-1].turn.At.After(d.turn.At) {
			k--
		}
		copy(p.drafts[k+1:i+1], p.drafts[k:i])
		p.drafts[k] = d
	}
}

// Typed is what a text under the person's name turns out to be. If Kind is "", nothing is kept.
type Typed struct {
	Role    ingest.Role
	Kind    ingest.TurnKind
	Name    string   // of a command or an event
	Text    string   // with injected parts removed
	Uploads []string // files named in an uploaded_files block
}

// spoken says who wrote what stands under the person's name, and what it is: by the record's own fields first, then by
// the text's beginning.
func (p *parser) spoken(r *record, text string) Typed {
	t := Classify(text)
	origin := strings.TrimPrefix(string(r.origin), "human")
	if string(r.promptSource) == "system" {
		origin = cmp.Or(origin, "system")
	}
	if by := string(r.turnOrigin); !personOrUnknown[by] {
		origin = cmp.Or(origin, strings.ReplaceAll(by, "_", "-"))
	}
	if p.meta.scheduled[t.Text] {
		origin = cmp.Or(origin, "wake-up")
	}
	switch {
	case t.Role != ingest.User:
	case origin != "" && t.Kind != "":
		t.Role, t.Kind, t.Name = ingest.Program, ingest.Event, origin
	case p.isSub, p.s.Source == ingest.ClaudeCode && strings.HasPrefix(p.meta.entrypoint, "sdk-"):
		t.Role = ingest.Program // the parent's words, or those of the program that runs the client
	}
	return t
}

// personOrUnknown are the turnOrigins by which a prompt may be the person's; the app states others beside an origin
// "human", as of what its schedule sends.
var personOrUnknown = map[string]bool{"": true, "human": true, "sdk": true, "unknown": true}

// Classify distinguishes, by a text's beginning, what a person typed from what the harness wrote in their name.
func Classify(text string) Typed {
	t := Typed{Role: ingest.User}
	text = strings.TrimSpace(strings.TrimLeft(text, "\ufeff \t\r\n"))
	text, t.Uploads = cutUploads(text)
	text = stripInjected(text)
	begins := func(opening string) bool { return strings.HasPrefix(text, opening) }
	inside := func(tag string) string { return strings.TrimSpace(inTag(text, tag)) }
	name, args, isCommand := parseCommand(text)
	switch {
	case text == "" && len(t.Uploads) == 0:
	case isCommand:
		t.Kind, t.Name, t.Text = ingest.Command, name, args
	case begins("<bash-input>"):
		t.Kind, t.Text = ingest.Shell, inside("bash-input")
	case begins("<task-notification>"):
		t.Role, t.Kind, t.Name, t.Text = ingest.Program, ingest.Event, "task-notification", notification(text)
	case begins("<scheduled-task"):
		t.Role, t.Kind, t.Name, t.Text = ingest.Program, ingest.Event, "scheduled-task", text
	case anotherAgent().MatchString(text):
		t.Role, t.Kind, t.Name, t.Text = ingest.Program, ingest.Event, "agent", text
	case clientNotice().MatchString(text):
		t.Role, t.Kind, t.Name, t.Text = ingest.Program, ingest.Event, "system", text
	case begins("[Request interrupted by user"):
		t.Kind, t.Text = ingest.Interrupt, text
	case begins(summaryOpening):
		t.Role, t.Kind, t.Text = ingest.Assistant, ingest.Summary, text
	case begins("<user-memory-input>"):
		t.Kind, t.Text = ingest.Prompt, inside("user-memory-input")
	case begins(planOpening):
		before, after, _ := strings.Cut(text[len(planOpening):], planPointer)
		_, after, _ = strings.Cut(after, "\n\n") // anything else that was typed
		t.Kind, t.Text = ingest.PlanTurn, strings.TrimSpace(strings.TrimSpace(before)+"\n\n"+after)
	default:
		t.Kind, t.Text = ingest.Prompt, text
		for _, h := range harnessProse {
			if begins(h.opening) && strings.Contains(text, h.also) {
				return Typed{Uploads: t.Uploads}
			}
		}
	}
	return t
}

// anotherAgent matches the beginnings of messages from teammates and other sessions.
var anotherAgent = text.Pattern(`^(?:<(?:teammate|cross-session|agent|peer)-message\b|` +
	`Another Claude session sent a message)`)

// clientNotice matches the beginnings of what the client tells the model; a queue has it without its origin.
var clientNotice = text.Pattern(`^(?:\[(?:Cross-session [a-z]+ notice|SYSTEM NOTIFICATION|Usage limit|` +
	`Earlier usage-limit|Artifact comment sent|Subagent hand-back)[^\]]*\]|Your claude\.ai usage limit has reset|` +
	`Tool loaded\.$)`)

const (
	summaryOpening = "This session is being continued from a previous conversation"
	planOpening    = "Implement the following plan:"
	planPointer    = "\n\nIf you need specific details from before exiting plan mode" // added by the client
)

// harnessProse is what the client writes under the person's name that isn't worth keeping; also is contained in it.
var harnessProse = []struct{ opening, also string }{
	{"<local-command-stdout>", ""},
	{"<local-command-stderr>", ""},
	{"<local-command-caveat>", ""},
	{"Caveat: The messages below were generated by the user while running local commands", ""},
	{"<bash-stdout>", ""},
	{"<bash-stderr>", ""},
	{"Stop hook feedback:", ""},
	{"Operation stopped by hook:", ""},
	{"The user just ran /", ""},
	{"Base directory for this skill:", ""},
	{"(Re-invocation of /", "skill instructions"},
	{"Background agent \"", "was stopped by the user."},
}

var (
	editorTags = []string{"ide_opened_file", "ide_selection", "ide_diagnostics"}
	commandTag = text.Pattern(`(?s)<(command-name|command-message|command-args|` +
		`local-command-stdout)>(.*?)</(?:command-name|command-message|command-args|local-command-stdout)>`)
)

// stripInjected removes what the client wraps around a prompt: reminders anywhere, editor context at its head. A tag
// that is never closed stays.
func stripInjected(text string) string {
	for {
		before := text
		if strings.HasPrefix(text, "<system-reminder") {
			text = cutTag(text, "system-reminder")
		}
		for _, tag := range editorTags {
			// Files are quoted in it unescaped: up to the last closing tag, lest their text pass for the person's.
			if end := strings.LastIndex(text, "</"+tag+">"); end >= 0 && strings.HasPrefix(text, "<"+tag) {
				text = text[end+len(tag)+3:]
			}
		}
		if text = strings.TrimSpace(text); text == before {
			break
		}
	}
	for _, tag := range []string{"system-reminder", "user-prompt-submit-hook"} {
		for strings.Contains(text, "<"+tag+">") {
			cut := cutTag(text, tag)
			if cut == text {
				break
			}
			text = strings.TrimSpace(cut)
		}
	}
	return text
}

// cutTag removes the first <tag…>…</tag> of text. One between backticks is spoken of.
func cutTag(text, tag string) string {
	begin := strings.Index(text, "<"+tag)
	for begin > 0 && text[begin-1] == '`' {
		next := strings.Index(text[begin+1:], "<"+tag)
		if next < 0 {
			return text
		}
		begin += 1 + next
	}
	if begin < 0 {
		return text
	}
	end := strings.Index(text[begin:], "</"+tag+">")
	if end < 0 {
		return text
	}
	return text[:begin] + text[begin+end+len(tag)+3:]
}

// inTag returns the content of the first <tag>…</tag>, up to the end if it isn't closed.
func inTag(text, tag string) string {
	_, rest, ok := strings.Cut(text, "<"+tag+">")
	if !ok {
		return ""
	}
	inside, _, _ := strings.Cut(rest, "</"+tag+">")
	return inside
}

// parseCommand parses a slash command: a text consisting only of command tags.
func parseCommand(text string) (name, args string, ok bool) {
	if !strings.HasPrefix(text, "<command-name>") && !strings.HasPrefix(text, "<command-message>") ||
		strings.TrimSpace(commandTag().ReplaceAllString(text, "")) != "" {
		return "", "", false
	}
	name = cmp.Or(strings.TrimSpace(inTag(text, "command-name")), strings.TrimSpace(inTag(text, "command-message")))
	if name == "" {
		return "", "", false
	}
	return "/" + strings.TrimPrefix(name, "/"), strings.TrimSpace(inTag(text, "command-args")), true
}

// notification makes a task notification readable.
func notification(text string) string {
	var out []string
	for _, tag := range []string{"status", "summary", "result"} {
		if s := strings.TrimSpace(inTag(text, tag)); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}

// cutUploads removes a leading uploaded_files block from a prompt.
func cutUploads(text string) (string, []string) {
	if !strings.HasPrefix(text, "<uploaded_files>") {
		return text, nil
	}
	rest := cutTag(text, "uploaded_files")
	if rest == text {
		return text, nil
	}
	var files []string
	for _, m := range uploaded().FindAllStringSubmatch(text[:len(text)-len(rest)], -1) {
		if name := strings.TrimSpace(m[1]); name != "" {
			files = append(files, name)
		}
	}
	return strings.TrimSpace(rest), files
}

var uploaded = text.Pattern(`(?s)<file_path>(.*?)(?:</file_path>|$)`)
