package setup

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/schedule"
	txt "recall/text"
)

// ScheduleDoc is the JSON form of recall schedule status.
type ScheduleDoc struct {
	Installed bool      `json:"installed"`
	System    string    `json:"system,omitempty"` // systemd, launchd, windows, cron
	Jobs      []jobDoc  `json:"jobs"`
	Log       string    `json:"log"` // the folder of the jobs' logs
	Next      time.Time `json:"next,omitzero"`
}

type jobDoc struct {
	Job   string    `json:"job"`
	Last  time.Time `json:"last,omitzero"` // when it last began
	MS    int64     `json:"ms"`
	OK    bool      `json:"ok"`
	Did   string    `json:"did,omitempty"`
	Error string    `json:"error,omitempty"`
}

func newScheduleStatusCmd(a *app.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Tell whether the jobs are set up and how they went",
		Long:    "Reports whether the jobs are set up, how their last runs went, and when the next\nnightly one is. The exit code is 1 if they aren't set up.",
		Example: "  recall schedule status",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			doc, err := schedules(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				err = a.PrintJSON(doc)
			} else {
				printSchedule(a, doc)
			}
			if err == nil && !doc.Installed {
				err = app.ExitCode(app.ExitNothing)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// schedules is how the jobs are.
func schedules(ctx context.Context) (ScheduleDoc, error) {
	doc := ScheduleDoc{Jobs: []jobDoc{}}
	dir, err := schedule.Folder()
	if err != nil {
		return doc, terminal.WithHint(err, "set HOME: the jobs and their logs are kept below it")
	}
	doc.Log = dir
	if h, err := schedule.Here(ctx); err == nil {
		doc.System, doc.Installed = string(h.System), h.Installed(ctx)
		if doc.Installed {
			if at, ok := h.At(ctx); ok {
				doc.Next = at.Next(time.Now()).UTC()
			}
		}
	}
	for _, j := range schedule.Jobs {
		if r, ok := schedule.Last(dir, j.Name); ok {
			doc.Jobs = append(doc.Jobs, jobDoc{r.Job, r.At, r.MS, r.OK(), r.Did, r.Error})
		}
	}
	return doc, nil
}

func printSchedule(a *app.App, s ScheduleDoc) {
	switch {
	case s.Installed:
		fmt.Fprintf(a.Out, "set up with %s: archive every 10 minutes, sync every night", s.System)
		if !s.Next.IsZero() {
			fmt.Fprintf(a.Out, ", next %s", s.Next.Local().Format("2006-01-02 15:04"))
		}
		fmt.Fprintln(a.Out)
	default:
		fmt.Fprintln(a.Out, "not set up; recall schedule install does it")
	}
	for _, j := range s.Jobs {
		fmt.Fprintf(a.Out, "%-8s %s\n", j.Job, j.words())
	}
	if _, err := os.Stat(s.Log); err == nil {
		fmt.Fprintf(a.Out, "%-8s %s\n", "logs", s.Log)
	}
}

// words says how a job's last run went.
func (j jobDoc) words() string {
	s := fmt.Sprintf("%s, %s: ", j.Last.Local().Format("2006-01-02 15:04"),
		terminal.Elapsed(time.Duration(j.MS)*time.Millisecond))
	if !j.OK {
		return s + "FAILED: " + txt.Clip(terminal.Line(j.Error), 200)
	}
	return s + j.Did
}
