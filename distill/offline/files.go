package offline

import (
	"slices"
	"sort"
	"strings"

	"recall/distill"
	"recall/payload"
	"recall/text"
)

// mostFiles is how many files a session may yield; mostRead, how many that it only looked at.
const mostFiles, mostRead = 12, 5

// files lists the files that the work turned on, with their state at the end. Where
// none was written or was to be, they are those that were read.
func files(t *talk, all []*touched, m *Model) []payload.Item {
	type scored struct {
		f *touched
		p float64
	}
	var keep []scored
	most, score := mostFiles, m.File.scores()
	onlyRead := !slices.ContainsFunc(all, func(f *touched) bool { return f.edits > 0 || f.refused > 0 })
	if onlyRead {
		most = mostRead
	}
	for _, f := range all {
		p := score(f.features(all))
		if f.shown {
			p = 1
		}
		if p >= m.FileFrom || f.offLimit != nil || onlyRead && f.reads > 0 {
			keep = append(keep, scored{f, p})
		}
	}
	sort.SliceStable(keep, func(i, j int) bool { return keep[i].p > keep[j].p })
	var out []payload.Item
	for _, k := range keep[:min(most, len(keep))] {
		out = append(out, k.f.item(t))
	}
	return out
}

// onlyRead names the files that were read and not seen to be changed, and that no item is about, the most read first.
func onlyRead(all []*touched, items []payload.Item) (paths []string) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *touched) int { return b.reads - a.reads })
	for _, f := range all {
		if f.reads > 0 && f.edits == 0 && !f.deleted {
			paths = append(paths, f.path)
		}
	}
	paths = payload.Unchanged(paths, &payload.Payload{Items: items})
	return paths[:min(mostRead, len(paths))]
}

func pathsOf(all []*touched) map[string]bool {
	paths := map[string]bool{}
	for _, f := range all {
		paths[f.path] = true
	}
	return paths
}

// offLimits lists what the person said not to touch and the session didn't. It adds
// them to those that were seen.
func offLimits(t *talk, seen map[string]bool) []payload.Item {
	var out []payload.Item
	for _, sp := range t.speeches {
		for i := range sp.parts {
			s := &sp.parts[i]
			if !sp.user || !s.cues.has(cueHandsOff) || sp.foreign(s) || s.pasted {
				continue
			}
			for _, w := range strings.Fields(s.text) {
				p := strings.TrimPrefix(strings.Trim(w, "`\"'(),:;.!?"), "@")
				if seen[p] || !looksLikePath(p) && !looksLikeFolder(p) {
					continue
				}
				seen[p] = true
				it := recorded(payload.File, "file-hands-off", payload.ByUser, sp.turn, inQuotes(s.text), sp.text[s.from:s.to])
				it.Path, it.Status = p, payload.FileOffLimits
				out = append(out, it)
			}
		}
	}
	return out
}

func looksLikeFolder(w string) bool {
	return strings.HasSuffix(w, "/") && len(w) > 1 && !strings.HasPrefix(w, "http") && !strings.ContainsAny(w, "`<>|*")
}

// A FileCandidate is a file that may be worth an item, for training.
type FileCandidate struct {
	Path     string
	Features []Feature
}

// Files lists the files that the session touched.
func (h *Heard) Files() []FileCandidate {
	out := make([]FileCandidate, len(h.touched))
	for i, f := range h.touched {
		out[i] = FileCandidate{f.path, f.features(h.touched)}
	}
	return out
}

func (t *talk) exchangeAt(n int) int {
	i := sort.Search(len(t.speeches), func(i int) bool { return t.speeches[i].turn.N >= n })
	switch {
	case i < len(t.speeches) && t.speeches[i].turn.N == n:
		return t.speeches[i].exchange
	case i > 0:
		return t.speeches[i-1].exchange
	}
	return 0
}

// ofFile reports whether a list item is about the file: it opens with its name.
func ofFile(s *sentence, base string) bool {
	i := strings.Index(s.text, base)
	return (s.block == listItem || s.block == row) && i >= 0 && i < 60 && !strings.Contains(s.text[:i], " ")
}

// behindName matches what parts a file's name from what is said of it.
var behindName = text.Pattern("^[`*]*(?: ?[—–:·-])? +")

// withOthers matches what follows a file's name where other files are named with it.
var withOthers = text.Pattern("^(?:[,/&+]|and\\b|or\\b|und\\b|oder\\b) *")

