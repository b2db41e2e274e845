package eval

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"recall/answer"
	"recall/distill/relate"
	"recall/index"
	"recall/index/embed/minilm"
	"recall/index/vectorfile"
	"recall/ingest"
	"recall/internal/escape"
	"recall/payload"
)

// Indexed is recall's own search over the items of a corpus, in temporary indexes. Safe for concurrent use,
// except for setting its fields.
type Indexed struct {
	Query index.Query // the template for all questions; each fills in its text and time

	from   Source
	corpus *Corpus
	judge  Judge
	model  *answer.SecondLook   // nil: none
	mu     sync.Mutex           // guards open and dir
	open   map[int]*index.Index // by how many of the sessions, oldest first, it holds
	dir    string

	vectors string // file in which vectors are kept between runs; "" keeps none
}

// Indexed searches a source's items as the options say.
func (c *Corpus) Indexed(from Source, o Options) *Indexed {
	x := &Indexed{from: from, corpus: c, judge: o.judge(), open: map[int]*index.Index{}, vectors: o.Vectors}
	if from.Items != nil {
		x.model = o.SecondLook
	}
	return x
}

// Close deletes the indexes.
func (x *Indexed) Close() {
	for _, ix := range x.open {
		ix.Close()
	}
	if x.dir != "" {
		os.RemoveAll(x.dir)
	}
}

// of returns the index of these sessions, which are the oldest of the corpus.
func (x *Indexed) of(ctx context.Context, sessions []*ingest.Session) (*index.Index, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := len(sessions)
	if ix := x.open[n]; ix != nil {
		return ix, nil
	}
	if x.dir == "" {
		var err error
		if x.dir, err = os.MkdirTemp("", "recall-eval-"); err != nil {
			return nil, err
		}
	}
	dir := filepath.Join(x.dir, strconv.Itoa(n))
	ix, err := index.Open(filepath.Join(dir, "index.db"))
	if err != nil {
		return nil, err
	}
	x.open[n] = ix
	var docs []index.Doc
	for _, s := range sessions {
		var p *payload.Payload
		if x.from.Items != nil {
			p = &payload.Payload{Items: x.from.Items[string(s.ID)]}
		}
		docs = append(docs, index.DocOf(s, p, x.corpus.Project[s.ID]))
	}
	if err := ix.PutAll(ctx, docs); err != nil {
		return nil, err
	}
	if err := linkItems(ctx, ix, docs); err != nil {
		return nil, err
	}
	if err := x.embed(ctx, ix, dir); err != nil {
		return nil, err
	}
	ix.UseVectors(index.VectorsOf(filepath.Join(dir, "index.db"), meaning()))
	return ix, ix.Tidy(ctx)
}

// embed gives an index its vectors, taking those that an earlier run kept and keeping all for the next one.
func (x *Indexed) embed(ctx context.Context, ix *index.Index, dir string) error {
	here := filepath.Join(dir, vectorfile.Name)
	if err := copyFile(x.vectors, here); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := ix.Embed(ctx, meaning(), func(int, int) {}); err != nil || x.vectors == "" {
		return err
	}
	return copyFile(here, x.vectors)
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600)
}

// meaning is the model that recall finds with by default.
var meaning = sync.OnceValue(minilm.New)

// linkItems links the items of an index as a sync does, so that a decision which took another's place is found
// instead of it.
func linkItems(ctx context.Context, ix *index.Index, docs []index.Doc) error {
	byProject := map[string][]relate.Item{}
	for _, d := range docs {
		for _, it := range d.Items {
			byProject[d.Project] = append(byProject[d.Project], relate.Item{Item: it.Item, Session: d.Session, Start: d.Start})
		}
	}
	var links []payload.Link
	for _, items := range byProject {
		links = append(links, relate.Links(items)...)
	}
	return ix.PutLinks(ctx, links, relate.Version, nil, nil)
}

