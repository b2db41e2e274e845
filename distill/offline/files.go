package offline

import (
	"math"
	"path"
	"sort"
	"strings"

	"recall/distill/offline/cue"
	"recall/ingest"
	"recall/payload"
)

// A touched file is one that the session changed, or that its reports speak of.
type touched struct {
	path     string
	edits    int
	lines    int
	reads    int
	refused  int
	created  bool
	turn     *ingest.Turn // last that wrote it; else that read it
	wroteIn  int          // exchange of the last write, -1 if none
	said     *sentence    // what a closing message says of it, last one
	saidBy   *speech
	mentions int
	typed    int       // times the person named it
	heard    *sentence // the last that names the file
	base     string    // its bare name
	word     int       // where in it its longest word begins
	offLimit *speech
	offPart  *sentence
}

// mostFiles is how many files a session may yield.
const mostFiles = 8

// files lists the files that the work turned on, with their state at the end.
func files(t *talk, all []*touched, models Models) []payload.Item {
	type scored struct {
		f *touched
		p float64
	}
	var keep []scored
	m := models.files()
	weights, known := m.table(), &noted{}
	for _, f := range all {
		if p := weights.score(f.features(known, all)); p >= m.Threshold || f.offLimit != nil {
			keep = append(keep, scored{f, p})
		}
	}
	sort.SliceStable(keep, func(i, j int) bool { return keep[i].p > keep[j].p })
	if len(keep) > mostFiles {
		keep = keep[:mostFiles]
	}
	var out []payload.Item
	for _, k := range keep {
		out = append(out, k.f.item(t))
	}
	return append(out, offLimits(t, all)...)
}

// offLimits lists what the person said not to touch and the session didn't.
func offLimits(t *talk, all []*touched) []payload.Item {
	var out []payload.Item
	seen := map[string]bool{}
	for _, f := range all {
		seen[f.path] = true
	}
	for _, sp := range t.speeches {
		for i := range sp.parts {
			s := &sp.parts[i]
			if !sp.user || sp.foreign(s) || s.Pasted || !handsOff.MatchString(s.Text) {
				continue
			}
			for _, w := range strings.Fields(s.Text) {
				p := strings.TrimPrefix(strings.Trim(w, "`\"'(),:;.!?"), "@")
				if seen[p] || !looksLikePath(p) && !looksLikeFolder(p) {
					continue
				}
				seen[p] = true
				it := turnItem(payload.File, "file-hands-off", payload.ByUser, sp.turn, tidy(s.Text), quote(sp.text, s.From, s.To))
				it.Path, it.Status = p, payload.FileOffLimits
				out = append(out, it)
			}
		}
	}
	return out
}

var folderName = cue.One(`^[\w.@~-]+(?:/[\w.@-]+)+/?$|^[\w.-]+/$`)

func looksLikeFolder(w string) bool {
	return folderName.MatchString(w) && !strings.HasPrefix(w, "http")
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
		out[i] = FileCandidate{f.path, f.features(&noted{}, h.touched)}
	}
	return out
}

// touchedFiles gathers what the session did with each file and said of it.
func touchedFiles(t *talk) []*touched {
	by := map[string]*touched{}
	var all []*touched
	roots := rootsOf(t.session)
	get := func(p string) *touched {
		p = relative(roots, p)
		f := by[p]
		if f == nil {
			f = &touched{path: p, wroteIn: -1}
			by[p] = f
			all = append(all, f)
		}
		return f
	}
	for i := range t.session.Turns {
		turn := &t.session.Turns[i]
		if turn.Abandoned || turn.Copied || turn.Role != ingest.Assistant {
			continue
		}
		for j := range turn.Calls {
			c := &turn.Calls[j]
			if c.Path == "" || notOurs(c.Path) {
				continue
			}
			switch {
			case writes(c.Name) && c.Verdict == ingest.Rejected:
				get(c.Path).refused++
			case writes(c.Name) && c.Done && !c.Failed:
				f := get(c.Path)
				f.edits++
				f.turn, f.wroteIn = turn, t.exchangeAt(turn.N)
				f.lines += lineCount(c)
				if c.Name == "Write" && f.edits == 1 && f.reads == 0 {
					f.created = true
				}
			case c.Name == "Read" && c.Done && !c.Failed:
				f := get(c.Path)
				f.reads++
				if f.turn == nil {
					f.turn = turn
				}
			}
		}
	}
	hearOf(t, all)
	return all
}

// exchangeAt is the exchange that a turn belongs to, by its number.
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

func lineCount(c *ingest.ToolCall) int {
	n := strings.Count(c.Input["content"], "\n")
	for _, e := range c.Edits {
		n += 1 + strings.Count(e.New, "\n")
	}
	return n
}