// saidLast reports whether something was said of a file, which is still there, after its last
// edit, and after what may have changed it without naming it.
func (f *touched) saidLast() bool {
	return f.said != nil && !f.deleted && !f.back && (f.edits == 0 || f.saidBy.turn.N >= max(f.turn.N, f.mass))
}

// item says what became of the file: a report's sentence about it, quoted, if it wasn't
// written since; else what was done.
func (f *touched) item(t *talk) payload.Item {
	it := payload.Item{Kind: payload.File, Path: f.path, Maker: payload.ByRule, State: payload.Stands,
		By: payload.ByAssistant, Rule: "file-work"}
	if f.turn != nil {
		it.At = f.turn.At
	}
	it.Status = f.status(t)
	quote := func(sp *speech, s *sentence, words string) {
		it.Text, it.Evidence = inQuotes(words), []payload.Evidence{cite(sp.turn, sp.text, s.from, s.to)}
	}
	if f.offLimit != nil {
		it.By, it.Rule, it.At = payload.ByUser, "file-hands-off", f.offLimit.turn.At
		quote(f.offLimit, f.offPart, f.offPart.text)
		return it
	}
	it.Text = f.did()
	if f.shown {
		it.Rule = distill.ShownRule
	}
	if f.fleeting && !f.deleted {
		it.Why = distill.Fleeting
	}
	switch s := f.said; {
	case f.open != nil:
		quote(f.openBy, f.open, f.open.text)
	case f.saidLast() && ofFile(s, f.base) && !strings.HasSuffix(s.text, ":"):
		_, rest, _ := strings.Cut(s.text, f.base)
		if words := behindName().ReplaceAllString(rest, ""); len(strings.Fields(words)) >= 3 {
			if words == rest || withOthers().MatchString(words) { // not what it says of the file as a whole
				words = s.text
			}
			quote(f.saidBy, s, words)
		}
	}
	if f.turn != nil && (len(it.Evidence) == 0 || it.Evidence[0].Turn != string(f.turn.ID)) {
		if f.called != "" && len(f.called) <= distill.MaxQuote {
			it.Evidence = append(it.Evidence, payload.Evidence{Turn: string(f.turn.ID), N: f.turn.N, Quote: f.called})
		}
	}
	return it
}

// did words what was done to the file where no report speaks of it.
func (f *touched) did() string {
	switch {
	case f.deleted:
		return "Deleted."
	case f.back && f.writes == 0:
		return "Put back by git."
	case f.back:
		return strings.TrimSuffix(f.written(), ".") + ", then put back by git."
	case f.was != "" && f.created && f.writes == 1:
		return "New as " + f.was + ", then renamed."
	case f.was != "" && f.created:
		return "New as " + f.was + ", edited and renamed."
	case f.was != "" && f.writes > 0:
		return "Renamed from " + f.was + ", and edited."
	case f.was != "":
		return "Renamed from " + f.was + "."
	case f.edits > 0:
		return f.written()
	case f.shown:
		return "Shown to the person as a result."
	case f.refused > 0:
		return "Not changed: the edit was refused."
	case f.unseen:
		return "Read; a command or sub-agent may have changed it."
	}
	return "Read."
}

// written words that a file was written.
func (f *touched) written() string {
	switch {
	case f.created && f.writes == 1:
		return "New."
	case f.created:
		return "New, then edited."
	}
	times := strings.Split("once,twice,three times,four times,five times,six times,seven times,"+
		"eight times,nine times", ",")
	n := append(times, "many times")[min(max(f.writes, 1)-1, len(times))]
	if f.more && f.writes <= len(times) {
		n = "at least " + n
	}
	return "Edited " + n + "."
}

// inQuotes is text as a file's or a folder's item says what somebody said of it.
func inQuotes(text string) string { return "“" + text + "”" }

// status is the file's state at the end: in progress where the last exchange broke
// off after it was written and no commit was made or begun since, or where a report says so,
// untouched where it was only read and nothing may have changed it unseen. That one is
// done no record shows.
func (f *touched) status(t *talk) string {
	switch {
	case f.offLimit != nil:
		return payload.FileOffLimits
	case f.deleted, f.back, f.edits == 0 && (f.shown || f.unseen && f.refused == 0):
		return ""
	case f.edits == 0:
		return payload.FileUntouched
	case f.open != nil, !t.closed && f.turn.N >= t.session.Turns[0].N && f.turn.N > t.committed &&
		t.exchangeAt(f.turn.N) == t.n-1:
		return payload.FileProgress
	}
	return ""
}
