package setup

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/schedule"
	txt "recall/text"
)

func newScheduleStatusCmd(a *app.App) *cobra.Command {
	return option.Result(a, &cobra.Command{
		Use:   "status",
		Short: "Tell whether the jobs are set up and how they went",
	}, func(ctx context.Context, _ []string) (schedule.Status, error) {
		s, err := schedule.Look(ctx)
		switch {
		case err != nil:
			return s, hint.With(err, "set HOME: the jobs and their logs are kept below it")
		case !s.Installed:
			return s, app.ExitCode(app.ExitNothing)
		}
		return s, nil
	}, printSchedule)
}

func printSchedule(a *app.App, s schedule.Status) {
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
		fmt.Fprintf(a.Out, "%-8s %s\n", j.Job, jobWords(j))
	}
	if _, err := os.Stat(s.Log); err == nil {
		fmt.Fprintf(a.Out, "%-8s %s\n", "logs", s.Log)
	}
}

// jobWords says how a job's last run went.
func jobWords(j schedule.JobStatus) string {
	s := fmt.Sprintf("%s, %s: ", j.Last.Local().Format("2006-01-02 15:04"),
		terminal.Elapsed(time.Duration(j.MS)*time.Millisecond))
	if !j.OK {
		return s + "FAILED: " + txt.Clip(terminal.Line(j.Error), 200)
	}
	return s + j.Did
}
