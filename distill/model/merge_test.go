package model

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/distill"
	"recall/ingest"
	"recall/internal/llm"
	"recall/payload"
)

// inWindows improves a session in which each list of lines is a window of its
// own, by talk before them that fills most of one.
func inWindows(t *testing.T, windows ...[]string) *payload.Payload {
	t.Helper()
	s := session("u: goal! Order the jobs by age and keep the workers busy")
	for i, lines := range windows {
		say(s, "u: "+filler(i, 500)) // two of these don't fit into one
		for _, l := range lines {
			say(s, l)
		}
	}
	m := &scripted{}
	p := must(t, improver(t, m, newMemory(), func(o *Options) { o.Window = 1600 }), s, nil)
	if n := len(m.of("extract")); n != len(windows) {
		t.Fatalf("got %d windows, want %d", n, len(windows))
	}
	return p
}

// What one answer tells apart are two things, however alike they sound; what a later
// one says of the same turn is the same.
func TestMergeOneAnswer(t *testing.T) {
	item := func(text string) *grounded {
		return &grounded{payload.Item{Kind: payload.Decision, Text: text, State: payload.Stands,
			Evidence: []payload.Evidence{{Turn: "r1", Quote: "yes"}}}, &found{}}
	}
	message := item("The list shows the commit that belongs to the job instead of the prompt.")
	fallback := item("When no commit is found for a job, the list falls back to the prompt.")
	for want, windows := range map[int][][]*grounded{2: {{message, fallback}}, 1: {{message}, {fallback}}} {
		l := &ledger{session: session(), dropped: map[string]int{}}
		for _, items := range windows {
			l.take(items, nil, nil)
		}
		if got := len(l.items()); got != want {
			t.Errorf("in %d answers: got %d items, want %d", len(windows), got, want)
		}
	}
}

