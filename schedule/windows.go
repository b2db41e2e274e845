package schedule

import "strings"

// TaskName is a job's name in Windows' task scheduler.
func TaskName(j Job) string { return `recall\` + j.Name }

// Tasks are an XML file for each job, for schtasks /Create /XML. A task starts
// as soon as it can if its time was missed. conhost --headless keeps a console
// window from popping up.
func Tasks(p Plan) []File {
	var files []File
	for _, j := range Jobs {
		var args []string
		for _, a := range append([]string{"--headless"}, p.Command(Windows, j)...) {
			args = append(args, windowsQuote(a))
		}
		files = append(files, File{"recall-" + j.Name + ".xml", filled{p, j, args, nil}.in("task")})
	}
	return files
}

// windowsQuote quotes an argument as CommandLineToArgvW takes it apart:
// backslashes count double before a quote only.
func windowsQuote(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\"") {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0
	for _, r := range s {
		switch r {
		case '\\':
			slashes++
			continue
		case '"':
			b.WriteString(strings.Repeat(`\`, 2*slashes+1))
		default:
			b.WriteString(strings.Repeat(`\`, slashes))
		}
		slashes = 0
		b.WriteRune(r)
	}
	b.WriteString(strings.Repeat(`\`, 2*slashes))
	b.WriteByte('"')
	return b.String()
}
