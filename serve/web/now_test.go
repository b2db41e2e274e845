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

// A day's bar is made of its projects' parts, which reach the top on the dearest day; who spent least are one part.
func TestBars(t *testing.T) {
	s := &spent{Projects: []string{"billing", "web", "others"},
		Bars: []spentBar{{From: "2026-11-01"}, {From: "2026-11-02"}, {From: "2026-11-03"}}}
	s.draw(map[string]map[string]float64{
		"2026-11-01": {"billing": 3, "web": 1},
		"2026-11-03": {"billing": 1, "tiny": 0.5, "small": 0.5},
	})
	days := s.Bars
	if days[0].Cost != 4 || days[1].Cost != 0 || days[2].Cost != 2 {
		t.Fatalf("the days are %v", days)
	}
	if got, want := days[0].Parts, [2]spentPart{{0, 0, 75}, {1, 75, 25}}; len(got) != 2 || [2]spentPart(got) != want {
		t.Errorf("the dearest day is %v, want %v", got, want)
	}
	if got, want := days[2].Parts, [2]spentPart{{0, 0, 25}, {2, 25, 25}}; len(got) != 2 || [2]spentPart(got) != want {
		t.Errorf("the third day is %v, want %v", got, want)
	}
}
