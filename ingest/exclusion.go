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
	folders []excluded
}

// excluded is a folder, or a pattern of folders: what ran there or below is excluded.
type excluded struct {
	rule  string
	names []string // as the user wrote it, and with links resolved, as clients record it
}

// Exclude makes an Exclusion of folders: absolute paths or path.Match patterns.
func Exclude(folders []string) (x Exclusion) {
	for _, folder := range folders {
		names := slices.Compact([]string{folder, realPattern(folder)})
		x.folders = append(x.folders, excluded{"sources.exclude " + folder, names})
	}
	return x
}

// Any reports whether it excludes anything.
func (x Exclusion) Any() bool { return len(x.folders) > 0 }

// Has reports whether a rule, as returned by Session, is one of the exclusion's.
func (x Exclusion) Has(rule string) bool { return slices.Contains(x.Rules(), rule) }

// Rules returns the rules, one for each folder.
func (x Exclusion) Rules() (all []string) {
	for _, folder := range x.folders {
		all = append(all, folder.rule)
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
	for _, folder := range x.folders {
		for _, name := range folder.names {
			for at := normalCase(dir); ; at = path.Dir(at) {
				if match, _ := path.Match(normalCase(name), at); match || normalCase(name) == at {
					return folder.rule
				}
				if at == path.Dir(at) {
					break
				}
			}
		}
	}
	return ""
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
	if x.Any() {
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
	if hash == "" {
		return ""
	}
	for _, folder := range x.folders {
		dirs := slices.Clone(folder.names) // which may no longer exist
		for _, at := range folder.names {
			for range 4 {
				found, _ := filepath.Glob(at)
				dirs, at = append(dirs, found...), filepath.Join(at, "*")
			}
		}
		for _, dir := range dirs {
			if sum := sha256.Sum256([]byte(dir)); hex.EncodeToString(sum[:]) == hash {
				return folder.rule
			}
		}
	}
	return ""
}
