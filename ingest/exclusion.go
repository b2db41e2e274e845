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
	Folders []string // absolute; patterns as path.Match has them. What ran there or below is left out
	Pauses  []Period

	linked map[string]string // of folders that LeaveOut resolved: what they were written as
}

// Any reports whether it excludes anything.
func (x Exclusion) Any() bool { return len(x.Folders)+len(x.Pauses) > 0 }

// Has reports whether a rule, as Session gives them, is one of its.
func (x Exclusion) Has(rule string) bool {
	folder, ok := strings.CutPrefix(rule, folderRule)
	return ok && slices.Contains(x.Folders, folder) ||
		slices.ContainsFunc(x.Pauses, func(p Period) bool { return rule == pauseRule+p.String() })
}

// How rules begin.
const (
	folderRule = "sources.exclude "
	pauseRule  = "pause "
)

// A Period is a time in which nothing was to be kept. Until is zero where nobody has ended it.
type Period struct{ From, Until time.Time }

// String is the period as ISO 8601 writes it; ".." stands for an end that nobody knows.
func (p Period) String() string {
	until := ".."
	if !p.Until.IsZero() {
		until = p.Until.UTC().Format(time.RFC3339Nano)
	}
	return p.From.UTC().Format(time.RFC3339Nano) + "/" + until
}

// Holds reports whether a time lies in it.
func (p Period) Holds(t time.Time) bool {
	return !t.Before(p.From) && (p.Until.IsZero() || t.Before(p.Until))
}

// ParseLong reads how long something is to last, to ten years: 30m, 2h, 3d.
func ParseLong(text string) (long time.Duration, err error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, bad := strconv.Atoi(days)
		long, err = time.Duration(min(n, 10*366))*24*time.Hour, bad // more is refused, and could overflow
	} else {
		long, err = time.ParseDuration(text)
	}
	if err == nil && (long <= 0 || long > 10*365*24*time.Hour) {
		err = fmt.Errorf("%q isn't more than nothing and at most ten years", text)
	}
	return long, err
}

// ParsePeriods reads what String writes, with blanks between several.
func ParsePeriods(text string) (all []Period, err error) {
	for _, one := range strings.Fields(text) {
		from, until, _ := strings.Cut(one, "/")
		begin, bad := time.Parse(time.RFC3339, from)
		p := Period{From: begin}
		if bad == nil && until != ".." {
			p.Until, bad = time.Parse(time.RFC3339, until)
		}
		if bad != nil {
			return nil, fmt.Errorf("%q is no period", one)
		}
		all = append(all, p)
	}
	return all, nil
}

// LeaveOut adds a folder, or a pattern of folders, and what it is with links resolved, as clients name it.
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

// rule is the rule of one of Folders, by the name that its user gave it.
func (x Exclusion) rule(folder string) string { return folderRule + cmp.Or(x.linked[folder], folder) }

// FolderRules are the rules that leave folders out.
func (x Exclusion) FolderRules() (all []string) {
	for _, folder := range x.Folders {
		all = append(all, x.rule(folder))
	}
	return all
}

// realPattern is a folder, or a pattern of folders, with links resolved in what stands before its first pattern.
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

// Folder is the rule by which what runs in a folder is left out, "" if none does.
func (x Exclusion) Folder(dir string) string {
	if dir == "" {
		return ""
	}
	for at := sameCase(dir); ; at = path.Dir(at) {
		for _, folder := range x.Folders {
			if match, _ := path.Match(sameCase(folder), at); match || sameCase(folder) == at {
				return x.rule(folder)
			}
		}
		if at == path.Dir(at) {
			return ""
		}
	}
}

// sameCase is a path in the form in which two that name one folder are equal.
func sameCase(dir string) string {
	if dir = cmp.Or(SlashPath(dir), "/"); runtime.GOOS != "linux" {
		dir = strings.ToLower(dir)
	}
	return dir
}

// At is the pause that a time lies in, as a rule, "" if there is none.
func (x Exclusion) At(t time.Time) string {
	for _, p := range x.Pauses {
		if p.Holds(t) {
			return pauseRule + p.String()
		}
	}
	return ""
}

// Now is the rule by which nothing of what runs in a folder at a time is kept, "" if none says so.
func (x Exclusion) Now(dir string, at time.Time) string { return cmp.Or(x.Folder(dir), x.At(at)) }

// Spares reports whether no pause can touch what was begun and last written to then.
func (x Exclusion) Spares(begun, written time.Time) bool {
	for _, p := range x.Pauses {
		after := !begun.IsZero() && !p.Until.IsZero() && !begun.Before(p.Until)
		if !after && !written.Before(p.From) {
			return false
		}
	}
	return true
}

// Session is the rule by which a session is left out, or "": it ran in such a folder ever, or spoke in a pause.
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
	for _, dir := range dirs {
		if rule := x.Folder(dir); rule != "" {
			return rule
		}
	}
	rule := cmp.Or(x.hashed(s.Where.Hash), x.said(s.Turns))
	for _, a := range s.Subagents {
		rule = cmp.Or(rule, x.said(a.Turns))
	}
	return rule
}

// hashed is Folder of a folder of which nothing but the hash is known: it is told if it lies in one of the rules'
// folders, or below within three levels, and is still on the disk.
func (x Exclusion) hashed(hash string) string {
	for _, folder := range x.Folders {
		if hash == "" {
			break
		}
		dirs := []string{filepath.FromSlash(folder)} // which need not be there any more
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

// said is the first pause in which one of the turns was, as a rule.
func (x Exclusion) said(turns []Turn) (rule string) {
	for i := 0; rule == "" && i < len(turns); i++ {
		rule = x.At(turns[i].At)
	}
	return rule
}
