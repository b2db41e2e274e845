package samples

import (
	"strings"
	"time"
)

// writeClaude puts a session's transcript where Claude Code keeps it.
func writeClaude(s *session, files map[string][]byte) error {
	base := claudeDir + "/projects/" + slug(s.head["cwd"]) + "/" + s.id
	return writeTranscript(s, base, claudeDir+"/plans", files)
}

// writeTranscript writes base.jsonl and what belongs beside it.
func writeTranscript(s *session, base, plans string, files map[string][]byte) error {
	var b strings.Builder
	for _, r := range s.records {
		line, err := encode(s.line(r))
		if err != nil {
			return err
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	files[base+".jsonl"] = []byte(b.String())
	for name, text := range s.files {
		files[base+"/"+name] = []byte(text)
	}
	for name, text := range s.plans {
		files[plans+"/"+name] = []byte(text)
	}
	return nil
}

// line is a record as it stands in the transcript.
func (s *session) line(r *record) object {
	if r.typ == "" {
		return r.bare
	}
	var parent any
	if r.parent != "" {
		parent = r.parent
	}
	o := obj("parentUuid", parent, "isSidechain", false)
	if r.typ == "assistant" {
		o = append(o, field{"message", r.message})
	}
	o = append(o, r.before...)
	o = append(o, field{"type", r.typ})
	if r.typ == "user" {
		o = append(o, field{"message", r.message})
	}
	o = append(o, field{"uuid", r.uuid}, field{"timestamp", stamp(r.at)})
	o = append(o, r.after...)
	return append(o, s.envelope()...)
}

func (s *session) envelope() object {
	entry, branch, cwd := "cli", s.head["branch"], s.head["cwd"]
	if s.head["source"] == "cowork" {
		entry, branch, cwd = "sdk-ts", "HEAD", "/sessions/"+s.head["process"]
	}
	return obj("userType", "external", "entrypoint", entry, "cwd", cwd, "sessionId", s.id,
		"version", s.head["version"], "gitBranch", branch)
}

// subagent writes the transcript of a sub-agent: its prompt, one message a
// command ("$ command", output below) and its report.
func (w *scribe) subagent(id, kind, prompt, work, report string) (string, error) {
	var b strings.Builder
	at, tip := w.now, ""
	add := func(typ string, message object, more object) error {
		at = at.Add(time.Duration(between(900, 6000, id, tip)) * time.Millisecond)
		var parent any
		if tip != "" {
			parent = tip
		}
		o := obj("parentUuid", parent, "isSidechain", true, "agentId", id, "type", typ, "message", message)
		tip = uuid(w.s.name, id, stamp(at))
		o = append(o, field{"uuid", tip}, field{"timestamp", stamp(at)})
		o = append(append(o, more...), w.s.envelope()...)
		line, err := encode(o)
		b.Write(line)
		b.WriteByte('\n')
		return err
	}
	said := func(content object, stop string) error {
		message := apiID("msg_01", id, stamp(at))
		return add("assistant", obj("id", message, "type", "message", "role", "assistant", "model", w.model, "content",
			[]object{content}, "stop_reason", stop, "stop_sequence", nil, "usage", usage(9000, 60)),
			obj("requestId", apiID("req_011C", message), "attributionAgent", kind))
	}
	if err := add("user", obj("role", "user", "content", prompt), nil); err != nil {
		return "", err
	}
	for _, step := range strings.Split("\n"+work, "\n$ ")[1:] {
		command, out, _ := strings.Cut(step, "\n")
		call := apiID("toolu_01", id, command)
		if err := said(obj("type", "tool_use", "id", call, "name", "Bash", "input", obj("command", command)),
			"tool_use"); err != nil {
			return "", err
		}
		source := tip
		if err := add("user", obj("role", "user", "content",
			[]object{obj("type", "tool_result", "tool_use_id", call, "content", out, "is_error", false)}),
			obj("sourceToolAssistantUUID", source)); err != nil {
			return "", err
		}
	}
	if err := said(obj("type", "text", "text", report), "end_turn"); err != nil {
		return "", err
	}
	return b.String(), nil
}
