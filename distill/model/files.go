package model

import (
	"path"
	"slices"
	"strings"

	"recall/distill"
	"recall/payload"
)

// relative names a file relative to the session's folder, or to the repository whose
// worktree that is.
func (l *ledger) relative(p string) string {
	if p == "" {
		return ""
	}
	p = path.Clean(strings.ReplaceAll(p, "\\", "/"))
	if whole := rootOf(l.session) + "/" + p; l.touched(whole) {
		p = whole // windows name files relative to the folder the session began in
	}
	return distill.FileName(distill.Roots(l.session), p)
}

// touched reports whether any call of the session names this file.
func (l *ledger) touched(p string) bool {
	if l.paths == nil {
		l.paths = map[string]bool{}
		for i := range l.session.Turns {
			for _, c := range l.session.Turns[i].Calls {
				if c.Path != "" {
					l.paths[strings.ReplaceAll(c.Path, "\\", "/")] = true
				}
			}
		}
	}
	return l.paths[p]
}

// withRules adds what rules know better: the goal if the model found none, files that are
// off limits or were shown as results, what was done to folders, and which files exist only
// on the virtual machine's disk.
func (l *ledger) withRules(items []payload.Item, rules *payload.Payload) []payload.Item {
	if rules == nil {
		return items
	}
	has := map[string]bool{}
	goal := false
	for i := range items {
		if items[i].Kind == payload.File {
			has[items[i].Path] = true
		}
		goal = goal || items[i].Kind == payload.Goal && items[i].Current()
	}
	for _, it := range rules.Items {
		for i := range items {
			mine := &items[i]
			same := it.Kind == payload.File && mine.Kind == payload.File && mine.Path == it.Path
			if same && strings.HasSuffix(it.Why, distill.Fleeting) && !strings.HasSuffix(mine.Why, distill.Fleeting) {
				mine.Why = strings.TrimPrefix(strings.TrimSuffix(mine.Why, ".")+"; "+distill.Fleeting, "; ")
			}
		}
		switch {
		case it.Maker != payload.ByRule || !it.Current():
			continue
		case it.Kind == payload.Goal && !goal, it.Rule == distill.FolderRule:
		case it.Kind == payload.File && !l.hasFile(has, it.Path) && (it.Status == payload.FileOffLimits ||
			it.Rule == distill.ShownRule):
		default:
			continue
		}
		it.ID = ""
		it.Evidence = slices.Clone(it.Evidence)
		items = append(items, it)
	}
	order(items)
	return items
}

// hasFile reports whether a file was named, perhaps by only part of its path.
func (l *ledger) hasFile(has map[string]bool, p string) bool {
	for name := range has {
		if name == p || name != "" && (strings.HasSuffix(p, "/"+name) || strings.HasSuffix(name, "/"+p)) {
			return true
		}
	}
	return false
}
