package offline

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"recall/distill"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
	"recall/payload"
)

// A touched file is one that the session changed, or that its reports mention.
type touched struct {
	path      string
	edits     int
	writes    int // edits that wrote content
	reads     int
	refused   int
	refusal   *payload.Evidence // what the person said when they last refused to have it changed
	created   bool
	deleted   bool
	shown     bool         // presented to the person as a result
	fleeting  bool         // only on a virtual machine's disk
	unseen    bool         // sub-agents or commands that don't name it may have changed it
	back      bool         // git restored it since it was written
	staged    bool         // git is to have it in its next commit
	committed int          // ordinal of the turn that committed it, 0 if none did
	restored  int          // likewise of the turn that put it back as committed
	since     bool         // it was written since the last commit of all
	was       string       // its first name, or "" if it was never renamed
	turn      *ingest.Turn // the last that wrote it, or else read it
	said      *sentence    // the latest that a closing message says about it
	saidBy    *speech
	mentions  int
	typed     int        // how often the person named it
	heard     *sentence  // the last that names the file
	base      string     // its base name
	called    string     // its name in the call of turn, "" if there is none
	namesakes []*touched // all files with that base name, including itself
	offLimit  *speech
	offPart   *sentence
	freed     *speech // in which the person named it after that
	state     *stated
}

// touchedFiles collects what the session did with each file. A renamed file counts as one, under its last name.
func touchedFiles(s *ingest.Session, did *trace.Trace) []*touched {
	actions := did.Actions
	l := &fileTable{roots: append(worktrees(actions), distill.Roots(s)...), by: map[string]*touched{}}
	for i := range actions {
		a := &actions[i]
		turn := s.TurnAt(a.N)
		if a.Abandoned || a.Copied || turn == nil {
			continue
		}
		if c := a.Call; writes(c.Name) && c.Verdict == ingest.Rejected && c.Path != "" && !isUnrelated(c.Path) {
			f := l.get(c.Path)
			f.refused++
			if f.refusal = nil; c.Reason != "" && c.ReasonTurn == "" {
				f.refusal = &payload.Evidence{Turn: string(turn.ID), N: turn.N, Quote: clip(c.Reason)}
			}
		}
		for _, p := range trace.Shown(a.Call) {
			f := l.get(p)
			f.shown = true
			if f.turn == nil {
				f.turn, f.called = turn, p
			}
		}
		for _, touch := range a.Touches {
			if isUnrelated(touch.Path) || touch.Unsure {
				continue
			}
			switch touch.How {
			case trace.Rename:
				l.rename(touch)
			case trace.Delete:
				l.deleteBelow(touch.Path, turn)
			}
			if touch.Back {
				l.putBackBelow(touch.Path, turn)
			}
			name := path.Base(touch.Path)
			if touch.How == trace.Read || touch.How == trace.Delete {
				name = strings.TrimPrefix(name, ".")
			}
			if touch.Tool || path.Ext(name) != "" { // anything else that a command line names may be a folder
				l.touch(a, touch, turn)
			}
		}
		l.git(a, slices.ContainsFunc(did.Commits, func(c trace.Commit) bool { return c.Call == a.Call && ours(c) }))
	}
	l.undo(s, did.Commits)
	unseen := changesUnseen(actions)
	for _, f := range l.all {
		f.unseen = unseen
		f.since = l.committed > 0 && f.edits > 0 && f.turn.N > l.committed && !path.IsAbs(f.path) && !f.isCommitted()
	}
	return l.all
}

// changesUnseen reports whether anything ran that may have changed files without naming them.
func changesUnseen(actions []trace.Action) bool {
	return slices.ContainsFunc(actions, func(a trace.Action) bool {
		if c := a.Call; a.Abandoned || a.Copied {
			return false
		} else if c.Agent != "" || c.Name == "Task" || c.Name == "Agent" {
			return true
		}
		return slices.ContainsFunc(a.Steps, func(st trace.Step) bool {
			return writesUnnamed(st) || st.Program == "git" && changesTree(st.Args) || formatters[st.Program]
		})
	})
}

