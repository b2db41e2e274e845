package distill

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
	"recall/payload"
)

// did returns what a session did on record: its commits that stand, its completed tasks, what became of pull requests,
// the values that its edits replaced, and that git last said that nothing is left to commit; and how many files are
// left to commit.
func did(s *ingest.Session) (all []payload.Deed, uncommitted int) {
	tr, places := trace.OfSession(s), s.Places()
	for _, task := range s.Tasks {
		if at, ok := places[string(task.Turn)]; ok && task.Status == "completed" && !s.Turns[at].Aside() {
			said := text.Clip(text.OneLine(task.Subject), MaxQuote)
			all = append(all, payload.Deed{Text: said, Turn: string(task.Turn), At: s.Turns[at].At, Task: true})
		}
	}
	took, uncommitted := commits(s, tr)
	for i := range tr.Actions {
		a := &tr.Actions[i]
		if a.Abandoned || a.Copied {
			continue
		}
		deeds := append(Fates(Roots(s), a), replaced(Roots(s), a)...)
		for _, c := range tr.Commits {
			if c.Call == a.Call && c.Subject != "" && c.Undone == 0 {
				deeds = append(deeds, payload.Deed{Text: text.Clip(c.Subject, MaxQuote), Files: took[a.Call]})
			}
		}
		if len(deeds) == 0 && a.LeavesNothing() && took[a.Call] != nil {
			deeds = append(deeds, payload.Deed{Files: took[a.Call]})
		}
		for _, d := range deeds {
			if d.At = a.At; !a.Call.At.IsZero() {
				d.At = a.Call.At
			}
			if by := s.TurnAt(a.N); by != nil {
				d.Turn = string(by.ID)
				if d.Of != "" {
					d.Of = text.OneLine(d.Of + " " + ordered(s, a.N, &d))
				}
				all = append(all, d)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b payload.Deed) int { return a.At.Compare(b.At) })
	values := 0
	for i, d := range slices.Backward(all) {
		if d.Now == "" {
			continue
		}
		if values++; values > mostReplaced {
			all = slices.Delete(all, i, i+1)
		}
	}
	return all, uncommitted
}

// commits returns which files and folders of a repository's folder the commits of each call have, as far as that is on
// record, "." for whatever was changed, as where git says that nothing is left; and counts the files that were written
// since the last commit that has them, or was begun. A commit of which nobody knows what was added to it has those.
func commits(s *ingest.Session, tr *trace.Trace) (took map[*ingest.ToolCall][]string, left int) {
	took = map[*ingest.ToolCall][]string{}
	if s.Where.Branch == "" {
		return took, 0
	}
	roots, open, staged := Roots(s), map[string]bool{}, map[string]bool{}
	var added []string // to the next commit
	unknown := false   // something that nobody knows was
	for i := range tr.Actions {
		a := &tr.Actions[i]
		if a.Abandoned || a.Copied {
			continue
		}
		for _, t := range a.Touches {
			name := FileName(roots, t.Path)
			outside := path.IsAbs(name) || strings.Contains(name, ":/") || strings.HasPrefix(name, ".git/") ||
				strings.HasPrefix(name, ".claude/plans/")
			if t.How == trace.Delete || t.Back { // a file, or all in a folder
				maps.DeleteFunc(open, func(o string, _ bool) bool { return IsIn(roots, o, t.Path) })
			} else if t.How != trace.Read && !t.Unsure && !outside && a.Call.Worked() {
				delete(open, FileName(roots, t.From))
				open[name], staged[name] = true, false
			}
		}
		for _, st := range a.Steps {
			names, isAdd := adds(roots, &st)
			added, unknown = append(added, names...), unknown || isAdd && addsUnknown(&st)
			for name := range open {
				if was := staged[name]; Staged(roots, &st, name, was) != was {
					staged[name] = !was
				}
			}
		}
		made := slices.ContainsFunc(tr.Commits, func(c trace.Commit) bool {
			return c.Call == a.Call && !c.Left // or else what it had was thrown away with it
		})
		elsewhere := func(st trace.Step) bool { // another repository
			dir, _ := st.Git()
			return dir != "" && path.IsAbs(FileName(roots, dir+"/."))
		}
		clean := a.LeavesNothing() && !slices.ContainsFunc(a.Steps, elsewhere)
		if made || clean || !a.Call.Done && ingest.Commits(a.Call.Command) {
			whole := clean || unknown || len(added) == 0
			maps.DeleteFunc(open, func(name string, _ bool) bool { return whole || staged[name] })
			if took[a.Call] = added; clean {
				took[a.Call] = []string{"."}
			}
			clear(staged)
			added, unknown = nil, false
		}
	}
	return took, len(open)
}

// adds returns what a command adds to git's next commit by name, "." if that is all that was changed, and whether it
// adds anything.
func adds(roots []string, st *trace.Step) (names []string, ok bool) {
	dir, args := st.Git()
	if len(args) == 0 || args[0] != "add" && args[0] != "commit" || path.IsAbs(FileName(roots, dir+"/.")) {
		return nil, false
	}
	if named := operands(args); args[0] == "add" && len(named) > 0 {
		for _, arg := range named {
			names = append(names, path.Clean(FileName(roots, trace.Absolute(dir, arg)+"/.")))
		}
	} else if slices.ContainsFunc(args, wholeTree().MatchString) {
		names = append(names, ".")
	}
	return names, args[0] == "add"
}

var (
	// Forges are the programs that open, merge and close pull requests.
	Forges = text.Set("gh glab")
	// paths are those in addresses, by a forge's noun.
	paths = map[string]string{"pr": "/pull/", "mr": "/merge_requests/", "issue": "/issues/"}
	fates = map[string]string{"merge": merged, "close": "closed since", "reopen": "reopened since"}
	// notYet are the flags with which a command does neither, or not yet.
	notYet = text.Set("--dry-run --auto --disable-auto --help")
	number = text.Pattern(`^(?:https?://\S+/)?\d+$`)
	// state matches what a forge prints of one that is over, logged a merge in git's log, by a merge commit or as one.
	state  = text.Pattern(`(?m)^state:\s*(MERGED|CLOSED)$|"state":\s*"(MERGED|CLOSED)"`)
	logged = text.Pattern(`(?m)\bMerge pull request #(\d+) from|\(#(\d+)\)$`)
)

const merged = "merged since"

// Fates returns what became of pull requests, merge requests and issues by a call, or by what it shows of them: each by
// the end of its address, which lacks the number if it is the one of the branch. roots are the session's folders.
func Fates(roots []string, a *trace.Action) (all []payload.Deed) {
	c := a.Call
	became := func(fate, of, arg string) {
		if !strings.Contains(arg, "/") {
			arg = of + arg
		}
		all = append(all, payload.Deed{Text: arg, Fate: fate})
	}
	if !c.Worked() {
		return nil
	}
	if strings.HasSuffix(c.Name, "__merge_pull_request") {
		became(merged, paths["pr"], cmp.Or(c.Input["pull_number"], c.Input["pullNumber"]))
	}
	isView := func(st trace.Step) bool { return Forges[st.Program] && len(st.Args) > 1 && st.Args[1] == "view" }
	views := 0
	for _, st := range a.Steps {
		if isView(st) {
			views++
		}
	}
	for _, st := range a.Steps {
		dir, args := st.Git() // of others than its log it may be text of a change, or a branch's
		elsewhere := dir != "" && path.IsAbs(FileName(roots, dir+"/."))
		if !elsewhere && len(args) > 0 && args[0] == "log" {
			for _, m := range logged().FindAllStringSubmatch(c.Result, -1) {
				became(merged, paths["pr"], m[1]+m[2])
			}
		}
		if !Forges[st.Program] || len(st.Args) < 2 || paths[st.Args[0]] == "" {
			continue
		}
		fate, args := fates[st.Args[1]], st.Args[2:]
		m := state().FindStringSubmatch(c.Result)
		if isView(st) && views == 1 && m != nil { // else of which, who can tell
			fate = strings.ToLower(m[1]+m[2]) + " since"
		}
		at, of := slices.IndexFunc(args, number().MatchString), ""
		k := slices.IndexFunc(args, func(arg string) bool { return arg == "-R" || arg == "--repo" })
		if k >= 0 && k+1 < len(args) {
			of = args[k+1]
		}
		switch { // without a number, an argument is a branch, or what only the shell knew
		case fate == "", slices.ContainsFunc(args, func(arg string) bool { return notYet[arg] }):
		case at >= 0:
			became(fate, of+paths[st.Args[0]], args[at])
		case !slices.Contains(args, trace.UnknownArg) && (len(args) == 0 || strings.HasPrefix(args[0], "-")):
			became(fate, paths[st.Args[0]], "")
		}
	}
	return all
}
