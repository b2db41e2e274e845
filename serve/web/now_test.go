package web

import (
	"testing"
	"time"

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
