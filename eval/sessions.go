package eval

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/codex"
	"recall/ingest/cowork"
	"recall/ingest/gemini"
	"recall/ingest/jsonl"
	"recall/ingest/opencode"
	"recall/internal/text"
)

var readers = []ingest.Reader{claudecode.Reader{}, cowork.Reader{}, codex.Reader{}, gemini.Reader{}, opencode.Reader{}}

// Transcript is a session's transcript with its reader.
type Transcript struct {
	Reader ingest.Reader
	Found  ingest.Found
	Beside string // groups transcripts: a folder of Claude Code's, a root of Cowork's, a project of a library
}

// Transcripts lists the transcripts below a file or folder.
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
			problems = append(problems, Problem{File: p.Path, What: p.Reason()})
		}
	}
	return all, problems
}

// Corpus is the sessions that people wrote about, and those beside them.
type Corpus struct {
	Cases    []*Case           // those with a gold set, in its order
	Sessions []*ingest.Session // all, oldest first
	Project  map[ingest.SessionID]string
	Missing  []string // sessions of gold sets without a transcript
	Problems []Problem
}

// Gather finds and parses the sessions of a set, and all that lie beside them, since those decide which session
// owns a turn. A transcript that is missing or unreadable is reported and skipped.
func Gather(ctx context.Context, set *Set, o Options) (*Corpus, error) {
	if len(set.Golds) == 0 {
		return nil, fmt.Errorf("%s: no gold set (NAME.gold.json)", strings.Join(o.Gold, ", "))
	}
	c := &Corpus{Project: map[ingest.SessionID]string{}}
	below := o.Transcripts
	if below == nil && !set.TellsAll() {
		if _, err := os.Stat(o.From); err != nil {
			return nil, fmt.Errorf("transcripts: %w", err)
		}
		below, c.Problems = Transcripts(ctx, o.From)
	}
	parsed := map[string]*ingest.Session{}
	for _, s := range set.Sessions {
		parsed[string(s.ID)] = s
	}
	project := map[string]string{} // by Beside
	for _, gold := range set.Golds {
		if parsed[gold.Session] == nil {
			l, s, err := gold.parse(ctx, below, o.From)
			if err != nil {
				c.Missing = append(c.Missing, gold.Session)
				c.Problems = append(c.Problems, Problem{gold.File, "", err.Error()})
				continue
			}
			parsed[gold.Session], project[l.Beside] = s, gold.Project
			c.Problems = append(c.Problems, checkAgainst(ctx, gold, l.Found, s)...)
		}
		c.add(parsed[gold.Session], gold.Project)
	}
	for _, l := range below {
		id := string(l.Found.ID)
		name, ok := project[l.Beside]
		if !ok || parsed[id] != nil || slices.Contains(c.Missing, id) {
			continue
		}
		s, err := l.Reader.Parse(ctx, l.Found)
		if err != nil {
			c.Problems = append(c.Problems, Problem{File: l.Found.Files[0].Path, What: err.Error()})
			continue
		}
		parsed[id] = s
		c.add(s, name)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(c.Sessions, func(a, b *ingest.Session) int {
		return cmp.Or(a.Start.Compare(b.Start), strings.Compare(string(a.ID), string(b.ID)))
	})
	ingest.Own(c.Sessions)
	ingest.AdoptPlans(c.Sessions)
	if o.Redact != nil {
		for _, s := range c.Sessions {
			o.Redact(s)
		}
	}
	for _, gold := range set.Golds {
		if s := parsed[gold.Session]; s != nil {
			c.Cases = append(c.Cases, NewCase(s, gold))
		}
	}
	if len(c.Cases) == 0 {
		return nil, fmt.Errorf("none of the %d gold sessions has a transcript below %s", len(set.Golds), o.From)
	}
	return c, nil
}

// TellsAll reports whether the set needs no transcripts.
func (s *Set) TellsAll() bool { return len(s.Sessions) > 0 && len(s.Sessions) == len(s.Golds) }

func (c *Corpus) add(s *ingest.Session, project string) {
	c.Sessions = append(c.Sessions, s)
	c.Project[s.ID] = project
}

// parse finds the transcript by the session's id, preferring the path that the gold set states, and reads it.
func (g *Gold) parse(ctx context.Context, below []Transcript, from string) (
	l Transcript, s *ingest.Session, err error) {
	stated := filepath.Join(from, filepath.FromSlash(g.Transcript))
	for _, t := range below {
		if string(t.Found.ID) == g.Session && (l.Reader == nil || t.Found.Files[0].Path == stated) {
			l = t
		}
	}
	if l.Reader == nil {
		return l, nil, fmt.Errorf("no transcript of session %s below %s", g.Session, from)
	}
	if s, err = l.Reader.Parse(ctx, l.Found); err != nil {
		err = fmt.Errorf("transcript of session %s: %w", g.Session, err)
	}
	return l, s, err
}

// checkAgainst lists the items of a gold set that the transcript doesn't support: turns that don't exist,
// quotes that occur in none of the cited turns. It reads the raw records, since a parser leaves some of them
// out; records that the parser joins into one turn count as one. White space is ignored.
func checkAgainst(ctx context.Context, g *Gold, f ingest.Found, s *ingest.Session) []Problem {
	turns, cited := turnsOf(s), map[string]bool{}
	items := slices.Clone(g.Items)
	for i, it := range items {
		items[i].Turns = nil
		for _, t := range it.Turns {
			items[i].Turns = append(items[i].Turns, canonical(t, turns))
			cited[canonical(t, turns)] = true
		}
	}
	said, err := readRecords(ctx, f, turns, cited)
	if err != nil {
		return []Problem{{g.File, "", err.Error()}}
	}
	out := unsupported(items, said)
	for i := range out {
		out[i].File = g.File
	}
	return out
}

// unsupported lists the items that a session doesn't support, given each turn's text on one line.
func unsupported(items []GoldItem, said map[string]string) (out []Problem) {
	for _, it := range items {
		stands := len(it.Turns) == 0 || strings.TrimSpace(it.Quote) == ""
		for _, t := range it.Turns {
			told, known := said[t]
			if !known {
				out = append(out, Problem{Item: it.ID, What: fmt.Sprintf("cites turn %s, which the transcript doesn't have",
					t)})
			}
			stands = stands || strings.Contains(told, text.OneLine(it.Quote))
		}
		if !stands {
			out = append(out, Problem{Item: it.ID, What: fmt.Sprintf("the quote %q isn't in any of its turns", it.Quote)})
		}
	}
	return out
}

// readRecords collects the texts of the cited turns, each record on one line.
func readRecords(ctx context.Context, f ingest.Found, turns map[string]string, cited map[string]bool) (
	map[string]string, error) {
	said := map[string]string{}
	for _, file := range f.Files {
		if !strings.HasSuffix(file.Name, ".jsonl") {
			continue
		}
		if err := ingest.EachLine(ctx, file, func(line jsonl.Line) {
			id := ""
			jsonl.ReadFields(line.Bytes, jsonl.Fields{"uuid": &id})
			if id = canonical(id, turns); cited[id] {
				said[id] += "\n" + text.OneLine(jsonl.Strings(line.Bytes))
			}
		}); err != nil {
			return nil, err
		}
	}
	return said, nil
}
