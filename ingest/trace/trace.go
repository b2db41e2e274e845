// Package trace derives what a session did from its transcript: its tool calls in order, the files they touched, what
// they installed, the commits they made. It runs nothing and reads no files: command lines are
// parsed, never executed, and the same session gives the same trace.
package trace

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/ingest"
	"recall/internal/text"
)

// A Trace is what one session did.
type Trace struct {
	Actions  []Action
	Packages []Package
	Commits  []Commit
}

// An Action is one tool call, with its reason and outcome.
type Action struct {
	N         int           // ordinal of its turn; a sub-agent's is that of the turn that started it, 0 if unknown
	Turn      ingest.TurnID // the turn that made it, a sub-agent's own
	Agent     string        // id of the sub-agent, "" for the session itself
	Call      *ingest.ToolCall
	At        time.Time     // of the message that made it; zero if the transcript states none
	Took      time.Duration // until its result, including the model's writing and the person's answer; 0 if unknown
	Why       string        // what was said with it, or last before it with the same aim; "" if nothing
	Dir       string        // working directory, "" if unknown
	Abandoned bool          // on a rewound branch, but it was done nevertheless
	Copied    bool          // a fork's copy of its parent's call

	Touches []Touch
	Steps   []Step // the commands of a shell call, in order
}

// OfSession traces a session. The result points to the session's calls.
func OfSession(s *ingest.Session) *Trace {
	tr := &Trace{Actions: Actions(s)}
	tr.Packages = packages(tr.Actions)
	tr.Commits = commits(s, tr.Actions)
	return tr
}

// Actions returns only the calls of a session with the files that they touched.
func Actions(s *ingest.Session) []Action {
	t := &tracer{agents: map[string][]*ingest.Subagent{}, edits: map[string][]ingest.Edit{}}
	for i := range s.Subagents {
		a := &s.Subagents[i]
		t.agents[a.Call] = append(t.agents[a.Call], a)
	}
	t.turns(s.Turns, 0, "")
	for i := range s.Subagents { // those whose call is unknown
		if a := &s.Subagents[i]; slices.Contains(t.agents[a.Call], a) {
			t.turns(a.Turns, -1, a.ID)
		}
	}
	for i := range t.actions {
		a := &t.actions[i]
		if a.Call.Command != "" && a.Call.Name != "PowerShell" && strings.ContainsAny(a.Call.Command, "/.;|&><\n ") {
			a.Steps = readShell(a.Call.Command, a.Dir)
		}
		a.Touches = touches(a)
		t.takeBack(a)
	}
	return t.actions
}

type tracer struct {
	agents  map[string][]*ingest.Subagent // by call; removed when visited
	actions []Action
	edits   map[string][]ingest.Edit // by file: what was done to it since the last commit, without what was taken back
	added   []string                 // what was named to be committed next
}

// takeBack marks the touch of a file by an edit after which it is as it was before the session changed it, or as
// committed: the edit did the opposite of the only one that was left.
func (t *tracer) takeBack(a *Action) {
	t.commit(a)
	for i := range a.Touches {
		touch := &a.Touches[i]
		done, replaced := t.edits[touch.Path], a.Call.Replaced()
		if touch.Back { // a file, or all in a folder
			maps.DeleteFunc(t.edits, func(p string, _ []ingest.Edit) bool {
				return p == touch.Path || strings.HasPrefix(p, touch.Path+"/")
			})
		}
		if touch.How == Read || touch.Back {
			continue
		}
		if !touch.Tool || len(replaced) == 0 { // by a command: whatever it did
			replaced = []ingest.Edit{{New: a.Call.Command}}
		}
		for _, e := range replaced {
			if _, old, now, _ := e.Lines(); len(old) > 0 && len(now) > 0 {
				e = ingest.Edit{Old: strings.Join(old, "\n"), New: strings.Join(now, "\n")} // however much around it is named
			}
			if at := slices.Index(done, ingest.Edit{Old: e.New, New: e.Old}); at >= 0 && e.Old != e.New {
				done = slices.Delete(done, at, at+1)
				touch.Back = len(done) == 0
			} else {
				done, touch.Back = append(done, e), false
			}
		}
		t.edits[touch.Path] = done
	}
}

