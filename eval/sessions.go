package eval

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/cowork"
	"recall/text"
)

var readers = []ingest.Reader{claudecode.Reader{}, cowork.Reader{}}

// A Transcript is a session's, with its reader.
type Transcript struct {
	Reader ingest.Reader
	Found  ingest.Found
	Beside string // which belong together: a folder of Claude Code's, a root of Cowork's, a project of a library
}

// Transcripts lists those below a file or folder.
func Transcripts(ctx context.Context, root string) (all []Transcript, problems []Problem) {
	for _, r := range readers {
		found, bad := r.Find(ctx, root, nil)
		for _, f := range found {
			t := Transcript{r, f, f.Root}
			if f.Source == ingest.ClaudeCode && len(f.Files) > 0 {
				t.Beside = filepath.Dir(f.Files[0].Path)
			}
			all = append(all, t)
		}
		for _, p := range bad {
			problems = append(problems, Problem{File: p.Path, What: p.Reason})
		}
	}
	return all, problems
}

// A Corpus is the sessions that people wrote about, and those beside them.
type Corpus struct {
	Cases    []*Case           // those with a gold set, in its order
	Sessions []*ingest.Session // all, oldest first
	Project  map[ingest.SessionID]string
	Missing  []string // sessions of gold sets without a transcript
	Problems []Problem
}

// Gather finds and parses the sessions of a set, and those that bear on whose
// turns are whose: forks of them, or with neighbours all that lie beside them. A
// transcript that is missing or can't be read is named and costs nothing else.
func Gather(ctx context.Context, set *Set, o Options, neighbours bool) (*Corpus, error) {
	if len(set.Golds) == 0 {
		return nil, fmt.Errorf("%s: no gold set (NAME.gold.json)", strings.Join(o.Gold, ", "))
	}
	g := gathering{corpus: &Corpus{Project: map[ingest.SessionID]string{}}, parsed: map[ingest.SessionID]*ingest.Session{}}
	where := map[*Gold]Transcript{}
	told := g.tell(set)
	if !set.TellsAll() {
		if g.below = o.Transcripts; g.below == nil {
			if _, err := os.Stat(o.From); err != nil {
				return nil, fmt.Errorf("transcripts: %w", err)
			}
			g.below, g.corpus.Problems = Transcripts(ctx, o.From)
		}
		where = g.locateGold(set, told, o.From)
	}
	for _, gold := range set.Golds {
		l, ok := where[gold]
		if !ok {
			continue
		}
		if err := g.parse(ctx, l, gold.Project); err != nil {
			g.miss(gold, fmt.Sprintf("transcript of session %s: %v", gold.Session, err))
			delete(where, gold)
			continue
		}
		g.corpus.Problems = append(g.corpus.Problems, checkAgainst(gold, l.Found)...)
	}
	g.beside(ctx, where, neighbours)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := g.corpus
	slices.SortFunc(c.Sessions, func(a, b *ingest.Session) int {
		return cmp.Or(a.Start.Compare(b.Start), strings.Compare(string(a.ID), string(b.ID)))
	})
	ingest.Own(c.Sessions)
	ingest.AdoptPlans(c.Sessions)
	for _, s := range c.Sessions {
		if o.Redact != nil {
			o.Redact(s)
		}
	}
	for _, gold := range set.Golds {
		if l, ok := where[gold]; ok {
			c.Cases = append(c.Cases, NewCase(g.parsed[l.Found.ID], gold))
		} else if s := told[gold]; s != nil {
			c.Cases = append(c.Cases, NewCase(s, gold))
		}
	}
	if len(c.Cases) == 0 {
		return nil, fmt.Errorf("none of the %d gold sessions has a transcript below %s", len(set.Golds), o.From)
	}
	return c, nil
}

// gathering is a corpus on its way.
type gathering struct {
	corpus *Corpus
	below  []Transcript // all that there are
	parsed map[ingest.SessionID]*ingest.Session
}

// TellsAll reports whether a set needs no transcripts.
func (s *Set) TellsAll() bool { return len(s.Sessions) > 0 && len(s.Sessions) == len(s.Golds) }

// tell takes the sessions that a set tells itself.
func (g *gathering) tell(set *Set) map[*Gold]*ingest.Session {
	byID := map[string]*ingest.Session{}
	for _, s := range set.Sessions {
		byID[string(s.ID)] = s
	}
	told := map[*Gold]*ingest.Session{}
	for _, gold := range set.Golds {
		if s := byID[gold.Session]; s != nil {
			told[gold], g.parsed[s.ID], g.corpus.Project[s.ID] = s, s, gold.Project
			g.corpus.Sessions = append(g.corpus.Sessions, s)
		}
	}
	return told
}

func (g *gathering) miss(gold *Gold, what string) {
	g.corpus.Missing = append(g.corpus.Missing, gold.Session)
	g.corpus.Problems = append(g.corpus.Problems, Problem{gold.File, "", what})
}

