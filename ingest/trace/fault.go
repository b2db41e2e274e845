package trace

import (
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"unicode"

	"recall/ingest"
)

// A Fault is an error that a call's output states.
type Fault struct {
	Action int    // place in Trace.Actions
	Text   string // the line, at most faultMost bytes
	Sig    int64  // see Signature
}

const (
	faultMost      = 160 // bytes of a line that are kept
	faultsPerCall  = 5
	faultsMost     = 400 // of a session: a log that fails in a loop says nothing new
	lineTooLong    = 600 // minified, or data
	lettersAtLeast = 8   // of a line that can be told from others
)

// faults lists the errors that the outputs of commands state. What a file tool
// says of itself (a text to replace that isn't there) is no error of the work.
func faults(actions []Action) []Fault {
	var all []Fault
	for i := range actions {
		a := &actions[i]
		if !a.Ran() || a.Copied {
			continue
		}
		for _, text := range FaultLines(a.Call, a.shows()) {
			if len(all) == faultsMost {
				return all
			}
			all = append(all, Fault{Action: i, Text: text, Sig: Signature(text)})
		}
	}
	return all
}

// shows says whether a command line only prints files or logs, in which
// errors of another time may stand.
func (a *Action) shows() bool {
	for i := range a.commands {
		c := &a.commands[i]
		if c.pipe {
			continue
		}
		switch c.program() {
		case "cat", "grep", "rg", "sed", "head", "tail", "less", "awk", "find", "ls", "echo", "cd", "jq", "printf", "wc", "diff", "nl":
		case "git", "gh":
			if args := c.args(); len(args) > 0 && slices.Contains([]string{"push", "pull", "fetch", "commit", "rebase", "merge", "clone", "checkout", "apply", "am", "cherry-pick"}, args[0]) {
				return false
			}
		default:
			return false
		}
	}
	return len(a.commands) > 0
}

var (
	errorWords  = lazy(`(?i)\b(?:errors?|err!|fail(?:ed|ure|ures|s)?|panic|exception|fatal|cannot|can't|couldn't|could not|undefined|unresolved|not found|no such|denied|refused|timed out|timeout|invalid|unable to|unexpected|unknown|missing|mismatch|conflict|not a|doesn't|does not|too many|isn't|illegal|abort(?:ed)?|killed|segfault|deadlock|violat\w+|unsupported|already exists|expected)\b|\w(?:Error|Exception)\b`)
	strongWords = lazy(`^(?:\S+: )?(?:error|fatal|panic|E)(?:\[\w+\])?:|\berror(?:\[E\d+\]| TS\d+)|^--- FAIL|^FAIL\s|^npm (?:ERR!|error)|^\w*(?:Error|Exception)\b:|\S+:\d+:\d+: `)
	allWell     = lazy(`(?i)\b(?:0|no) (?:errors?|failures?|failed|warnings?)\b|\b(?:0|no) error`)
)

// FaultLines picks the lines of a call's output that state an error. shows says
// that the command only prints what is written elsewhere.
func FaultLines(c *ingest.ToolCall, shows bool) []string {
	if _, file := toolTouch(c); file || c.Result == "" || shows && !c.Failed {
		return nil
	}
	switch c.Name {
	case "Grep", "Glob", "LS", "TodoWrite", "Task", "Agent", "AskUserQuestion", "ExitPlanMode", "TaskOutput", "ToolSearch", "WebSearch":
		return nil
	}
	if !c.Failed && (c.Command == "" || !maybeError(c.Result)) {
		return nil
	}
	states := errorWords().MatchString
	if !c.Failed {
		states = statesStrongly
	}
	if shows {
		return firstLine(c.Result)
	}
	var out []string
	seen := map[int64]bool{}
	for line := range strings.Lines(strings.TrimPrefix(c.Result, "Error: ")) {
		line = strings.TrimSpace(line)
		if len(line) > lineTooLong || strings.HasPrefix(line, "Exit code ") || isCode(line) || !states(line) || allWell().MatchString(line) {
			continue
		}
		sig := Signature(line)
		if sig == 0 || seen[sig] {
			continue
		}
		seen[sig] = true
		if out = append(out, cut(line)); len(out) == faultsPerCall {
			return out
		}
	}
	if len(out) == 0 && c.Failed {
		return firstLine(c.Result)
	}
	return out
}

// statesStrongly tells what strongWords matches, and asks it of few lines.
func statesStrongly(line string) bool {
	for _, w := range []string{"rror", "FAIL", "fatal", "panic", "xception", "ERR!", "E:", "E["} {
		if strings.Contains(line, w) {
			return strongWords().MatchString(line)
		}
	}
	for at := 0; ; { // of "file:line:column: "
		i := strings.Index(line[at:], ": ")
		if i < 0 {
			return false
		}
		if at += i; at > 0 && line[at-1] >= '0' && line[at-1] <= '9' {
			return strongWords().MatchString(line)
		}
		at += 2
	}
}

