package history

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/escape"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// Fix says what was done about an error.
type Fix struct {
	Schema int    `json:"schema"` // 1
	Match  string `json:"match"`  // same, similar; prompt, finding, query: see Told; none
	Met    int    `json:"met"`    // number of sessions that met it
	Seen   []Met  `json:"seen"`   // newest first
	Told   []Told `json:"told,omitempty"`

	Problems []ingest.Problem `json:"-"` // sessions that met it but can't be read
}

// Found reports whether a session met the error, or it was mentioned.
func (f *Fix) Found() bool { return len(f.Seen) > 0 || len(f.Told) > 0 && f.Match != "query" }

// Met is a session that met the error.
type Met struct {
	library.SessionRef
	Turn    int       `json:"turn"`
	At      time.Time `json:"at,omitzero"`
	Error   string    `json:"error"`
	Command string    `json:"command,omitempty"` // the command that ran into it
	Outcome string    `json:"outcome"`           // helped, came again, other error, not known
	Tries   []Try     `json:"tries"`
}

// Try is what was done before the command was run again.
type Try struct {
	Did     []Deed `json:"did"`
	Then    string `json:"then,omitempty"` // the command that was run again
	Turn    int    `json:"turn,omitempty"` // of that
	Outcome string `json:"outcome"`
	Said    string `json:"said,omitempty"` // by the assistant, afterwards
	Command string `json:"-"`              // the command that had run into the error
}

// Deed is one edit or command.
type Deed struct {
	Turn  int           `json:"turn"`
	Tool  string        `json:"tool"`
	What  string        `json:"what"` // command or path
	Why   string        `json:"why,omitempty"`
	Files []trace.Touch `json:"files,omitempty"`
	Edits []ingest.Edit `json:"edits,omitempty"`
}

// Tried is a session's tries for display: those until the error was gone, without the middle ones that failed.
type Tried struct {
	First, Last []Try
	Skipped     int
	Rest        []Try // later ones, with other errors
}

// Tried groups the session's tries for display.
func (s Met) Tried() (of Tried) {
	all := s.Tries
	gone := slices.IndexFunc(all, func(t Try) bool { return t.Outcome != trace.Again }) + 1
	if gone == 0 {
		gone = len(all)
	}
	of.First, of.Rest = all[:gone], all[gone:]
	if gone > 3 {
		of.First, of.Skipped, of.Last = all[:1], gone-3, all[gone-2:gone]
	}
	return of
}

// Was and Is return the first line that an edit changes, before and after.
func (Try) Was(e ingest.Edit) string { return changedLine(e.Old, e.New) }
func (Try) Is(e ingest.Edit) string  { return changedLine(e.New, e.Old) }

// changedLine returns the first line of a text that differs from another's.
func changedLine(text, other string) string {
	a, b := strings.Split(text, "\n"), strings.Split(other, "\n")
	for i := range max(len(a), len(b)) {
		x, y := "", ""
		if i < len(a) {
			x = escape.Line(a[i], escape.Terminal)
		}
		if i < len(b) {
			y = escape.Line(b[i], escape.Terminal)
		}
		if x != y {
			return x
		}
	}
	return ""
}

// Told is where an error that no command ran into was mentioned.
type Told struct {
	library.SessionRef
	Turn int              `json:"turn,omitempty"`
	At   time.Time        `json:"at,omitzero"`
	Kind string           `json:"kind"` // prompt, or the item's kind
	Text string           `json:"text"`
	Why  string           `json:"why,omitempty"`
	ID   payload.ItemID   `json:"id,omitempty"` // of an item
	Then []payload.ItemID `json:"then,omitempty"`

	Items []payload.Item `json:"-"` // the items of Then
}

// Item returns the mention in the form of an item.
func (t Told) Item() payload.Item {
	return payload.Item{Kind: payload.Kind(t.Kind), Text: t.Text, State: payload.Stands}
}

// How many sessions are read, and how many are shown.
const (
	fixRead = 8
	fixShow = 3
)

// FixOf looks an error up: what was done where a command ran into it, else where it is mentioned, by search.
func FixOf(ctx context.Context, p *pipeline.Pipeline, text string,
	search func(index.Query) (index.Answer, error)) (*Fix, error) {
	doc := &Fix{Schema: 1, Match: "same", Seen: []Met{}}
	met, err := p.Index.Faults(ctx, signatures(text))
	if err == nil && len(met) == 0 {
		doc.Match = "similar"
		met, err = similarFaults(ctx, p.Index, text)
	}
	if err != nil {
		return nil, err
	}
	catalog, err := p.Library.Catalog()
	if err != nil {
		return nil, err
	}
	if len(met) > 0 {
		doc.repairs(ctx, p, catalog, met)
		return doc, nil
	}
	t := &mentionFinder{index: p.Index, catalog: catalog, search: search, words: errorWords(text), text: text}
	doc.Match, doc.Told, err = t.told(ctx)
	return doc, err
}