// notOurs tells files that are no part of the work: the client's own.
func notOurs(p string) bool {
	p = strings.ReplaceAll(p, "\\", "/")
	return strings.Contains(p, "/.claude/plans/") || strings.Contains(p, "/.claude/projects/") || strings.Contains(p, "/.claude/todos/") ||
		strings.Contains(p, "/.claude/tasks/") || strings.Contains(p, "/.claude/memory/") || strings.Contains(p, "/scratchpad/") || strings.HasPrefix(p, "/tmp/") ||
		strings.HasPrefix(p, "/private/tmp/") || strings.Contains(p, "/node_modules/") || strings.Contains(p, "/pkg/mod/")
}

// rootsOf lists the folders that the session's files are named relative to: the
// one most turns ran in first, then that of the repository of a worktree.
func rootsOf(s *ingest.Session) []string {
	cwds := append([]ingest.CwdCount(nil), s.Where.Cwds...)
	sort.SliceStable(cwds, func(i, j int) bool { return cwds[i].Turns > cwds[j].Turns })
	var roots []string
	for _, c := range cwds {
		if strings.HasPrefix(c.Dir, "/sessions/") { // Cowork's machine: what lies below mnt is the person's and the session's own
			roots = append(roots, c.Dir+"/mnt")
		}
		roots = append(roots, c.Dir)
	}
	if w := s.Where.Worktree; w != nil {
		roots = append(roots, w.Path, w.Original)
	}
	for _, r := range roots {
		r = strings.ReplaceAll(r, "\\", "/")
		for _, mark := range []string{"/.worktrees/", "/.claude/worktrees/"} {
			if i := strings.Index(r, mark); i > 0 {
				roots = append(roots, r[:i])
			}
		}
	}
	return roots
}

func relative(roots []string, p string) string {
	p = strings.ReplaceAll(p, "\\", "/")
	for _, root := range roots {
		root = strings.TrimRight(strings.ReplaceAll(root, "\\", "/"), "/")
		if root != "" && strings.HasPrefix(p, root+"/") {
			return p[len(root)+1:]
		}
	}
	return strings.TrimPrefix(p, "./")
}

var handsOff = cue.One(`(?i)(?:^|[.,;!—–] |\b(?:please|but|and|so|ok|stop),? )(?:don['’]?t|do not|never) (?:touch|change|edit|modify)\b|\boff[- ]limits\b`)

// ofFile tells whether a list item is about the file: it opens with its name.
func ofFile(s *sentence, base string) bool {
	i := strings.Index(s.Text, base)
	return s.Block == listItem && i >= 0 && i < 60 && !strings.Contains(s.Text[:i], " ")
}

// features of a file, for the model that tells which ones the work turned on.
func (f *touched) features(m *noted, all []*touched) []Feature {
	written, lines := 0, 0
	for _, o := range all {
		if o.edits > 0 {
			written++
		}
		lines += o.lines
	}
	m.on(asWritten, f.edits > 0)
	m.on(asWrittenTwice, f.edits > 1)
	m.on(asWrittenOften, f.edits > 4)
	m.on(asCreated, f.created)
	m.on(asRefused, f.refused > 0)
	m.on(asSaid, f.mentions > 0)
	m.on(asSaidOften, f.mentions > 2)
	m.on(asListOfIt, f.said != nil && ofFile(f.said, path.Base(f.path)))
	m.on(asTyped, f.typed > 0)
	m.on(asInLast, f.saidBy != nil && f.saidBy.last)
	m.on(asReadOnly, f.edits == 0)
	m.on(asReadOften, f.edits == 0 && f.reads > 2)
	m.on(asReadAndSaid, f.edits == 0 && f.mentions > 1)
	m.on(asTest, isTest(f.path))
	m.on(asDoc, isDoc(f.path))
	m.on(asOutside, strings.HasPrefix(f.path, "/") || strings.HasPrefix(f.path, ".."))
	m.on(asFewFiles, written <= 3)
	m.on(asManyFiles, written > 8)
	if lines > 0 {
		m.set(asShare, float64(f.lines)/float64(lines))
	}
	m.set(asLogEdits, math.Log1p(float64(f.edits)))
	m.set(asLogMentions, math.Log1p(float64(f.mentions)))
	if written > 0 {
		m.set(asRank, f.rank(all))
	}
	return m.list()
}

// rank is 1 for the file with the most edits, 0 for the one with the fewest.
func (f *touched) rank(all []*touched) float64 {
	below, n := 0, 0
	for _, o := range all {
		if o != f && o.edits > 0 {
			n++
			if o.edits < f.edits {
				below++
			}
		}
	}
	if n == 0 {
		return 1
	}
	return float64(below) / float64(n)
}

var testName = cue.One(`(?i)(?:^|/)(?:tests?|__tests__|spec|testdata)/|[._-](?:test|spec)s?\.\w+$|(?:^|/)test_[^/]+$`)

