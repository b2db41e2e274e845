package model

import (
	"path"
	"slices"
	"strings"

	"recall/distill"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// An entry is an item being carried through the windows of a session.
type entry struct {
	item   payload.Item
	window int      // the last window that said it
	words  text.Bag // of its text, nil until needed
	names  map[string]bool
}

// A ledger accumulates the items of the windows read so far, in order.
type ledger struct {
	session *ingest.Session
	sources *sources
	judge   *distill.Judge
	entries []*entry
	dropped map[string]int
	windows int
	paths   map[string]bool // see touched
}

// Thresholds for treating two items of a session as one, set so that few of the annotators' pairs that differ are
// merged (286 same, 325 not). Items of the same answer need the higher one: two choices in one turn share many words.
const (
	likeInTurn   = 0.55 // likeness with a turn in common, in different windows
	likeAnywhere = 0.75 // likeness otherwise
)

// take merges the grounded items of a window. told are the items that the window was told about.
func (l *ledger) take(items []*grounded, closed []closing, told []known) {
	window := l.windows
	l.windows++
	for _, g := range items {
		g.item.Path = l.relative(g.item.Path)
		old := l.named(string(g.found.Earlier), told)
		e := &entry{item: g.item, window: window}
		switch bearing := strings.TrimSpace(string(g.found.Bearing)); {
		case old == nil || bearing == "" || bearing == "none" || bearing == "refines":
			if same := l.same(&e.item, window); same != nil {
				same.restate(e)
				continue
			}
		case bearing == "restates" && old.item.Kind == e.item.Kind:
			old.restate(e)
			continue
		case bearing == "revokes":
			old.end(payload.Revoked)
		default: // supersedes, or restated as another kind
			old.end(payload.Superseded)
		}
		l.entries = append(l.entries, e)
	}
	for _, c := range closed {
		l.close(c, told)
	}
}

func (l *ledger) named(id string, told []known) *entry {
	id = strings.Trim(strings.ToLower(strings.TrimSpace(id)), "[]")
	if id == "" || id == "none" {
		return nil
	}
	if k := slices.IndexFunc(told, func(k known) bool { return k.ID == id }); k >= 0 {
		if i := slices.IndexFunc(l.entries, func(e *entry) bool { return e.key() == told[k].Text }); i >= 0 {
			return l.entries[i]
		}
	}
	l.dropped[dropUnknown]++
	return nil
}

func (e *entry) key() string {
	return string(e.item.Kind) + "\x00" + e.item.Path + "\x00" + e.item.Text
}

func (l *ledger) same(it *payload.Item, window int) *entry {
	var best *entry
	top := 0.0
	mine := text.Words(it.Text)
	names := namesIn(it.Text)
	for _, e := range l.entries {
		if e.item.Kind != it.Kind || !e.item.Current() {
			continue
		}
		if it.Kind == payload.File {
			if e.item.Path == it.Path {
				return e
			}
			continue
		}
		if e.words == nil {
			e.words, e.names = text.Words(e.item.Text), namesIn(e.item.Text)
		}
		if namesDiffer(names, e.names) {
			continue
		}
		like := mine.Like(e.words)
		least := likeAnywhere
		if e.window != window && shareTurn(it, &e.item) {
			least = likeInTurn
		}
		if like >= least && like > top && text.Denies(it.Text) == text.Denies(e.item.Text) {
			best, top = e, like
		}
	}
	return best
}

func shareTurn(a, b *payload.Item) bool {
	return slices.ContainsFunc(a.Evidence, func(x payload.Evidence) bool {
		return slices.ContainsFunc(b.Evidence, func(y payload.Evidence) bool { return x.Turn == y.Turn })
	})
}

// namesIn returns the numbers and code names in a text.
func namesIn(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		if w = strings.ToLower(strings.Trim(w, "`\"'.,;:()[]")); text.IsName(w) {
			m[w] = true
		}
	}
	return m
}

