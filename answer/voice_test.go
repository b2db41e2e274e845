package answer

import (
	"strings"
	"testing"
	"time"

	"recall/payload"
)

// What a plan says, the assistant wrote and a person approved: neither is said to have said it.
func TestPlanSpeaksForItself(t *testing.T) {
	it := payload.Item{Kind: payload.Lead, Rule: "plan", By: payload.ByBoth, Maker: payload.ByRule, State: payload.Stands,
		Text: "Plan: importer", At: time.Date(2026, 8, 3, 0, 0, 0, 0, time.UTC)}
	for _, said := range []string{Record(it, 2), stated(it)} {
		if !strings.Contains(said, "the approved plan said") {
			t.Errorf("%q doesn't say that it is of a plan", said)
		}
	}
	goal := it
	goal.Kind, goal.Rule = payload.Goal, payload.RequestRule
	if who := (Voice{}).Who(goal); !strings.Contains(who, "accepted plan") {
		t.Errorf("a plan as goal is by %q", who)
	}
}
