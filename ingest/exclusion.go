package ingest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An Exclusion says which sessions their user doesn't want kept.
type Exclusion struct {
	Folders []string // absolute paths or path.Match patterns; what ran there or below is excluded
	Pauses  []Period

	linked map[string]string // by a folder that LeaveOut resolved: what the user wrote
}

// Any reports whether it excludes anything.
func (x Exclusion) Any() bool { return len(x.Folders)+len(x.Pauses) > 0 }

// Has reports whether a rule, as returned by Session, is one of the exclusion's.
func (x Exclusion) Has(rule string) bool {
	folder, ok := strings.CutPrefix(rule, folderRule)
	return ok && slices.Contains(x.Folders, folder) ||
		slices.ContainsFunc(x.Pauses, func(p Period) bool { return rule == pauseRule+p.String() })
}

// Prefixes of rules.
const (
	folderRule = "sources.exclude "
	pauseRule  = "pause "
)

// A Period is a time in which nothing is to be kept. Until is zero while it lasts.
type Period struct{ From, Until time.Time }

// String formats the period as ISO 8601 does; ".." stands for an open end.
func (p Period) String() string {
	until := ".."
	if !p.Until.IsZero() {
		until = p.Until.UTC().Format(time.RFC3339Nano)
	}
	return p.From.UTC().Format(time.RFC3339Nano) + "/" + until
}

// Holds reports whether a time lies in the period.
func (p Period) Holds(t time.Time) bool {
	return !t.Before(p.From) && (p.Until.IsZero() || t.Before(p.Until))
}

// ParseLong parses a duration of at most ten years: 30m, 2h, 3d.
func ParseLong(text string) (long time.Duration, err error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, bad := strconv.Atoi(days)
		long, err = time.Duration(min(n, 10*366))*24*time.Hour, bad // capped against overflow; refused below
	} else {
		long, err = time.ParseDuration(text)
	}
	if err == nil && (long <= 0 || long > 10*365*24*time.Hour) {
		err = fmt.Errorf("%q isn't between zero and ten years", text)
	}
	return long, err
}

// ParsePeriods parses periods as String writes them, separated by blanks.
func ParsePeriods(text string) (all []Period, err error) {
	for _, one := range strings.Fields(text) {
		from, until, _ := strings.Cut(one, "/")
		begin, bad := time.Parse(time.RFC3339, from)
		p := Period{From: begin}
		if bad == nil && until != ".." {
			p.Until, bad = time.Parse(time.RFC3339, until)
		}
		if bad != nil {
			return nil, fmt.Errorf("%q isn't a period", one)
		}
		all = append(all, p)
	}
	return all, nil
}

// LeaveOut excludes a folder, or a pattern of folders, and also its form with links resolved, as clients record it.
func (x *Exclusion) LeaveOut(dir string) {
	x.Folders = append(x.Folders, dir)
	if real := realPattern(dir); real != dir {
		x.Folders = append(x.Folders, real)
		if x.linked == nil {
			x.linked = map[string]string{}
		}
		x.linked[real] = dir
	}
}

// rule returns the rule for one of Folders, by the name that the user gave it.
func (x Exclusion) rule(folder string) string { return folderRule + cmp.Or(x.linked[folder], folder) }

// FolderRules returns the rules that exclude folders.
func (x Exclusion) FolderRules() (all []string) {
	for _, folder := range x.Folders {
		all = append(all, x.rule(folder))
	}
	return all
}

// realPattern resolves the links in a folder, or in what precedes the first wildcard of a pattern.
func realPattern(dir string) string {
	fixed, rest := dir, ""
	for strings.ContainsAny(fixed, "*?[") && fixed != filepath.Dir(fixed) {
		rest = filepath.Join(filepath.Base(fixed), rest)
		fixed = filepath.Dir(fixed)
	}
	real, err := filepath.EvalSymlinks(fixed)
	if err != nil || real == fixed {
		return dir
	}
	return filepath.Join(real, rest)
}

// Folder returns the rule that excludes a folder, "" if none does.
func (x Exclusion) Folder(dir string) string {
	if dir == "" {
		return ""
	}
	for at := normalCase(dir); ; at = path.Dir(at) {
		for _, folder := range x.Folders {
			if match, _ := path.Match(normalCase(folder), at); match || normalCase(folder) == at {
				return x.rule(folder)
			}
		}
		if at == path.Dir(at) {
			return ""
		}
	}
}

// normalCase normalizes a path so that two names of one folder are equal.
func normalCase(dir string) string {
	if dir = cmp.Or(SlashPath(dir), "/"); runtime.GOOS != "linux" {
		dir = strings.ToLower(dir)
	}
	return dir
}

// At returns the rule of the pause that a time lies in, "" if there is none.
func (x Exclusion) At(t time.Time) string {
	for _, p := range x.Pauses {
		if p.Holds(t) {
			return pauseRule + p.String()
		}
	}
	return ""
}

// Now returns the rule that excludes what runs in a folder at a given time, "" if none does.
func (x Exclusion) Now(dir string, at time.Time) string { return cmp.Or(x.Folder(dir), x.At(at)) }

// coarsest is how far behind the clock a file's time may be.
const coarsest = 2 * time.Second

// Spares reports whether no pause can affect something begun and last written at these times.
func (x Exclusion) Spares(begun, written time.Time) bool {
	for _, p := range x.Pauses {
		after := !begun.IsZero() && !p.Until.IsZero() && !begun.Before(p.Until)
		if !after && !written.Before(p.From.Add(-coarsest)) {
			return false
		}
	}
	return true
}

// Session returns the rule that excludes a session, "" if none does: it or one of its sub-agents ever ran in an
// excluded folder, or said something during a pause.
func (x Exclusion) Session(s *Session) string {
	dirs := append([]string{s.Where.Relocated}, s.Where.Folders...)
	if w := s.Where.Worktree; w != nil {
		dirs = append(dirs, w.Original)
	}
	for _, c := range s.Where.Cwds {
		dirs = append(dirs, c.Dir)
	}
	if len(x.Folders) > 0 {
		dirs = append(dirs, ProjectOf(s, nil).Root)
	}
	for _, a := range s.Subagents {
		for i := range a.Turns {
			dirs = Union(dirs, a.Turns[i].Dir)
		}
	}
	for _, dir := range dirs {
		if rule := x.Folder(dir); rule != "" {
			return rule
		}
	}
	rule := cmp.Or(x.hashedFolder(s.Where.Hash), x.pausedTurn(s.Turns))
	for _, a := range s.Subagents {
		rule = cmp.Or(rule, x.pausedTurn(a.Turns))
	}
	return rule
}

// hashedFolder is Folder for a folder of which only the hash is known. It finds one of the rules' folders, or a folder
// up to three levels below that still exists.
func (x Exclusion) hashedFolder(hash string) string {
	for _, folder := range x.Folders {
		if hash == "" {
			break
		}
		dirs := []string{filepath.FromSlash(folder)} // which may no longer exist
		for at, deep := dirs[0], 0; deep < 4; at, deep = filepath.Join(at, "*"), deep+1 {
			found, _ := filepath.Glob(at)
			dirs = append(dirs, found...)
		}
		for _, dir := range dirs {
			if sum := sha256.Sum256([]byte(dir)); hex.EncodeToString(sum[:]) == hash {
				return x.rule(folder)
			}
		}
	}
	return ""
}

// pausedTurn returns the rule of the first pause that one of the turns lies in.
func (x Exclusion) pausedTurn(turns []Turn) (rule string) {
	for i := 0; rule == "" && i < len(turns); i++ {
		rule = x.At(turns[i].At)
	}
	return rule
}
