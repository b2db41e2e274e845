package claudecode

import (
	"cmp"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
)

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