// writesUnnamed reports whether a command may write files that it doesn't name.
func writesUnnamed(st trace.Step) bool {
	return st.Program == "xargs" || st.Program == "find" && slices.Contains(st.Args, "-exec") || editsUnnamed(st)
}

// editsUnnamed reports whether a command edits files in place that it doesn't name.
func editsUnnamed(st trace.Step) bool {
	edits := slices.ContainsFunc(st.Args, func(a string) bool {
		return strings.HasPrefix(a, "-i") || strings.HasPrefix(a, "-pi") || a == "--in-place"
	})
	switch st.Program {
	case "xargs", "find":
		return edits && slices.ContainsFunc(st.Args, func(a string) bool { return a == "sed" || a == "perl" })
	case "sed", "perl":
		return edits && slices.Contains(st.Args, trace.UnknownArg)
	}
	return false
}

var (
	formatters   = text.Set("gofmt goimports prettier eslint black ruff rustfmt patch")
	treeCommands = text.Set("apply am cherry-pick merge pull rebase revert")
)

// changesTree reports whether a git command brings in files without naming them.
func changesTree(args []string) bool {
	if len(args) == 0 {
		return false
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(words, a) })
	}
	switch args[0] {
	case "checkout", "switch":
		return !has("-b", "-B", "-c", "-C", "--")
	case "reset":
		return has("--hard")
	case "stash":
		return !has("list", "show", "drop")
	}
	return treeCommands[args[0]]
}

// fileTable collects files.
type fileTable struct {
	roots []string
	by    map[string]*touched
	all   []*touched

	committed int // ordinal of the turn of the last commit
}

func (l *fileTable) get(p string) *touched {
	name := distill.FileName(l.roots, p)
	f := l.by[name]
	if f == nil {
		f = &touched{path: name}
		l.by[name] = f
		l.all = append(l.all, f)
	}
	f.fleeting = distill.IsFleeting(p)
	return f
}

func (l *fileTable) touch(a *trace.Action, touch trace.Touch, turn *ingest.Turn) {
	f := l.get(touch.Path)
	called := ""
	if touch.Tool && a.Agent == "" {
		called = a.Call.Path
	}
	if touch.How == trace.Read {
		f.reads++
		if f.turn == nil {
			f.turn, f.called = turn, called
		}
		return
	}
	if touch.How == trace.Create && f.edits == 0 && f.reads == 0 && !strings.Contains(a.Call.Result, " has been updated") {
		f.created = true
	}
	f.edits++
	f.turn, f.called = turn, called
	f.deleted, f.back = touch.How == trace.Delete, touch.Back
	if f.back && f.committed > 0 { // as the commit has it
		f.back, f.restored = false, a.N
	}
	if !touch.Back && (touch.How == trace.Edit || touch.How == trace.Create) {
		f.writes++
	}
}

// rename gives a file, or the files below a folder, their new names. A file that had such a name is gone.
func (l *fileTable) rename(touch trace.Touch) {
	from, to := distill.FileName(l.roots, touch.From), distill.FileName(l.roots, touch.Path)
	known := false
	for _, f := range slices.Clone(l.all) {
		rest, below := strings.CutPrefix(f.path, from)
		if !below || rest != "" && rest[0] != '/' || from == to {
			continue
		}
		l.all = slices.DeleteFunc(l.all, func(o *touched) bool { return o == l.by[to+rest] })
		delete(l.by, f.path)
		f.was, f.path = cmp.Or(f.was, f.path), to+rest
		if f.was == f.path {
			f.was = ""
		}
		l.by[f.path] = f
		known = known || rest == ""
	}
	if path.Ext(to) == "" || known {
		return
	}
	if f := l.get(touch.Path); f.was == "" {
		f.was, f.created, f.writes = from, false, 0
	}
}

