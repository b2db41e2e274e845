package ingest

import (
	"cmp"
	"strings"
	"time"

	"recall/internal/text"
)

// SamePlan reports whether two texts are the same plan up to small edits: nearly all lines of the shorter are in the
// longer.
func SamePlan(a, b string) bool {
	x, y := planLines(a), planLines(b)
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	if len(x) > len(y) {
		x, y = y, x
	}
	in := map[string]bool{}
	for _, line := range y {
		in[line] = true
	}
	same := 0
	for _, line := range x {
		if in[line] {
			same++
		}
	}
	return x[0] == y[0] && same*10 >= len(x)*8 && len(x)*2 >= len(y)
}

func planLines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// planWait is how long after a plan was written a session that begins with it counts as executing it.
const planWait = 7 * 24 * time.Hour

// AdoptPlans links sessions that begin with a plan to the one that made it: a plan approved "with clear context" is
// continued in a new session, and the old one shows an aborted call as if it had been refused. AdoptPlans sets the
// call's verdict and, unless something else did, the new session's Parent. The order of sessions doesn't matter.
func AdoptPlans(sessions []*Session) {
	for _, s := range sessions {
		plan := beginsWithPlan(s)
		if plan == nil {
			continue
		}
		var maker *Session
		var made *ToolCall
		for _, o := range sessions {
			if o == s {
				continue
			}
			if c := unansweredPlan(o, plan); c != nil && (made == nil || c.At.After(made.At)) {
				maker, made = o, c
			}
		}
		if made == nil {
			continue
		}
		made.Verdict = Approved
		if s.Parent == nil {
			s.Parent = &Parent{Session: maker.ID, How: HowPlan}
		}
	}
}

// beginsWithPlan returns the plan turn that a session begins with, nil if it doesn't.
func beginsWithPlan(s *Session) *Turn {
	for i := range s.Turns {
		switch t := &s.Turns[i]; t.Kind {
		case PlanTurn:
			return t
		case Prompt, Message:
			return nil
		}
	}
	return nil
}

// unansweredPlan finds the last call in s that proposed this plan and was refused without a word, or never answered.
func unansweredPlan(s *Session, plan *Turn) (last *ToolCall) {
	for t, call := range EachCall(s.Turns) {
		at := cmp.Or(call.At, t.At)
		matches := call.Plan != nil && call.open() && !at.After(plan.At) && plan.At.Sub(at) < planWait &&
			SamePlan(call.Plan.Text, plan.Text)
		if matches {
			last = call
		}
	}
	return last
}

// PlanKeys returns what links a session to others through a plan: the one it begins with, and those proposed but left
// unanswered. Sessions without a common key need no AdoptPlans. Call it before AdoptPlans.
func PlanKeys(s *Session) []string {
	var keys []string
	if plan := beginsWithPlan(s); plan != nil {
		keys = Union(keys, planKey(plan.Text))
	}
	for _, c := range EachCall(s.Turns) {
		if c.Plan != nil && c.open() {
			keys = Union(keys, planKey(c.Plan.Text))
		}
	}
	return keys
}

// open reports whether a call was refused without a word, or never answered.
func (c *ToolCall) open() bool {
	return c.Verdict == Rejected && c.Reason == "" || c.Verdict == Unasked && !c.Done
}

// planKey hashes a plan's first line, or the first two where the first says next to nothing.
func planKey(plan string) string {
	lines := planLines(plan)
	if len(lines) == 0 {
		return ""
	}
	key := lines[0]
	if len(strings.Trim(key, "# :")) < 12 && len(lines) > 1 {
		key += "\n" + lines[1]
	}
	return planKeyPrefix + text.Hash(key, 8)
}

const planKeyPrefix = "plan:"

// IsPlanKey distinguishes keys of PlanKeys from those of Head.
func IsPlanKey(key string) bool { return strings.HasPrefix(key, planKeyPrefix) }
