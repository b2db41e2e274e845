package claudecode

import (
	"cmp"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/text"
)

var (
	commitCall = text.Pattern(`\bgit(?:\s+-[cC]\s+\S+|\s+--[a-z-]+(?:=\S+)?)*\s+commit\b`)
	commitLine = text.Pattern(`(?m)^\[[^\]\n]* ([0-9a-f]{7,40})\] (.*)$`)
	// The two ways in which messages are handed over: a here-document, or quotes.
	hereMessage   = text.Pattern(`(?s)<<-?\s*['"]?EOF['"]?[^\n]*\n(.*?)\n\s*EOF`)
	quotedMessage = text.Pattern(`(?s)\s-[a-z]*m[ =]?(?:"((?:[^"\\]|\\.)*)"|'([^']*)')`)
)

// noteCommit finds the commit that a shell command made: its hash as git
// printed it, and its message, which stands in the command if git was quiet.
func noteCommit(call *ingest.ToolCall) {
	if !strings.Contains(call.Command, "commit") || !commitCall().MatchString(call.Command) {
		return
	}
	if all := commitLine().FindAllStringSubmatch(call.Result, -1); len(all) > 0 {
		last := all[len(all)-1]
		call.Commit = cmp.Or(call.Commit, last[1])
		call.CommitMessage = cmp.Or(call.CommitMessage, strings.TrimSpace(last[2]))
	}
	if call.CommitMessage == "" {
		call.CommitMessage = messageIn(call.Command)
	}
}

// messageIn reads the message out of a commit command, its first line.
func messageIn(command string) string {
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

// readGitOperation reads the client's own note of what a command did.
func (p *parser) readGitOperation(call *ingest.ToolCall, raw []byte, at time.Time) {
	c := jsonl.NewCursor(raw)
	hash := func() { call.Commit = c.Text() }
	message := func() { call.CommitMessage = c.Text() }
	c.Fields(jsonl.Fields{"gitOperation": func() {
		c.Fields(jsonl.Fields{
			"commit": func() {
				c.Fields(jsonl.Fields{"sha": hash, "hash": hash, "message": message, "subject": message})
			},
			"pr": func() { p.readPR(c, at) },
		})
	}})
}

func (p *parser) readPR(c *jsonl.Cursor, at time.Time) {
	pr, number, action := ingest.PR{At: at}, int64(0), ""
	c.Fields(jsonl.Fields{"number": &number, "url": &pr.URL, "action": &action})
	if pr.Number = int(number); action == "" || action == "created" {
		p.addPR(pr)
	}
}

// addPR notes a pull request, once.
func (p *parser) addPR(pr ingest.PR) {
	if pr.URL == "" && pr.Number == 0 {
		return
	}
	for i := range p.s.PRs {
		if have := &p.s.PRs[i]; have.URL == pr.URL && (have.Number == pr.Number || have.URL != "") {
			have.Repository = cmp.Or(have.Repository, pr.Repository)
			return
		}
	}
	p.s.PRs = append(p.s.PRs, pr)
}
