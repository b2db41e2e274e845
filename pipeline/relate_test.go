package pipeline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/index"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// Three sessions change one another's mind about the session cache and the
// number of retries.
var changing = []talk{
	{id: "aaaaaaaa-0000-4000-8000-00000000000a", start: day, said: []string{
		"Add a session cache. Let's use Memcached for the session cache instead of files, and at most 3 retries for a job.",
		"The session cache is in Memcached now.\n\n**Decided**: use Memcached for the session cache instead of files.",
	}},
	{id: "bbbbbbbb-0000-4000-8000-00000000000b", start: day.AddDate(0, 0, 3), said: []string{
		"The cache is slow. Let's use Redis for the session cache instead of Memcached.",
		"Redis it is; the tests pass.",
	}},
	{id: "cccccccc-0000-4000-8000-00000000000c", start: day.AddDate(0, 0, 9), said: []string{
		"Good morning!", "Good morning.",
		"Ops won't run it. Let's use Postgres for the session cache instead of Redis.",
		"Done: sessions are in Postgres, the tests pass.",
	}},
}

// linksOf are a library's standing links in words.
func linksOf(t *testing.T, l *library.Library) (standing []string, lines int) {
	t.Helper()
	all, err := l.Links()
	if err != nil {
		t.Fatalf("links: %v", err)
	}
	text := map[payload.ItemID]string{}
	entries, err := l.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if p, err := l.Payload(e.ID); err == nil {
			for _, it := range p.Items {
				text[it.ID] = it.Text
			}
		}
	}
	for _, k := range payload.StandingLinks(all) {
		standing = append(standing, fmt.Sprintf("%s | %s | %s | %v", text[k.From], k.Relation, text[k.To], k.Hides()))
	}
	return standing, len(all)
}

func asked(t *testing.T, p *pipeline.Pipeline, question string) *index.Result {
	t.Helper()
	a, err := p.Index.Search(context.Background(), index.Query{Text: question,
		Kinds: []payload.Kind{payload.Decision, payload.Lead}})
	if err != nil || len(a.Items()) == 0 {
		t.Fatalf("%s: %d hits, %v", question, len(a.Items()), err)
	}
	return a.Items()[0]
}

// Whatever the order in which sessions arrive, the same links come about, and
// taking in nothing new, or the index again, adds no line.
func TestRelateInAnyOrder(t *testing.T) {
	var want []string
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		p, root := open(t, t.TempDir()), t.TempDir()
		l := p.Library
		for _, i := range order {
			changing[i].write(t, root)
			syncAll(t, p, root)
		}
		got, lines := linksOf(t, l)
		if want == nil {
			want = got
			if len(got) < 2 || !strings.Contains(strings.Join(got, "\n"), "| supersedes |") {
				t.Fatalf("links: %q", got)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order %v (-want +got)\n%s", order, diff)
		}
		syncAll(t, p, root)
		if _, err := p.Sync(context.Background(), pipeline.Options{Reindex: true}); err != nil {
			t.Fatal(err)
		}
		if _, now := linksOf(t, l); now != lines {
			t.Errorf("order %v: %d lines became %d without anything new", order, lines, now)
		}
		h := asked(t, p, "what is the session cache?")
		if !strings.Contains(h.Item.Text, "Postgres") || len(h.History) < 2 {
			t.Errorf("order %v: got %q with %d before it, want Postgres with two", order, h.Item.Text, len(h.History))
		}
	}
}

// drop takes the lines with a word out of a session's payload.md, as a person does.
func drop(t *testing.T, l *library.Library, session, word string) {
	t.Helper()
	e, err := l.Lookup(session)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(e.Folder, "payload.md")
	md, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	kept := slices.DeleteFunc(strings.SplitAfter(string(md), "\n"), func(line string) bool {
		return strings.Contains(line, word) && !strings.HasPrefix(line, "#")
	})
	if err := os.WriteFile(path, []byte(strings.Join(kept, "")), 0o600); err != nil {
		t.Fatal(err)
	}
}

// An item that a person drops loses its links, and what it had taken the place
// of stands again.
func TestDroppedSuccessor(t *testing.T) {
	p, root := open(t, t.TempDir()), t.TempDir()
	l := p.Library
	for _, k := range changing {
		k.write(t, root)
	}
	syncAll(t, p, root)
	for _, what := range []string{"goal", "passage"} { // that stands in the goal, and is shown once that is gone
		drop(t, l, "cccccccc", "Postgres")
		if r := syncAll(t, p, root); r.Edited != 1 {
			t.Fatalf("%s: edited %d payloads, want 1", what, r.Edited)
		}
	}
	standing, _ := linksOf(t, l)
	for _, link := range standing {
		if strings.Contains(link, "Postgres") {
			t.Errorf("a dropped item has a link: %s", link)
		}
	}
	if h := asked(t, p, "what is the session cache?"); !strings.Contains(h.Item.Text, "Redis") {
		t.Errorf("got %q, want Redis to stand again", h.Item.Text)
	}
}

