package schedule

import (
	"fmt"
	"strings"
)

// TaskName is a job's name in Windows' task scheduler.
func TaskName(j Job) string { return `recall\` + j.Name }

// Tasks are an XML file for each job, for schtasks /Create /XML. A task starts
// as soon as it can if its time was missed. conhost --headless keeps a console
// window from popping up.
func Tasks(p Plan) []File {
	var files []File
	for _, j := range Jobs {
		files = append(files, File{"recall-" + j.Name + ".xml", task(p, j)})
	}
	return files
}

func task(p Plan, j Job) string {
	trigger := fmt.Sprintf(`    <CalendarTrigger>
      <StartBoundary>2026-01-01T%s:00</StartBoundary>
      <Enabled>true</Enabled>
      <ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>
    </CalendarTrigger>
`, p.At)
	if j.Every > 0 {
		trigger = fmt.Sprintf(`    <TimeTrigger>
      <Repetition><Interval>PT%dM</Interval></Repetition>
      <StartBoundary>2026-01-01T00:00:00</StartBoundary>
      <Enabled>true</Enabled>
    </TimeTrigger>
`, j.Every)
	}
	user := ""
	if p.User != "" {
		user = "      <UserId>" + escape(p.User) + "</UserId>\n"
	}
	var args []string
	for _, a := range append([]string{"--headless"}, p.Command(Windows, j)...) {
		args = append(args, windowsQuote(a))
	}
	return `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>` + escape(j.About) + " (" + Mark + `)</Description>
  </RegistrationInfo>
  <Triggers>
` + trigger + `  </Triggers>
  <Principals>
    <Principal id="Author">
` + user + `      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <Hidden>true</Hidden>
    <ExecutionTimeLimit>PT6H</ExecutionTimeLimit>
    <Priority>7</Priority>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>%SystemRoot%\System32\conhost.exe</Command>
      <Arguments>` + escape(strings.Join(args, " ")) + `</Arguments>
    </Exec>
  </Actions>
</Task>
`
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
