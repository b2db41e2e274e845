package trace

import (
	"hash/fnv"
	"io"
	"strings"
	"unicode"

	"recall/ingest"
	"recall/internal/text"
)

// A Fault is an error reported in a call's output.
type Fault struct {
	Action int    // index in Trace.Actions
	Text   string // the line, at most faultMost bytes
	Sig    int64  // see Signature
}

const (
	faultMost      = 160 // bytes kept of a line
	faultsPerCall  = 5
	faultsMost     = 400 // per session: a log that fails in a loop says nothing new
	lineTooLong    = 600 // minified, or data
	lettersAtLeast = 8   // for a line to be distinctive
)

// faults lists the errors reported in the output of commands. A file tool's own failure (a text to replace that isn't
// there) is not an error in the work.
func faults(actions []Action) []Fault {
	var all []Fault
	for i := range actions {
		a := &actions[i]
		if !a.Call.Ran() || a.Copied {
			continue
		}
		for _, text := range FaultLines(a.Call, a.onlyPrints()) {
			if len(all) == faultsMost {
				return all
			}
			all = append(all, Fault{Action: i, Text: text, Sig: Signature(text)})
		}
	}
	return all
}

// onlyPrints reports whether a command line only prints files or logs, which can contain old errors.
func (a *Action) onlyPrints() bool {
	for i := range a.steps {
		c := &a.steps[i]
		if c.Piped {
			continue
		}
		switch c.Program {
		case "cat", "grep", "rg", "sed", "head", "tail", "less", "awk", "find", "ls", "echo", "cd", "jq", "printf", "wc",
			"diff", "nl":
		case "git":
			if _, args := gitArgs(c.Args); len(args) > 0 && !gitShows[args[0]] {
				return false
			}
		case "gh":
			if args := c.Args; len(args) > 1 && !ghShows[args[1]] {
				return false
			}
		default:
			return false
		}
	}
	return len(a.steps) > 0
}

var (
	strongWords = text.Pattern(`^(?:\S+: )?(?:error|fatal|panic|E)(?:\[\w+\])?:|\berror(?:\[E\d+\]| TS\d+)|^--- FAIL|` +
		`^FAIL\s|^npm (?:ERR!|error)|^\w*(?:Error|Exception)\b:|[^:\s]:\d+:\d+: `)
	// Lines that report success, and lines of code quoted by an error message.
	notThat = text.Pattern(`^Exit code |(?i:\b(?:0|no) (?:error|(?:failures?|failed|warnings?)\b))|` +
		`^(?:return |func |if |//|def |raise |throw |at |<tool_use_error>)|[{;}]$`)
)

// FaultLines picks the lines of output that report an error. shows: the command only prints existing text.
func FaultLines(c *ingest.ToolCall, shows bool) []string {
	if _, file := toolTouch(c); file || c.Result == "" || shows && !c.Failed {
		return nil
	}
	switch c.Name {
	case "Grep", "Glob", "LS", "TodoWrite", "Task", "Agent", "AskUserQuestion", "ExitPlanMode", "TaskOutput",
		"ToolSearch", "WebSearch":
		return nil
	}
	if !c.Failed && c.Command == "" {
		return nil
	}
	states := statesError()
	if !c.Failed {
		states = strongWords()
	}
	if shows {
		return firstLine(c.Result)
	}
	var out []string
	seen := map[int64]bool{}
	for line := range strings.Lines(strings.TrimPrefix(c.Result, "Error: ")) {
		line = strings.TrimSpace(line)
		noFault := len(line) > lineTooLong || !c.Failed && !couldStateError(line) || !states.MatchString(line) ||
			notThat().MatchString(line)
		if noFault {
			continue
		}
		sig := Signature(line)
		if sig == 0 || seen[sig] {
			continue
		}
		seen[sig] = true
		if out = append(out, text.HeadMarked(line, faultMost)); len(out) == faultsPerCall {
			return out
		}
	}
	if len(out) == 0 && c.Failed {
		return firstLine(c.Result)
	}
	return out
}

// couldStateError is a quick check: every line that matches strongWords has such a substring, or a column as compilers
// give it.
func couldStateError(line string) bool {
	column := false
	for i := 1; i < len(line)-1 && !column; i++ {
		column = line[i] == ':' && line[i+1] == ' ' && '0' <= line[i-1] && line[i-1] <= '9'
	}
	return column ||
		text.AnyOf(line, strings.Contains, "rror", "FAIL", "ERR!", "xception", "fatal", "panic", "E:", "E[")
}

