package offline_test

import (
	"context"
	"strings"
	"testing"

	"recall/distill"
	"recall/distill/offline"
	"recall/payload"
)

// Ways in which people and assistants say that something is put off, ruled out,
// to be minded, to be done, asked of somebody or only supposed. said alternates,
// the person first.
var waysOfSpeaking = []struct {
	name string
	said []string
	want []stated
	not  []stated
}{
	{name: "parked with a look at what comes first", said: []string{
		"import the supplier lists", "Both lists are imported. Duplicates across files aren't detected; I could add a hash column for that.", "park that, first the demo", "Fine."},
		want: []stated{{kind: payload.Deferred, text: "hash column"}}},
	{name: "an offer is nice to have", said: []string{
		"rebuild the settings page", "The settings page is rebuilt. Should I add a dark mode to it as well?", "nice to have, not for v1", "Then it stays light."},
		want: []stated{{kind: payload.Deferred, text: "dark mode"}}},
	{name: "not this quarter", said: []string{
		"the deploy takes an hour", "Most of it is the billing module. I'd suggest splitting it out of the monolith.", "one day yes. not this quarter, half the team is on leave", "Understood."},
		want: []stated{{kind: payload.Deferred, text: "splitting monolith"}}},
	{name: "own words, with the day it is taken up", said: []string{
		"make the importer read semicolons", "It reads semicolons now.", "the error page stays ugly for now, we'll clean it up when the second customer comes", "OK."},
		want: []stated{{kind: payload.Deferred, text: "error page second customer"}}},
	{name: "a ticket for later", said: []string{
		"retry failed jobs", "Failed jobs are retried. The retry queue has no metrics. Want me to add counters for Prometheus?", "dont bother yet, put a ticket in", "Opened as #41."},
		want: []stated{{kind: payload.Deferred, text: "counters Prometheus"}}},
	{name: "comes with the next release", said: []string{
		"german and english texts", "Both are in. Do you want French translations of the mails too?", "french comes with the next release", "Noted."},
		want: []stated{{kind: payload.Deferred, text: "French"}}},
	{name: "not in this round", said: []string{
		"list view of the orders", "The list is there.", "skip the tablet layout for the moment, nobody has one", "Skipped."},
		want: []stated{{kind: payload.Deferred, text: "tablet layout"}}},
	{name: "a problem for another day", said: []string{
		"import the albums", "All albums are in. The thumbnails of the old ones are still missing.", "that's a problem for another day", "OK."},
		want: []stated{{kind: payload.Deferred, text: "thumbnails old"}}},
	{name: "material for a second version", said: []string{
		"share a list", "Lists are shared by link. I could add comments to them too.", "nice but that's v2", "OK."},
		want: []stated{{kind: payload.Deferred, text: "comments"}}},
	{name: "later is no putting off", said: []string{
		"why does it print twice", "There are two handlers.", "later in the file there is a third one, remove them all", "Removed.", "the build fails a minute later with out of memory", "Raised the limit.", "wait for ci, then merge", "Merged."},
		not: []stated{{kind: payload.Deferred}}},
	{name: "nothing is put off by what programs do", said: []string{
		"start the worker", "It starts. Did the deploy finish?", "not yet. the worker should wait until the socket is open", "It waits for the socket now.", "add it to the list view too", "It is in the list view.", "after the migration the table is empty, why", "The rows are in the new one."},
		not: []stated{{kind: payload.Deferred}}},
	{name: "put off and done after all", said: []string{
		"sort the album list", "Sorted by year. Should I add a filter by label as well?", "not now", "OK.", "now the filter by label please", "The filter by label is in."},
		not: []stated{{kind: payload.Deferred}}},

	{name: "a suspect cleared by name", said: []string{
		"uploads break after 60 seconds", "The proxy isn't it: its log shows the upstream closing first.", "ok go on", "It is the worker's own timeout."},
		want: []stated{{kind: payload.Eliminated, text: "proxy"}}},
	{name: "off the table with a figure", said: []string{
		"keep the stock numbers fresh", "Polling every second is off the table: the API allows 100 calls an hour.", "webhooks then", "Webhooks are wired."},
		want: []stated{{kind: payload.Eliminated, text: "polling second", why: "100 calls"}}},
	{name: "tried without effect", said: []string{
		"the report takes 40 s", "I tried a worker thread first, but it stays at 41 s: the lock is held all along. Now the rows are read in one query, 2 s.", "great", "Thanks."},
		want: []stated{{kind: payload.Eliminated, text: "worker thread"}}},
	{name: "a no with its reason", said: []string{
		"jobs in the background", "I'd use Celery with RabbitMQ.", "no celery, we have nobody to babysit a broker. a table and a cron is enough", "A table and a cron."},
		want: []stated{{kind: payload.Eliminated, text: "celery", why: "broker"}}},
	{name: "overkill", said: []string{
		"state of the two forms", "Redux or plain hooks?", "redux is overkill for two forms", "Hooks."},
		want: []stated{{kind: payload.Eliminated, text: "redux"}}},
	{name: "an option by its number is no way", said: []string{
		"how do we build the docs", "1. Sphinx in the same pipeline\n2. A second build with Hugo\n3. Plain Markdown on the server", "2 is a no go, i don't want another build system. 1", "Sphinx."},
		want: []stated{{kind: payload.Eliminated, text: "Hugo", why: "build system"}}},
	{name: "forget it, with a reason", said: []string{
		"how do we get it to the users", "As a Chrome extension or a bookmarklet.", "forget the chrome extension, store review takes weeks", "A bookmarklet."},
		want: []stated{{kind: payload.Eliminated, text: "chrome extension", why: "review"}}},
	{name: "tried last year", said: []string{
		"where do the nightly jobs run", "Kubernetes jobs would fit.", "we tried kubernetes jobs last year, they vanished on every node drain", "Then systemd timers."},
		want: []stated{{kind: payload.Eliminated, text: "kubernetes jobs", why: "drain"}}},
	{name: "can't use it", said: []string{
		"where do the backups go", "S3 would be the cheapest.", "we can't use s3, the contract says on premises", "Then the NAS."},
		want: []stated{{kind: payload.Eliminated, text: "s3", why: "premises"}}},
	{name: "looked at and left", said: []string{
		"push to the phones", "I looked at Firebase and decided against it: it needs Google services, which half of these devices don't have. The app polls.", "ok", "OK."},
		want: []stated{{kind: payload.Eliminated, text: "Firebase", why: "Google services"}}},
	{name: "what is done all the same isn't ruled out", said: []string{
		"sort the helpers", "They are in src.", "can we move them to lib?", "It could break two imports, but both are adapted. Moved them.", "what about the second page?", "It doesn't show the total, I add that.", "should the field be required?", "No, it isn't required by the API."},
		not: []stated{{kind: payload.Eliminated}}},
	{name: "a question without its mark", said: []string{
		"rotate the keys", "Rotated. The old ones are still listed.", "so the wish of the sales team is moot now isn't it", "It is.", "good", "OK."},
		not: []stated{{kind: payload.Eliminated}}},
	{name: "what is released isn't dropped", said: []string{
		"send the order mail", "The order mail is out. Next is the invoice.", "ok", "OK."},
		not: []stated{{kind: payload.Eliminated}}},
	{name: "a question about the work is no suggestion", said: []string{
		"rename the flag", "Renamed.", "can you check that nothing else uses it?", "No, nothing else does.", "is the old one still documented?", "No."},
		not: []stated{{kind: payload.Eliminated}}},

	{name: "beware of an order", said: []string{
		"two migrations for the prices", "Both are written.\n\nBeware of their order: 0012 drops the column that 0011 reads.", "ok", "OK."},
		want: []stated{{kind: payload.Flag, text: "0012 drops column"}}},
	{name: "whoever deploys", said: []string{
		"new settings file", "It is read at start. Whoever deploys this has to restart the worker by hand, systemd doesn't see the new file.", "fine", "OK."},
		want: []stated{{kind: payload.Flag, text: "restart worker hand"}}},
	{name: "don't rename", said: []string{
		"clean up the names", "Cleaned. Don't rename `legacy_id`, because the billing job matches on it by name.", "ok", "OK."},
		want: []stated{{kind: payload.Flag, text: "legacy_id billing"}}},
	{name: "keep an eye on", said: []string{
		"export the archive", "The export runs. Keep an eye on the disk: it writes 4 GB of temporary files.", "ok", "OK."},
		want: []stated{{kind: payload.Flag, text: "4 GB temporary"}}},
	{name: "what cost me an hour", said: []string{
		"rotate the keys", "Rotated.\n\nWhat cost me an hour: the SDK caches credentials per process, so a new key needs a restart.", "ok", "OK."},
		want: []stated{{kind: payload.Flag, text: "SDK caches credentials restart"}}},
	{name: "as long as", said: []string{
		"order the events", "They are ordered by time. This only works as long as both services share one clock.", "ok", "OK."},
		want: []stated{{kind: payload.Flag, text: "only works both services clock"}}},
	{name: "if anybody ever", said: []string{
		"write the file format", "Done. If anybody ever bumps `schema_version`, the old readers will refuse the file.", "ok", "OK."},
		want: []stated{{kind: payload.Flag, text: "schema_version old readers"}}},
	{name: "worth writing down", said: []string{
		"test against the sandbox", "All calls work. One more thing worth writing down: the sandbox resets every night at 2, and then the test customer must be created anew.", "ok", "OK."},
		want: []stated{{kind: payload.Flag, text: "sandbox resets night"}}},
	{name: "a side effect", said: []string{
		"delete customers", "They can be deleted now. One side effect: their invoices go with them.", "ok", "OK."},
		want: []stated{{kind: payload.Flag, text: "invoices"}}},
	{name: "unlike the manual", said: []string{
		"call the endpoint", "Works. Contrary to what the docs say it answers 204 without a body, so there is nothing to parse.", "ok", "OK."},
		want: []stated{{kind: payload.Flag, text: "204 body"}}},
	{name: "a person warns", said: []string{
		"seed the staging db", "I'd truncate it first.", "careful, staging is shared with the trainers, they have a course on thursdays", "Then I only add rows."},
		want: []stated{{kind: payload.Flag, text: "staging trainers"}}},
	{name: "a note on the work is no trap", said: []string{
		"add a column", "Added. I also ran the formatter. The reminder mail is in as well.", "ok", "OK."},
		not: []stated{{kind: payload.Flag}}},

	{name: "a person's plan for a day", said: []string{
		"flash the new firmware", "Flashed on the bench unit.", "nice. tomorrow i flash the three units in the cellar", "Good luck."},
		want: []stated{{kind: payload.Next, text: "tomorrow flash units cellar"}}},
	{name: "what the next day brings", said: []string{
		"the order list", "The list is there.", "ok enough for today. monday we do the import screen", "See you."},
		want: []stated{{kind: payload.Next, text: "monday import screen"}}},
	{name: "what's missing", said: []string{
		"write the exporter", "The exporter works.\n\nWhat's missing: the end-to-end test and a changelog entry."},
		want: []stated{{kind: payload.Next, text: "end-to-end changelog"}}},
	{name: "when you pick this up again", said: []string{
		"fix the rates", "Half of it is done. When you pick this up again, start with `tests/test_rates.py`: two cases are still skipped."},
		want: []stated{{kind: payload.Next, text: "test_rates"}}},
	{name: "next on the list", said: []string{
		"the order mail", "The order mail is out. Next on the list is the invoice PDF."},
		want: []stated{{kind: payload.Next, text: "invoice PDF"}}},
	{name: "you'd still have to", said: []string{
		"move the site", "The site is moved. You still have to create the DNS record at the registrar."},
		want: []stated{{kind: payload.Next, text: "DNS record registrar"}}},
	{name: "the only thing left", said: []string{
		"release it", "Tagged and built. The only thing left is the changelog."},
		want: []stated{{kind: payload.Next, text: "changelog"}}},
	{name: "days of the past", said: []string{
		"it crashed on monday, and last friday too", "Fixed.", "thanks, works since tuesday", "Good."},
		not: []stated{{kind: payload.Next}}},

	{name: "with legal", said: []string{
		"store the phone numbers", "They are personal data, do we have consent?", "have to check with legal whether we may store them at all", "I leave the column out."},
		want: []stated{{kind: payload.Question, text: "legal store"}}},
	{name: "for somebody else to decide", said: []string{
		"archive users", "Should archived users keep their seats?", "no idea, marta has to decide that", "I leave it."},
		want: []stated{{kind: payload.Question, text: "archived users seats marta"}}},
	{name: "waiting for an answer", said: []string{
		"ship the font", "The licence file is missing. May we ship it with the app?", "i'll ask the foundry, don't wait for it", "Then with the system font."},
		want: []stated{{kind: payload.Question, text: "ship foundry"}}},
	{name: "needs somebody's ok", said: []string{
		"log the requests", "Should the log keep the full addresses or cut them?", "we need an ok from the data protection officer for that", "I cut them for now."},
		want: []stated{{kind: payload.Question, text: "addresses"}}},
	{name: "not asked of anybody", said: []string{
		"write to the log", "Done.", "call the function twice and ask for a review", "Done."},
		not: []stated{{kind: payload.Question}}},

	{name: "suspected and not confirmed", said: []string{
		"requests hang at night", "I suspect the connection pool: it has 10 slots and the job opens 12. I couldn't confirm it, the log doesn't show waits.", "keep watching", "OK."},
		want: []stated{{kind: payload.Hypothesis, text: "connection pool"}}},
	{name: "a person's hunch", said: []string{
		"the header is gone in production", "It is there in staging.", "my hunch is that the cdn strips it because of the dot in its name", "I can look at the CDN's rules."},
		want: []stated{{kind: payload.Hypothesis, text: "cdn strips"}}},
	{name: "smells like, without proof", said: []string{
		"files vanish", "It smells like a race between the two watchers, but I have no proof.", "hm", "OK."},
		want: []stated{{kind: payload.Hypothesis, text: "race watchers"}}},
	{name: "a guess that was settled", said: []string{
		"why is it slow", "My guess is the index on orders. I can't prove it yet.", "check", "Confirmed: the index on orders was dropped by the migration."},
		not: []stated{{kind: payload.Hypothesis}}},
}

func TestWaysOfSpeaking(t *testing.T) {
	for _, c := range waysOfSpeaking {
		t.Run(c.name, func(t *testing.T) {
			s := spoken(c.said)
			p, err := offline.Distiller{}.Distill(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			if dropped := distill.Ground(s, p); len(dropped) > 0 {
				t.Errorf("ungrounded: %v", dropped)
			}
			var list []string
			for _, it := range p.Items {
				list = append(list, string(it.Kind)+"/"+it.Rule+": "+it.Text+" | "+it.Why)
			}
			for _, w := range c.want {
				if !found(p, w) {
					t.Errorf("no %s with %q, %q in\n%s", w.kind, w.text, w.why, strings.Join(list, "\n"))
				}
			}
			for _, w := range c.not {
				if found(p, w) {
					t.Errorf("a %s with %q in\n%s", w.kind, w.text, strings.Join(list, "\n"))
				}
			}
		})
	}
}
