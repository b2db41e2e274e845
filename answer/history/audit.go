package history

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"recall/index"
	"recall/index/check"
	"recall/ingest"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/memory"
)

// Audit is what of the memories that clients read goes against what stands.
type Audit struct {
	Files   []string  `json:"files"`            // that were read
	Unread  []string  `json:"unread,omitempty"` // that are there and couldn't be read, with the reason
	Lines   int       `json:"lines"`            // that say something
	Against []Against `json:"against"`
	Loose   []Loose   `json:"loose"`
	Borne   []Borne   `json:"borne"`
}

// MemoryLine is a line of a memory.
type MemoryLine struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Borne is a line that somebody said in a session.
type Borne struct {
	MemoryLine
	By   string `json:"by"` // user or assistant
	Said Saying `json:"said"`
}

// Loose is a line that nothing bears out any more, or never did.
type Loose struct {
	MemoryLine
	Gone    string   `json:"gone,omitempty"`    // a file of the project that it names and that isn't there
	Last    *Saying  `json:"last,omitempty"`    // where a session last worked with that file
	Missing []string `json:"missing,omitempty"` // of a line that a client noted: words that no session holds, most of it
}

// Listed counts the lines that something is wrong with.
func (a Audit) Listed() int { return len(a.Against) + len(a.Loose) }

// Against is a line that goes against what stands on record.
type Against struct {
	MemoryLine
	Names string       `json:"names"`         // what the line says and is given up
	Since string       `json:"since"`         // what stands instead
	Said  Saying       `json:"said"`          // where it was settled
	Had   *Saying      `json:"had,omitempty"` // where what the line says was settled before
	Kind  payload.Kind `json:"kind"`
}

// AuditOf puts every line of the memories of a project beside the record. It tells only what records and words show: a
// line that takes up what was given up, or repeats what was replaced or taken back; that names a file which sessions
// worked with and which isn't there; or that a client noted and most words of which are in no session.
func AuditOf(ctx context.Context, p *pipeline.Pipeline, project string) (Audit, error) {
	a := Audit{Files: []string{}, Against: []Against{}, Loose: []Loose{}, Borne: []Borne{}}
	catalog, err := p.Library.Catalog()
	if err != nil {
		return a, err
	}
	for _, of := range memory.Files(p.Library, project) {
		all, err := disk.ReadRegular(of.Path, mostOfRules)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			a.Unread = append(a.Unread, err.Error())
			continue
		}
		a.Files = append(a.Files, of.Path)
		fenced, n := false, 0
		for line := range strings.Lines(string(all)) {
			n++
			line = strings.TrimLeft(strings.TrimSpace(line), "-*•+ ")
			fenced = fenced != strings.HasPrefix(line, "```")
			if fenced || strings.HasPrefix(line, "#") {
				continue
			}
			at := MemoryLine{of.Path, n, line}
			if len(text.Words(line)) < leastSaid {
				continue
			}
			a.Lines++
			found, err := against(ctx, p.Index, project, line)
			if err != nil {
				return a, err
			}
			if found != nil {
				found.MemoryLine = at
				a.Against = append(a.Against, *found)
				continue
			}
			said, err := p.Index.Search(ctx, index.Query{Text: line, Stated: true, Archived: true, Own: true,
				Limit: mostCompared})
			if err != nil {
				return a, err
			}
			loose, err := looseOf(ctx, p, catalog, project, at)
			if err != nil {
				return a, err
			}
			if of.Noted != "" && loose.Gone == "" { // a person's rules need no session
				loose.Missing = missing(said, line)
			}
			if loose.Gone != "" || len(loose.Missing) > 0 {
				a.Loose = append(a.Loose, loose)
			} else if borne := borneOut(said.Ranked, project, line); borne != nil {
				borne.MemoryLine = at
				a.Borne = append(a.Borne, *borne)
			}
		}
	}
	return a, nil
}

const (
	leastSaid = 3    // from how many words on a line says something
	sameSaid  = 0.75 // so many of a line's words an item must have to say the same
)

// against returns what a line goes against, or nil.
func against(ctx context.Context, x *index.Index, project, line string) (*Against, error) {
	warnings, err := check.Against(ctx, x, check.Action{Project: project, Text: line})
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		if w.Item.Kind != payload.File {
			return &Against{Names: w.Name, Since: w.Item.Text, Said: sayingOf(w.Placed), Kind: w.Item.Kind}, nil
		}
	}
	if text.Denies(line) { // it may deny what was given up
		return nil, nil
	}
	found, err := x.Search(ctx, index.Query{Text: line, Project: project, Kinds: check.Kinds, Exact: true, Stated: true,
		Archived: true, Own: true})
	if err != nil {
		return nil, err
	}
	says := text.Words(line)
	for _, r := range found.Ranked {
		if r.Item == nil {
			continue
		}
		if r.Item.State == payload.Revoked && len(r.Item.Evidence) > 0 && says.In(text.Words(r.Item.Text)) >= sameSaid {
			at := index.Placed{Place: r.Place, Turn: r.Turn, Item: *r.Item}
			last := r.Item.Evidence[len(r.Item.Evidence)-1]
			since := sayingOf(at)
			since.Turn, since.Quote = last.N, last.Quote
			had := sayingOf(at)
			return &Against{Names: r.Item.Text, Since: last.Quote, Said: since, Had: &had, Kind: r.Item.Kind}, nil
		}
		for _, was := range r.History {
			if was.Sure && says.In(text.Words(was.Item.Text)) >= sameSaid && says.In(text.Words(r.Item.Text)) < sameSaid {
				had := sayingOf(was.Placed)
				return &Against{Names: was.Item.Text, Since: r.Item.Text, Said: sayingOf(r.Placed()), Had: &had,
					Kind: r.Item.Kind}, nil
			}
		}
	}
	return nil, nil
}

