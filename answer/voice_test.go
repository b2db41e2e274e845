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
	if said := Record(it, payload.Origin{Number: 2}); !strings.Contains(said, "the approved plan said") {
		t.Errorf("%q doesn't say that it is of a plan", said)
	}
	goal := it
	goal.Kind, goal.Rule = payload.Goal, payload.RequestRule
	if who := (Voice{}).Who(goal); !strings.Contains(who, "accepted plan") {
		t.Errorf("a plan as goal is by %q", who)
	}
}

// A passage of an approved plan isn't told as what the assistant said in the conversation.
func TestPassageOfAPlan(t *testing.T) {
	it := payload.Item{Kind: payload.Lead, Rule: "plan", Maker: payload.ByRule, By: payload.ByBoth,
		State: payload.Stands, Text: "The index is a cache.", At: time.Unix(0, 0)}
	got := [2]string{Voice{Agent: true}.Who(it), Record(it, payload.Origin{})}
	if want := [2]string{"the user, accepted plan", "the approved plan said 1970-01-01"}; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDay(t *testing.T) {
	noon := time.Date(2026, 5, 4, 12, 0, 0, 0, time.Local)
	ahead := time.Now().AddDate(5, 0, 0)
	for at, want := range map[time.Time]string{{}: "no date", noon: "2026-05-04",
		ahead: ahead.Format(time.DateOnly) + " (by a clock that was ahead)"} {
		if got := Day(at); got != want {
			t.Errorf("%v is %q, want %q", at, got, want)
		}
	}
}
