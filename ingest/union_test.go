package ingest_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

// talkOf is a session of prompts and answers in turn, a minute each, with ids of their records or their places.
func talkOf(source ingest.Source, positions bool, first int, said ...string) *ingest.Session {
	s := &ingest.Session{ID: "s", Source: source}
	for i, text := range said {
		t := ingest.Turn{ID: ingest.TurnID(fmt.Sprint("r-", text)), Role: ingest.User, Kind: ingest.Prompt, Text: text,
			At: time.Date(2026, 3, 1, 9, first+i, 0, 0, time.UTC), Dir: "/home/ann/app"}
		if positions {
			t.ID = ingest.TurnID(fmt.Sprint("L", i+1))
		}
		if t.Records = []string{string(t.ID)}; i%2 == 1 {
			t.Role, t.Kind = ingest.Assistant, ingest.Message
		}
		s.Count(t)
	}
	s.NameByPrompt()
	return s
}

// What a source no longer has stays, marked, where it was said.
func TestUniteVersions(t *testing.T) {
	for name, tt := range map[string]struct {
		source    ingest.Source
		positions bool
		from      int // minute at which what is there now begins
		now       []string
		want      []string
		title     string
	}{
		"grown":          {ingest.ClaudeCode, false, 0, []string{"a", "b", "c", "d", "e"}, []string{"a", "b", "c", "d", "e"}, "a"},
		"emptied":        {ingest.ClaudeCode, false, 0, nil, []string{"-a", "-b", "-c", "-d"}, "a"},
		"cut":            {ingest.ClaudeCode, false, 0, []string{"a", "b"}, []string{"a", "b", "-c", "-d"}, "a"},
		"its middle cut": {ingest.ClaudeCode, false, 0, []string{"a", "d"}, []string{"a", "-b", "-c", "d"}, "a"},
		"replaced":       {ingest.Codex, true, 30, []string{"x", "y"}, []string{"-a", "-b", "-c", "-d", "x", "y"}, "a"},
		"taken back":     {ingest.OpenCode, false, 0, []string{"a", "b"}, []string{"a", "b", "~c", "~d"}, "a"},
	} {
		s := talkOf(tt.source, tt.positions, tt.from, tt.now...)
		if name == "its middle cut" {
			s.Turns[1].At = s.Turns[1].At.Add(2 * time.Minute)
		}
		earlier := talkOf(tt.source, tt.positions, 0, "a", "b", "c", "d")
		s.Subagents = []ingest.Subagent{{ID: "x", Turns: slices.Clone(s.Turns)}}
		earlier.Subagents = []ingest.Subagent{{ID: "x", Turns: slices.Clone(earlier.Turns)}}
		any := ingest.UniteVersions(s, earlier)
		ingesttest.Equal(t, name+": its sub-agent", len(s.Subagents[0].Turns), len(tt.want))
		var got []string
		ids := map[ingest.TurnID]bool{}
		for i, turn := range s.Turns {
			mark := ""
			switch {
			case turn.Gone && turn.Abandoned:
				mark = "~"
			case turn.Gone:
				mark = "-"
			}
			got = append(got, mark+turn.Text)
			if ids[turn.ID] || turn.N != i+1 {
				t.Errorf("%s: turn %d has number %d and the id %s of another", name, i+1, turn.N, turn.ID)
			}
			ids[turn.ID] = true
		}
		ingesttest.Equal(t, name, got, tt.want)
		ingesttest.Equal(t, name+": title", s.Title, tt.title)
		ingesttest.Equal(t, name+": any", any, name != "grown")
		ingesttest.Equal(t, name+": in the folder", s.Where.Cwds[0].Turns, len(tt.want))
		ingesttest.Equal(t, name+": start", s.Start.Minute(), 0)
	}
}

// A prompt that waited in an earlier version, and was taken back since, isn't one that the source lost; nor is one that
// turned out to be a program's.
func TestTakenBackIsNotCarried(t *testing.T) {
	for name, back := range map[string][]string{"lost": nil, "taken back": {"t:waited"}} {
		now, earlier := talkOf(ingest.ClaudeCode, false, 0, "a", "b"), talkOf(ingest.ClaudeCode, false, 0, "a", "b", "waited")
		waited := &earlier.Turns[2]
		waited.ID, waited.Records, waited.Keys, waited.Queued = "L3", []string{"L3"}, []string{"t:waited"}, true
		now.TakenBack = back
		any := ingest.UniteVersions(now, earlier)
		ingesttest.Equal(t, name, any, back == nil)
		ingesttest.Equal(t, name+": turns", len(now.Turns) == 3, back == nil)
	}
	now, earlier := talkOf(ingest.ClaudeCode, false, 0, "waited"), talkOf(ingest.ClaudeCode, true, 0, "waited")
	now.Turns[0].Role, earlier.Turns[0].Queued = ingest.Program, true
	ingesttest.Equal(t, "a program's", ingest.UniteVersions(now, earlier), false)
}
