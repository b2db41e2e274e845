package guard

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/ingest"
)

// A Report tells what would be lost with some files and folders: which
// sessions lie there, and whether the library has every byte of them.
type Report struct {
	Paths    []Path           `json:"paths"`
	Sessions []Session        `json:"sessions"` // with a file there, those at risk first
	Dangers  []Danger         `json:"dangers"`  // folders of which more is known than their files
	Other    OtherFiles       `json:"other"`    // that are no session's
	Problems []ingest.Problem `json:"problems"`
	// files of a client's own memory, there, unless it was forgotten; one of Sessions as well
	Memory []string `json:"-"`

	stuck      string // why a sync can't take in what is at risk, with the way out
	everywhere bool   // no path was given: Paths are all places of sessions
}

// Path is one of the paths that were asked about.
type Path struct {
	Path string `json:"path" show:"path"` // absolute
	Real string `json:"real" show:"path"` // where it leads
	Gone bool   `json:"gone"`             // nothing is there
}

// Session is a session of which something lies there.
type Session struct {
	ID      ingest.SessionID `json:"id"`
	Source  ingest.Source    `json:"source"`
	Title   string           `json:"title,omitempty"` // "" if the library doesn't have it
	Files   int              `json:"files"`           // of it, there
	Bytes   int64            `json:"bytes"`
	Outputs int              `json:"outputs"` // of the files, those that it produced
	AtRisk  []File           `json:"at_risk"` // that exist nowhere but there
	// when Claude Code deletes a transcript at risk, if that is known
	Deleted time.Time `json:"deleted,omitzero"`

	found []ingest.Found // where it was found, usually one
	there []ingest.Found // the same with the files that lie there alone
}

// File is a file of a session that the library doesn't have as it is now.
type File struct {
	Path  string          `json:"path" show:"path"`
	Role  ingest.FileRole `json:"role"`
	Size  int64           `json:"bytes"`
	State State           `json:"state"`
	Why   string          `json:"why,omitempty" show:"path"` // in words; the rule of one kept in part
}

// State is why a file isn't safe.
type State string

const (
	New        State = "not archived" // the library has nothing of it, or not all
	Damaged    State = "damaged"      // what is archived of it can't be read back
	Unreadable State = "unreadable"   // it can't be compared
	InPart     State = "kept in part" // a rule or pause came later: what was said since is only there
	Forgotten  State = "forgotten"    // it is kept out of the library on purpose; no risk
)

// Danger is a folder that more hangs on than shows.
type Danger struct {
	Path   string     `json:"path" show:"path"`
	Kind   DangerKind `json:"kind"`
	Blocks bool       `json:"blocks"` // it can't be called safe
}

// DangerKind says what a dangerous folder is.
type DangerKind string

const (
	DangerLibrary DangerKind = "library" // this library: it goes with all that it keeps
	DangerOther   DangerKind = "another library"
	DangerVM      DangerKind = "vm"       // disks of virtual machines: nobody can look inside from here
	DangerSource  DangerKind = "sessions" // where a client keeps its sessions
	DangerTooMuch DangerKind = "too much" // more files than could be looked at
	DangerUnread  DangerKind = "unread"   // it can't be looked into, so nobody knows what is there
	// a part of a session that recall can't take in, as a sub-agent without its session
	DangerLoose DangerKind = "loose"
)

// OtherFiles are files that are neither a session's nor the library's: recall
// knows nothing of them and keeps none of them.
type OtherFiles struct {
	Count  int         `json:"count"`
	Groups []FileGroup `json:"groups"` // by the first name below a path, the largest first
}

// FileGroup is a file or folder with the number of other files in it.
type FileGroup struct {
	Path  string `json:"path" show:"path"`
	Count int    `json:"count"`
}

// Safe reports whether nothing would be lost of any session.
func (g *Report) Safe() bool {
	return len(g.Unsafe()) == 0 && len(g.Blocking()) == 0
}

// Missing reports whether a path that was asked about isn't there.
func (g *Report) Missing() bool {
	return !g.everywhere && slices.ContainsFunc(g.Paths, func(at Path) bool { return at.Gone })
}

