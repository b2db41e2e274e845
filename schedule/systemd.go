package schedule

import "strings"

// Units are a service and a timer for each job, for ~/.config/systemd/user.
// Persistent makes up for a run that was missed while the machine was off
// (systemd.timer(5)). Exit code 3 is a success: done, with sessions skipped.
func Units(p Plan) []File {
	var env []string
	for _, e := range p.Env {
		env = append(env, unitQuote(e))
	}
	var files []File
	for _, j := range Jobs {
		var args []string
		for i, a := range p.Command(Systemd, j) {
			if i > 0 { // variables aren't filled in in the program's own name
				a = strings.ReplaceAll(a, "$", "$$")
			}
			args = append(args, unitQuote(a))
		}
		f := filled{p, j, args, env}
		files = append(files, File{"recall-" + j.Name + ".service", f.in("service")},
			File{"recall-" + j.Name + ".timer", f.in("timer")})
	}
	return files
}

// unitQuote is systemd.syntax(7): double quotes, C escapes, "%" doubled.
func unitQuote(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\t", `\t`).Replace(s)
	return `"` + s + `"`
}
