package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/answer"
	"recall/answer/history"
	"recall/cmd/recall/terminal"
	"recall/distill/relate"
	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
)

func noon(month time.Month, day int) time.Time {
	return time.Date(2026, month, day, 12, 0, 0, 0, time.Local)
}

// goldenItem is an item of a session with its evidence in one turn.
func goldenItem(id string, kind payload.Kind, at time.Time, turn int, text, why, quote string) index.Item {
	return index.Item{Item: payload.Item{ID: payload.ItemID(id), Kind: kind, Text: text, Why: why, At: at,
		State: payload.Stands, By: payload.ByUser, Maker: payload.ByRule,
		Evidence: []payload.Evidence{{Turn: fmt.Sprint("t", turn), N: turn, Quote: quote}}}}
}

func goldenSession(project string, at time.Time, title string, items ...index.Item) index.Doc {
	d := index.Doc{Session: project + at.Format("-01-02-") + title, Project: project, Title: title, Start: at, End: at,
		Items: items}
	for _, it := range items {
		e := it.Evidence[0]
		d.Turns = append(d.Turns, index.Turn{ID: e.Turn, N: e.N, Role: "user", At: at, Text: e.Quote})
	}
	return d
}

// goldenAnswer asks an index of these sessions, related as sync does it, and
// gives what a terminal of 128 columns shows.
func goldenAnswer(t *testing.T, l *library.Library, question string, docs ...index.Doc) (string, answer.Verdict) {
	t.Helper()
	ctx := context.Background()
	x, err := index.Open(filepath.Join(t.TempDir(), "index.db"))
	must(t, err)
	defer x.Close()
	must(t, x.PutAll(ctx, docs))
	var items []relate.Item
	for _, d := range docs {
		for _, it := range d.Items {
			items = append(items, relate.Item{Item: it.Item, Session: d.Session, Start: d.Start})
		}
	}
	links := relate.Links(items)
	for _, it := range items { // an option that lost had been decided: only a person says that it no longer holds
		i := slices.IndexFunc(items, func(o relate.Item) bool { return slices.Contains(it.Alternatives, o.Text) })
		if i >= 0 {
			links = append(links, payload.Link{Op: payload.OpLink, Relation: payload.Supersedes, From: it.ID, To: items[i].ID,
				FromSession: it.Session, ToSession: items[i].Session, Maker: payload.ByHuman, At: it.At})
		}
	}
	must(t, x.PutLinks(ctx, links, "", nil, nil))
	q := answer.Question{Query: index.Query{Text: question}, Most: 5}
	ans, err := answer.Ask(ctx, x, nil, q)
	must(t, err)
	if l != nil && len(ans.Results) > 0 {
		ans.Results[0].Since = history.ChangedSince(ctx, l, ans.Results[0].Placed())
	}
	var b strings.Builder
	p := terminal.Page{W: &b, Width: 128}
	p.Answer(&ans)
	return b.String(), ans.Verdict
}

// repository is a git repository with three commits to a file in May.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := filepath.Join(t.TempDir(), "billing")
	file := filepath.Join(dir, "src", "queue", "backoff.ts")
	must(t, os.MkdirAll(filepath.Dir(file), 0o700))
	git := func(at time.Time, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c",
			"commit.gpgsign=false"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_COMMITTER_DATE="+at.Format(time.RFC3339),
			"GIT_AUTHOR_DATE="+at.Format(time.RFC3339))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git(noon(4, 1), "init", "-q")
	for i, at := range []time.Time{noon(4, 1), noon(5, 1), noon(5, 2), noon(5, 3)} {
		must(t, os.WriteFile(file, fmt.Appendf(nil, "// %d\n", i), 0o600))
		git(at, "add", ".")
		git(at, "commit", "-q", "-m", fmt.Sprint("change ", i))
	}
	return dir
}

