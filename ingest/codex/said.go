package codex

import (
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

const (
	handedOver  = "Another language model started to solve this problem" // begins a compaction's summary
	planHanded  = "A previous agent produced the plan below"             // begins the prompt that carries a plan over
	planAgreed  = "Implement the plan."                                  // is sent when the person agrees to a plan
	planGoal    = " If this thread has no active goal"                   // how some clients continue planAgreed
	ideRequest  = "## My request for Codex:"                             // ends what an editor puts before a prompt
	planOpening = "<proposed_plan>"
)

// wrappers are how texts that the client puts under the person's name begin and end.
var wrappers = func() (list [][2]string) {
	list = [][2]string{{"# agents.md instructions", "</instructions>"}, {"<hook_prompt", "</hook_prompt>"},
		{strings.ToLower(handedOver), ""}, {"</image>", ""},
		{"<permissions instructions>", "</permissions instructions>"}}
	for _, tag := range strings.Fields(`environment_context user_instructions turn_aborted skill subagent_notification
		recommended_plugins agent_message_board_notification user_action goal_context codex_internal_context
		apps_instructions skills_instructions plugins_instructions collaboration_mode personality_spec model_switch
		realtime_conversation heartbeat image`) {
		list = append(list, [2]string{"<" + tag, "</" + tag + ">"})
	}
	return list
}()

// injected reports whether a block of text is entirely the client's.
func injected(block string) bool {
	low := strings.ToLower(strings.TrimSpace(block))
	return slices.ContainsFunc(wrappers, func(w [2]string) bool {
		return strings.HasPrefix(low, w[0]) && strings.HasSuffix(low, w[1])
	})
}

// typedIn returns the part of a block that the person typed, after what an editor put before it.
func typedIn(block string) string {
	if at := strings.LastIndex(block, "\n"+ideRequest); at >= 0 || strings.HasPrefix(block, ideRequest) {
		block = block[at+1+len(ideRequest):]
	}
	return strings.TrimSpace(block)
}

// takeMessage takes a message of any role.
func takeMessage(p *parser, payload []byte) {
	var role string
	var content, about []byte
	jsonl.ReadFields(payload, jsonl.Fields{"role": &role, "content": &content,
		"internal_chat_message_metadata_passthrough": &about})
	switch role {
	case "user":
		p.takeUser(content, about)
	case "assistant":
		p.takeSaid(joined(content))
	case "developer", "system":
		p.s.NoteRecalled(joined(content), true)
	default:
		p.s.Report.CountUnknown("role " + role)
	}
}

// takeUser takes a message under the person's name, block by block; newer clients state what each block is.
func (p *parser) takeUser(content, about []byte) {
	var kinds []string
	jsonl.ReadFields(about, jsonl.Fields{"content_item_kinds": &kinds})
	var typed []string
	images, sure := false, false
	texts(content, func(i int, kind, block string) {
		images = images || kind == "input_image"
		is := ""
		if i < len(kinds) {
			is = kinds[i]
		}
		switch shell, printed, ok := shellCommand(block); {
		case ok:
			d := p.draft(ingest.User, ingest.Shell, shell)
			d.turn.Printed(printed, d.turn.At)
		case strings.TrimSpace(block) == "":
		case strings.HasPrefix(is, "user.") && (is == "user.text" || !injected(block)): // not a goal, nor a schedule
			typed, sure = append(typed, typedIn(block)), true
		case is != "" && is != "unknown", injected(block):
			p.s.NoteRecalled(block, true)
			if m := wakeUp().FindStringSubmatch(block); m != nil {
				p.settleRun()
				p.draft(ingest.Program, ingest.Event, strings.TrimSpace(m[1])).turn.Name = "wake-up"
			}
			if m := workingDir().FindStringSubmatch(block); m != nil && p.dir == "" {
				p.dir = m[1]
				p.s.CountDir(p.dir, 0)
			}
		default:
			typed = append(typed, typedIn(block))
		}
	})
	said := strings.Join(typed, "\n\n")
	if said == "" && images {
		said = ingest.ImageOnly
	}
	if said != "" {
		p.takePrompt(said, false, sure)
	}
}

// workingDir matches the client's description of its environment; the first versions gave the folder nowhere else.
var workingDir = text.Pattern(`(?m)^Current working directory: (.+?)\s*$`)

// wakeUp matches what the client's schedule sends in the person's place.
var wakeUp = text.Pattern(`(?s)^\s*<heartbeat>.*<instructions>(.*)</instructions>`)

// takePrompt takes a prompt that the person typed, from the conversation and from the screen, in either order.
func (p *parser) takePrompt(said string, shown, sure bool) {
	said = ingest.ClippedText(said)
	once := heard{said, !shown}
	if had := p.once[once]; len(had) > 0 {
		had[0].unsure = had[0].unsure && !sure
		p.once[once] = had[1:]
		return
	}
	who, kind, text := ingest.User, ingest.Prompt, said
	if p.own.headless {
		who = ingest.Program
	}
	if strings.HasPrefix(said, planHanded) {
		kind = ingest.PlanTurn
		_, text, _ = strings.Cut(said, "\n")
	}
	d := p.draft(who, kind, strings.TrimSpace(text))
	d.unsure = !sure
	if p.run = append(p.run, d); p.once == nil {
		p.once = map[heard][]*draft{}
	}
	p.once[heard{said, shown}] = append(p.once[heard{said, shown}], d)
}

// settleRun drops what is under the person's name but wasn't typed by them.
func (p *parser) settleRun() {
	told := p.told || slices.ContainsFunc(p.run, func(d *draft) bool { return !d.unsure })
	for _, d := range p.run {
		if d.unsure && told {
			d.dropped = true
			p.s.NoteRecalled(d.turn.Text, true)
		}
	}
	p.run, p.once = nil, nil
}

// takeTyped takes an event that reports what was typed.
func takeTyped(p *parser, payload []byte) {
	var said string
	var images []byte
	jsonl.ReadFields(payload, jsonl.Fields{"message": &said, "images": &images})
	p.sawTyped(said, len(words(images)) > 0)
}

func (p *parser) sawTyped(said string, images bool) {
	if injected(said) {
		return
	}
	if said = typedIn(said); said == "" && images {
		said = ingest.ImageOnly
	}
	if said != "" {
		p.takePrompt(said, true, true)
		p.told = true
	}
}

// shellCommand returns a command that the person ran themselves, and what it printed.
func shellCommand(block string) (command, printed string, ok bool) {
	block = strings.TrimSpace(block)
	if !strings.HasPrefix(block, "<user_shell_command>") {
		return "", "", false
	}
	_, rest, _ := strings.Cut(block, "<command>")
	command, rest, ok = strings.Cut(rest, "</command>")
	_, printed, _ = strings.Cut(rest, "<result>")
	printed, _, _ = strings.Cut(printed, "</result>")
	return strings.TrimSpace(command), strings.TrimSpace(printed), ok
}

// takeSaid takes what the assistant said. A plan in it is proposed to the person.
func (p *parser) takeSaid(said string) {
	before, rest, ok := strings.Cut(said, planOpening)
	if !ok {
		p.message().say(said)
		return
	}
	plan, after, _ := strings.Cut(rest, strings.Replace(planOpening, "<", "</", 1))
	p.message().say(strings.TrimSpace(strings.TrimSpace(before) + "\n\n" + strings.TrimSpace(after)))
	p.takePlan(plan)
}

// takePlan takes a plan once, although the client writes it twice.
func (p *parser) takePlan(plan string) {
	d, plan := p.message(), ingest.ClippedText(strings.TrimSpace(plan))
	known := slices.ContainsFunc(d.calls, func(c *ingest.ToolCall) bool { return c.Plan != nil && c.Plan.Text == plan })
	if plan != "" && !known {
		d.calls = append(d.calls, &ingest.ToolCall{ID: "plan-" + text.Hash(plan, 4), Name: "ExitPlanMode", Done: true,
			At: p.at, ResultTurn: d.turn.ID, Plan: &ingest.Plan{Text: plan}})
	}
}

func (d *draft) say(said string) {
	if said == "" || d.had[said] {
		return
	}
	if d.said = append(d.said, said); d.had == nil {
		d.had = map[string]bool{}
	}
	d.had[said] = true
}

// takeThought begins the message that the model thought about.
func takeThought(p *parser, payload []byte) {
	var summary, content []byte
	jsonl.ReadFields(payload, jsonl.Fields{"summary": &summary, "content": &content})
	if joined(summary)+joined(content) != "" {
		p.message()
	}
}

// takeAgentMessage keeps what agents tell each other.
func (p *parser) takeAgentMessage(payload []byte) {
	var content []byte
	var author, recipient string
	jsonl.ReadFields(payload, jsonl.Fields{"author": &author, "recipient": &recipient, "content": &content})
	if said := joined(content); said != "" {
		p.settleRun()
		d := p.draft(ingest.Program, ingest.Event, said)
		d.turn.Name, p.answer = strings.TrimSpace("agent-message "+author), true
	}
}