// signatures returns those of the text's lines that state an error, and of the text as a whole.
func signatures(text string) []int64 {
	var sigs []int64
	add := func(line string) {
		if sig := trace.Signature(line); sig != 0 && !slices.Contains(sigs, sig) && len(sigs) < 200 {
			sigs = append(sigs, sig)
		}
	}
	for line := range strings.Lines(text) {
		add(strings.TrimSpace(line))
	}
	add(text)
	return sigs
}

// similarFaults finds errors that share most of the text's words.
func similarFaults(ctx context.Context, x *index.Index, text string) ([]index.SessionError, error) {
	words := errorWords(text)
	all := 0
	for _, w := range words {
		all += len(w)
	}
	if len(words) == 0 || all < 6 {
		return nil, nil
	}
	type match struct {
		sig   int64
		share float64
	}
	var best []match
	known, err := x.FaultTexts(ctx)
	for _, f := range known {
		if share := wordShare(words, f.Text); share >= toldShare {
			best = append(best, match{f.Sig, share})
		}
	}
	if err != nil || len(best) == 0 {
		return nil, err
	}
	slices.SortStableFunc(best, func(a, b match) int { return int(1000*b.share) - int(1000*a.share) })
	var sigs []int64
	for _, m := range best[:min(len(best), 20)] {
		if m.share >= best[0].share-0.1 {
			sigs = append(sigs, m.sig)
		}
	}
	return x.Faults(ctx, sigs)
}

// errorWords returns the words by which to look for an error, without masked ones and those in every error.
func errorWords(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(trace.Normal(text),
		func(r rune) bool { return strings.ContainsRune(" \t\n:;,()[]{}<>\"'`=#", r) }) {
		w = strings.Trim(w, ".!?")
		if len(w) < 3 || w == "‹path›" ||
			slices.Contains([]string{"the", "error", "failed", "fail", "and", "for", "with", "not"}, w) ||
			slices.Contains(out, w) {
			continue
		}
		out = append(out, w)
	}
	return out[:min(len(out), 40)]
}

// wordShare returns the share of an error's words, by length, that a text contains.
func wordShare(words []string, text string) float64 {
	text = strings.ToLower(text)
	got, all := 0, 0
	for _, w := range words {
		all += len(w)
		if strings.Contains(text, w) {
			got += len(w)
		}
	}
	return float64(got) / float64(max(1, all))
}

// repairs reads the sessions that met the error, newest first, and records what each did about it. One that helped
// is shown even if it is older.
func (f *Fix) repairs(ctx context.Context, p *pipeline.Pipeline, catalog *library.Catalog, met []index.SessionError) {
	var order []string
	sigs := map[string][]int64{}
	for _, m := range met {
		if len(sigs[m.Session]) == 0 {
			order = append(order, m.Session)
		}
		sigs[m.Session] = append(sigs[m.Session], m.Sig)
	}
	f.Met = len(order)
	helped := false
	for _, id := range order[:min(len(order), fixRead)] {
		if len(f.Seen) >= fixShow && helped {
			break
		}
		s, err := p.Read(ctx, ingest.SessionID(id))
		if err != nil {
			f.Problems = append(f.Problems, skipped(id, err))
			continue
		}
		seen, ok := meeting(s, sigs[id])
		seen.SessionRef = catalog.Ref(id)
		good := ok && seen.Outcome == trace.Helped
		if ok && (len(f.Seen) < fixShow || good) {
			f.Seen = append(f.Seen, seen)
		}
		helped = helped || good
	}
}