// The answers that the design draws. The third is asked with a word for "font"
// that stands nowhere: only then is "nothing decided" said outright.
func TestDrawnAnswers(t *testing.T) {
	l, err := library.Create(filepath.Join(t.TempDir(), "Recall"))
	must(t, err)
	defer l.Close()
	if _, err := l.ProjectFor(ingest.Project{Name: "billing", Root: repository(t)}); err != nil {
		t.Fatal(err)
	}

	backoff := goldenItem("backoff222", payload.Decision, noon(4, 15), 41,
		"Retries use exponential backoff with jitter, at most 5, then the dead-letter queue.",
		"jitter tested; fixed delays synchronised the workers",
		"five tries then DLQ, and put jitter on it, we saw the thundering herd last week")
	backoff.By, backoff.Rule, backoff.Scope = payload.ByBoth, "plan", "job workers only"
	backoff.Alternatives, backoff.About = []string{"fixed 30 s delay"}, []string{"src/queue/backoff.ts"}
	tenant := goldenItem("tenant2222", payload.Deferred, noon(4, 15), 52,
		"Retry counts per tenant: deferred until billing lands", "", "counts per tenant later, when billing lands")
	client := goldenItem("httpclient", payload.Eliminated, noon(4, 15), 44, "retry in the HTTP client", "double retries",
		"not in the http client, that's double retries")
	backoff.Aliases, tenant.Aliases, client.Aliases = []string{"retry policy of the workers"},
		[]string{"retry limit of a tenant"}, []string{"client-side retries"}
	retries := []index.Doc{
		goldenSession("billing", noon(4, 13), "Failed jobs", goldenItem("fixed22222", payload.Decision, noon(4, 13), 12,
			"fixed 30 s delay", "", "retry after 30 s, keep it simple")),
		goldenSession("billing", noon(4, 15), "Retry policy", backoff,
			tenant, client),
	}
	for i := range 10 {
		at := noon(4, 16+i)
		retries = append(retries, goldenSession("billing", at, "Invoices",
			goldenItem(fmt.Sprintf("invoice%03d", i), payload.Decision, at, 3, fmt.Sprintf("Invoice layout %d has a footer", i),
				"", "put a footer on it")))
	}

	var cache []index.Doc
	for i := range 4 {
		at := noon(2, 1+i)
		cache = append(cache, goldenSession("billing", at, "Pages", goldenItem(fmt.Sprintf("page%06d", i), payload.Decision,
			at, 2, fmt.Sprintf("Page %d is static", i), "", "make it static")))
	}
	cache = append(cache, goldenSession("billing", noon(3, 2), "Cache",
		goldenItem("redis22222", payload.Eliminated, noon(3, 2), 88, "Redis",
			"another server to run; the LRU cache met the target",
			"redis is out, it's another server to run and the lru cache meets the target")))

	var fonts []index.Doc
	items := 0
	for i := range 61 {
		project, at := []string{"app", "site", "shop"}[i%3], noon(2, 1).AddDate(0, 0, i)
		d := goldenSession(project, at, fmt.Sprint("Work ", i))
		for k := 0; k < 4 && items < 213; k++ {
			d.Items = append(d.Items, goldenItem(fmt.Sprintf("item%06d", items), payload.Decision, at, 1+k,
				fmt.Sprintf("Module %d keeps its own table %d", items, i), "", "own table"))
			items++
		}
		fonts = append(fonts, d)
	}
	title := goldenItem("titlefont2", payload.Decision, noon(2, 11), 7, "Title font scales with the window", "",
		"let it scale")
	fonts[7].Items = append(fonts[7].Items, title) // the third session of "site"

	for _, c := range []struct {
		question string
		library  *library.Library
		docs     []index.Doc
		verdict  answer.Verdict
		want     string
	}{
		{"retry backoff", l, retries, answer.Answered, `1 ● Retries use exponential backoff with jitter, at most 5, then the dead-letter queue.      stands since 2026-04-15
  why   jitter tested; fixed delays synchronised the workers
  who   you, accepted plan · billing#2 "Retry policy", turn 41 · scope: job workers only
  “five tries then DLQ, and put jitter on it, we saw the thundering herd last week”
  was   fixed 30 s delay (2026-04-13, billing#1, turn 12) → superseded
  files changed since: src/queue/backoff.ts (3 commits)
2 ✗ retry in the HTTP client: eliminated (double retries); billing#2, turn 44
3 ○ Retry counts per tenant: deferred until billing lands (2026-04-15); billing#2, turn 52
  recall why 1 · recall show 1 · 12 sessions searched
`},
		{"did we try redis for the cache?", nil, cache, answer.Answered, `1 ✗ Yes: Redis was tried and ruled out on 2026-03-02. Another server to run; the LRU cache met the target.   billing#5, turn 88
`},
		{"which typeface did we pick?", nil, fonts, answer.Nothing, `typeface: said in no session; nearest:
1 ● Title font scales with the window — stands since 2026-02-11; site#3, turn 7
  recall why 1 · recall show 1 · recall grep -i typeface (what tools printed) · 61 sessions searched
`},
	} {
		got, v := goldenAnswer(t, c.library, c.question, c.docs...)
		if v != c.verdict {
			t.Errorf("%s: verdict %s, want %s", c.question, v, c.verdict)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.question, diff)
		}
	}
}
