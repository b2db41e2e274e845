package setup

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/internal/schedule"
	"recall/library"
	"recall/pipeline"
	"recall/pipeline/improve"
	"recall/serve/hooks/clients"
)

// The layouts that samples and scripts never reach work too: a form that names a missing field would panic.
func TestFormsOfWhatIsRare(t *testing.T) {
	var out bytes.Buffer
	a := &app.App{Console: terminal.Console{Out: &out, Err: &out}}
	at := time.Now()
	problem := ingest.Problem{Path: "/p", Err: &fs.PathError{Op: "open", Path: "/p", Err: fs.ErrPermission}}
	problems := func(n int) []ingest.Problem { return slices.Repeat([]ingest.Problem{problem}, n) }
	r := &history.Run{At: at, New: 1, Improved: 2}
	a.Form("status", StatusDoc{Tally: library.Tally{Waiting: 3, Grown: 1, Made: at, Newest: at},
		LastArchive: r, LastSync: r, LastImprove: r,
		Doomed: []pipeline.Expiring{{Days: 3, Sessions: 2, First: at.AddDate(0, 0, 5), Unsafe: 1}}, Unsafe: problems(5),
		Schedule: schedule.Status{Installed: true, System: "cron", Next: at, Jobs: []schedule.Run{{Job: "x"}}},
		Spent:    &improve.Took{},
		Model:    &modelDoc{Name: "m", Waiting: improve.Waiting{Sessions: 1, Failed: 1}, Asking: true},
		Warnings: []string{"w"}, Broken: problems(1)})
	row := history.Row{Name: "x", Requests: 3, Unpriced: 1, Estimated: 1}
	a.Form("usage", &history.Usage{By: "day",
		Recall: history.OwnUsage{Sums: history.Sums{Rows: []history.Row{row}, Total: row},
			Month: history.OwnMonth{Cap: 3}}})
	a.Form("clients", struct {
		Clients []clients.Serving
		Words   []string
		Log     string
		Faults  []string
	}{Log: "l", Faults: []string{"f"}, Clients: []clients.Serving{{Client: "C", Entries: []clients.Status{
		{Client: "C", Path: "p", Installed: true, Works: true, Command: []string{"q"}, Stale: true}, {Fault: "odd"}}}}})
	d := &app.ForeseenDoc{Model: "m"}
	d.Resting, d.Sessions = 2, make([]improve.ForeseenSession, 12)
	a.Form("foreseen", d)
	a.PrintReport(pipeline.Report{Unread: append(make([]pipeline.Unread, 6), pipeline.Unread{Lines: 3}),
		Problems: problems(25)})
	for _, want := range []string{"\n           2 not distilled yet; ", "\n           1 grown since: ",
		"the first on " + at.AddDate(0, 0, 5).Format(time.DateOnly) + "; 1 NOT archived yet;",
		"\nNOT SAFE   /p: permission denied\n", "\n           … and 2 more; --json", "\nschedule   set up with cron, next night run 20",
		"\nmodel      m: 1 session waits for it (it failed at 1 before); being asked now,", "~$0+?\n",
		"~ estimated, for 1 call that", "This month: 0 tokens, $0 of $3.00\n",
		" not as this version of recall would install it:", " odd\n",
		"3 lines of 7 sessions could not be read",
		"recall: … and 5 more; recall sync --json lists all\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("lacks %q:\n%s", want, out.String())
		}
	}
}
