package offline

import (
	"cmp"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
	"recall/payload"
	"recall/prompts"
)

// source is the origin of a speech.
type source uint8

const (
	typing   source = iota // typed by a person
	refusing               // a person's words when refusing a call
	message                // the assistant's message
	plan                   // a plan that the person approved
	commit                 // a commit message
)

// A speech is one utterance: a turn's text, or a text in one of its calls.
type speech struct {
	turn      *ingest.Turn
	text      string
	source    source
	user      bool
	closing   bool       // the assistant's last message before the person speaks again
	exchange  int        // 0-based number of the exchange it belongs to
	reacts    *speech    // the assistant's message before it, a person's the closing one of the exchange before; or nil
	afterWork bool       // tools were called before it
	answer    *speech    // what closes the exchange that a person's words begin, or what they say next; or nil
	conceded  bool       // the assistant thereupon said that the person is right
	disputed  []sentence // what the person objected to and the assistant thereupon took back
	takenBack []sentence // that, and what else speaks of it
	to        *speech    // the words of a person that its exchange began with
	changes   []string   // files changed in the exchange that it began
	changed   bool       // files were changed in the exchange that it began
	actedOn   bool       // that, or a commit was made
	undone    int        // ordinal of the turn in which the last commit made in it was taken back, 0 if it stands
	suspects  *speech    // the assistant's last message before it, in its exchange, that supposed something; or nil
	planning  bool       // a plan was being made before it
	ofNotice  bool       // it follows a notice of the client
	parts     []sentence
}

// talk is a session as a conversation: what its people and its assistant said on the path
// that was kept, in order.
type talk struct {
	session    *ingest.Session
	speeches   []*speech
	commits    []*speech      // the messages of commits made
	n          int            // number of exchanges
	worked     bool           // a tool was called
	acted      bool           // one was called since what was typed last
	pushed     int            // ordinal of the turn of the last git push that worked
	unchecked  bool           // a commit was made without the repository's hooks
	branch     string         // that the last commit is on, if that isn't the session's; or ""
	tested     *trace.Action  // the last call that ran tests, or nil
	lastEdits  map[string]int // by path, the ordinal of the turn in which each file was changed last
	lastChange int            // ordinal of the turn in which files were changed last
	committed  int            // ordinal of the turn of the last commit made or begun
	asked      *speech        // what was typed last
	cut        *cut           // what it broke off at, or nil
	closing    *speech        // the assistant's last message in the current exchange, while listening
	waiting    *speech        // what was typed last, if the assistant did nothing since, or was cut off doing it
	notified   bool           // the last turn is a notice of the client
	recap      *speech        // what the client last had a model write down of the session so far, or nil
	planning   bool           // a plan is being made that the person has yet to approve
	files      []*touched     // what the session changed or spoke of
}

// A cut is what a session broke off at: a call that was refused or has no result; without one, what the client says of
// an error, or of the person who stopped the assistant.
type cut struct {
	turn *ingest.Turn
	call *ingest.ToolCall
}

// listen makes the talk of a session, without abandoned branches, copied turns and
// sub-agents.
func listen(s *ingest.Session) *talk {
	t := &talk{session: s}
	for i := range s.Turns {
		if turn := &s.Turns[i]; !turn.Aside() {
			t.turn(turn)
		}
	}
	t.n++
	if t.cut != nil || t.reportless() {
		t.waiting = t.asked
	}
	if c := t.closing; c != nil {
		c.split(true)
		c.closing = true
		if t.asked != nil {
			t.asked.answer = c
		}
	}
	return t
}

// closed reports whether it ends with the assistant's message and no open call.
func (t *talk) closed() bool { return t.closing != nil && len(t.closing.turn.Calls) == 0 }

// reportless reports whether calls were made for what was typed last, and nothing was said or committed since.
func (t *talk) reportless() bool {
	sp := t.asked
	return t.closing == nil && t.acted && sp != nil && sp.source == typing && t.committed < sp.turn.N
}

func (t *talk) turn(turn *ingest.Turn) {
	// What is said of a notice, with nothing done, answers no person.
	noticed := t.notified && len(turn.Calls) == 0
	ofNotice := noticed && t.closing != nil && len(turn.Text) < len(t.closing.text)
	t.notified = turn.Kind == ingest.Event
	switch {
	case turn.Kind == ingest.Event && turn.Name == "away-summary":
		t.recap = newSpeech(turn, turn.Text, message)
		t.recap.exchange = t.n
	case turn.Kind == ingest.Interrupt || turn.Kind == ingest.Event && turn.Name == "api-error":
		t.cut = cmp.Or(t.cut, &cut{turn: turn})
	case ofNotice && turn.Role == ingest.Assistant && turn.Kind == ingest.Message:
		if strings.TrimSpace(turn.Text) != "" {
			t.hear(turn, turn.Text, message)
		}
	case turn.Role == ingest.Assistant && turn.Kind == ingest.Message:
		t.waiting, t.cut = nil, nil
		if strings.TrimSpace(turn.Text) != "" {
			before := t.closing
			t.closing = t.hear(turn, turn.Text, message)
			t.closing.ofNotice = noticed
			t.concede()
			t.closing.reacts = before
			if before != nil && slices.ContainsFunc(before.parts, sentence.supposes) {
				t.closing.suspects = before
			} else if before != nil {
				t.closing.suspects = before.suspects
			}
		}
		for j := range turn.Calls {
			t.call(turn, &turn.Calls[j])
		}
	case typed(turn):
		t.startExchange(turn, turn.Text, typing)
		t.waiting, t.cut = t.asked, nil
	case turn.Kind == ingest.PlanTurn:
		t.hear(turn, turn.Text, plan)
	case turn.Kind == ingest.Shell: // the person's own doing: what they asked for isn't done by it
		for j := range turn.Calls {
			t.commit(turn, &turn.Calls[j])
		}
	}
}