// What was superseded isn't handed on to the next session.
func TestResumeLeavesOutSuperseded(t *testing.T) {
	p, root := open(t, t.TempDir()), t.TempDir()
	for _, k := range changing {
		k.write(t, root)
	}
	syncAll(t, p, root)
	entries, err := p.Library.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	got, err := pipeline.NextPayload(t.Context(), p.Library, p.Index, entries[0].Project, "", "")
	if err != nil {
		t.Fatal(err)
	}
	var decided []string
	for _, it := range got.Items {
		if it.Kind == payload.Lead {
			decided = append(decided, it.Text)
		}
	}
	text := strings.Join(decided, "\n")
	if !strings.Contains(text, "Postgres") || strings.Contains(text, "Use Redis") ||
		strings.Contains(text, "se Memcached") {
		t.Errorf("handed on:\n%s", text)
	}
}

// A session asked for by name is handed on as itself, whatever its thread went on to.
func TestSessionPayloadIsOfThatSession(t *testing.T) {
	p, root := open(t, t.TempDir()), t.TempDir()
	for i, said := range []string{"Sort `tides/table.go` by height.", "Round the heights of `tides/table.go` up."} {
		(talk{id: changing[i].id, start: changing[i].start, said: []string{said, "Done."}}).write(t, root)
	}
	syncAll(t, p, root)
	entries, err := p.Library.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	first := entries[0]
	thread, err := pipeline.NextPayload(t.Context(), p.Library, p.Index, first.Project, "", first.ID)
	if err != nil || len(thread.Thread) != 2 {
		t.Fatalf("a thread of %v, %v", thread, err)
	}
	got, err := pipeline.SessionPayload(t.Context(), p.Library, p.Index, first.Project, first.ID)
	if err != nil || got.Session != string(first.ID) || len(got.Thread) != 1 {
		t.Fatalf("handed on: %+v, %v", got, err)
	}
	for _, it := range got.Items {
		if strings.Contains(it.Text, "Round") {
			t.Errorf("the other session's %s is handed on: %s", it.Kind, it.Text)
		}
	}
}

// A person's word wins over the rules, for good.
func TestPersonRetracts(t *testing.T) {
	p, root := open(t, t.TempDir()), t.TempDir()
	l := p.Library
	for _, k := range changing {
		k.write(t, root)
	}
	syncAll(t, p, root)
	lines, err := l.Links()
	if err != nil {
		t.Fatal(err)
	}
	var earlier []payload.ItemID
	for _, k := range payload.StandingLinks(lines) {
		earlier = append(earlier, k.To)
		k.Op, k.Maker, k.Said = payload.OpRetract, payload.ByHuman, time.Now()
		if err := l.AppendLinks([]payload.Link{k}); err != nil {
			t.Fatal(err)
		}
	}
	// The index isn't told yet, and is known to be behind.
	now, err := pipeline.LinksNow(t.Context(), l, p.Index)
	if err != nil {
		t.Fatal(err)
	}
	if links, err := now.LinksOf(t.Context(), earlier...); err != nil || len(links) > 0 {
		t.Errorf("right after a person took all back: %v, %v", links, err)
	}
	syncAll(t, p, root)
	if _, err := p.Sync(context.Background(), pipeline.Options{Reindex: true}); err != nil {
		t.Fatal(err)
	}
	if standing, _ := linksOf(t, l); len(standing) > 0 {
		t.Errorf("after a person took all back: %q", standing)
	}
	if links, err := p.Index.LinksOf(context.Background(), earlier...); err != nil || len(links) > 0 {
		t.Errorf("in the index: %v, %v", links, err)
	}
}

// A line that can't be read is reported and costs no other.
func TestDamagedLinks(t *testing.T) {
	p, root := open(t, t.TempDir()), t.TempDir()
	l := p.Library
	for _, k := range changing {
		k.write(t, root)
	}
	syncAll(t, p, root)
	f, err := os.OpenFile(filepath.Join(l.Dir(), "links.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("{\"op\":\"wish\"}\n")
	f.Close()
	r, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Reason(), "links.jsonl") {
		t.Errorf("problems: %v, want one of links.jsonl", r.Problems)
	}
	if h := asked(t, p, "what is the session cache?"); !strings.Contains(h.Item.Text, "Postgres") || len(h.History) < 2 {
		t.Errorf("got %q with %d before it", h.Item.Text, len(h.History))
	}
}