// Count is of how many sessions something lies there that the library keeps, or is to
// keep. A client's memory is none, and what was forgotten isn't kept.
func (g *Report) Count() int {
	n := 0
	for _, s := range g.Sessions {
		if s.Source != ingest.Memory && !s.Forgotten() {
			n++
		}
	}
	return n
}

// Forgotten says in words what lies there that is kept out of the library on purpose,
// "" if nothing is.
func (g *Report) Forgotten() string {
	n, memory := 0, ""
	for _, s := range g.Sessions {
		switch {
		case !s.Forgotten():
		case s.Source == ingest.Memory:
			memory = ingest.MemoryTitle
		default:
			n++
		}
	}
	return said(n, memory)
}

// said puts sessions and memory into words, "" for neither.
func said(n int, memory string) string {
	if n == 0 {
		return memory
	}
	sessions := "1 session"
	if n > 1 {
		sessions = fmt.Sprintf("%d sessions", n)
	}
	if memory == "" {
		return sessions
	}
	return sessions + " and " + memory
}

// Forgotten reports whether something of it was forgotten, which then is nowhere else.
func (s Session) Forgotten() bool {
	return slices.ContainsFunc(s.AtRisk, func(f File) bool { return f.State == Forgotten })
}

// Holds says in words what of a client's lies there and wasn't forgotten: its sessions,
// and the files of its memory by name.
func (g *Report) Holds() string {
	const most = 5
	var names []string
	memory := ""
	for i, path := range g.Memory {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(g.Memory)-most))
			break
		}
		names = append(names, filepath.Base(path))
	}
	if len(names) > 0 {
		memory = ingest.MemoryTitle + " (" + strings.Join(names, ", ") + ")"
	}
	return cmp.Or(said(g.Count(), memory), "0 sessions")
}

// Name is what people call it.
func (s Session) Name() string {
	if s.Source == ingest.Memory {
		return ingest.MemoryTitle
	}
	return cmp.Or(s.Title, "not in the library")
}

// Unsafe lists the sessions that would lose something.
func (g *Report) Unsafe() []Session {
	return slices.DeleteFunc(slices.Clone(g.Sessions), func(s Session) bool { return !s.unsafe() })
}

// WayOut says what makes the unsafe sessions safe.
func (g *Report) WayOut() string {
	states := map[State]bool{}
	for _, s := range g.Unsafe() {
		for _, f := range s.AtRisk {
			states[f.State] = true
		}
	}
	switch {
	case states[Unreadable]:
		return "make them readable (chmod u+r FILE, as their owner), then recall sync"
	case states[Damaged]:
		return "recall check --repair, then recall sync"
	case states[InPart]:
		return "recall setup --resume --keep, or a config.yaml without the rule, then recall sync; " +
			"recall forget SESSION gives it up"
	case g.stuck != "":
		return g.stuck
	}
	return "recall sync makes them safe"
}

func (s Session) unsafe() bool {
	return slices.ContainsFunc(s.AtRisk, func(f File) bool { return f.State != Forgotten })
}

// Blocking lists the dangers that keep all from being called safe.
func (g *Report) Blocking() []Danger {
	return slices.DeleteFunc(slices.Clone(g.Dangers), func(d Danger) bool { return !d.Blocks })
}

// String says what would go with a danger's path.
func (d Danger) String() string { return goes[d.Kind] }

var goes = map[DangerKind]string{
	DangerLibrary: "recall's own library: with it goes all that it keeps (recall backup makes a copy elsewhere)",
	DangerOther:   "a library or a backup of one: what it keeps may be nowhere else (recall import takes it over)",
	DangerVM: "disks of Cowork's virtual machines: what sessions left on them can't be seen from here (recall " +
		"manifest cleanup --all --to FOLDER writes a script that saves it from inside; --vm then lets it go)",
	DangerSource:  "where sessions are kept",
	DangerTooMuch: "too many files to look through in time; name the folders below it that are meant",
	DangerLoose:   "belongs to a session and can't be taken in, so it is nowhere else",
	DangerUnread:  "it can't be looked into, so what is there may be nowhere else",
}
