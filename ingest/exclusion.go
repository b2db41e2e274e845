package ingest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// An Exclusion says which sessions their user doesn't want kept.
type Exclusion struct {
	Folders []string // absolute paths or path.Match patterns; what ran there or below is excluded

	linked map[string]string // by a folder that LeaveOut resolved: what the user wrote
}

// Any reports whether it excludes anything.
func (x Exclusion) Any() bool { return len(x.Folders) > 0 }

// Has reports whether a rule, as returned by Session, is one of the exclusion's.
func (x Exclusion) Has(rule string) bool {
	folder, ok := strings.CutPrefix(rule, folderRule)
	return ok && slices.Contains(x.Folders, folder)
}

// folderRule begins each rule.
const folderRule = "sources.exclude "

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

// Session returns the rule that excludes a session, "" if none does: it or one of its sub-agents ever ran in an
// excluded folder.
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
	return x.hashedFolder(s.Where.Hash)
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