func isTest(p string) bool { return testName.MatchString(p) }

func isDoc(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".mdx", ".txt", ".rst", ".adoc":
		return true
	}
	return false
}

// item says what became of the file.
func (f *touched) item(t *talk) payload.Item {
	it := payload.Item{Kind: payload.File, Path: f.path, Maker: payload.ByRule, State: payload.Stands, By: payload.ByAssistant, Rule: "file-work"}
	if f.turn != nil {
		it.At = f.turn.At
	}
	it.Status = f.status(t)
	switch {
	case f.offLimit != nil:
		it.Text = tidy(f.offPart.Text)
		it.By, it.Rule, it.At = payload.ByUser, "file-hands-off", f.offLimit.turn.At
		it.Evidence = []payload.Evidence{{Turn: string(f.offLimit.turn.ID), N: f.offLimit.turn.N, Quote: quote(f.offLimit.text, f.offPart.From, f.offPart.To)}}
		return it
	case f.said != nil && !f.saidBefore():
		it.Text = f.says()
		it.Evidence = []payload.Evidence{{Turn: string(f.saidBy.turn.ID), N: f.saidBy.turn.N, Quote: quote(f.saidBy.text, f.said.From, f.said.To)}}
	}
	if it.Text == "" {
		it.Text = f.did()
	}
	if f.turn != nil && (len(it.Evidence) == 0 || it.Evidence[0].Turn != string(f.turn.ID)) {
		if q := f.called(); q != "" {
			it.Evidence = append(it.Evidence, payload.Evidence{Turn: string(f.turn.ID), N: f.turn.N, Quote: q})
		}
	}
	return it
}

// saidBefore tells whether the file was written after what was said of it, which
// then tells how it was.
func (f *touched) saidBefore() bool { return f.edits > 0 && f.saidBy.turn.N < f.turn.N }

// says words what a report says of the file, its name not repeated.
func (f *touched) says() string {
	text := f.said.Text
	if renamed := arrowTo.FindStringSubmatch(text); renamed != nil && ofFile(f.said, path.Base(f.path)) {
		return tidy("Renamed to " + renamed[1])
	}
	if base := path.Base(f.path); ofFile(f.said, base) {
		i := strings.Index(text, base) + len(base)
		rest := strings.TrimLeft(text[i:], "`*:,)— –-0123456789")
		if strings.Count(rest, "`")%2 == 1 {
			rest = "`" + rest
		}
		if strings.HasPrefix(text[i:], "`, ") || strings.HasPrefix(text[i:], ", ") {
			rest = "" // a list of files: what follows is another's name
		}
		if len(strings.Fields(rest)) >= 2 {
			text = rest
		} else if f.said.More != "" {
			text = firstSentence(f.said.More)
		} else {
			return ""
		}
	}
	low := strings.ToLower(text)
	if !ofFile(f.said, path.Base(f.path)) && !talkCues.has("did", low) && !talkCues.has("i-did", low) && !talkCues.has("now", low) || aboutToDo.MatchString(f.said.Text) {
		return ""
	}
	if narrates.MatchString(text) || strings.HasSuffix(strings.TrimSpace(text), ":") {
		return ""
	}
	return shorten(tidy(text))
}

var arrowTo = cue.One("^\\S+\\s*(?:→|->|=>)\\s*(`?[^\\s`]+`?)\\.?$")

var narrates = cue.One(`(?i)^(?:let me|now |i'll |i need|looking|first|next|let's|i see|good|great|perfect)`)

// did words what was done to the file where no report speaks of it.
func (f *touched) did() string {
	switch {
	case f.created && f.edits == 1:
		return "New."
	case f.created:
		return "New, then edited."
	case f.edits == 1:
		return "Edited once."
	case f.edits == 2:
		return "Edited twice."
	case f.edits > 1:
		return "Edited " + count(f.edits) + " times."
	case f.refused > 0:
		return "Not changed: the edit was refused."
	}
	return "Read, not changed."
}

func count(n int) string {
	if n < 10 {
		return strings.Fields("zero one two three four five six seven eight nine")[n]
	}
	return "many"
}

// called is the path as the file's last turn names it in a call.
func (f *touched) called() string {
	base := path.Base(f.path)
	for i := range f.turn.Calls {
		if c := &f.turn.Calls[i]; path.Base(strings.ReplaceAll(c.Path, "\\", "/")) == base && len(c.Path) <= 300 {
			return c.Path
		}
	}
	return ""
}

// status is the file's state at the end: in progress where the last exchange
// broke off after it was written, untouched where it was only read.
func (f *touched) status(t *talk) string {
	switch {
	case f.offLimit != nil:
		return payload.FileOffLimits
	case f.edits == 0:
		return payload.FileUntouched
	case f.wroteIn == t.n-1 && !t.closed:
		return payload.FileProgress
	}
	return payload.FileDone
}
