// Package data reads the training data: sessions of many projects with what people, or a model, would keep of
// them, and what people ask.
package data

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/eval"
	"recall/payload"
)

// Origin says who labelled the sessions, and whether they are real.
type Origin string

const (
	People   Origin = "people"   // real sessions, labelled by people
	Silver   Origin = "a model"  // real sessions, labelled by a model
	Invented Origin = "invented" // written for the purpose, with labels
)

// Project is the sessions of one project with their labels.
type Project struct {
	Name   string
	Origin Origin
	*eval.Set
	*eval.Corpus
}

// Real reports whether the project's sessions took place.
func (p *Project) Real() bool { return p.Origin != Invented }

// Load reads the projects of some origins, by origin and name: those below a shared folder (eval/gold, silver,
// and the transcripts of both; none if shared is empty), and the invented ones.
func Load(ctx context.Context, shared, invented string, from ...Origin) ([]*Project, error) {
	dirs := map[Origin]string{Invented: invented}
	var o eval.Options
	if shared != "" {
		dirs[People], dirs[Silver] = filepath.Join(shared, "eval", "gold"), filepath.Join(shared, "silver")
		for _, dir := range []string{filepath.Join(shared, "transcripts", "dev"), dirs[Silver]} {
			found, _ := eval.Transcripts(ctx, dir)
			o.Transcripts = append(o.Transcripts, found...)
		}
	}
	var all []*Project
	for _, origin := range from {
		if dirs[origin] == "" {
			continue
		}
		some, err := read(ctx, dirs[origin], origin, o)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// read reads the projects of one origin, a folder each.
func read(ctx context.Context, dir string, from Origin, o eval.Options) (all []*Project, err error) {
	folders, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	paths, err := filePaths(filepath.Join(dir, "answers"))
	if err != nil {
		return nil, err
	}
	for _, d := range folders {
		if !d.IsDir() {
			continue
		}
		p := &Project{Name: d.Name(), Origin: from}
		if p.Set, err = eval.LoadSet(filepath.Join(dir, d.Name())); err != nil {
			return nil, err
		}
		if len(p.Golds) == 0 {
			continue
		}
		for _, g := range p.Golds {
			for i := range g.Items {
				if it := &g.Items[i]; it.Kind == payload.File && from == Silver {
					it.Path = paths.of(it)
				}
			}
		}
		if p.Corpus, err = eval.Gather(ctx, p.Set, o); err != nil {
			return nil, err
		}
		if len(p.Missing) > 0 {
			return nil, fmt.Errorf("%s: sessions %v aren't among the transcripts", d.Name(), p.Missing)
		}
		slices.SortFunc(p.Cases, func(a, b *eval.Case) int {
			return cmp.Or(a.Session.Start.Compare(b.Session.Start), cmp.Compare(a.Session.ID, b.Session.ID))
		})
		all = append(all, p)
	}
	return all, nil
}

// paths holds the paths of files in a model's answers, by text and by quote: its stored items lack them.
type paths map[string][]string

func filePaths(dir string) (paths, error) {
	out := paths{}
	names, err := filepath.Glob(filepath.Join(dir, "*.answer.json"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var answer struct {
			Items []struct {
				Kind, Text, Path string
				Evidence         []struct{ Quote string }
			}
		}
		if json.Unmarshal(b, &answer) != nil {
			continue // an answer of another form
		}
		for _, it := range answer.Items {
			if it.Kind == string(payload.File) && it.Path != "" {
				out.add(it.Text, it.Path)
				for _, e := range it.Evidence {
					out.add(e.Quote, it.Path)
				}
			}
		}
	}
	return out, nil
}

func (m paths) add(said, path string) {
	if !slices.Contains(m[said], path) {
		m[said] = append(m[said], path)
	}
}

// of returns the path of a file item, "" if at most its text may begin with one. Several files with the same
// text take turns.
func (m paths) of(it *eval.GoldItem) string {
	said := m[it.Text]
	switch {
	case len(said) > 1:
		m[it.Text] = said[1:]
		return said[0]
	case len(said) == 1:
		return said[0]
	case len(m[it.Quote]) == 1:
		return m[it.Quote][0]
	case strings.Contains(it.Quote, "/") && !strings.Contains(it.Quote, " "):
		return it.Quote
	}
	return ""
}