func TestMergeWindows(t *testing.T) {
	for name, tt := range map[string]struct {
		windows [][]string
		want    []string
	}{
		"said again": {[][]string{{"u: decision! Use a heap for the order of the jobs"},
			{"a: decision! Use a heap for the order of the jobs"}},
			[]string{"decision Use a heap for the order of the jobs"}},
		"restated": {[][]string{{"u: decision! Use a heap for the jobs"},
			{"u: decision!i2 restates! The jobs are kept in a heap with a sequence number"}},
			[]string{"decision The jobs are kept in a heap with a sequence number"}},
		"refined": {[][]string{{"u: decision! Use a heap for the jobs"},
			{"u: decision!i2 refines! Above ten thousand the heap is split in two"}},
			[]string{"decision Use a heap for the jobs", "decision Above ten thousand the heap is split in two"}},
		"superseded": {[][]string{{"u: decision! Use a heap for the jobs"},
			{"u: decision!i2 supersedes! Use a ring buffer after all"}},
			[]string{"decision Use a heap for the jobs (superseded)", "decision Use a ring buffer after all"}},
		"revoked": {[][]string{{"u: decision! Use a heap for the jobs"},
			{"u: eliminated!i2 revokes! A heap was tried and it was too slow"}},
			[]string{"decision Use a heap for the jobs (revoked)", "eliminated A heap was tried and it was too slow"}},
		"done": {[][]string{{"u: next! Measure the heap at night", "u: next! Write the page about it"}, {"a: done! i2"}},
			[]string{"next Measure the heap at night (done)", "next Write the page about it"}},
		"a decision isn't done": {[][]string{{"u: decision! Use a heap for the jobs"}, {"a: done! i2"}},
			[]string{"decision Use a heap for the jobs"}},
		"dropped": {[][]string{{"u: decision! Use a heap for the jobs"},
			{"u: we don't use a heap any more", "a: dropped! i2"}},
			[]string{"decision Use a heap for the jobs (revoked)"}},
		"dropped where something else is spoken of": {[][]string{{"u: decision! Use a heap for the jobs"},
			{"u: the colours are next", "a: then the page", "a: dropped! i2"}},
			[]string{"decision Use a heap for the jobs"}},
		"unknown ids": {[][]string{{"u: decision! Use a heap for the jobs"},
			{"u: decision!i77 supersedes! The workers poll every two seconds", "a: done! i99"}},
			[]string{"decision Use a heap for the jobs", "decision The workers poll every two seconds"}},
		"another number": {[][]string{{"u: decision! The workers try again 3 times"},
			{"u: decision! The workers try again 5 times"}},
			[]string{"decision The workers try again 3 times", "decision The workers try again 5 times"}},
		"the opposite": {[][]string{{"u: decision! The page shows the older jobs first"},
			{"u: decision! The page never shows the older jobs first"}},
			[]string{"decision The page shows the older jobs first", "decision The page never shows the older jobs first"}},
		"a later goal": {[][]string{{"u: goal! Find the leak in the queue"}},
			[]string{"goal Order the jobs by age and keep the workers busy (superseded)", "goal Find the leak in the queue"}},
		"a file": {[][]string{{"u: file! queue/order.go Holds the heap"},
			{"u: file! ./queue/order.go Holds the heap and the sequence"}},
			[]string{"file Holds the heap and the sequence"}},
	} {
		p := inWindows(t, tt.windows...)
		got := texts(p)
		if strings.HasPrefix(got[0], "goal Order") && !strings.HasPrefix(tt.want[0], "goal") {
			got = got[1:]
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// What rules know of files and of the goal is added where the model said nothing.
func TestRulesAdd(t *testing.T) {
	rules := &payload.Payload{Items: []payload.Item{
		{Kind: payload.Goal, Text: "by rules", Maker: payload.ByRule, State: payload.Stands,
			Evidence: []payload.Evidence{{Turn: "r1", Quote: "Put the jobs in order"}}},
		{Kind: payload.File, Path: "queue/order.go", Text: "Edited.", Status: payload.FileDone, Maker: payload.ByRule,
			Evidence: []payload.Evidence{{Turn: "r1", Quote: "Put the jobs in order"}}},
		{Kind: payload.File, Path: "queue/pool.go", Text: "Hands off.", Status: payload.FileOffLimits,
			Maker: payload.ByRule, Evidence: []payload.Evidence{{Turn: "r1", Quote: "Put the jobs in order"}}},
		{Kind: payload.File, Path: "queue.svg", Text: "Shown.", Status: payload.FileDone, Maker: payload.ByRule,
			Rule: distill.ShownRule, Evidence: []payload.Evidence{{Turn: "r1", Quote: "Put the jobs in order"}}},
		{Kind: payload.Decision, Text: "by rules", Maker: payload.ByRule, Confidence: 0.9,
			Evidence: []payload.Evidence{{Turn: "r1", Quote: "Put the jobs in order"}}},
	}}
	s := session("u: Put the jobs in order", "a: file! queue/order.go Holds the heap",
		"a: decision! Use a heap for the jobs")
	p := must(t, improver(t, &scripted{}, newMemory(), nil), s, rules)
	want := []string{"goal by rules", "decision Use a heap for the jobs", "file Holds the heap", "file Hands off.",
		"file Shown."}
	if d := cmp.Diff(want, texts(p)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestRelative(t *testing.T) {
	l := &ledger{session: &ingest.Session{Where: ingest.Where{Cwds: []ingest.CwdCount{{Dir: "/tmp", Turns: 1},
		{Dir: "/home/dev/p/.worktrees/1", Turns: 9}},
		Worktree: &ingest.Worktree{Path: "/var/w", Original: `C:\src\p`}},
		Turns: []ingest.Turn{{Calls: []ingest.ToolCall{{Path: "/tmp/y.txt"}}}}}}
	for in, want := range map[string]string{
		"/home/dev/p/.worktrees/1/a.go": "a.go", "/home/dev/p/cmd/a.go": "cmd/a.go", "/var/w/a.go": "a.go",
		`C:\src\p\cmd\a.go`: "cmd/a.go",
		"./a.go":            "a.go", "b/../a.go": "a.go", "/etc/hosts": "/etc/hosts", "": "", "/tmp/x.txt": "x.txt", "y.txt": "y.txt",
	} {
		if got := l.relative(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// A file has one name, whether its session went into a folder or not; a home is no project.
func TestFilesAreNamedFromWhereItBegan(t *testing.T) {
	for began, want := range map[string]string{"/home/dev/p": "src/a.go", "/home/dev": "a.go", `C:\Users\dev`: "a.go",
		"/home/dev/other": "a.go"} {
		in := "/home/dev/p/src"
		if strings.HasPrefix(began, "C:") {
			in = began + `\src`
		}
		l := &ledger{session: &ingest.Session{Where: ingest.Where{Cwds: []ingest.CwdCount{{Dir: began, Turns: 2},
			{Dir: in, Turns: 9}}}}}
		if got := l.relative(in + "/a.go"); got != want {
			t.Errorf("begun in %s: got %q, want %q", began, got, want)
		}
	}
}

// What a model may put into an item, and what is left of it.
// Other words are cleaned: each once, none that the item says itself, none too long or too many; a file is
// looked for by its name.
func TestOtherWords(t *testing.T) {
	f := found{Kind: "decision", Text: "Use a heap for the jobs", Evidence: []cited{{"t1", "Use a heap for the jobs"}},
		Confidence: "high",
		Aliases: many[word]{"", "heap", `"priority list"`, "priority list", "first in line\nnext",
			word(strings.Repeat("x", 300)), "what comes first of all jobs", "<!-- recall k3v9t2m8qa -->"},
		Asks: many[word]{"Which of all the jobs that wait in the queue of a worker is taken first?",
			"How are jobs sorted?", "Which first?", "A third?"}}
	for i := range 20 {
		f.Aliases = append(f.Aliases, word(fmt.Sprintf("alias %d", i)))
	}
	file, none := f, f
	file.Kind, file.Path, file.Text = "file", "a.go", "Holds the heap"
	none.Kind, none.Text, none.Aliases, none.Asks = "flag", "The heap isn't for two writers", nil, nil
	m := &scripted{answer: func(llm.Request) (string, error) {
		data, err := json.Marshal(answer{Items: []found{f, file, none}})
		return string(data), err
	}}
	p := must(t, improver(t, m, newMemory(), nil), session("u: Use a heap for the jobs, not for two writers"), nil)
	got := map[payload.Kind][]string{}
	for _, it := range p.Items {
		got[it.Kind] = it.Aliases
	}
	want := map[payload.Kind][]string{payload.File: nil, payload.Flag: nil, payload.Decision: {"priority list",
		"first in line next", "alias 0", "alias 1", "alias 2", "alias 3", "alias 4", "alias 5", "alias 6", "alias 7",
		"How are jobs sorted?", "Which first?"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// What is one item in two windows has the other words of both, the later ones first.
func TestOtherWordsAreUnited(t *testing.T) {
	l := &ledger{session: session(), dropped: map[string]int{}}
	for i := range 5 {
		it := payload.Item{Kind: payload.Decision, Text: "Use a heap for the jobs", State: payload.Stands,
			Evidence: []payload.Evidence{{Turn: "r1", Quote: "yes"}}, Aliases: []string{"priority list"}}
		for k := range i * 2 {
			it.Aliases = append(it.Aliases, fmt.Sprintf("alias %d of %d", k, i))
		}
		l.take([]*grounded{{it, &found{}}}, nil, nil)
	}
	items := l.items()
	if len(items) != 1 || len(items[0].Aliases) != maxAliases+maxAsks || items[0].Aliases[1] != "alias 0 of 4" ||
		items[0].Aliases[9] != "alias 0 of 3" {
		t.Errorf("got %d items, %q", len(items), items[0].Aliases)
	}
}

func TestOddItems(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	huge := strings.Repeat("heap ", 2_000) + "long"
	ev := []cited{{"t1", "Use a heap for the jobs"}} // beside which all is said that follows
	a := answer{Items: []found{
		{Kind: "Decision", Text: "Use a heap\nfor the\x00 jobs\x1b\u202e.", Why: "because it is fast", Evidence: ev,
			By: "the user", Alternatives: many[word]{"", "list", "list", word(huge)}},
		{Kind: "idea", Text: "Use a heap for the jobs", Evidence: ev},
		{Kind: "flag", Text: "", Evidence: ev},
		{Kind: "flag", Text: "Use a heap <!-- recall k3v9t2m8qa --> for the jobs", Evidence: ev},
		{Kind: "file", Text: "Use a heap for the jobs", Evidence: ev},
		{Kind: "file", Path: "a.go", Text: "Use a heap for the jobs", Status: "done", Evidence: ev},
		{Kind: "flag", Text: word("Use a heap for the jobs " + huge), Evidence: ev},
		{Kind: "question", Text: "Use a heap for the jobs or not?", Evidence: nil},
		{Kind: "decision", Text: "Use two heaps for the jobs", Evidence: ev, Confidence: "low"},
	}}
	for i := range 10_000 {
		a.Items = append(a.Items, found{Kind: "decision", Text: word(fmt.Sprintf("Heap number %d for the jobs", i)),
			Evidence: ev})
	}
	m := &scripted{answer: func(r llm.Request) (string, error) {
		if r.Task != "extract" {
			return obey(r)
		}
		data, err := json.Marshal(a)
		return string(data), err
	}}
	p := must(t, improver(t, m, newMemory(), nil), session("u: Use a heap for the jobs",
		"a: A heap, not a list: it is very fast."), nil)
	d := p.Items[0]
	if d.Text != "Use a heap for the jobs." || d.Why != "it is fast" || d.By != payload.ByAssistant ||
		len(d.Alternatives) != 2 || len(d.Alternatives[1]) > 130 {
		t.Errorf("got %+v", d)
	}
	for _, it := range p.Items {
		if len(it.Text) > maxText+4 {
			t.Errorf("%s of %d bytes", it.Kind, len(it.Text))
		}
		if it.Kind == payload.File && (it.Path != "a.go" || it.Status != payload.FileDone) {
			t.Errorf("got file %+v", it)
		}
	}
	want := map[string]int{dropKind: 1, dropEmpty: 2, dropMarker: 1, dropDoubted: 1, "no evidence": 1,
		distill.MendSaid: 141, // the numbers
		dropTooMany:      10_009 - maxItems}
	if d := cmp.Diff(want, p.Dropped); d != "" {
		t.Errorf("dropped (-want +got):\n%s", d)
	}
}
