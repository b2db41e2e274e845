package offline_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"recall/distill/offline"
	"recall/ingest"
	"recall/payload"
)

// Talk as people have it in other fields than ours: short, sloppy prompts and
// reports with bold lists. What is to be found must be found by general rules.
func TestInventedSessions(t *testing.T) {
	for _, c := range invented {
		t.Run(c.name, func(t *testing.T) {
			s := spoken(c.said)
			for i := range s.Turns { // every answer changed something
				if s.Turns[i].Role == ingest.Assistant && !c.talkOnly {
					s.Turns[i].Calls = []ingest.ToolCall{{ID: fmt.Sprint("c", i), Name: "Edit", Path: "src/x", Done: true, Edits: []ingest.Edit{{Old: "a", New: "b"}}}}
				}
			}
			p, err := offline.Distiller{}.Distill(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, it := range p.Items {
				if it.Kind != payload.File {
					fmt.Fprintf(&got, "\n  %s: %s (why: %s; not: %v; rule %s; %d quotes)", it.Kind, it.Text, it.Why, it.Alternatives, it.Rule, len(it.Evidence))
				}
			}
			for _, w := range c.want {
				if !found(p, w) {
					t.Errorf("no %s with %q, not %q; got%s", w.kind, w.text, w.not, got.String())
				}
			}
			for _, w := range c.wrong {
				if found(p, w) {
					t.Errorf("a %s with %q that isn't one; got%s", w.kind, w.text, got.String())
				}
			}
		})
	}
}

// A stated item: each word of text stands in its text, each of why in its
// reason, each of not in what lost.
type stated struct {
	kind           payload.Kind
	text, why, not string
	quotes         int // at least
}

func found(p *payload.Payload, w stated) bool {
	for _, it := range p.Items {
		if it.Kind == w.kind && hasWords(it.Text, w.text) && hasWords(it.Why, w.why) && hasWords(strings.Join(it.Alternatives, " "), w.not) && len(it.Evidence) >= w.quotes {
			return true
		}
	}
	return false
}

func hasWords(text, words string) bool {
	low := strings.ToLower(text)
	for _, w := range strings.Fields(strings.ToLower(words)) {
		if !strings.Contains(low, w) {
			return false
		}
	}
	return true
}

var invented = []struct {
	name        string
	said        []string
	talkOnly    bool
	want, wrong []stated
}{
	{name: "web: a library taken back", said: []string{
		"the table page janks with 5k rows. virtualize it, react-window is fine",
		"Virtualized with react-window. Row heights are fixed at 40 px, so long names are cut.",
		"no cut names look awful. take tanstack virtual, it measures rows",
		"Done.\n\n- **TanStack Virtual instead of react-window**: it measures each row, so long names wrap.\n- **Overscan** of 10 rows keeps fast scrolling smooth.\n\nAll 31 tests pass.",
		"nice, ship it",
		"Merged.",
	}, want: []stated{
		{kind: payload.Decision, text: "TanStack Virtual react-window", not: "react-window", quotes: 2},
		{kind: payload.Goal, text: "table page 5k rows"},
	}, wrong: []stated{{kind: payload.Decision, text: "tests pass"}, {kind: payload.Decision, text: "merged"}}},

	{name: "web: styling question that is only asked", talkOnly: true, said: []string{
		"would css modules be better than tailwind here?",
		"Both work. Tailwind keeps styles beside the markup; CSS modules give you plain CSS. I'd stay with what the team knows.",
		"hm ok, interesting. thx",
		"You're welcome!",
	}, wrong: []stated{{kind: payload.Decision}, {kind: payload.Eliminated}, {kind: payload.Next}, {kind: payload.Status}}},

	{name: "data: pandas to polars with a number", said: []string{
		"the nightly churn job eats 60gb and gets oom killed. make it fit in 16",
		"Two ways: read the parquet files in chunks with pandas, or move the aggregation to Polars, which streams.",
		"polars. lets go with streaming, and drop the pandas fallback, i dont want two code paths",
		"Done.\n\n- **Aggregation**: Polars in streaming mode, peak 6.1 GB on the March files. This replaces the pandas group-by.\n- **Not done**: the weekly report still reads with pandas.\n\nNext steps:\n- move the weekly report to Polars\n- delete the pandas pin from requirements.txt",
	}, want: []stated{
		{kind: payload.Decision, text: "Polars streaming", quotes: 2},
		{kind: payload.Next, text: "weekly report Polars"},
		{kind: payload.Next, text: "pandas pin"},
	}, wrong: []stated{{kind: payload.Decision, text: "Not done"}}},

	{name: "data: a cause ruled out by a check", said: []string{
		"auc dropped from .81 to .74 after the retrain, find out why",
		"I compared the two runs. It's not the seed: five seeds give .73 to .75. The label window is: since March refunds count as churn.",
		"ah. refunds must not count as churn, fix the label query",
		"Fixed: refunds no longer count as churn; the AUC is back at .81.",
	}, want: []stated{
		{kind: payload.Eliminated, text: "seed"},
		{kind: payload.Decision, text: "refunds churn"},
		{kind: payload.Goal, text: "auc dropped"},
	}},

	{name: "infra: a yes to a proposal, put off", said: []string{
		"our tf state sits in one bucket for all envs, scary. what do you suggest",
		"One state bucket per environment with its own lock table would isolate them. The move takes an import per resource, about two hours with plans frozen.",
		"yes do that but not before the migration next week",
		"Noted, after the migration.",
	}, talkOnly: true, want: []stated{{kind: payload.Deferred, text: "state bucket per environment migration", quotes: 2}}},

	{name: "infra: a rule and a trap", said: []string{
		"move the api to the new cluster. prod deploys only go through argo, never kubectl by hand",
		"The API runs on the new cluster through Argo.\n\n**Watch out**\n- The HPA needs metrics-server 0.7 or later; on the old node pool it will silently not scale.\n\n**Still open**\n- DNS still points at the old load balancer.",
	}, want: []stated{
		{kind: payload.Decision, text: "argo never kubectl"},
		{kind: payload.Flag, text: "HPA metrics-server"},
		{kind: payload.Next, text: "DNS load balancer"},
	}},

	{name: "infra: an option refused with a reason", said: []string{
		"we need somewhere to put build artifacts",
		"I'd set up a small Nexus on a VM.",
		"no nexus, nobody wants to patch another server. use the s3 bucket we have, keep 30 days",
		"Artifacts go to the existing S3 bucket, with a lifecycle rule of 30 days.",
	}, want: []stated{
		{kind: payload.Eliminated, text: "nexus", why: "patch"},
		{kind: payload.Decision, text: "S3 bucket 30 days"},
	}},

	{name: "mobile: the last form counts", said: []string{
		"push notifications for order updates. use onesignal",
		"OneSignal is wired for Android and iOS.",
		"change of plans: legal says no us vendor. use our own fcm/apns sender instead of onesignal",
		"- **Push: own sender over FCM and APNs** instead of OneSignal, because legal allows no US vendor.\n- **Topics** per order status.\n\nNothing is released yet.",
	}, want: []stated{{kind: payload.Decision, text: "FCM APNs OneSignal", why: "legal", not: "OneSignal", quotes: 2}},
		wrong: []stated{{kind: payload.Decision, text: "OneSignal is wired"}}},

	{name: "mobile: another task in the same session", said: []string{
		"splash screen flickers on android 14",
		"Fixed: the theme set the background twice.",
		"thanks. different thing: can we get rid of the 40mb of fonts in the bundle?",
		"The bundle now ships a subset with Latin and Greek, 2.1 MB instead of 40.",
	}, want: []stated{{kind: payload.Goal, text: "fonts bundle"}},
		wrong: []stated{{kind: payload.Goal, text: "different thing"}, {kind: payload.Goal, text: "splash"}}},

	{name: "documents: a text with a person's terms", said: []string{
		"draft the grant application from notes.docx, max 4 pages, they only read english",
		"The draft is in application.docx, 4 pages.\n\n**Decided**\n- **English only**, as the foundation asks.\n- **Budget table on page 4** rather than in an annex, because annexes aren't read.\n\n**Open questions**\n- Who signs as the responsible person?\n\n**Next**\n1. Get the letter of support from the museum.",
		"I sign. put the timeline as a table, not as prose",
		"The timeline is a table now.",
	}, want: []stated{
		{kind: payload.Decision, text: "budget table annex", why: "annexes"},
		{kind: payload.Decision, text: "English only"},
		{kind: payload.Decision, text: "timeline table", not: "prose"},
	}},

	{name: "documents: what is off limits", said: []string{
		"clean up the contracts folder, sort by client",
		"Sorted 212 files into 34 client folders.",
		"ok. don't touch the folder legal-hold, that one has to stay as it is",
		"Understood, `legal-hold` stays as it is.",
	}, want: []stated{{kind: payload.Decision, text: "legal-hold"}}},

	{name: "a question left at the end", said: []string{
		"add sso for the partner portal",
		"SAML login works against the test IdP.\n\nPartners with two domains can't be matched to one account automatically. Should the second domain be linked by hand or refused?",
	}, want: []stated{{kind: payload.Question, text: "second domain"}}},

	{name: "options and a bare number", said: []string{
		"images on the product page are slow, what can we do",
		"Three options:\n1. Serve AVIF from the CDN, 60 % smaller.\n2. Lazy-load below the fold.\n3. Pre-render thumbnails at upload.\n\nI'd start with 1.",
		"1, and 2 later",
		"AVIF is served from the CDN now.",
	}, want: []stated{{kind: payload.Decision, text: "AVIF CDN"}}},

	{name: "symptoms and wishes are no decisions", said: []string{
		"I want to understand why the build is slow",
		"Most of the time goes into type checking: 74 of 90 seconds.",
		"hm it still takes 80s on my machine. I've only seen this since monday",
		"Here is how to run it with a trace:\n\n## Usage\n- Terminal: run `build --trace`.\n- Editor: press F5.",
	}, talkOnly: true, wrong: []stated{{kind: payload.Decision}, {kind: payload.Next}}},

	{name: "done and not done", said: []string{
		"port the invoice mails to the new templates",
		"All six invoice mails use the new templates. Committed on `mail-templates`, not pushed: the reminder mail still fails in Outlook.",
	}, want: []stated{{kind: payload.Status, text: "committed not pushed"}}},

	{name: "all done is no status", said: []string{
		"rename the settings page to preferences",
		"Renamed and committed as `abc1234`. All tests pass.",
	}, wrong: []stated{{kind: payload.Status}, {kind: payload.Next}, {kind: payload.Decision, text: "committed"}}},
}

// Where the lines before a compaction are gone, its summary says the goal and
// what is left; where they are there, it doesn't count.
func TestSummaryStandsInForLostLines(t *testing.T) {
	summary := "Summary:\n1. Primary Request and Intent:\n   Translate the museum guide into Dutch and keep the house style.\n\n7. Pending Tasks:\n   - Captions of room 4\n   - Index of artists\n\n9. Optional Next Step:\n   Translate the captions of room 4.\n"
	s := spoken([]string{"go on", "The index of artists is translated."})
	first := ingest.Turn{ID: "t0", N: 1, Role: ingest.Assistant, Kind: ingest.Summary, Text: summary, At: s.Start}
	s.Turns = append([]ingest.Turn{first}, s.Turns...)
	p, err := offline.Distiller{}.Distill(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []stated{{kind: payload.Goal, text: "museum guide Dutch"}, {kind: payload.Next, text: "captions room 4"}} {
		if !found(p, w) {
			t.Errorf("no %s with %q in %+v", w.kind, w.text, p.Items)
		}
	}
	if found(p, stated{kind: payload.Next, text: "artists"}) {
		t.Error("what was done since is still to do")
	}
	for _, it := range p.Items {
		if it.Kind == payload.Goal && it.Rule != "summary" {
			t.Errorf("goal by rule %q, want summary", it.Rule)
		}
	}

	whole := spoken([]string{"Translate the museum guide into Dutch.", "Rooms 1 to 3 are done."})
	whole.Turns = append(whole.Turns, ingest.Turn{ID: "t9", N: 3, Role: ingest.Assistant, Kind: ingest.Summary, Text: summary, At: whole.End})
	p, err = offline.Distiller{}.Distill(context.Background(), whole)
	if err != nil {
		t.Fatal(err)
	}
	if found(p, stated{kind: payload.Next, text: "captions"}) {
		t.Error("the summary counts although the lines before it are there")
	}
}

// A rewound branch counts as ruled out only if it had changed something and
// the prompt in its place says why.
func TestRewoundBranch(t *testing.T) {
	branch := func(edits bool, again string) *payload.Payload {
		s := spoken([]string{"Cache the search results in the browser with localStorage.", "Results are cached in localStorage.", again, "Results are cached on the server now."})
		s.Turns[0].Abandoned, s.Turns[1].Abandoned = true, true
		if edits {
			s.Turns[1].Calls = []ingest.ToolCall{{ID: "c1", Name: "Edit", Path: "a.js", Done: true, Edits: []ingest.Edit{{Old: "a", New: "b"}}}}
		}
		p, err := offline.Distiller{}.Distill(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	why := "Cache the search results on the server, localStorage is too small and it breaks in private windows."
	got := branch(true, why)
	want := stated{kind: payload.Eliminated, text: "localStorage rewound", why: "too small", quotes: 2}
	if !found(got, want) {
		t.Errorf("no eliminated item for the branch that was left in %+v", got.Items)
	}
	for _, it := range got.Items {
		if it.Rule == "abandoned" && it.Confidence > 0.5 {
			t.Errorf("confidence %.2f, want at most 0.5", it.Confidence)
		}
	}
	for name, p := range map[string]*payload.Payload{"without work": branch(false, why), "without a reason": branch(true, "Cache the search results on the server.")} {
		if found(p, stated{kind: payload.Eliminated, text: "rewound"}) {
			t.Errorf("a branch %s counts as ruled out", name)
		}
	}
}