// Subcommands of git and gh that only print.
var (
	gitShows = text.Set(`log show diff status blame grep cat-file ls-files ls-tree ls-remote rev-parse rev-list branch
		remote config fsck reflog describe shortlog diff-index diff-tree name-rev merge-base check-ignore for-each-ref
		show-ref count-objects var version help`)
	ghShows = text.Set(`view list diff status checks`)
)

// gitArgs returns git's arguments without its global flags, and the folder given by those, or "".
func gitArgs(args []string) (dir string, rest []string) {
	for len(args) > 1 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-C" {
			dir = args[1]
		}
		if args[0] == "-C" || args[0] == "-c" {
			args = args[1:]
		}
		args = args[1:]
	}
	return dir, args
}

// statesError matches a word that reports an error, including names of errors such as TypeError.
var statesError = text.Pattern(`(?i:\b(?:errors?|err|fail(?:ed|ures?|s)?|panic|exception|fatal|cannot|can't|couldn't|` +
	`undefined|unresolved|denied|refused|timeout|invalid|unexpected|unknown|missing|mismatch|conflict|doesn't|isn't|` +
	`illegal|abort(?:ed)?|killed|segfault|deadlock|violat(?:es|ed|ion|ing)|unsupported|expected|could +not|` +
	`not +(?:found|a)|no +such|timed +out|unable +to|does +not|too +many|already +exists)\b)|\w(?:Error|Exception)\b`)

// firstLine returns the line after the exit code, if it is informative.
func firstLine(result string) []string {
	for line := range strings.Lines(result) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "Exit code ") {
			continue
		}
		if Signature(line) == 0 || len(line) > lineTooLong {
			return nil
		}
		return []string{text.HeadMarked(line, faultMost)}
	}
	return nil
}

// Signature identifies an error: its words without paths, numbers, hashes, times and leading marks, which change each
// time. It is 0 where too little is left.
func Signature(line string) int64 {
	line = Normal(line)
	letters := 0
	for _, r := range line {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters < lettersAtLeast || !strings.Contains(line, " ") || emptyText().MatchString(line) {
		return 0
	}
	h := fnv.New64a()
	io.WriteString(h, line)
	return int64(h.Sum64() | 1)
}

var (
	pathText = text.Pattern(`(?:[A-Za-z]:\\|~?/|\.{1,2}/)?(?:[\w.@+~-]+[/\\])+[\w.@+~-]*|[\w-]+\.(?:go|py|js|jsx|ts|` +
		`tsx|rs|java|rb|c|cc|cpp|h|hpp|ex|exs|sh|sql|css|html|json|toml|yaml|yml|md|txt|lock|mod|swift|kt)\b`)
	spotText = text.Pattern(`‹path›(?:[:(]\d+(?:[:,]\d+)?\)?)?`)
	hexText  = text.Pattern(`\b(?:0x[0-9a-f]+|[0-9a-f]{7,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b`)
	// Numbers joined by marks: "1.2.3", "12:30".
	numberText = text.Pattern(`\d+(?:[.:,_-]\d+)*`)
	leadMarks  = text.Pattern(`^(?:[\[(]?#[^ ]*[\])]?:? |‹path›:? |[|>*✗×✕•✖└├─+~=#-]+ |e +|` +
		`(?:error|fatal|panic|failure|failed|warn|warning|err|npm err!|exit status #|exit code #|stderr|uncaught|unhandled|` +
		`(?:\w+\.)*\w+\.go)(?:\[\w*#*\]| ts#)?[:!] |npm error (?:code )?)+`)
)

// tailMarks matches a test's time and the name of the linter that complains.
var tailMarks = text.Pattern(`(?: \((?:#s|[a-z0-9#-]+)\)| #m?s)+$`)

// emptyText matches lines, in Normal's form, that say that something failed but not what.
var emptyText = text.Pattern(`(?:^| )(?:task failed|too many errors|exit status #)$|tests, # failures$|` +
	`^(?:fail ‹path›|glob patterns are not allowed|permission to use |recipe for target|errors? found|found # error)|` +
	`exited with (?:exit )?(?:code|status)|tool call errored|requires approval| was blocked\. for security|` +
	`working directory .* was deleted`)

// Normal returns a line with everything that varies masked; see Signature.
func Normal(line string) string {
	line = strings.ToLower(strings.Join(strings.Fields(line), " "))
	if len(line) > faultMost { // as much as is kept, so that a shortened line has the same signature
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
	line = numberText().ReplaceAllString(line, "#")
	line = leadMarks().ReplaceAllString(line, "")
	return strings.TrimSpace(tailMarks().ReplaceAllString(line, ""))
}