// at returns the index as it was when a question was asked, and the query for it.
func (x *Indexed) at(ctx context.Context, q Question) (*index.Index, index.Query, error) {
	until, err := q.Until()
	if err != nil {
		return nil, index.Query{}, err
	}
	as := x.Query
	as.Text, as.Until = q.Q, until
	ix, err := x.of(ctx, x.corpus.startedBy(until))
	return ix, as, err
}

// depth is how many results are asked for: enough to include the first twenty items.
const depth = 100

// printed is how many results are judged as printed: what recall query shows.
const printed = 5

func (x *Indexed) answer(ctx context.Context, q Question) (response, error) {
	ix, as, err := x.at(ctx, q)
	if err != nil {
		return response{}, err
	}
	begun := time.Now()
	found, err := answer.Ask(ctx, ix, x.model, answer.Question{Query: as, Most: depth})
	if err = errors.Join(err, found.Fault); err != nil {
		return response{}, err
	}
	a := response{seconds: secondsSince(begun), coverage: found.Coverage, refused: found.Verdict == answer.Nothing,
		weak: found.Verdict == answer.Weak}
	a.answering = x.corpus.answering(q)
	for _, r := range answer.Numbered(found.Results) {
		if !slices.Contains(a.sessions, r.Session) {
			a.sessions = append(a.sessions, r.Session)
		}
		if e := (exchangeID{r.Session, r.Exchange}); !slices.Contains(a.exchanges, e) {
			a.exchanges = append(a.exchanges, e)
		}
		if (r.Item != nil) == (x.from.Items != nil) {
			a.results = append(a.results, x.result(r))
		}
	}
	for i, r := range found.Results[:min(len(found.Results), printed)] {
		shown := result{session: r.Session, text: says(&found, i)}
		for _, one := range answer.Numbered([]*answer.Result{r}) {
			held, err := x.Holds(ctx, q, one)
			if err != nil {
				return response{}, err
			}
			shown.holds = append(shown.holds, held...)
			if one != r {
				shown.text += "\n" + answer.Voice{}.Passage(one)
			}
		}
		a.shown = append(a.shown, shown)
	}
	return a, nil
}

// says words the ith result as it is shown.
func says(a *answer.Answer, i int) string {
	v, r := answer.Voice{}, a.Results[i]
	if i == 0 && a.Verdict == answer.Answered {
		if said := v.Tried(a.Question, r); said != "" {
			return said
		}
	}
	if r.Item == nil {
		return v.Passage(r)
	}
	said := v.Sentence(*r.Item) + " (" + answer.State(*r.Item) + ")"
	if r.Item.Why != "" {
		said += " Why: " + escape.Line(r.Item.Why, escape.Terminal)
	}
	return said
}

// Holds names the gold items that a result holds; for a passage, only those that the question expects or calls
// stale.
func (x *Indexed) Holds(ctx context.Context, q Question, r *answer.Result) ([]string, error) {
	switch {
	case r.Item == nil:
		return x.corpus.holds(ctx, x.judge, q, r.Session, r.TurnID, r.Passage)
	case r.Item.Kind == payload.Lead && len(r.Item.Evidence) > 0:
		return x.corpus.holds(ctx, x.judge, q, r.Session, r.Item.Evidence[0].Turn, r.Item.Text)
	}
	return x.result(r).holds, nil
}

// result is a line of an answer, with the gold items that its item is paired with or whose quotes its turn holds.
func (x *Indexed) result(r *answer.Result) result {
	if r.Item == nil {
		return result{session: r.Session, holds: x.corpus.caseOf(r.Session).quotedItems(r.Text),
			name: r.Session + "#" + r.TurnID, text: r.Text}
	}
	out := result{session: r.Session, name: string(r.Item.ID), text: r.Item.Text}
	if name, ok := x.from.Holds[r.Item.ID]; ok {
		out.holds = []string{name}
	}
	return out
}