// numbers matches numbers.
var numbers = text.Pattern(`\d+(?:[.,]\d+)*`)

// otherNumber reports whether a sentence has a number where a line has another.
func otherNumber(line, said string) bool {
	has, other := numbers().FindAllString(line, -1), numbers().FindAllString(said, -1)
	return len(has) > 0 && !slices.ContainsFunc(has, func(n string) bool { return slices.Contains(other, n) })
}

// named matches what a line names as code, and paths.
var named = text.Pattern("`[^`\\s]+`|[\\w.@-]+(?:/[\\w.@-]+)+")

// looseOf returns which file that a line names is gone.
func looseOf(ctx context.Context, p *pipeline.Pipeline, catalog *library.Catalog, project string,
	at MemoryLine) (out Loose, err error) {
	out.MemoryLine = at
	of, err := p.Library.Project(project)
	if project != "" && err == nil && disk.Exists(of.Root) {
		for _, name := range named().FindAllString(at.Text, -1) {
			name = strings.TrimRight(strings.Trim(name, "`"), ".")
			if !filepath.IsLocal(name) || filepath.Ext(name) == "" || disk.Exists(filepath.Join(of.Root, name)) {
				continue
			}
			touched, err := p.Index.Files(ctx, name)
			if err != nil {
				return out, err
			}
			for _, t := range touched {
				if rel, err := filepath.Rel(of.Root, t.Path); t.Project == of.Name && err == nil && rel == filepath.Clean(name) {
					out.Gone, out.Last = name, &Saying{Project: t.Project, Session: t.Session,
						Number: catalog.Number[t.Session], Turn: t.N, At: t.At}
					return out, nil
				}
			}
		}
	}
	return out, nil
}

// missing returns the words of a line that no session has, if those are most of it, or a name is one of them.
func missing(found index.Answer, line string) []string {
	missing, said := found.Missing, []string(nil)
	for _, r := range found.Ranked {
		if r.Source != index.HandoffSource { // the note itself is searched too
			said = append(said, r.Terms...)
		}
	}
	for _, r := range found.Ranked {
		for _, word := range r.Terms {
			if !slices.Contains(said, word) && !slices.Contains(missing, word) {
				missing = append(missing, word)
			}
		}
	}
	words := text.Words(line)
	if most := 2*len(missing) > len(words); most || namesOne(line, missing) && 3*len(missing) >= len(words) {
		return text.Written(line, missing)
	}
	return nil
}

// borneOut returns where a line was said most nearly, by a person rather than an agent; nil if nowhere.
func borneOut(found []*index.Result, project, line string) (best *Borne) {
	const user, assistant = "user", "assistant"
	says := text.Words(line)
	for _, r := range found {
		said := r.Text
		if r.Role == user {
			said = ingest.Typed(said)
		}
		ofOthers := r.Item != nil || r.Project != project || r.Role != user && r.Role != assistant
		if ofOthers || best != nil && (best.By == user || r.Role == assistant) {
			continue
		}
		for _, s := range text.Sentences(said, true) {
			asks := strings.HasSuffix(s, "?") && !wishes().MatchString(s)
			if !asks && says.In(text.Words(s)) >= sameSaid && text.Denies(s) == text.Denies(line) &&
				!otherNumber(line, s) {
				best = &Borne{By: r.Role, Said: saidAt(r.Place, r.Turn, r.At, s)}
				break
			}
		}
	}
	return best
}

// proper matches what a sentence names with a capital letter, after its beginning.
var proper = text.Pattern(`[\p{Ll}\d,] (\p{Lu}[\p{L}\d]+)`)

// namesOne reports whether one of some words is a name in a line: all else may be said in other words, but not a name.
func namesOne(line string, words []string) bool {
	return slices.ContainsFunc(proper().FindAllStringSubmatch(line, -1), func(m []string) bool {
		return slices.Contains(words, strings.ToLower(m[1]))
	})
}

// mostCompared is how many results a note's line is compared with.
const mostCompared = 50

// Patch takes the lines that go against the record, and those that name a file which is gone, out of their files: a
// unified diff from the root of the file system. Nothing is written.
func (a Audit) Patch() (string, error) {
	cut := map[string]map[int]bool{}
	add := func(file string, line int) {
		if cut[file] == nil {
			cut[file] = map[int]bool{}
		}
		cut[file][line-1] = true
	}
	for _, one := range a.Against {
		add(one.File, one.Line)
	}
	for _, one := range a.Loose {
		if one.Gone != "" {
			add(one.File, one.Line)
		}
	}
	var out strings.Builder
	for _, file := range slices.Sorted(maps.Keys(cut)) {
		all, err := disk.ReadRegular(file, mostOfRules)
		if err != nil {
			return "", err
		}
		var left strings.Builder
		n := 0
		for line := range strings.Lines(string(all)) {
			if !cut[file][n] {
				left.WriteString(line)
			}
			n++
		}
		name := strings.TrimPrefix(filepath.ToSlash(file), "/")
		out.Write(diff.Diff("a/"+name, all, "b/"+name, []byte(left.String())))
	}
	return out.String(), nil
}

func sayingOf(at index.Placed) Saying {
	return saidAt(at.Place, at.Turn, at.Item.At, at.Item.First().Quote)
}

// wishes matches a question that asks for something to be done; others only weigh it.
var wishes = text.Pattern(`(?i)\b(?:can|could|would|will) you\b`)