// locateGold finds the transcript of each gold set by the session's id below the
// folder, of several the one that it names.
func (g *gathering) locateGold(set *Set, told map[*Gold]*ingest.Session, from string) map[*Gold]Transcript {
	where := map[*Gold]Transcript{}
	for _, gold := range set.Golds {
		stated := filepath.Join(from, filepath.FromSlash(gold.Transcript))
		for _, l := range g.below {
			_, found := where[gold]
			if told[gold] == nil && string(l.Found.ID) == gold.Session && (!found || l.Found.Files[0].Path == stated) {
				where[gold] = l
			}
		}
		if _, found := where[gold]; !found && told[gold] == nil {
			g.miss(gold, fmt.Sprintf("no transcript of session %s below %s", gold.Session, from))
		}
	}
	return where
}

func (g *gathering) parse(ctx context.Context, l Transcript, project string) error {
	if g.parsed[l.Found.ID] != nil {
		return nil
	}
	s, err := l.Reader.Parse(ctx, l.Found)
	if err != nil {
		return err
	}
	g.parsed[l.Found.ID] = s
	g.corpus.Sessions = append(g.corpus.Sessions, s)
	g.corpus.Project[s.ID] = project
	return nil
}

// beside parses the sessions that lie where the gold sets' transcripts lie: all,
// or those that begin like one of them.
func (g *gathering) beside(ctx context.Context, where map[*Gold]Transcript, all bool) {
	project := map[string]string{} // by Beside
	family := map[string]bool{}    // by key of a head
	for gold, l := range where {
		project[l.Beside] = gold.Project
		if head, err := l.Reader.Head(ctx, l.Found); err == nil {
			for _, k := range head.Keys {
				family[k] = true
			}
		}
	}
	for _, l := range g.below {
		name, ok := project[l.Beside]
		if !ok || g.parsed[l.Found.ID] != nil {
			continue
		}
		if !all {
			head, err := l.Reader.Head(ctx, l.Found)
			if err != nil || !slices.ContainsFunc(head.Keys, func(k string) bool { return family[k] }) {
				continue
			}
		}
		if err := g.parse(ctx, l, name); err != nil {
			g.corpus.Problems = append(g.corpus.Problems, Problem{File: l.Found.Files[0].Path, What: err.Error()})
		}
	}
}

// checkAgainst names the items of a gold set that the transcript doesn't bear
// out: turns that aren't there, quotes that stand in none of the turns cited.
// It reads the records themselves, as a parser leaves out what it has no use
// for. White space doesn't count.
func checkAgainst(g *Gold, f ingest.Found) []Problem {
	said := map[string]string{}
	cited := map[string]bool{}
	for _, it := range g.Items {
		for _, t := range it.Turns {
			cited[t] = true
		}
	}
	if err := readRecords(f, cited, said); err != nil {
		return []Problem{{g.File, "", err.Error()}}
	}
	out := notBorneOut(g.Items, said)
	for i := range out {
		out[i].File = g.File
	}
	return out
}

// notBorneOut names the items that a session doesn't bear out, by what is said in
// each of its turns, on one line.
func notBorneOut(items []GoldItem, said map[string]string) (out []Problem) {
	for _, it := range items {
		stands := len(it.Turns) == 0 || strings.TrimSpace(it.Quote) == ""
		for _, t := range it.Turns {
			told, known := said[t]
			if !known {
				out = append(out, Problem{Item: it.ID, What: fmt.Sprintf("cites turn %s, and the transcript has none of that id",
					t)})
			}
			stands = stands || strings.Contains(told, text.OneLine(it.Quote))
		}
		if !stands {
			out = append(out, Problem{Item: it.ID, What: fmt.Sprintf("the quote %q stands in none of its turns", it.Quote)})
		}
	}
	return out
}

// readRecords gathers the texts of the records that are cited, each on one line.
func readRecords(f ingest.Found, cited map[string]bool, said map[string]string) error {
	for _, file := range f.Files {
		if !strings.HasSuffix(file.Name, ".jsonl") {
			continue
		}
		r, err := file.Open()
		if err != nil {
			return fmt.Errorf("reading %s: %w", file.Name, err)
		}
		defer r.Close()
		for lines := bufio.NewReaderSize(r, 1<<16); err == nil; {
			var line []byte
			line, err = lines.ReadBytes('\n')
			var v map[string]any
			if json.Unmarshal(line, &v) != nil {
				continue
			}
			if id, _ := v["uuid"].(string); cited[id] {
				var b strings.Builder
				texts(v, &b)
				said[id] += "\n" + text.OneLine(b.String())
			}
		}
		if !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading %s: %w", file.Name, err)
		}
	}
	return nil
}

// texts writes every string that a JSON value holds.
func texts(v any, b *strings.Builder) {
	switch v := v.(type) {
	case string:
		b.WriteString(v)
		b.WriteByte('\n')
	case []any:
		for _, e := range v {
			texts(e, b)
		}
	case map[string]any:
		for _, e := range v {
			texts(e, b)
		}
	}
}