// commit notes the commit that a call made or began.
func (t *talk) commit(turn *ingest.Turn, c *ingest.ToolCall) {
	if c.Committed() || !c.Done && ingest.Commits(c.Command) { // a session may end before a commit's result is recorded
		t.committed = turn.N
	}
	if c.CommitMessage != "" && c.Worked() {
		if sp := newSpeech(turn, c.CommitMessage, commit); len(sp.parts) > 0 {
			t.commits = append(t.commits, sp)
		}
	}
}

func (t *talk) call(turn *ingest.Turn, c *ingest.ToolCall) {
	t.worked, t.acted = true, true
	t.commit(turn, c)
	if c.Ran() {
		t.cut = nil
	} else if t.cut == nil || t.cut.turn != turn { // of several at once the person saw the first
		t.cut = &cut{turn, c}
	}
	if c.Plan != nil && c.Verdict == ingest.Approved {
		t.hear(turn, c.Plan.Text, plan)
	}
	if c.Name == "EnterPlanMode" || c.Plan != nil {
		t.planning = c.Plan == nil || c.Verdict != ingest.Approved
	}
	if c.Verdict == ingest.Rejected && c.Reason != "" && c.ReasonTurn == "" {
		t.startExchange(turn, c.Reason, refusing)
	}
}

// actOn marks the words of people whereupon files were changed or a commit was made, by whatever call, and keeps the
// messages of commits that were made and stand.
func (t *talk) actOn(did *trace.Trace) {
	told := slices.DeleteFunc(slices.Clone(did.Commits), func(c trace.Commit) bool { return c.Undone > 0 || !ours(c) })
	t.commits = slices.DeleteFunc(t.commits, func(sp *speech) bool {
		return !slices.ContainsFunc(told, func(c trace.Commit) bool { return c.N == sp.turn.N })
	})
	for _, c := range told {
		if t.branch = ""; c.Branch != t.session.Where.Branch {
			t.branch = c.Branch
		}
	}
	began := map[int]*speech{}
	t.lastEdits = map[string]int{}
	for _, sp := range t.speeches {
		if sp.user {
			began[sp.exchange] = sp
		}
	}
	changes := func(o trace.Touch) bool { return o.How != trace.Read && !o.Unsure && !isUnrelated(o.Path) }
	for i := range did.Actions {
		a := &did.Actions[i]
		pushed := a.Call.Worked() || pushedRef().MatchString(a.Call.Result)
		if pushed && slices.ContainsFunc(a.Steps, pushes) {
			t.pushed = a.N
		}
		if a.N > 0 && a.Call.Ran() && slices.ContainsFunc(a.Steps, runsTests) {
			t.tested = a
		}
		of := func(c trace.Commit) bool { return c.Call == a.Call }
		made := slices.ContainsFunc(did.Commits, of)
		t.unchecked = t.unchecked || slices.ContainsFunc(told, of) && slices.ContainsFunc(a.Steps, skipsHooks)
		changed := a.Call.Worked() &&
			(slices.ContainsFunc(a.Touches, changes) || slices.ContainsFunc(a.Steps, editsUnnamed))
		if sp := began[t.exchangeAt(a.N)]; sp != nil && !a.Abandoned && !a.Copied {
			if changed {
				t.lastChange = a.N
			}
			for _, o := range a.Touches {
				if changed && changes(o) {
					sp.changes = append(sp.changes, o.Path)
					t.lastEdits[o.Path] = a.N
				}
			}
			sp.changed = sp.changed || changed
			sp.actedOn = sp.actedOn || changed || made
			if k := slices.IndexFunc(did.Commits, of); k >= 0 && !did.Commits[k].Left {
				sp.undone = did.Commits[k].Undone
			}
		}
	}
}

// pushes reports whether a command pushes commits.
func pushes(st trace.Step) bool {
	_, args := st.Git()
	return len(args) > 0 && args[0] == "push" && !slices.ContainsFunc(args, func(a string) bool {
		return a == "--dry-run" || a == "-n" || a == "--delete" || a == "-d"
	})
}

// skipsHooks reports whether a command commits without the repository's hooks.
func skipsHooks(st trace.Step) bool {
	_, args := st.Git()
	return len(args) > 0 && args[0] == "commit" && slices.ContainsFunc(args[1:], noVerify().MatchString)
}

