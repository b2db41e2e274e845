package manifest

import (
	_ "embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"recall/ingest"
	"recall/internal/escape"
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
		fmt.Fprintf(&calls, "\n# %q (%s)\nsession %s %s\n", comment(s.Task), s.Session, quote(s.KeptName()),
			quote(ended))
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
		switch content, again, why := s.remake(f); {
		case again && content != nil:
			c.Again++
			fmt.Fprintf(calls, "# %s\nagain %s %s\n", comment(f.Reason), quote(f.Path), disk.HexSum(content))
		case again:
			c.Again++
			fmt.Fprintf(calls, "# %s: %s\nagain %s ''\n", comment(f.Reason), comment(text.Clip(f.Command, 200)), quote(f.Path))
		case why == unseen: // only its name is known: it may be a folder
			keep("input", f.Path, why)
		default:
			keep("unique", f.Path, why)
		}
	}
	for _, p := range s.Packages {
		if s.Machine == VM && !p.Had {
			fmt.Fprintf(calls, "package %s %s %s %s\n", quote(p.Manager), quote(p.Name), quote(p.Version), quote(p.Dir))
		}
	}
}

// remake says how a file can be made again: by its text, or by its command where that is nil; else why it can't be.
func (s Stay) remake(f Made) (content []byte, ok bool, why string) {
	content, known := s.Contents[f.Path]
	switch {
	case !f.Rebuildable:
		return nil, false, f.Reason
	case len(f.Calls) == 0:
		return nil, true, ""
	case !known:
		return nil, false, "its edits don't fit what was written: a command changed it"
	}
	return content, true, ""
}

//go:embed common.sh
var commonShell string // what both scripts have

// shell puts into a script's text what both have, and what is written for the session.
func shell(text, calls string) string {
	text = strings.Replace(text, "\n# COMMON\n", commonShell, 1)
	return strings.Replace(text, "\n# HERE\n", calls, 1)
}

// quote quotes s as one word for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// comment makes a text safe for a script's comment: on one line.
func comment(s string) string { return escape.Line(s, escape.Terminal) }

// usable reports whether a path may be used in a script: absolute, clean, and without a redacted secret.
func usable(p string) bool {
	return strings.HasPrefix(p, "/") && path.Clean(p) == p && p != "/" && !strings.ContainsRune(p, 0) &&
		!strings.Contains(p, "‹")
}

// short is the part of a session's id used in file names.
func (m Manifest) short() string {
	id := text.BareID(m.Session)
	id = strings.Map(func(r rune) rune {
		if r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return -1
	}, id)
	return id[:min(len(id), 8)]
}

// KeptName is the folder beside the scripts that cleanup copies to.
func (m Manifest) KeptName() string { return "recall-kept-" + m.short() }

// FilesName is the folder beside the scripts with the files that rebuild puts in place.
func (m Manifest) FilesName() string { return "recall-files-" + m.short() }

// RebuildName is the file name of the script that brings everything back.
func (m Manifest) RebuildName() string { return "recall-rebuild-" + m.short() + ".sh" }

// about writes a line at the head of a script.
func (m Manifest) about(b *strings.Builder, what, rest string) {
	fmt.Fprintf(b, "# %s the session %q (%s) of %s%s.\n", what, comment(m.Task), m.Session,
		m.Start.UTC().Format("2006-01-02"), rest)
}

// ErrNothing means that there is nothing to clean up.
type ErrNothing struct{ Why string }

func (e ErrNothing) Error() string { return e.Why }

// A transcript can claim anything: that the session wrote /etc/passwd, or worked in /root. So no path in it decides
// where a script may delete or write: only the session's own folders, known from its source's record and its location
// on disk, and those that the person names.

// Folders returns a session's own folders: its home in its virtual machine, and its storage on the host, each only if
// named after the session. A session of Claude Code has none.
func Folders(s *ingest.Session) []string {
	if s.Source != ingest.Cowork {
		return nil
	}
	var own []string
	if name := s.Where.Process; processName().MatchString(name) {
		own = append(own, "/sessions/"+name)
	}
	storage := strings.TrimRight(strings.ReplaceAll(s.Where.Storage, `\`, "/"), "/")
	if usable(storage) && path.Base(storage) == string(s.ID) {
		own = append(own, storage)
	}
	return own
}

var processName = text.Pattern(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// AsFolder cleans a folder that a person allows; false if it isn't absolute, or is the root.
func AsFolder(dir string) (string, bool) {
	dir = path.Clean(dir)
	return dir, usable(dir)
}

// within reports whether a path is usable and is one of the folders or below one.
func within(p string, folders []string) bool {
	holds := func(f string) bool { return p == f || strings.HasPrefix(p, f+"/") }
	return usable(p) && slices.ContainsFunc(folders, holds)
}

// home returns the session's home in its virtual machine, "" if that isn't among the folders.
func home(folders []string) string {
	for _, f := range folders {
		if path.Dir(f) == "/sessions" {
			return f
		}
	}
	return ""
}