// commit forgets the edits that a call commits. What it leaves, if anybody knows, can't be taken back after it.
func (t *tracer) commit(a *Action) {
	for i := range a.Steps {
		if _, args := a.Steps[i].Git(); len(args) > 0 && (args[0] == "add" || args[0] == "commit") {
			t.added = append(t.added, args[1:]...)
		}
	}
	if !a.Call.Committed() {
		return
	}
	all := slices.ContainsFunc(t.added, addsAll().MatchString)
	for p, done := range t.edits {
		named := func(arg string) bool { return p == arg || strings.HasSuffix(p, "/"+strings.TrimPrefix(arg, "./")) }
		if t.edits[p] = append(done, ingest.Edit{New: a.Call.Commit}); all || slices.ContainsFunc(t.added, named) {
			delete(t.edits, p)
		}
	}
	t.added = nil
}

// addsAll matches an argument of git add or git commit that takes whatever was changed.
var addsAll = text.Pattern(`^(?:-[A-Za-z]*[aAu][A-Za-z]*|--all|--update|\.)$`)

// turns adds the calls of a conversation, each followed by its sub-agents'. n is the ordinal for a sub-agent's calls, 0
// for the session's own turns.
func (t *tracer) turns(turns []ingest.Turn, n int, agent string) {
	why := ""
	for i := range turns {
		turn := &turns[i]
		switch {
		case turn.Role == ingest.User && turn.Kind != ingest.Event:
			why = ""
		case strings.TrimSpace(turn.Text) != "" && turn.Role == ingest.Assistant:
			why = reason(turn.Text)
		}
		for k := range turn.Calls {
			c := &turn.Calls[k]
			a := Action{N: cmp.Or(n, turn.N), Turn: turn.ID, Agent: agent, Call: c, At: turn.At, Why: why, Dir: turn.Dir,
				Abandoned: turn.Abandoned, Copied: turn.Copied}
			a.N = max(0, a.N)
			if !c.At.IsZero() && c.At.After(turn.At) && !turn.At.IsZero() {
				a.Took = c.At.Sub(turn.At)
			}
			if a.Why == "" {
				a.Why = reason(c.Input["description"])
			}
			t.actions = append(t.actions, a)
			if c.ID == "" {
				continue
			}
			below := t.agents[c.ID]
			delete(t.agents, c.ID)
			for _, sub := range below {
				t.turns(sub.Turns, cmp.Or(a.N, -1), sub.ID)
			}
		}
	}
}

// reasonMost bounds what is kept of the words before a call, in bytes.
const reasonMost = 400

// reason returns the last paragraph of a text, which usually announces what comes next.
func reason(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.LastIndex(text, "\n\n"); i >= 0 {
		text = text[i+2:]
	}
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "")
	if len(text) > reasonMost {
		text = "…" + strings.ToValidUTF8(text[len(text)-reasonMost:], "")
	}
	return text
}

// WorkedIn says where a session worked, as far as that isn't its own folder for certain.
func WorkedIn(s *ingest.Session) (did ingest.Work) {
	if s.Source == ingest.Cowork { // all else happens in a sandbox
		return ingest.Work{In: s.Where.Folders}
	}
	for i := range s.Turns {
		if t := &s.Turns[i]; t.Role == ingest.User && t.Opens() && !t.Aside() {
			did.In = ingest.Union(did.In, t.Dir)
		}
	}
	for _, a := range s.Subagents {
		if len(a.Turns) > 0 {
			did.In = ingest.Union(did.In, a.Turns[0].Dir)
		}
	}
	actions := Actions(s)
	for _, c := range commits(s, actions) {
		if !c.Copied {
			did.In = ingest.Union(did.In, c.Dir)
		}
	}
	for _, a := range actions {
		for _, t := range a.Touches {
			if t.How != Read && !t.Unsure && !a.Copied {
				did.Changed = ingest.Union(did.Changed, t.Path)
			}
		}
	}
	return did
}

// A Commit is a git commit that the session made; its JSON is part of the manifest.
type Commit struct {
	Hash    string    `json:"hash,omitempty"`    // as printed, usually the first 7 to 12 digits; "" if git was quiet
	Subject string    `json:"subject,omitempty"` // first line of its message, "" if unknown
	Branch  string    `json:"branch,omitempty"`  // "" if unknown
	Dir     string    `json:"dir,omitempty"`     // folder it was made in, "" if unknown
	At      time.Time `json:"at,omitzero"`
	N       int       `json:"turn"`
	Copied  bool      `json:"-"`
	Undone  int       `json:"-"` // ordinal of the turn in which it was taken back, 0 if it wasn't
	Left    bool      `json:"-"` // then: what it changed was left in the files

	Call *ingest.ToolCall `json:"-"`
}

