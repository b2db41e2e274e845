package claudecode

import (
	"cmp"
	"path"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

// agentOf returns the id in …/agent-<id>.jsonl or …/agent-<id>.meta.json.
func agentOf(name string) string {
	base := path.Base(name)
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".jsonl"), ".meta.json")
	return strings.TrimPrefix(base, "agent-")
}

// finishSubagents builds the sub-agents' turns, and links each sub-agent to its call.
func (p *parser) finishSubagents() {
	for _, id := range p.meta.agentOrder {
		k := p.subParsers[id]
		k.finish()
		p.finishSpilled(k.s.Turns)
		p.s.Report.AddReport(k.s.Report)
		// The client's own agents write summaries or suggest prompts.
		if strings.HasPrefix(id, "acompact-") || strings.HasPrefix(id, "aprompt_suggestion-") {
			for i := range k.s.Turns {
				p.s.Unheard = append(p.s.Unheard, k.s.Turns[i].Request())
			}
			continue
		}
		sub := p.meta.agents[id]
		sub.ID, sub.Turns = id, k.s.Turns
		if call := p.callOfAgent(id, k.s.Turns); call != nil {
			sub.Call = call.ID
			sub.Type = cmp.Or(sub.Type, call.Input["subagent_type"])
			sub.Description = cmp.Or(sub.Description, call.Input["description"])
		}
		p.s.Subagents = append(p.s.Subagents, sub)
	}
}

// callOfAgent finds the call that started an agent: by its id, else by the prompt it was given.
func (p *parser) callOfAgent(id string, turns []ingest.Turn) *ingest.ToolCall {
	var byPrompt *ingest.ToolCall
	said := ""
	if len(turns) > 0 {
		said = strings.TrimSpace(turns[0].Text)
	}
	for _, call := range ingest.EachCall(p.s.Turns) {
		if call.Agent == id && id != "" {
			return call
		}
		starts := (call.Name == "Task" || call.Name == "Agent") && call.Agent == ""
		if prompt := strings.TrimSpace(call.Input["prompt"]); starts && prompt != "" && prompt == said {
			byPrompt = call
		}
	}
	if byPrompt != nil {
		byPrompt.Agent = id
	}
	return byPrompt
}

func (p *parser) readAgentMeta(f ingest.File) {
	raw, _, err := f.Head(1 << 20)
	if err != nil {
		p.s.Report.Unread(f, err)
		return
	}
	var m ingest.Subagent
	jsonl.ReadFields(raw, jsonl.Fields{"agentType": &m.Type, "description": &m.Description})
	p.meta.agents[agentOf(f.Name)] = m
}

var agentTrailer = text.Pattern(`(?m)^agentId: ([A-Za-z0-9_-]+)`)

// takeAgent records which sub-agent a call started.
func (p *parser) takeAgent(call *ingest.ToolCall, raw []byte, text string) {
	jsonl.ReadFields(raw, jsonl.Fields{"agentId": &call.Agent})
	if call.Agent == "" {
		if m := agentTrailer().FindStringSubmatch(text); m != nil {
			call.Agent = m[1]
		}
	}
}

const maxSpilled = 16 << 20 // bytes read of a result that was saved to a file

// finishSpilled replaces previews of results saved to a file by the file's beginning and end.
func (p *parser) finishSpilled(turns []ingest.Turn) {
	for _, call := range ingest.EachCall(turns) {
		f, ok := p.spilled[call.Spilled]
		if call.Spilled = f.Name; ok {
			p.readSpilled(call, f)
		}
	}
}

func (p *parser) readSpilled(call *ingest.ToolCall, f ingest.File) {
	raw, _, err := f.Head(maxSpilled)
	if err != nil {
		p.s.Report.Unread(f, err)
		return
	}
	if out := resultText(raw); out != "" && strings.HasSuffix(f.Name, ".json") {
		call.Result, call.ResultLen = ingest.ClippedResult(out), int64(len(out))
		return
	}
	text := strings.ReplaceAll(strings.ToValidUTF8(string(raw), ""), "\x00", "")
	call.Result, call.ResultLen = ingest.ClippedResult(text), max(int64(len(raw)), f.Size)
}

var savedTo = text.Pattern(`(?:Full output|Output has been) saved to:? (\S[^\n]*)`)

// spilledPath returns the path of the file that holds the full output.
func spilledPath(text string) string {
	if !strings.Contains(text, "saved to") {
		return ""
	}
	if m := savedTo().FindStringSubmatch(text); m != nil && strings.Contains(m[1], "tool-results") {
		return strings.TrimSuffix(strings.TrimSpace(m[1]), ".")
	}
	return ""
}
