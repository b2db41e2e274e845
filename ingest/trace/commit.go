package trace

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/internal/text"
)

// A Commit is a git commit that the session made; its JSON is part of the manifest.
type Commit struct {
	Hash    string    `json:"hash,omitempty"`    // as printed, usually the first 7 to 12 digits; "" if git was quiet
	Subject string    `json:"subject,omitempty"` // first line of its message, "" if unknown
	Branch  string    `json:"branch,omitempty"`  // "" if unknown
	Dir     string    `json:"dir,omitempty"`     // folder it was made in, "" if unknown
	At      time.Time `json:"at,omitzero"`
	N       int       `json:"turn"`
	Copied  bool      `json:"-"`
}

var (
	commitPrinted = text.Pattern(`(?m)^\[([^\]\n]+?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.*)$`)
	logLine       = text.Pattern(`(?m)^(?:\* )?([0-9a-f]{7,40}) (?:\([^)\n]*\) )?(.+)$`)
	pushedTip     = text.Pattern(`(?m)^\s*[0-9a-f]{7,40}\.\.([0-9a-f]{7,40})\s+\S+ -> \S+`)
	bareHash      = text.Pattern(`(?m)^[0-9a-f]{7,40}$`)
)

// commits lists the commits that calls made, recognized by the hash in git's output, or for a quiet commit by a log
// printed after it, or by its message alone.
func commits(s *ingest.Session, actions []Action) []Commit {
	var all []Commit
	for i := range actions {
		a := &actions[i]
		if !a.Call.Ran() || !strings.Contains(a.Call.Command, "commit") {
			continue
		}
		dir, asked := a.CommitsIn()
		if asked == 0 && a.Call.Commit == "" {
			continue
		}
		made := Commit{At: cmp.Or(a.Call.At, a.At), Dir: dir, N: a.N, Copied: a.Copied, Branch: s.Where.Branch}
		all = append(all, printedCommits(a.Call, made)...)
	}
	return all
}

// CommitsIn counts the git commits in a command line, and returns the folder that the last one ran in.
func (a *Action) CommitsIn() (dir string, n int) {
	for i := range a.steps {
		in, args := a.steps[i].Git()
		if len(args) > 0 && args[0] == "commit" && !slices.Contains(args, "--dry-run") {
			dir, n = in, n+1
		}
	}
	return dir, n
}

// printedCommits returns the commits of one call according to its output.
func printedCommits(c *ingest.ToolCall, made Commit) []Commit {
	var all []Commit
	for _, f := range commitPrinted().FindAllStringSubmatch(c.Result, -1) {
		m := made
		m.Branch, m.Hash, m.Subject = f[1], f[2], strings.TrimSpace(f[3])
		if m.Branch == "detached HEAD" {
			m.Branch = ""
		}
		all = append(all, m)
	}
	if len(all) > 0 || c.Failed {
		return all
	}
	made.Hash, made.Subject = cmp.Or(c.Commit, hashAfter(c.Result, c.CommitMessage)), c.CommitMessage
	if made.Hash+made.Subject == "" ||
		text.AnyOf(c.Result, strings.Contains, "nothing to commit", "no changes added to commit") {
		return nil
	}
	return []Commit{made}
}

// hashAfter finds a quiet commit's hash in later output: beside its subject, alone on a line (git rev-parse HEAD), or
// as the pushed tip.
func hashAfter(out, subject string) string {
	for _, f := range logLine().FindAllStringSubmatch(out, -1) {
		if subject != "" && strings.HasPrefix(f[2], subject) {
			return f[1]
		}
	}
	if all := bareHash().FindAllString(out, -1); len(all) == 1 {
		return all[0]
	}
	if f := pushedTip().FindStringSubmatch(out); f != nil {
		return f[1]
	}
	return ""
}

// Git returns the arguments of a git command without its global flags, and the folder that it is about. Other commands
// have none.
func (st *Step) Git() (dir string, args []string) {
	if st.Program != "git" {
		return "", nil
	}
	dir, args = st.Dir, st.Args
	for len(args) > 1 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-C" && args[1] != "" {
			dir = Absolute(st.Dir, args[1])
		}
		if args[0] == "-C" || args[0] == "-c" {
			args = args[1:]
		}
		args = args[1:]
	}
	return dir, args
}