func (c *Commit) standsIn(dir string) bool { return c.Undone == 0 && c.Dir == dir }

var (
	commitPrinted = text.Pattern(`(?m)^\[([^\]\n]+?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.*)$`)
	logLine       = text.Pattern(`(?m)^(?:\* )?([0-9a-f]{7,40}) (?:\([^)\n]*\) )?(.+)$`)
	pushedTip     = text.Pattern(`(?m)^\s*[0-9a-f]{7,40}\.\.([0-9a-f]{7,40})\s+\S+ -> \S+`)
	bareHash      = text.Pattern(`(?m)^[0-9a-f]{7,40}$`)
)

// commits lists the commits that calls made, recognized by the hash in git's output, or for a quiet commit by a log
// printed after it, or by its message alone; and says which of them later commands took back.
func commits(s *ingest.Session, actions []Action) (all []Commit) {
	moved := 0 // how many were made before the branch was left, or got others' commits
	for i := range actions {
		a := &actions[i]
		if !a.Call.Ran() {
			continue
		}
		made := a.printedCommits(s.Where.Branch)
		for k := range a.Steps {
			if st := &a.Steps[k]; st.commits() {
				if at := len(all) - 1; at >= 0 && st.amends() && len(made) > 0 && all[at].standsIn(made[0].Dir) {
					all = all[:at]
				}
				all, made = append(all, made...), nil
			} else if _, args := st.Git(); len(args) > 0 && movers[args[0]] {
				restore(all, args)
				moved = len(all)
			} else if st.sure && !a.Call.Failed && a.undo(all[moved:], st) {
				moved = len(all)
			} else if !a.Call.Failed {
				restore(all, args)
			}
		}
		all = append(all, made...)
	}
	return all
}

// LeavesNothing reports whether after a call nothing is left to commit: git said so, or went on with the rebase, merge
// or cherry-pick that conflicts had stopped.
func (a *Action) LeavesNothing() bool {
	wentOn := func(st Step) bool {
		_, args := st.Git()
		return slices.Contains(args, "--continue")
	}
	return strings.Contains(a.Call.Result, "nothing to commit, working tree clean") ||
		a.Call.Worked() && !strings.Contains(a.Call.Result, "CONFLICT") && slices.ContainsFunc(a.Steps, wentOn)
}

// commits reports whether a command is to make a git commit.
func (st *Step) commits() bool {
	_, args := st.Git()
	return len(args) > 0 && args[0] == "commit" && !slices.Contains(args, "--dry-run")
}

// quiet reports whether a command that commits says nothing of it.
func (st *Step) quiet() bool {
	_, args := st.Git()
	return slices.Contains(args, "--quiet") || slices.ContainsFunc(args, quietFlags().MatchString)
}

var quietFlags = text.Pattern(`^-[a-z]*q`)

// amends reports whether a command that commits puts a commit in the last one's place.
func (st *Step) amends() bool {
	_, args := st.Git()
	return slices.Contains(args, "--amend")
}

var (
	fromHead    = text.Pattern(`^(?:HEAD|@)((?:[~^]\d*)*)$`)
	oneBack     = text.Pattern(`[~^](\d*)`)
	changeCount = text.Pattern(`(?m)^ (?:\d+ files? changed,|(?:create|delete) mode )`)
)

// movers are git's commands after which HEAD~1 may be something else than the last commit that the session made.
var movers = text.Set("checkout switch branch merge pull rebase cherry-pick am worktree")

// restore takes back that commits were taken back: what a git command names, with those before it, is there again.
func restore(made []Commit, args []string) {
	if len(args) == 0 || args[0] != "reset" && args[0] != "cherry-pick" && args[0] != "merge" {
		return
	}
	for _, name := range args[1:] {
		any := name == UnknownArg || name == "ORIG_HEAD" // HEAD@{1}
		at := slices.IndexFunc(made, func(c Commit) bool { return c.Undone > 0 && (any || c.named(name)) })
		if any {
			at = len(made) - 1
		}
		for i := range made[:at+1] {
			made[i].Undone, made[i].Left = 0, false
		}
	}
}

