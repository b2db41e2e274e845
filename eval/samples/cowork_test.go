package samples

import (
	"fmt"
	"path"
	"strings"
	"time"
)

// coworkBase is the folder of the account and organisation, both made up.
var coworkBase = coworkDir + "/" + uuid("account") + "/" + uuid("organisation")

// writeCowork puts a session where the desktop app keeps it: the record, and a
// storage folder with the transcript, the audit log, uploads and outputs.
func writeCowork(s *session, files map[string][]byte) error {
	local := "local_" + uuid("cowork", s.name)
	storage := coworkBase + "/" + local
	record, err := encode(s.appRecord(local))
	if err != nil {
		return err
	}
	files[storage+".json"] = record
	base := storage + "/.claude/projects/" + slug("/sessions/"+s.head["process"]) + "/" + s.id
	if err := writeTranscript(s, base, storage+"/.claude/plans", files); err != nil {
		return err
	}
	if files[storage+"/audit.jsonl"], err = s.audit(local); err != nil {
		return err
	}
	for name, text := range s.uploads {
		files[storage+"/uploads/"+name] = []byte(text)
	}
	for name, text := range s.outputs {
		files[storage+"/outputs/"+name] = []byte(text)
	}
	return nil
}

// appRecord is local_<id>.json.
func (s *session) appRecord(local string) object {
	start, _ := time.Parse(time.RFC3339, s.head["start"])
	process := s.head["process"]
	return obj("sessionId", local, "processName", process, "vmProcessName", process, "cliSessionId", s.id,
		"cwd", "/sessions/"+process, "userSelectedFolders", []string{s.head["cwd"]}, "createdAt", start.UnixMilli(),
		"lastActivityAt", s.end.UnixMilli(), "model", s.head["model"], "isArchived", false, "title", s.head["title"],
		"initialMessage", s.first, "spaceId", spaceID(s.head["space"]), "systemPrompt", "…", "slashCommands",
		[]string{"compact"},
		"enabledMcpTools", obj("mcp__workspace__bash", true), "egressAllowedDomains", []string{},
		"accountName", "Mira", "emailAddress", "mira@example.com")
}

func spaceID(name string) string { return uuid("space", name) }

// spaces is spaces.json: the spaces that the sessions belong to.
func spaces(all map[string]*script) []byte {
	folders := map[string]string{}
	for _, s := range all {
		if name := s.head["space"]; name != "" {
			folders[name] = s.head["cwd"]
		}
	}
	var list []object
	for _, name := range sortedKeys(folders) {
		list = append(list, obj("id", spaceID(name), "name", name, "folders", []string{folders[name]}))
	}
	b, err := encode(obj("spaces", list))
	if err != nil {
		panic(err) // strings only
	}
	return b
}

// manifest stands before a prompt with attachments.
func (w *scribe) manifest(names string) string {
	if names == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString("<uploaded_files>\n")
	for _, n := range strings.Split(names, ",") {
		fmt.Fprintf(&b, "<file><file_path>%s</file_path></file>\n",
			path.Join("/sessions", w.s.head["process"], "mnt/uploads", n))
	}
	b.WriteString("</uploaded_files>\n\n")
	return b.String()
}

// audit is the app's own log of the session, signed (with nothing) and with
// CRLF, as the app writes it on Windows.
func (s *session) audit(local string) ([]byte, error) {
	var b strings.Builder
	n := 0
	var failed error
	add := func(at time.Time, o object) {
		n++
		o = append(o, field{"_audit_timestamp", stamp(at)},
			field{"_audit_hmac", fmt.Sprintf("%064x", digest(s.name, fmt.Sprint(n)))})
		line, err := encode(o)
		if err != nil {
			failed = err
		}
		b.Write(line)
		b.WriteString("\r\n")
	}
	own := func(kind string) string { return uuid("audit", s.name, kind, fmt.Sprint(n)) }
	turns := 0
	for _, r := range s.records {
		switch {
		case r.typed != "":
			turns = 0
			add(r.at.Add(-300*time.Millisecond), obj("type", "user", "uuid", own("typed"), "session_id", local,
				"parent_tool_use_id", nil,
				"message", obj("role", "user", "content", r.typed)))
			add(r.at, obj("type", "user", "uuid", r.uuid, "session_id", s.id, "parent_tool_use_id", nil, "message",
				r.message,
				"isReplay", true))
			add(r.at.Add(400*time.Millisecond), obj("type", "system", "subtype", "init", "cwd",
				"/sessions/"+s.head["process"],
				"session_id", s.id,
				"tools", []string{"Read", "Write", "mcp__workspace__bash"}, "model", s.head["model"], "permissionMode", "default",
				"claude_code_version", s.head["version"], "uuid", own("init")))
		case r.typ == "assistant":
			turns++
			add(r.at, obj("type", "assistant", "uuid", r.uuid, "session_id", s.id, "parent_tool_use_id", nil, "message",
				r.message))
			if r.asked {
				id := own("permission")
				add(r.at.Add(200*time.Millisecond),
					obj("type", "system", "subtype", "permission_request", "uuid", id, "session_id",
						s.id,
						"tool_name", r.call.name, "tool_input", r.call.input))
				decision := "deny"
				if r.allowed {
					decision = "allow_once"
				}
				add(r.at.Add(5*time.Second), obj("type", "system", "subtype", "permission_response", "uuid", id, "session_id", s.id,
					"tool_name", r.call.name, "decision", decision, "granted", r.allowed))
			}
			if r.answer {
				text := ""
				for _, f := range r.message {
					if blocks, ok := f.value.([]object); ok {
						text, _ = blocks[0][1].value.(string)
					}
				}
				add(r.at.Add(900*time.Millisecond),
					obj("type", "result", "subtype", "success", "is_error", false, "num_turns",
						turns, "duration_ms", 31000,
						"result", text, "total_cost_usd", 0.05*float64(turns), "session_id", s.id, "permission_denials",
						[]object{},
						"uuid", own("result")))
			}
		case r.typ == "user" && r.call != nil:
			add(r.at, obj("type", "user", "uuid", r.uuid, "session_id", s.id, "parent_tool_use_id", nil, "message",
				r.message,
				"tool_use_result", r.result))
		case r.typ == "user":
			add(r.at, obj("type", "user", "uuid", r.uuid, "session_id", s.id, "parent_tool_use_id", nil, "message", r.message))
		}
	}
	return []byte(b.String()), failed
}