var noVerify = text.Pattern(`^(?:--no-verify|-[a-z]*n[a-z]*)$`)

// pushedRef matches what git push prints of a branch that it pushed.
var pushedRef = text.Pattern(`(?m)^\s*(?:\+? ?[0-9a-f]{7,}\.{2,3}[0-9a-f]{7,}|\* \[new branch\])\s+\S+ -> \S+`)

func newSpeech(turn *ingest.Turn, text string, from source) *speech {
	sp := &speech{turn: turn, text: text, source: from, user: from == typing || from == refusing}
	sp.split(false)
	return sp
}

// split cuts the speech into sentences, with or without the lines of code that it announces.
func (sp *speech) split(code bool) {
	var foreign []ingest.Foreign
	if sp.text == sp.turn.Text {
		foreign = sp.turn.Foreign
	}
	sp.parts = sentences(sp.text, sp.user, code, foreign)
}

// hear adds a speech.
func (t *talk) hear(turn *ingest.Turn, text string, from source) *speech {
	sp := newSpeech(turn, text, from)
	sp.exchange, sp.to, sp.planning = t.n, t.asked, t.planning
	t.speeches = append(t.speeches, sp)
	return sp
}

// startExchange begins an exchange with what a person said.
func (t *talk) startExchange(turn *ingest.Turn, text string, from source) {
	t.n++
	if t.asked != nil {
		t.asked.answer = t.closing
	}
	sp := t.hear(turn, text, from)
	t.asked, sp.afterWork, t.acted = sp, t.worked, false
	if t.closing != nil {
		t.closing.closing, t.closing.answer, sp.reacts = true, sp, t.closing
	}
	t.closing = nil
}

// typed reports whether a turn holds the words of whoever asked: the person, or a program that runs the client.
func typed(t *ingest.Turn) bool {
	if t.Role == ingest.Assistant || strings.TrimSpace(t.Text) == "" {
		return false
	}
	switch t.Kind {
	case ingest.Prompt:
		return strings.TrimSpace(strings.ReplaceAll(t.OwnText(), prompts.Confirm.Text(), "")) != ""
	case ingest.Command:
		return t.Name != "/compact" && len(strings.Fields(t.Text)) >= 4 // the arguments are a request
	}
	return false
}

func writes(tool string) bool {
	return slices.Contains([]string{"Write", "Edit", "MultiEdit", "NotebookEdit"}, tool)
}

// begins returns the sentences with which a speech begins, up to the first that tells something.
func (sp *speech) begins() []sentence {
	telling := slices.IndexFunc(sp.parts, func(s sentence) bool { return tells(s.text, minTelling) })
	if telling < 0 {
		return sp.parts
	}
	return sp.parts[:telling+1]
}

// foreign reports whether a sentence overlaps text that isn't its speaker's own.
func (sp *speech) foreign(s *sentence) bool {
	return sp.text == sp.turn.Text && slices.ContainsFunc(sp.turn.Foreign, func(f ingest.Foreign) bool {
		return s.from < f.To && s.to > f.From
	})
}

// idle reports whether no file was changed in the exchange of a message: it reports no work.
func (sp *speech) idle() bool { return sp.to == nil || !sp.to.changed }

// by says whose words they are.
func (sp *speech) by() payload.By {
	switch {
	case !sp.user:
		return payload.ByAssistant
	case sp.turn.Role == ingest.Program:
		return payload.ByProgram
	}
	return payload.ByUser
}

// concede marks what the assistant takes back by its message: of what it said before the person's last words, the
// passage that shares most with these and with how it begins.
func (t *talk) concede() {
	if t.asked == nil || t.asked.reacts == nil || !concedes().MatchString(t.closing.text) {
		return
	}
	t.asked.conceded = true
	said, most := t.asked.reacts, 1
	objected := keywords(t.asked.text + " " + passage{t.closing, t.closing.begins()}.text())
	for _, p := range said.passages() {
		if n := keywords(p.text()).Shared(objected); n > 1 {
			said.takenBack = append(said.takenBack, p.run...)
			if n > most {
				most, said.disputed = n, p.run
			}
		}
	}
}

// concedes matches the beginning of a message in which its speaker was wrong before.
var concedes = text.Pattern(`(?i)^\W*(?:(?:ah|oh|hm+|yes|right|sorry|ja)\W+)*` +
	`(?:you(?:['’]re| are) (?:\w+ly )?(?:right|correct)|my (?:mistake|bad|apologies)|` +
	`i (?:was wrong|misread|misunderstood|stand corrected)|du hast recht|mein fehler)\b`)

func asks(said string) bool {
	return text.AnyOf(strings.TrimRight(said, "`*) "), strings.HasSuffix, "?", "？")
}

// reports reports whether a speech tells its reader something. An assistant's message does
// if it is the last before the person speaks, or long enough not to be narration.
func (sp *speech) reports() bool {
	return sp.source != message || sp.closing || len(sp.text) >= 250 || len(sp.parts) >= 3
}