func (l *fileTable) deleteBelow(folder string, turn *ingest.Turn) {
	folder = distill.FileName(l.roots, folder) + "/"
	for _, f := range l.all {
		if strings.HasPrefix(f.path, folder) {
			f.deleted, f.turn = true, turn
		}
	}
}

// putBackBelow records that git restored what was written below a folder and not committed.
func (l *fileTable) putBackBelow(folder string, turn *ingest.Turn) {
	for _, f := range l.all {
		elsewhere := path.IsAbs(f.called) && !strings.HasPrefix(f.called, folder+"/") // in another worktree
		if distill.IsIn(l.roots, f.path, folder) && !elsewhere && f.writes > 0 && f.turn.N > l.committed {
			f.turn, f.restored = turn, turn.N
			f.back = f.committed == 0
		}
	}
}

// git records which of the files that were written so far a call's git commands commit: those added before, or, if git
// then says that nothing is left, all that it had before: a new one that wasn't added is ignored.
func (l *fileTable) git(a *trace.Action, made bool) {
	for _, st := range a.Steps {
		if dir, _ := st.Git(); !a.Call.Ran() || isUnrelated(dir+"/") {
			continue
		}
		for _, f := range l.all {
			f.staged = distill.Staged(l.roots, &st, f.path, f.staged)
		}
	}
	if made {
		l.committed = a.N
	}
	clean := l.committed > 0 && a.LeavesNothing()
	for _, f := range l.all {
		known := !f.created && !path.IsAbs(f.path)
		if made && f.staged || clean && known {
			f.committed, f.staged = a.N, false
		}
	}
}

// undo takes the commits back that the session took back, and with them what they have of files, unless it was left
// there.
func (l *fileTable) undo(s *ingest.Session, commits []trace.Commit) {
	l.committed = 0
	for _, c := range commits {
		if c.Undone == 0 && ours(c) {
			l.committed = max(l.committed, c.N)
			continue
		}
		undone := s.TurnAt(c.Undone)
		for _, f := range l.all {
			if f.committed != c.N || undone == nil {
				continue
			}
			f.committed = 0
			if f.turn.N <= c.N && !c.Left {
				f.back, f.turn = true, undone
			}
		}
	}
}

// isUnrelated reports whether a file is no part of the work: the client's own, git's, a package manager's, or
// temporary; or one whose name was redacted, which isn't known.
func isUnrelated(p string) bool {
	p = strings.ReplaceAll(p, "\\", "/")
	return redacted().MatchString(path.Base(p)) || strings.HasPrefix(strings.TrimPrefix(p, "/private"), "/tmp/") ||
		slices.ContainsFunc(unrelatedFolders, func(dir string) bool { return strings.Contains(p, dir) })
}

var redacted = text.Pattern(`^\[?REDACTED\b`)

// ours reports whether a commit is one of the work, not made in a folder of a moment, to try something.
func ours(c trace.Commit) bool { return !isUnrelated(c.Dir + "/") }

var unrelatedFolders = []string{"/.claude/projects/", "/.claude/todos/", "/.claude/tasks/", "/.claude/memory/",
	"/.claude/plugins/", "/.claude/plans/", "/.git/", "/scratchpad/", "/node_modules/", "/pkg/mod/"}

// worktrees returns the folders in which the session created git worktrees.
func worktrees(actions []trace.Action) (dirs []string) {
	for i := range actions {
		for _, st := range actions[i].Steps {
			if st.Program != "git" || len(st.Args) < 3 || st.Args[0] != "worktree" || st.Args[1] != "add" {
				continue
			}
			for k := 2; k < len(st.Args); k++ {
				if a := st.Args[k]; a == "-b" || a == "-B" || a == "--reason" {
					k++
				} else if !strings.HasPrefix(a, "-") {
					dirs = append(dirs, trace.Absolute(st.Dir, a))
					break
				}
			}
		}
	}
	return dirs
}