// named reports whether a name is the beginning of the commit's hash, or begins with that.
func (c *Commit) named(name string) bool {
	n := min(len(c.Hash), len(name))
	return n >= 7 && c.Hash[:n] == name[:n]
}

// undo marks the commits that a git command takes back: those after the one that it resets to, or the one that it
// reverts. It reports whether it reverted one, which HEAD then is.
func (a *Action) undo(made []Commit, st *Step) (reverted bool) {
	dir, args := st.Git()
	if len(args) < 2 {
		return false
	}
	names, flags := operands(args[1:])
	if len(names) != 1 { // of files, or of several commits
		return false
	}
	var standing []*Commit // the latest first
	for i := range slices.Backward(made) {
		if c := &made[i]; c.standsIn(dir) && !c.Copied {
			standing = append(standing, c)
		}
	}
	at := slices.IndexFunc(standing, func(c *Commit) bool { return c.named(names[0]) })
	if m := fromHead().FindStringSubmatch(names[0]); m != nil {
		at = 0
		for _, back := range oneBack().FindAllStringSubmatch(m[1], -1) {
			n, err := strconv.Atoi(back[1])
			if back[0][0] == '^' || err != nil {
				n = 1
			}
			at += n
		}
	}
	switch {
	case at < 0:
		return false
	case args[0] == "reset":
		standing = standing[:min(at, len(standing))]
	case args[0] == "revert" && at < len(standing):
		standing = standing[at : at+1]
	default:
		return args[0] == "revert"
	}
	left := args[0] == "reset" && !slices.ContainsFunc(flags, func(f string) bool {
		return f == "--hard" || f == "--keep" || f == "--merge"
	})
	for _, c := range standing {
		c.Undone, c.Left = a.N, left
	}
	return args[0] == "revert"
}

// printedCommits returns the commits of a call according to its output; by its message alone if it can't have worked
// without the commit, says that files were changed, or was to say nothing of the commit.
func (a *Action) printedCommits(branch string) (all []Commit) {
	c := a.Call
	at := slices.IndexFunc(a.Steps, func(st Step) bool { return st.commits() })
	if !strings.Contains(c.Command, "commit") || at < 0 && c.Commit == "" {
		return nil
	}
	made := Commit{At: cmp.Or(c.At, a.At), N: a.N, Copied: a.Copied, Branch: branch, Call: c}
	sure := false
	for k := range a.Steps {
		if st := &a.Steps[k]; st.commits() {
			made.Dir, _ = st.Git()
			sure = sure || st.sure || st.quiet()
		}
	}
	for _, f := range commitPrinted().FindAllStringSubmatch(c.Result, -1) {
		m := made
		m.Branch, m.Hash, m.Subject = f[1], f[2], strings.TrimSpace(f[3])
		if m.Branch == "detached HEAD" {
			m.Branch = ""
		}
		all = append(all, m)
	}
	if len(all) > 0 || c.Failed {
		return all
	}
	made.Hash, made.Subject = cmp.Or(c.Commit, hashAfter(c.Result, c.CommitMessage)), c.CommitMessage
	nothing := text.AnyOf(c.Result, strings.Contains, "nothing to commit", "no changes added to commit")
	shown := made.Hash != "" && !nothing || changeCount().MatchString(c.Result)
	if made.Hash+made.Subject == "" || !shown && (!sure || nothing) {
		return nil
	}
	return []Commit{made}
}

// hashAfter finds a quiet commit's hash in later output: beside its subject, alone on a line (git rev-parse HEAD), or
// as the pushed tip.
func hashAfter(out, subject string) string {
	for _, f := range logLine().FindAllStringSubmatch(out, -1) {
		if subject != "" && strings.HasPrefix(f[2], subject) {
			return f[1]
		}
	}
	if all := bareHash().FindAllString(out, -1); len(all) == 1 {
		return all[0]
	}
	if f := pushedTip().FindStringSubmatch(out); f != nil {
		return f[1]
	}
	return ""
}

// Git returns the arguments of a git command without its global flags, and the folder that it is about. Other commands
// have none.
func (st *Step) Git() (dir string, args []string) {
	if st.Program != "git" {
		return "", nil
	}
	dir, args = st.Dir, st.Args
	for len(args) > 1 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-C" && args[1] != "" {
			dir = Absolute(st.Dir, args[1])
		}
		if args[0] == "-C" || args[0] == "-c" {
			args = args[1:]
		}
		args = args[1:]
	}
	return dir, args
}