// namesDiffer reports whether each of two texts has a name that the other lacks: "retry 3 times", "retry 5 times".
func namesDiffer(a, b map[string]bool) bool {
	alone := func(a, b map[string]bool) bool {
		for w := range a {
			if !b[w] {
				return true
			}
		}
		return false
	}
	return alone(a, b) && alone(b, a)
}

// restate replaces an entry's item with a later version. It keeps the evidence of both, the
// earlier first, and the aliases of both, the later first.
func (e *entry) restate(later *entry) {
	it := later.item
	evidence := slices.Clone(e.item.Evidence)
	for _, x := range it.Evidence {
		if !slices.ContainsFunc(evidence, func(y payload.Evidence) bool { return y.Turn == x.Turn && y.Quote == x.Quote }) {
			evidence = append(evidence, x)
		}
	}
	it.Evidence = evidence[:min(len(evidence), 4)]
	it.At = e.item.At
	if it.Why == "" {
		it.Why = e.item.Why
	}
	if len(it.Alternatives) == 0 {
		it.Alternatives = e.item.Alternatives
	}
	for _, w := range e.item.Aliases {
		if !slices.Contains(it.Aliases, w) && len(it.Aliases) < maxAliases+maxAsks {
			it.Aliases = append(slices.Clip(it.Aliases), w)
		}
	}
	it.Confidence = max(it.Confidence, e.item.Confidence)
	if e.item.By == payload.ByUser && it.By == payload.ByAssistant {
		it.By = e.item.By
	}
	e.item, e.window, e.words = it, later.window, nil
}

func (e *entry) end(s payload.State) {
	if e.item.Current() {
		e.item.State = s
	}
}

// close ends a known item if a quote supports that. That an item was dropped must be said where it is spoken of;
// otherwise a true quote about anything could revoke everything decided.
func (l *ledger) close(c closing, told []known) {
	e := l.named(string(c.Item), told)
	if e == nil {
		return
	}
	src, quote, fault := l.sources.find(cited{c.Turn, c.Quote})
	if fault != "" {
		l.dropped["closing: "+fault]++
		return
	}
	switch strings.TrimSpace(string(c.How)) {
	case "dropped":
		there := payload.Item{Kind: payload.Question, Text: e.item.Text,
			Evidence: []payload.Evidence{{Turn: string(src.turn.ID), Quote: quote}}}
		if why, _ := l.judge.Judge(&there); why != "" && why != distill.MendSaid {
			l.dropped["closing: "+why]++
			return
		}
		e.end(payload.Revoked)
	case "done", "answered":
		switch e.item.Kind {
		case payload.Next, payload.Deferred, payload.Question, payload.Hypothesis, payload.Flag, payload.Status:
			e.end(payload.Done)
		}
	}
}

// items returns the items at the session's end, of goals and statuses only the last.
func (l *ledger) items() []payload.Item {
	l.onlyLast(payload.Goal)
	l.onlyLast(payload.Status)
	var out []payload.Item
	for _, e := range l.entries {
		out = append(out, e.item)
	}
	order(out)
	return out
}

func (l *ledger) onlyLast(kind payload.Kind) {
	last := -1
	for i, e := range l.entries {
		if e.item.Kind == kind && e.item.Current() && (last < 0 || e.window >= l.entries[last].window) {
			last = i
		}
	}
	for i, e := range l.entries {
		if e.item.Kind == kind && i != last {
			e.end(payload.Superseded)
		}
	}
}

// order sorts items by kind, then time; next actions and files stay in order.
func order(items []payload.Item) {
	slices.SortStableFunc(items, func(a, b payload.Item) int {
		if c := a.Kind.Order() - b.Kind.Order(); c != 0 || a.Kind == payload.Next || a.Kind == payload.File {
			return c
		}
		return a.At.Compare(b.At)
	})
}

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
