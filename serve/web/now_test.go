package web

import (
	"testing"
	"time"

	"recall/answer/history"
	"recall/library"
)

// A week's bar is named after its first day, and the last one ends today, whatever the time of day.
func TestWeekly(t *testing.T) {
	now := time.Date(2026, 11, 23, 0, 30, 0, 0, time.UTC)
	var entries []library.Entry
	for _, begun := range []string{"2026-11-23T00:10", "2026-11-20T09:00", "2026-11-17T00:00",
		"2026-11-16T23:59", "2026-05-25T23:59"} {
		at, err := time.Parse("2006-01-02T15:04", begun)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, library.Entry{Meta: library.Meta{Start: at}})
	}
	bars := weekly(entries, now)
	if got, want := bars[weeks-2:], [2]bar{{"10 Nov", 1, 33}, {"17 Nov", 3, 100}}; [2]bar(got) != want {
		t.Errorf("the last two weeks are %v, want %v", got, want)
	}
	if got := bars[0]; got != (bar{"26 May", 0, 0}) {
		t.Errorf("the first week is %v, want none of 25 May in it", got)
	}
}

// A day's bar is as long as its part of the dearest day; days between have none.
func TestBars(t *testing.T) {
	u := &history.Usage{By: "day", Sessions: &history.Took{}}
	u.Sessions.Rows = []history.Row{{Name: "unknown", Cost: 9}, {Name: "2026-11-01", Cost: 4},
		{Name: "2026-11-03", Cost: 2}}
	days := spentOf(u)
	if len(days) != mostBars {
		t.Fatalf("%d bars are drawn, want %d", len(days), mostBars)
	}
	want := [3]spentBar{{"2026-11-01", "2026-11-01", 4, 100}, {"2026-11-02", "2026-11-02", 0, 0},
		{"2026-11-03", "2026-11-03", 2, 50}}
	if got := [3]spentBar(days[mostBars-3:]); got != want {
		t.Errorf("the last days are %v, want %v", got, want)
	}
	u.By, u.Sessions.Rows = "month", []history.Row{{Name: "2026-11", Cost: 4}}
	if got := spentOf(u)[mostBars-1]; got != (spentBar{"2026-11-01", "2026-11-30", 4, 100}) {
		t.Errorf("the month is %v", got)
	}
	if u.By, u.Sessions.Rows = "model", []history.Row{{Name: "claude-opus-4-8", Cost: 4}}; spentOf(u) != nil {
		t.Error("models are drawn over time")
	}
}
