package ingest

import (
	"testing"
	"time"
)

func TestAdoptPlans(t *testing.T) {
	const text = "# Cache\n\n- in-process LRU\n- 10,000 entries\n"
	at := func(minute int) time.Time { return day.Add(time.Duration(minute) * time.Minute) }
	planned := func(verdict Verdict, reason, plan string) *Session {
		return &Session{ID: "old", Turns: []Turn{{Role: Assistant, Kind: Message, At: at(1), Calls: []ToolCall{
			{Name: "ExitPlanMode", Done: true, At: at(2), Verdict: verdict, Reason: reason, Plan: &Plan{Text: plan}}}}}}
	}
	begun := func(minute int) *Session {
		return &Session{ID: "new", Turns: []Turn{{Role: User, Kind: Command, Name: "/clear"},
			{Role: User, Kind: PlanTurn, At: at(minute), Text: text}}}
	}
	tests := []struct {
		name     string
		old, new *Session
		adopted  bool
	}{
		{"broken off", planned(Rejected, "", text), begun(3), true},
		{"a last touch", planned(Rejected, "", "# Cache\n- in-process LRU\n- 10,000 entries\n- metrics"), begun(3), true},
		{"refused with a reason", planned(Rejected, "no LRU", text), begun(3), false},
		{"another plan", planned(Rejected, "", "# Index\n- FTS5"), begun(3), false},
		{"long before", planned(Rejected, "", text), begun(60 * 24 * 30), false},
		{"afterwards", planned(Rejected, "", text), begun(1), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			AdoptPlans([]*Session{tt.new, tt.old})
			call := tt.old.Turns[0].Calls[0]
			if got := call.Verdict == Approved; got != tt.adopted {
				t.Errorf("verdict: got %q, want approved %t", call.Verdict, tt.adopted)
			}
			if got := tt.new.Parent != nil && *tt.new.Parent == (Parent{Session: "old", How: HowPlan}); got != tt.adopted {
				t.Errorf("parent: got %+v, want it %t", tt.new.Parent, tt.adopted)
			}
		})
	}
}
