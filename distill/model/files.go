package model

import (
	"path"
	"slices"
	"strings"

	"recall/distill"
	"recall/payload"
)

// relative names a file relative to the session's folder, or to the repository whose worktree that is.
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

// withRules adds what rules know better: the goal if the model found none, decisions on record that it passed over,
// files that are off limits or were shown as results, what was done to folders, and which files exist only on the
// virtual machine's disk.
func (l *ledger) withRules(items []payload.Item, rules *payload.Payload) []payload.Item {
	if rules == nil {
		return items
	}
	asked := items // without those added below
	goal := slices.ContainsFunc(asked, func(it payload.Item) bool { return it.Kind == payload.Goal && it.Current() })
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
		case (it.Kind == payload.Decision || it.Kind == payload.Eliminated) && !covers(asked, &it):
		case it.Kind == payload.File && !hasFile(asked, it.Path) && (it.Status == payload.FileOffLimits ||
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

// beside adds all that rules found.
func beside(items []payload.Item, rules *payload.Payload) []payload.Item {
	for _, it := range rules.Items {
		it.ID = ""
		it.Evidence = slices.Clone(it.Evidence)
		items = append(items, it)
	}
	order(items)
	return items
}

// covers reports whether an item about the same words, or in them, is among the model's.
func covers(items []payload.Item, it *payload.Item) bool {
	return slices.ContainsFunc(items, func(o payload.Item) bool {
		return shareTurn(it, &o) || payload.Alike(it.Text, o.Text) >= likeInTurn
	})
}

// hasFile reports whether an item is about a file, perhaps named by only part of its path.
func hasFile(items []payload.Item, p string) bool {
	return slices.ContainsFunc(items, func(it payload.Item) bool {
		part := it.Path != "" && (strings.HasSuffix(p, "/"+it.Path) || strings.HasSuffix(it.Path, "/"+p))
		return it.Kind == payload.File && (it.Path == p || part)
	})
}
