package manifest

import (
	"fmt"
	"path"
	"strings"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
)

// Replay writes the shell script that does again, in order, what a session's commands and file tools did. What a script
// can't do stands in it as a comment: calls of apps and servers, edits of a text that isn't known, what failed.
func Replay(s *ingest.Session, did []trace.Action) string {
	r := retold{files: map[string]string{}}
	for i := range did {
		if a := &did[i]; !a.Copied {
			r.action(a)
		}
	}
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	Manifest{Task: s.Title, Session: s.ID, Start: s.Start}.about(&b, "Does again what", " did, in order")
	fmt.Fprintf(&b, "# Read it before you run it, in a copy. %d steps; %d that it can't repeat say why.\nset -eu\n",
		r.done, r.left)
	return b.String() + r.out.String()
}

type retold struct {
	out        strings.Builder
	dir        string
	files      map[string]string // what those are that the session wrote
	done, left int
}

func (r *retold) action(a *trace.Action) {
	c := a.Call
	if a.Dir != r.dir && a.Dir != "" && c.Command != "" {
		r.dir = a.Dir
		fmt.Fprintf(&r.out, "\ncd %s\n", quote(a.Dir))
	}
	now := r.files[c.Path]
	for _, e := range c.Replaced() {
		switch whole := e.Old == "" && c.Input["content"] != ""; {
		case whole:
			now = e.New
		case strings.Count(now, e.Old) == 1 && e.Old != "":
			now = strings.Replace(now, e.Old, e.New, 1)
		default:
			now = ""
		}
	}
	does := c.Command
	if c.Path != "" && now != "" && len(c.Replaced()) > 0 {
		does = fmt.Sprintf("mkdir -p %s\nprintf %%s %s >%s", quote(path.Dir(c.Path)), quote(now), quote(c.Path))
	}
	server, ofServer := connectorOf(a)
	why := ""
	switch {
	case !c.Ran() || c.Failed:
		why = "it failed, or wasn't run"
	case ofServer:
		does, why = strings.TrimSpace(server.Server+" "+server.Tool+" "+server.What), "asked of a server"
	case does == "" && len(c.Replaced()) > 0:
		does, why = c.Name+" "+c.Path, "what the file was before isn't known"
	case strings.Contains(does, ingest.LeftOut):
		why = "it is too long to be known in full"
	case strings.Contains(does, "‹"):
		why = "it holds a secret, which recall doesn't keep"
	}
	if c.Path != "" && c.Worked() {
		r.files[c.Path] = now
	}
	switch {
	case does == "": // it only looked
	case why != "":
		r.left++
		what := comment(text.Clip(text.OneLine(does), 300))
		fmt.Fprintf(&r.out, "\n# turn %d, not repeated: %s: %s\n", a.N, why, what)
	default:
		r.done++
		fmt.Fprintf(&r.out, "\n# turn %d\n(\n%s\n)\n", a.N, does)
	}
}