// meeting returns what one session did about an error: the last time that helped, else the first.
func meeting(s *ingest.Session, sigs []int64) (Met, bool) {
	tr := trace.Of(s)
	var best *trace.Repair
	for _, f := range tr.Faults {
		if !slices.Contains(sigs, f.Sig) {
			continue
		}
		r := tr.RepairOf(s, f)
		if best == nil || r.Outcome == trace.Helped &&
			(best.Outcome != trace.Helped || r.Failed.N > best.Tries[len(best.Tries)-1].Then.N) {
			best = &r
		}
	}
	if best == nil {
		return Met{}, false
	}
	seen := Met{Turn: best.Failed.N, At: best.Failed.At, Error: best.Error, Command: best.Failed.Call.Command,
		Outcome: best.Outcome, Tries: []Try{}}
	for _, t := range best.Tries {
		try := Try{Outcome: t.Outcome, Said: t.Said, Did: []Deed{}, Command: seen.Command}
		if t.Then != nil {
			try.Then, try.Turn = t.Then.Call.Command, t.Then.N
		}
		for _, d := range t.Did {
			deed := Deed{Turn: d.N, Tool: d.Call.Name, What: Called(d.Call), Why: d.Why, Edits: d.Call.Edits}
			for _, touch := range d.Touches {
				if touch.How != trace.Read {
					deed.Files = append(deed.Files, touch)
				}
			}
			try.Did = append(try.Did, deed)
		}
		seen.Tries = append(seen.Tries, try)
	}
	return seen, true
}

// How much of an error's words a mention must contain, and how many mentions are shown.
const (
	toldShare = 0.7
	nearShare = 0.4
	toldShow  = 3
	thenShow  = 4
)

// mentionFinder finds mentions of an error.
type mentionFinder struct {
	index   *index.Index
	catalog *library.Catalog
	search  func(index.Query) (index.Answer, error)
	words   []string
	text    string
}

// told looks an error up in prompts, then in findings, then as a query; match says which of them matched.
func (t *mentionFinder) told(ctx context.Context) (match string, out []Told, err error) {
	if len(t.words) == 0 {
		return "none", nil, nil
	}
	all, err := t.search(index.Query{Text: line(t.text), Limit: 30})
	if err != nil {
		return "", nil, err
	}
	for _, r := range all.Ranked {
		if r.Role == "user" && wordShare(t.words, r.Text) >= toldShare {
			out = append(out, Told{SessionRef: t.catalog.Ref(r.Session), Turn: r.Turn, At: r.At, Kind: "prompt",
				Text: r.Text})
		}
	}
	for _, r := range all.Items() {
		if r.Item.Kind == payload.Goal && wordShare(t.words, r.Item.Text) >= toldShare {
			prompt := t.of(r) // a goal stands for the prompt that states it
			prompt.Kind, prompt.Why, prompt.ID = "prompt", "", ""
			out = append(out, prompt)
		}
	}
	if len(out) > 0 {
		out = firstOfEach(out)
		return "prompt", out, t.cameOf(ctx, out)
	}
	for _, in := range []struct {
		match string
		kinds []payload.Kind
	}{{"finding", []payload.Kind{payload.Finding}}, {"query", nil}} {
		found, err := t.search(index.Query{Text: line(t.text), Limit: toldShow, Kinds: in.kinds})
		if err != nil {
			return "", nil, err
		}
		for _, r := range found.Items() {
			if wordShare(t.words, r.Item.Text+" "+r.Item.Why) >= nearShare { // otherwise merely the nearest result
				out = append(out, t.of(r))
			}
		}
		if len(out) > 0 {
			return in.match, out, nil
		}
	}
	return "none", nil, nil
}

func (t *mentionFinder) of(r *index.Result) Told {
	return Told{SessionRef: t.catalog.Ref(r.Session), Turn: r.Turn, At: r.Item.At, Kind: string(r.Item.Kind),
		Text: r.Item.Text, Why: r.Item.Why, ID: r.Item.ID}
}

// firstOfEach returns the first mention of each of the newest sessions.
func firstOfEach(all []Told) []Told {
	slices.SortStableFunc(all, func(a, b Told) int {
		return cmp.Or(b.Start.Compare(a.Start), cmp.Compare(a.Session, b.Session), a.Turn-b.Turn)
	})
	all = slices.CompactFunc(all, func(a, b Told) bool { return a.Session == b.Session })
	return all[:min(toldShow, len(all))]
}

var toldFirst = []payload.Kind{payload.Finding, payload.Hypothesis, payload.Decision}

// cameOf adds what the sessions found and then decided.
func (t *mentionFinder) cameOf(ctx context.Context, out []Told) error {
	for i := range out {
		one := &out[i]
		items, err := t.index.ItemsIn(ctx, one.Project, toldFirst...)
		if err != nil {
			return err
		}
		slices.SortStableFunc(items, func(a, b index.Placed) int {
			return slices.Index(toldFirst, a.Item.Kind) - slices.Index(toldFirst, b.Item.Kind)
		})
		for _, p := range items {
			if p.Session == one.Session && p.Item.Current() && len(one.Then) < thenShow {
				one.Then, one.Items = append(one.Then, p.Item.ID), append(one.Items, p.Item)
			}
		}
	}
	return nil
}
