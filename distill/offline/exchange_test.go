package offline

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// talkOf is a session of messages in turn, the person's first; each is answered after a
// file was written, if one is named.
func talkOf(said []string, wrote map[int]string) *ingest.Session {
	s := &ingest.Session{ID: "s"}
	s.Where.Cwds = []ingest.CwdCount{{Dir: "/w", Turns: len(said)}}
	for i, text := range said {
		add := func(role ingest.Role, kind ingest.TurnKind, text string, calls ...ingest.ToolCall) {
			n := len(s.Turns) + 1
			s.Turns = append(s.Turns, ingest.Turn{ID: ingest.TurnID(fmt.Sprint("t", n)), N: n, Role: role, Kind: kind,
				Text: text,
				Dir:  "/w", Calls: calls})
		}
		if i%2 == 0 {
			add(ingest.User, ingest.Prompt, text)
			continue
		}
		if p := wrote[i]; p != "" {
			add(ingest.Assistant, ingest.Message, "", ingest.ToolCall{Name: "Write", Path: "/w/" + p, Done: true,
				Input: map[string]string{"content": "x\n"}})
		}
		add(ingest.Assistant, ingest.Message, text)
	}
	return s
}

// A file is in progress as long as the last report that speaks of it says so: by its
// name, or of the one that was written. What is said of all, or of all but one, says nothing of it.
func TestLeftOpen(t *testing.T) {
	for name, c := range map[string]struct {
		said  []string
		wrote map[int]string
		want  string // status
		text  string
	}{
		"named": {[]string{"Move the orders.", "OrderService.create() is not yet implemented; the rest of it is."},
			map[int]string{1: "src/OrderService.ts"}, payload.FileProgress,
			"“OrderService.create() is not yet implemented; the rest of it is.”"},
		"alone": {[]string{"Now the letters.", "Storage is done; the retrieval API is stubbed."},
			map[int]string{1: "queue.ts"},
			payload.FileProgress, "“Storage is done; the retrieval API is stubbed.”"},
		"done since": {[]string{"Move the orders.", "OrderService.create() is incomplete.", "Do it.",
			"OrderService is complete."},
			map[int]string{1: "src/OrderService.ts"}, payload.FileDone, "“OrderService is complete.”"},
		"not written": {[]string{"Move the guests.", "Half way: guests.py loads and saves, check_in() isn't written yet. " +
			"Next: check_in() in guests.py."},
			map[int]string{1: "guests.py"}, payload.FileProgress,
			"“Half way: guests.py loads and saves, check_in() isn't written yet.”"},
		"done, then written": {[]string{"Move the orders.", "OrderService is complete.", "And the log.", "It logs."},
			map[int]string{1: "src/OrderService.ts", 3: "src/OrderService.ts"}, "", "New, then edited."},
		"written since": {[]string{"Move the orders.", "OrderService.create() is incomplete.", "Do it.", "All tests pass."},
			map[int]string{1: "src/OrderService.ts", 3: "src/OrderService.ts"}, "", "New, then edited."},
		"left alone": {[]string{"Make the list.", "It is in `merge.ts`.", "then leave merge.ts as it is", "OK."},
			map[int]string{1: "merge.ts"}, payload.FileOffLimits, "“then leave merge.ts as it is”"},
		"labelled": {[]string{"Draw the tickets.", "In progress: the tickets in `pdf.py`, with their layout."},
			map[int]string{1: "pdf.py"}, payload.FileProgress, "“In progress: the tickets in `pdf.py`, with their layout.”"},
		"aside": {[]string{"Name the branch.", "It falls back to the file (e.g. where nothing is not yet committed)."},
			map[int]string{1: "names.ts"}, "", "New."},
		"of what it says": {[]string{"Put it down.", "Updated `bells.md`, which says that the clock isn't locked yet."},
			map[int]string{1: "bells.md"}, "", "New."},
		"a word": {[]string{"Put the index up.", "The search index is not yet built.", "And the page?", "It is there."},
			map[int]string{3: "index.ts"}, "", "New."},
	} {
		all, _ := items(talkOf(c.said, c.wrote))
		got := map[string]string{}
		for _, it := range all {
			if it.Kind == payload.File {
				got[it.Status] = it.Text
			}
		}
		if diff := cmp.Diff(map[string]string{c.want: c.text}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What a report says of all files, of all but one, of others, or by a tick says nothing of one's state.
func TestSaysNoState(t *testing.T) {
	for _, said := range []string{"All files are complete.", "All checks are done.",
		"Everything is done except `slots.py`.", "None of the files is finished; slots.py is the furthest.",
		"`merge.py` is finished, `slots.py` has three functions.",
		"Only `slots.py` is done, the other two are stubs.", "- [x] slots.py\n- [ ] mail.py",
		"## Completed\n- a test of `slots.py`"} {
		s := talkOf([]string{"Book the hall.", said}, map[int]string{1: "slots.py"})
		if got := status(s, "slots.py"); got != "" {
			t.Errorf("%q: %s", said, got)
		}
	}
}

// What is quoted of a report keeps what its headings and marks say of how far things are.
func TestReportedStates(t *testing.T) {
	for report, want := range map[string]string{
		"**Done**\n- slots\n- mails\n\n" +
			"**Still open**\n- the page for admins": "Still open: the page for admins",
		"放号的时候会看到过期的号。两个方案：\n\n1. 缓存缩短到5秒\n2. 放号时主动清缓存":     "放号的时候会看到过期的号。两个方案: 缓存缩短到5秒 · 放号时主动清缓存",
		"- [x] slots\n- [ ] mails\n- 🚧 the page for admins": "[x] slots · [ ] mails · 🚧 the page for admins",
	} {
		all, _ := items(talkOf([]string{"Let people book the hall, by hours and by days.", report}, nil))
		texts := text.Set("")
		for _, it := range all {
			texts[it.Text] = true
		}
		if !texts[want] {
			t.Errorf("%q isn't among %v", want, texts)
		}
	}
}

// An answer is kept with its question, a question with its bare answer, and what
// stands in one passage isn't in another.
func TestPassagesOfAnExchange(t *testing.T) {
	all, _ := items(talkOf([]string{"Build a queue of jobs with retries and dead letters.",
		"Retry: exponential backoff with jitter, max 5 retries before the dead letters?", "Yes.",
		"One open point: how do we handle jobs in flight when the format changes? Nothing is decided on versioning.",
		"Needs discussion. Leave it open.",
		"One warning: WorkerPool.ts line 112 leaks memory under load. I left a note; it must be fixed before shipping. " +
			"The integration test is skipped because it requires a live Redis; don't unskip it without the container, it would pass on stubs. " +
			"Not started: monitoring hooks, admin API, documentation."}, nil))
	other := map[string]string{}
	seen := map[string]int{}
	for _, it := range all {
		if it.Kind != payload.Lead {
			continue
		}
		if len(it.Evidence) > 1 {
			other[it.Text] = it.Evidence[1].Quote
		}
		for _, s := range sentences(it.Text, false, false, nil) {
			seen[s.text]++
		}
	}
	want := map[string]string{
		"Retry: exponential backoff with jitter, max 5 retries before the dead letters?": "Yes.",
		"One open point: how do we handle jobs in flight when the format changes? " +
			"Nothing is decided on versioning.": "Needs discussion. Leave it open.",
	}
	for text, quote := range want {
		if other[text] != quote {
			t.Errorf("%q is kept with %q, want %q", text, other[text], quote)
		}
	}
	for text, n := range seen {
		if n > 1 {
			t.Errorf("%q stands in %d passages", text, n)
		}
	}
}

// Where a page has room, what ended an exchange is quoted without a cue; in a long session no more than the page holds.
func TestPageIsFilled(t *testing.T) {
	said := []string{"Pack the parts for the fair.", "The blue crates hold pumps, the grey crates hold hoses.",
		"And the stand?", "The stand is carried by the second van."}
	quotes := func() (texts []string, size int) {
		p, err := Distiller{}.Distill(t.Context(), talkOf(said, nil))
		if err != nil {
			t.Fatal(err)
		}
		payload.Mint("s", p.Items, map[payload.ItemID]bool{})
		for _, it := range p.Items {
			texts = append(texts, it.Text)
		}
		return texts, payload.Render(p, payload.Options{Budget: math.MaxInt}).Tokens
	}
	if texts, _ := quotes(); !slices.Contains(texts, said[1]) {
		t.Errorf("%q isn't quoted: %q", said[1], texts)
	}
	names := strings.Fields("Aachen Bremen Celle Dresden Emden Fulda Gotha Halle Ilmenau Jena Kiel Lemgo Mainz " +
		"Neuss Ulm")
	for n := range 200 {
		said = append(said, "Go on.", fmt.Sprintf("The crate for %s holds valves of rubber, that for %s holds seals.",
			names[n%15], names[n/15]))
	}
	if texts, size := quotes(); size > payload.DefaultBudget*11/10 || size < payload.DefaultBudget*8/10 {
		t.Errorf("%d tokens of %d quotes, want a full page", size, len(texts))
	}
}

// A last message without a sentence, such as a block of code, is no end of the session's items.
func TestLastMessageWithoutSentence(t *testing.T) {
	for _, last := range []string{"", "?", "---", "> ", "```\nmake test\n```", "| a | b |\n|---|---|", "## Next steps",
		"## Next steps\n\n```\nmake\n```"} {
		p, err := Distiller{}.Distill(t.Context(), talkOf([]string{"Write the importer of the tide tables.",
			"It reads them.", "and now run its tests please", last}, nil))
		if err != nil || len(p.Items) == 0 || p.Items[0].Kind != payload.Goal {
			t.Errorf("%q: got %v, %v, want the goal first", last, p, err)
		}
	}
}

// A paragraph too short to tell anything alone is quoted with the one after it, but not with a question.
func TestShortParagraph(t *testing.T) {
	const said = "The cause is the tide clock.\n\nIt counts from noon, the tables from midnight.\n\nShall I move it?"
	sp := newSpeech(&ingest.Turn{Text: said}, said, message)
	var got []string
	for _, p := range sp.passages() {
		got = append(got, p.text())
	}
	want := []string{"The cause is the tide clock. It counts from noon, the tables from midnight.", "Shall I move it?"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What holds on is quoted before the many steps of a long session, and of steps that only differ in a number one.
func TestStepsPushNothingOut(t *testing.T) {
	said := []string{"Turn the scanned village book into clean Markdown, chapter by chapter.", "How shall I begin?",
		"keep the page numbers as comments, people cite by them", "They are comments.",
		"the pictures we leave out until the archive answers about the rights", "Left out.",
		"latin stays latin, the translation is my brother's job", "It stays."}
	for n := range 60 {
		said = append(said, "looks good, now the next one please", fmt.Sprintf("Chapter %d is converted and reads well.", n),
			"run the check again", fmt.Sprintf("Checked chapter %d again, it found nothing unusual.", n))
	}
	p, err := Distiller{}.Distill(t.Context(), talkOf(said, nil))
	if err != nil {
		t.Fatal(err)
	}
	payload.Mint("s", p.Items, map[payload.ItemID]bool{})
	page := payload.Render(p, payload.Options{}).Text
	for _, holds := range []string{said[2], said[4], said[6]} {
		if !strings.Contains(page, holds) {
			t.Errorf("%q isn't on the page:\n%s", holds, page)
		}
	}
	if n := strings.Count(page, "is converted and"); n > 1 {
		t.Errorf("%d of the same steps:\n%s", n, page)
	}
}

// What the goal says isn't quoted again, what its turn says besides is.
func TestGoalIsNotQuotedAgain(t *testing.T) {
	said := []string{"Pack the blue crates with the pumps and their valves for the fair in Bremen, and put a list of " +
		"all that is in it on each. Then call the carrier and ask whether the second van can come on Thursday instead " +
		"of Friday, because the hall is locked from Friday noon on and nobody has the key. " +
		"The grey crates with the hoses, the spare parts and the signs stay in the old hall.",
		"Packed."}
	p, err := Distiller{}.Distill(t.Context(), talkOf(said, nil))
	if err != nil {
		t.Fatal(err)
	}
	page := payload.Render(p, payload.Options{}).Text
	for _, once := range []string{"blue crates", "old hall"} {
		if strings.Count(page, once) != 1 {
			t.Errorf("%q should stand there once:\n%s", once, page)
		}
	}
}

// What was ruled out on the way stands with what was supposed; what is shown beside a passage, or as goal or next
// action, isn't shown again.
func TestPassagesStandOnce(t *testing.T) {
	s := talkOf([]string{"hi. The mails arrive two hours late, find out why.", "Maybe the server's clock is off.",
		"", "The clocks are equal. That's not it.", "", "By the way `y.py` warns twice. Different matter.",
		"that's its own bug, don't go there", "OK.",
		"good, enough. next time make it send at once", "OK."}, nil)
	s.Turns = slices.DeleteFunc(s.Turns, func(turn ingest.Turn) bool { return turn.Text == "" })
	all, _ := items(s)
	got := map[string]string{}
	for _, it := range all {
		other := ""
		if len(it.Evidence) > 1 {
			other = it.Evidence[1].Quote
		}
		got[it.Text] = other
	}
	if diff := cmp.Diff(map[string]string{
		"The mails arrive two hours late, find out why.": "",
		"Maybe the server's clock is off.":               "The clocks are equal. That's not it.",
		"that's its own bug, don't go there":             "By the way `y.py` warns twice. Different matter.",
		"next time make it send at once":                 "",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A brief reply stands on the page with what it replies to: which option was taken, what is to stay as it is, and why a
// command isn't to run. One that only agrees to go on doesn't.
func TestBriefReplies(t *testing.T) {
	for _, c := range []struct{ said, reply, want string }{
		{"Should I keep the tickets on disk or in the database?", "disk",
			"“Should I keep the tickets on disk or in the database?” — assistant, turn 2; answered “disk”"},
		{"I could draw the hall with canvas or with svg.", "svg",
			"“I could draw the hall with canvas or with svg.” — assistant, turn 2; answered “svg”"},
		{"The fee of the box office is rounded up in `fee.py`.", "not now",
			"“The fee of the box office is rounded up in `fee.py`.” — assistant, turn 2; answered “not now”"},
		{"The fee of the box office is rounded up in `fee.py`.", "leave that until Maren is back",
			"“leave that until Maren is back” — user, turn 3, after “The fee of the box office is " +
				"rounded up in `fee.py`.”"},
		{"The night job sends every ticket twice.", "that's wanted",
			"“The night job sends every ticket twice.” — assistant, turn 2; answered “that's wanted”"},
		{"The night job sends every ticket twice.", "lol, on purpose",
			"“lol, on purpose” — user, turn 3, after “The night job sends every ticket twice.”"},
		{"Rust needs 2 s for the plan of the hall, Python 9 s. I'd take Rust.", "python, we can read it",
			"user, turn 3, after “Rust needs 2 s for the plan of the hall, Python 9 s. I'd take Rust.”"},
		{"The hall is drawn. Next steps:\n- the prices\n- the exits", "yes in that order, tomorrow",
			"after “the prices - the exits”"},
		{"Two ways to draw the hall:\n\nA) with canvas, which is fast\nB) with svg, which prints well",
			"B. And when the printer is off, keep the drawing for the morning; the hall must never wait for paper",
			"for paper” — user, turn 3, after “B) with svg, which prints well”"},
		{"Canvas takes 2 s for the hall, svg 9 s. I'd take canvas.", "do that",
			"I'd take canvas.” — assistant, turn 2; answered “do that”"},
		{"Shall I sell the boxes too? Shall I print their numbers?",
			"yes to the first, no to the second, nobody reads them",
			"to “Shall I sell the boxes too? Shall I print their numbers?”"},
		{"The fee of the box office is rounded up in `fee.py`.", "ok next one please",
			"“The fee of the box office is rounded up in `fee.py`.” — assistant, turn 2\n"},
		{"The fee of the box office is rounded up in `fee.py`.", "great, go on",
			"“The fee of the box office is rounded up in `fee.py`.” — assistant, turn 2\n"},
	} {
		s := talkOf([]string{"Sell the seats of the balcony too.", c.said, c.reply, "OK."}, nil)
		p, err := Distiller{}.Distill(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if page := payload.Render(p, payload.Options{}).Text; !strings.Contains(page, c.want) {
			t.Errorf("%q isn't on the page:\n%s", c.want, page)
		}
	}
	for _, c := range []struct{ said, reply, last, want string }{ // a value that somebody changes in a word or two
		{"The hall has rows.", "14px", "The rows are 14 px high.",
			"“The hall has rows.” — assistant, turn 2; answered “14px”"},
		{"Seats are checked each 6 hours.", "hourly please", "Seats are checked each hour.",
			"“Seats are checked each 6 hours.” — assistant, turn 2; answered “hourly please”"},
		{"The rows are numbered from the stage.", "hmm no, forget it, from the doors", "Turned round.",
			"## Where it ended\n- “hmm no, forget it, from the doors” — user, turn 3, " +
				"after “The rows are numbered from the stage.”"},
	} {
		s := talkOf([]string{"Draw the hall and its rows.", c.said, c.reply, c.last}, nil)
		for i := range s.Turns {
			s.Turns[i].At = time.Date(2026, 5, 4, 9, i, 0, 0, time.UTC)
		}
		p, err := Distiller{}.Distill(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		page := payload.Render(p, payload.Options{}).Text
		if !strings.Contains(page, c.want) || !strings.Contains(page, "the user said more since, up to turn 3") {
			t.Errorf("%q isn't on the page:\n%s", c.want, page)
		}
	}
	for _, offer := range []string{"Want me to draw the doors and the stairs too?", "Shall I commit the hall's plan?"} {
		s := talkOf([]string{"Draw the hall and its rows.", offer, "yes", "Done."}, nil)
		p, err := Distiller{}.Distill(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if page := payload.Render(p, payload.Options{}).Text; strings.Contains(page, offer) {
			t.Errorf("%q, which was done thereupon, is on the page:\n%s", offer, page)
		}
	}
	for _, reason := range []string{"not that folder", "why would you delete that?"} {
		s := talkOf([]string{"The disk is full.", "The copies of May take 40 GB."}, nil)
		s.Turns[1].Calls = []ingest.ToolCall{{ID: "c", Name: "Bash", Command: "rm -r copies/may",
			Verdict: ingest.Rejected, Reason: reason}}
		p, err := Distiller{}.Distill(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		page := payload.Render(p, payload.Options{}).Text
		if want := reason + "” — user, turn 2, refusing “rm -r copies/may”"; !strings.Contains(page, want) ||
			strings.Count(page, reason) != 1 {
			t.Errorf("%q should stand once on the page:\n%s", want, page)
		}
	}
}

// What doesn't stand any more is shown with how it was met: a claim with the objection upon which it was taken back,
// a question with its reply though that has a line too, a request with the answer that it is so already.
func TestShownAsMet(t *testing.T) {
	for name, c := range map[string]struct {
		said []string
		of   string // begins the line
		met  string // is shown with it, "" if nothing is
	}{
		"taken back": {[]string{"Why does the export of the tide tables stop at 500 rows?",
			"The spreadsheet library writes 500 rows at most, so the tables need a second sheet.",
			"hm, last month's export of the same tables had 900 rows in one sheet",
			"You're right, the library has no such limit. `export.go` reads one page of the harbour's answer.",
			"then read them all", "It reads all pages now."},
			"The spreadsheet library writes", "hm, last month's export"},
		"taken back in German": {[]string{"Warum zeigt die Karte den Hafen von Emden doppelt?",
			"Der Hafen steht in zwei Dateien, in `nord.csv` und `west.csv`.",
			"in west.csv steht er nicht, da sind nur die Inseln drin",
			"Du hast recht, `west.csv` hat nur Inseln. Die Karte zeichnet beim Start zweimal.",
			"ok, behebe das", "Behoben."},
			"Der Hafen steht in zwei Dateien", "in west.csv steht er nicht"},
		"kept": {[]string{"Why does the export of the tide tables stop at 500 rows?",
			"The spreadsheet library writes 500 rows at most, so the tables need a second sheet.",
			"and the pictures of the harbours, do they come along?",
			"Right, they come along in the second sheet.", "fine, that's all for the export", "Done."},
			"The spreadsheet library writes", ""},
		"so already": {[]string{"Write the importer of the tide tables.", "It reads them.",
			"the importer takes files of any size, a wrong one fills the disk of the harbour's server",
			"The importer already stops at 20 MB, see `limit.go`.", "then name the limit in the docs",
			"It's named there."},
			"the importer takes files of any size", "The importer already stops at 20 MB"},
		"asked and replied": {[]string{"Why are the old tide tables off by an hour?",
			"The cause is `zone.go`, it takes noon for midnight. Shall I have it read the zone from the table?",
			"show me which harbours that hits, how many tables and since when it does",
			"It hits Emden and Celle since March.", "ok change it", "It reads the zone now."},
			"The cause is `zone.go`", "show me which harbours"},
	} {
		p, err := Distiller{}.Distill(t.Context(), talkOf(c.said, nil))
		if err != nil {
			t.Fatal(err)
		}
		payload.Mint("s", p.Items, map[payload.ItemID]bool{})
		page := payload.Render(p, payload.Options{}).Text
		_, line, found := strings.Cut(page, "“"+c.of)
		line, _, _ = strings.Cut(line, "\n")
		met := strings.Contains(line, "; answered “")
		if !found || met != (c.met != "") || !strings.Contains(line, c.met) {
			t.Errorf("%s: the line is %q, want it met by %q\n%s", name, line, c.met, page)
		}
	}
}

// A cause that is named on the way isn't quoted if its speaker goes on to look for it.
func TestGuessOnTheWay(t *testing.T) {
	for then, quoted := range map[string]bool{
		"Let me check the clock of the harbour too:": false,
		"Let me write it into `zone.go`:":            true,
		"":                                           true,
	} {
		s := talkOf([]string{"The tables are off by an hour, find out why.",
			"The problem is that `zone.go` counts from noon. " + then, "",
			"The clock of the harbour is an hour late."}, nil)
		s.Turns = slices.DeleteFunc(s.Turns, func(turn ingest.Turn) bool { return turn.Text == "" })
		all, _ := items(s)
		names := func(it payload.Item) bool { return strings.Contains(it.Text, "counts from noon") }
		if got := slices.ContainsFunc(all, names); got != quoted {
			t.Errorf("before %q: quoted %v", then, got)
		}
	}
}

// What was staged isn't quoted once it is committed; how to sum up the session is no order; and what was found on the
// way of something with a name is quoted where there is room, in whatever words.
func TestCommittedAndFoundOnTheWay(t *testing.T) {
	s := talkOf([]string{"Zieh die Beiträge per Lastschrift ein.",
		"`kalender.py` knows no Easter Monday passing the commit. The holidays of `vorlauf.py` aren't committed.",
		"ok, und jetzt die Feiertage", "The bank counts `settlement_date` from the second day on.", "",
		"Die Feiertage zählen nicht mehr als Banktage.", "keep the list of banks and the tests", "Done."}, nil)
	s.Turns = slices.DeleteFunc(s.Turns, func(turn ingest.Turn) bool { return turn.Text == "" })
	s.Turns[4].Calls = []ingest.ToolCall{{Name: "Bash", Command: "git commit", Done: true,
		CommitMessage: "Vorlauf: Feiertage zählen nicht"}}
	s.Turns[5].Kind, s.Turns[5].Name = ingest.Command, "/compact"
	all, _ := items(s)
	for said, want := range map[string]bool{"holidays of": false, "keep the list": false, "settlement_date": true,
		"no Easter Monday": true} {
		quotes := func(it payload.Item) bool { return strings.Contains(it.Text, said) }
		if got := slices.ContainsFunc(all, quotes); got != want {
			t.Errorf("%q is quoted: %v", said, got)
		}
	}
}