// isCode tells a line of a program that an error message quotes.
func isCode(line string) bool {
	for _, begin := range []string{"return ", "func ", "if ", "//", "def ", "raise ", "throw ", "at ", "<tool_use_error>"} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return strings.HasSuffix(line, "{") || strings.HasSuffix(line, ";") || strings.HasSuffix(line, "}")
}

// firstLine is the line after the exit code, where that tells something.
func firstLine(result string) []string {
	for line := range strings.Lines(result) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "Exit code ") {
			continue
		}
		if Signature(line) == 0 || len(line) > lineTooLong {
			return nil
		}
		return []string{cut(line)}
	}
	return nil
}

// maybeError is a quick look whether strongWords can match.
func maybeError(s string) bool {
	for _, w := range []string{"rror", "FAIL", "atal:", "anic:", "xception", "ERR!", ": "} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

func cut(line string) string {
	if len(line) <= faultMost {
		return line
	}
	return strings.ToValidUTF8(line[:faultMost], "") + "…"
}

// Signature is what an error is known by again: its words without what changes
// from one time to the next: paths, line numbers, other numbers, hashes, times,
// the marks before it. 0 where too little is left to tell it from others.
func Signature(line string) int64 {
	line = Normal(line)
	letters := 0
	for _, r := range line {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if sayNothing().MatchString(line) {
		return 0
	}
	if letters < lettersAtLeast || !strings.Contains(line, " ") {
		return 0
	}
	h := fnv.New64a()
	io.WriteString(h, line)
	return int64(h.Sum64() | 1)
}

var (
	pathText  = lazy(`(?:[A-Za-z]:\\|~?/|\.{1,2}/)?(?:[\w.@+~-]+[/\\])+[\w.@+~-]*|[\w-]+\.(?:go|py|js|jsx|ts|tsx|rs|java|rb|c|cc|cpp|h|hpp|ex|exs|sh|sql|css|html|json|toml|yaml|yml|md|txt|lock|mod|swift|kt)\b`)
	spotText  = lazy(`‹path›(?:[:(]\d+(?:[:,]\d+)?\)?)?`)
	hexText   = lazy(`\b(?:0x[0-9a-f]+|[0-9a-f]{7,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b`)
	digitText = lazy(`\d+(?:[.:,_-]\d+)*`)
	leadMarks = lazy(`^(?:[\[(]?#[^ ]*[\])]?:? |‹path›:? |[|>*✗×✕•✖└├─+~=#-]+ |e +|(?:error|fatal|panic|failure|failed|warn|warning|err|npm err!|exit status #|exit code #|stderr|uncaught|unhandled|(?:\w+\.)*\w+\.go)(?:\[\w*#*\]| ts#)?[:!] |npm error (?:code )?)+`)
)

// tailMarks are a test's time and the name of the linter that complains.
var tailMarks = lazy(`(?: \((?:#s|[a-z0-9#-]+)\)| #m?s)+$`)

// sayNothing tells, of a line as Normal makes it, that something failed and not what.
var sayNothing = lazy(`^(?:fail ‹path›|.*\btask failed$|(?:#|\d+)? ?tests?, # failures?|.*exited with (?:exit )?(?:code|status)|.*exit status #$|recipe for target|.*tool call errored|errors? found|found # errors?|.*too many errors$|.*requires approval|.* was blocked\. for security|glob patterns are not allowed|permission to use .*|.*working directory .* was deleted)`)

// Normal is a line with what changes masked; see Signature.
func Normal(line string) string {
	line = strings.ToLower(strings.Join(strings.Fields(line), " "))
	if len(line) > faultMost { // as much as is kept: a shortened line has the same signature
		line = strings.ToValidUTF8(line[:faultMost], "")
	}
	line = strings.TrimRight(line, "….")
	if strings.ContainsAny(line, `/\.`) {
		line = pathText().ReplaceAllStringFunc(line, func(s string) string {
			if strings.Count(s, "/") == 1 && !strings.ContainsAny(s, `.~\`) && s[0] != '/' {
				return s // get/2, and/or
			}
			return "‹path›"
		})
		line = spotText().ReplaceAllString(line, "‹path›")
	}
	line = hexText().ReplaceAllStringFunc(line, func(s string) string {
		if strings.ContainsAny(s, "0123456789") {
			return "#"
		}
		return s // "defaced" is a word
	})
	line = digitText().ReplaceAllString(line, "#")
	line = leadMarks().ReplaceAllString(line, "")
	line = tailMarks().ReplaceAllString(line, "")
	return strings.TrimSpace(line)
}
