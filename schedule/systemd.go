package schedule

import (
	"fmt"
	"strings"
)

// Units are a service and a timer for each job, for ~/.config/systemd/user.
// Persistent makes up for a run that was missed while the machine was off
// (systemd.timer(5)).
func Units(p Plan) []File {
	var files []File
	for _, j := range Jobs {
		when := fmt.Sprintf("*-*-* %s:00", p.At)
		spread := "5min"
		if j.Every > 0 {
			when, spread = fmt.Sprintf("*:0/%d", j.Every), "30s"
		}
		files = append(files,
			File{"recall-" + j.Name + ".service", service(p, j)},
			File{"recall-" + j.Name + ".timer", fmt.Sprintf(`# %s
[Unit]
Description=%s

[Timer]
OnCalendar=%s
RandomizedDelaySec=%s
AccuracySec=1min
Persistent=true

[Install]
WantedBy=timers.target
`, Mark, j.About, when, spread)})
	}
	return files
}

func service(p Plan, j Job) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n[Unit]\nDescription=%s\n\n[Service]\nType=oneshot\n", Mark, j.About)
	var args []string
	for i, a := range p.Command(Systemd, j) {
		if i > 0 { // variables aren't filled in in the program's own name
			a = strings.ReplaceAll(a, "$", "$$")
		}
		args = append(args, unitQuote(a))
	}
	fmt.Fprintf(&b, "ExecStart=%s\n", strings.Join(args, " "))
	for _, e := range p.Env {
		fmt.Fprintf(&b, "Environment=%s\n", unitQuote(e))
	}
	// Exit code 3: done, with sessions skipped.
	b.WriteString("SuccessExitStatus=1 3\nNice=10\nIOSchedulingClass=idle\nTimeoutStartSec=6h\n")
	return b.String()
}

// unitQuote is systemd.syntax(7): double quotes, C escapes, "%" doubled.
func unitQuote(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\t", `\t`).Replace(s)
	return `"` + s + `"`
}
