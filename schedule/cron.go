package schedule

import (
	"fmt"
	"strings"

	"recall/sink"
)

// The lines of a crontab between which recall's own stand.
const (
	cronBegin = "# recall: begin (" + Mark + ")"
	cronEnd   = "# recall: end"
)

// Crontab returns a crontab with recall's lines, an earlier plan's replaced, at its end. All else stays byte for byte.
func Crontab(before string, p Plan) string {
	rest, _ := WithoutCron(before)
	if rest != "" && !strings.HasSuffix(rest, "\n") {
		rest += "\n"
	}
	var b strings.Builder
	b.WriteString(rest)
	fmt.Fprintln(&b, cronBegin)
	for _, j := range Jobs {
		when := fmt.Sprintf("%d %d * * *", p.At.Minute, p.At.Hour)
		if j.Every > 0 {
			when = fmt.Sprintf("*/%d * * * *", j.Every)
		}
		fmt.Fprintln(&b, when, strings.ReplaceAll(ShellLine(p, j), "%", `\%`))
	}
	fmt.Fprintln(&b, cronEnd)
	return b.String()
}

// WithoutCron returns a crontab without recall's lines, and whether it had any.
func WithoutCron(text string) (rest string, had bool) {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		switch bare := strings.TrimRight(line, "\r\n"); {
		case bare == cronBegin:
			inside, had = true, true
		case inside && bare == cronEnd:
			inside = false
		case !inside:
			b.WriteString(line)
		}
	}
	if inside { // the end is missing: nothing of another's may go with ours
		return text, false
	}
	return b.String(), had
}

// ShellLine is a job as a shell runs it, at low priority.
func ShellLine(p Plan, j Job) string {
	words := []string{"env"}
	for _, e := range p.Env {
		words = append(words, sink.Shell(e))
	}
	words = append(words, "nice", "-n", "10")
	for _, a := range p.Command(Cron, j) {
		words = append(words, sink.Shell(a))
	}
	return strings.Join(words, " ") + " >/dev/null 2>&1"
}
