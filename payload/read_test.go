package payload

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadTakesWhatPeopleDo(t *testing.T) {
	for _, tt := range []struct {
		name, md string
		want     []Item
	}{
		{"other bullets, blank lines, Windows line ends",
			"## decisions made\r\n\r\n* one\r\n\r\n+ two\r\n3) three\r\n• four\r\n", []Item{
				{Kind: Decision, Text: "one"}, {Kind: Decision, Text: "two"}, {Kind: Decision, Text: "three"},
				{Kind: Decision, Text: "four"}}},
		{"no bullets", "## Decisions\none — why not\n\ntwo\n", []Item{
			{Kind: Decision, Text: "one", Why: "why not"}, {Kind: Decision, Text: "two"}}},
		{"a line without bullet under a bullet", "## Flags\n- one\ntwo\n",
			[]Item{{Kind: Flag, Text: "one"}, {Kind: Flag, Text: "two"}}},
		{"a wrapped line", "## Flags\n- one that\n  goes on\n- two\n",
			[]Item{{Kind: Flag, Text: "one that goes on"}, {Kind: Flag, Text: "two"}}},
		{"a wrapped goal", "## Current goal\nFind the race\nand fix it.\n",
			[]Item{{Kind: Goal, Text: "Find the race and fix it."}}},
		{"nested bullets become flat", "## Next action\n1. one\n   - two\n",
			[]Item{{Kind: Next, Text: "one"}, {Kind: Next, Text: "two"}}},
		{"headings of any variant and level", "### Decisions locked in\n- a\n## WARNINGS!\n- b\n# Ruled out\n- c\n", []Item{
			{Kind: Decision, Text: "a"}, {Kind: Flag, Text: "b"}, {Kind: Eliminated, Text: "c"}}},
		{"what was found, by any name", "## What was found\n- a — b\n## Root cause\n- c\n## Findings\n- d\n", []Item{
			{Kind: Finding, Text: "a", Why: "b"}, {Kind: Finding, Text: "c"}, {Kind: Finding, Text: "d"}}},
		{"headings by what they speak of",
			"## Hypothesis that survived last session\n- a\n## Architecture decisions locked in:\n- b\n## Decisions put off for later\n- c\n" +
				"## Open architectural questions (need Dev B input)\n- d\n## Current implementation status\n- e\n## Ruled out in week 3\n- f\n## Don't get drawn into\n- g\n", []Item{
				{Kind: Hypothesis, Text: "a"}, {Kind: Decision, Text: "b"}, {Kind: Deferred, Text: "c"},
				{Kind: Question, Text: "d"},
				{Kind: Status, Text: "e"}, {Kind: Eliminated, Text: "f"}, {Kind: Flag, Text: "g"}}},
		{"a heading of their own", "## Current goal\nx\n\n## Musings\n- wait for legal — they promised\n", []Item{
			{Kind: Goal, Text: "x"}, {Kind: Flag, Text: "Musings: wait for legal", Why: "they promised"}}},
		{"pins and boxes", "## Next steps\n- [pinned] a\n- [x] b\n- [ ] c\n- [Pinned] [X] d\n", []Item{
			{Kind: Next, Text: "a", Pinned: true}, {Kind: Next, Text: "b", State: Done}, {Kind: Next, Text: "c"},
			{Kind: Next, Text: "d", Pinned: true, State: Done}}},
		{"what was said isn't for editing",
			"## Decisions made\n- Owners invite (scope: in May) (said: only owners may) — because x\n",
			[]Item{{Kind: Decision, Text: "Owners invite", Scope: "in May", Why: "x", State: Stands}}},
		{"a decision's parts", "## Decisions made\n- min-heap (not: sorted list; tree) (scope: above 10k jobs) — because 4x faster (session 2, Apr 17)\n", []Item{
			{Kind: Decision, Text: "min-heap", Alternatives: []string{"sorted list", "tree"}, Scope: "above 10k jobs",
				Why: "4x faster"}}},
		{"files", "## Files in play\n- a.go\n- b.go — done\n- c.go — OFF LIMITS — generated — by protoc\n- d.go — a stub\n",
			[]Item{
				{Kind: File, Path: "a.go"}, {Kind: File, Path: "b.go", Status: FileDone},
				{Kind: File, Path: "c.go", Status: FileOffLimits, Text: "generated", Why: "by protoc"},
				{Kind: File, Path: "d.go", Text: "a stub"}}},
		{"a comment, a rule, an empty bullet, the last line",
			"## Status\n<!-- later -->\n---\n-\n- done\n\n… and 12 more: recall show 7f3c\n<!-- /recall -->\n",
			[]Item{{Kind: Status, Text: "done"}}},
		{"the last line of a handoff", "## Status\n- done\n\n… and 12 more left out\n<!-- /recall -->\n",
			[]Item{{Kind: Status, Text: "done"}}},
		{"no line end, byte order mark", "\uFEFF## Status\n- done", []Item{{Kind: Status, Text: "done"}}},
		{"a number sign", "## Current goal\n#123 is to be fixed\n", []Item{{Kind: Goal, Text: "#123 is to be fixed"}}},
		{"nothing", "", nil},
	} {
		doc, err := Read(tt.md)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var got []Item
		for _, l := range doc.Lines {
			got = append(got, l.Item)
		}
		for i := range tt.want {
			if tt.want[i].State == "" {
				tt.want[i].State = Stands
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestReadSaysWhereItFails(t *testing.T) {
	for _, tt := range []struct{ name, md, want string }{
		{"text before the sections", "# Rehydration payload: x\nnote to self\n", "line 2: text before the first section"},
		{"damaged marker", "<!-- recall k3v9t2 -->\n", "line 1: recall's marker is damaged"},
		{"two payloads", "<!-- recall k3v9t2m8qa -->\n<!-- recall b7xw4c5d2e -->\n", "line 2: a second payload begins here"},
		{"conflict", "## Status\n<<<<<<< HEAD\n- a\n", "line 2: a merge conflict leaves two versions of the file here"},
		{"code block", "## Status\n- a\n```go\n", "line 3: a code block can't be an item"},
		{"comment over lines", "<!--\nx\n-->\n", "line 1: a comment must end on its line"},
	} {
		_, err := Read(tt.md)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s…", tt.name, err, tt.want)
		}
	}
}

// Whatever Read takes, rendering what it read and reading that again gives the same.
func FuzzRead(f *testing.F) {
	for _, v := range Variants {
		f.Add(Render(example(), Options{Variant: v}).Text)
	}
	f.Add("## Goal\n\\# x — y (scope: z)\n- [x] \\[x] <\\!-- a\u00a0— b\n")
	f.Add("## Files\n- — \n- a — DONE — — b\n")
	f.Fuzz(func(t *testing.T, md string) {
		doc, err := Read(md)
		if err != nil {
			return
		}
		p := new(Payload)
		for _, l := range doc.Lines {
			it := l.Item
			it.State = Stands
			p.Items = append(p.Items, it)
		}
		Mint("s", p.Items, map[ItemID]bool{})
		first := Render(p, Options{Budget: -1, Editable: true})
		again, err := Read(first.Text)
		if err != nil {
			t.Fatalf("of %q\nrendered %q\n%v", md, first.Text, err)
		}
		if len(again.Lines) != len(first.Shown) {
			t.Fatalf("of %q\nrendered %q\ngot %d lines, want %d", md, first.Text, len(again.Lines), len(first.Shown))
		}
	})
}

// An agent's wording of what a person said stands with their words, unless it is these.
func TestLineOfANote(t *testing.T) {
	it := Item{Kind: Decision, Text: "Members may invite.", Rule: NoteRule, By: ByUser, Maker: ByModel,
		Evidence: []Evidence{{Turn: "t", N: 1, Quote: "only owners may invite (for now)"}}}
	for text, want := range map[string]string{
		"Members may invite.":              "Members may invite (said: only owners may invite [for now])",
		"Only owners may invite (for now)": "Only owners may invite (for now)"} {
		it.Text = text
		if got := LineOf(&it); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if it.Text = "Members may invite"; it.AsSaid().Text != it.Text {
		t.Errorf("a lead quotes its claim as %q", it.AsSaid().Text)
	}
}
