package manifest

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"recall/internal/text"
	"recall/library/disk"
)

//go:embed cleanup.sh
var cleanupShell string

// Cleaned says what a cleanup script is about.
type Cleaned struct {
	Keep  int // files that are copied to the mount first
	Again int // files that can be made again
	Left  int // files that are left alone, outside the folders
}

// Stay is what one session left in its machine, and what a script may touch of it.
type Stay struct {
	Manifest
	Contents map[string][]byte // exact texts that can be written again, by path
	Folders  []string          // see Folders, plus those that a person allows
}

// Cleanup writes the script that removes what sessions left in a machine (see cleanup.sh), only in their own folders
// and outside what the host shares. The error is ErrNothing if there is nothing in them.
func Cleanup(stays []Stay) (string, Cleaned, error) {
	var c Cleaned
	var top, calls strings.Builder
	homes := map[string]string{} // where files unknown to recall would be copied
	for _, s := range stays {
		ended := "" // and a minute, in the format of touch -t
		if !s.End.IsZero() {
			ended = s.End.UTC().Add(time.Minute).Format("200601021504.05")
		}
		fmt.Fprintf(&calls, "\n# %q (%s)\nsession %s %s\n", comment(s.Task), s.Session, quote(s.KeptName()), quote(ended))
		s.clear(&c, &top, &calls)
		if h := home(s.Folders); h != "" && s.Machine == VM && homes[h] == "" {
			homes[h] = s.KeptName()
		}
	}
	for _, h := range slices.Sorted(maps.Keys(homes)) {
		fmt.Fprintf(&calls, "\nrest %s %s\n", quote(h), quote(homes[h]))
	}
	switch {
	case c.Keep+c.Again+len(homes) > 0:
	case !slices.ContainsFunc(stays, func(s Stay) bool { return s.Machine == VM }):
		return "", c, ErrNothing{"this session ran on the host: its files are your own, and recall deletes none of them"}
	case c.Left > 0:
		return "", c, ErrNothing{"everything that this session left in its machine is outside its own folders"}
	default:
		return "", c, ErrNothing{"this session left nothing in its machine that recall knows of"}
	}
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	for _, s := range stays {
		s.about(&b, "Clears up after", "")
	}
	fmt.Fprintf(&b, "# Files that can be made again: %d. Files that can't, copied beside this script first: %d.\n",
		c.Again, c.Keep)
	b.WriteString(top.String())
	fmt.Fprintf(&b, "log_name=%s\n\n", quote(strings.TrimSuffix(CleanupName(stays), ".sh")+".log"))
	b.WriteString(shell(cleanupShell, calls.String()))
	return b.String(), c, nil
}

// CleanupName returns the script's file name.
func CleanupName(stays []Stay) string {
	if len(stays) != 1 {
		return "recall-cleanup-all.sh"
	}
	return "recall-cleanup-" + stays[0].short() + ".sh"
}

// clear writes to calls what to do about each file of a session, and to top what can't be made again.
func (s Stay) clear(c *Cleaned, top, calls *strings.Builder) {
	keep := func(call, p, why string) {
		c.Keep++
		fmt.Fprintf(top, "#   %s: %s\n", comment(p), comment(why))
		fmt.Fprintf(calls, "# %s\n%s %s\n", comment(why), call, quote(p))
	}
	ours := func(p string, on Machine, again bool) bool {
		switch {
		case s.Machine == VM && (on != VM || strings.Contains(p+"/", "/mnt/")):
			return false
		case within(p, s.Folders):
			return true
		case usable(p):
			c.Left++
			fmt.Fprintf(calls, "# left alone, outside the session's own folders: %s\n", comment(p))
		}
		if s.Machine == VM && !again {
			fmt.Fprintf(top, "#   NOT COPIED, outside the session's own folders: %s\n", comment(p))
		}
		return false
	}
	for _, in := range s.Inputs {
		if in.Machine == VM && ours(in.Path, in.Machine, false) {
			keep("input", in.Path, "it was in the machine before")
		}
	}
	for _, f := range s.made() {
		if !ours(f.Path, f.Machine, f.Rebuildable) {
			continue
		}
		content, known := s.Contents[f.Path]
		switch {
		case f.Rebuildable && len(f.Calls) > 0 && known:
			c.Again++
			fmt.Fprintf(calls, "# %s\nagain %s %s\n", comment(f.Reason), quote(f.Path), disk.HexSum(content))
		case f.Rebuildable && len(f.Calls) == 0:
			c.Again++
			fmt.Fprintf(calls, "# %s: %s\nagain %s ''\n", comment(f.Reason), comment(text.Clip(f.Command, 200)), quote(f.Path))
		case f.Rebuildable:
			keep("unique", f.Path, "its edits don't fit what was written: a command changed it")
		case f.Reason == unseen: // only its name is known: it may be a folder
			keep("input", f.Path, f.Reason)
		default:
			keep("unique", f.Path, f.Reason)
		}
	}
	for _, p := range s.Packages {
		if s.Machine == VM && !p.Had {
			fmt.Fprintf(calls, "package %s %s %s %s\n", quote(p.Manager), quote(p.Name), quote(p.Version), quote(p.Dir))
		}
	}
}
