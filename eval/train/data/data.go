// Package data reads the training data: sessions of some projects with what people would keep of them,
// and what people ask.
package data

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"recall/eval"
)

// Origin says who labelled the sessions, and whether they are real.
type Origin string

const (
	People   Origin = "people"   // real sessions, labelled by people
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

// Load reads the projects of some origins, by origin and name: those below a shared folder (eval/gold, and its
// transcripts; none if shared is empty), and the invented ones.
func Load(ctx context.Context, shared, invented string, from ...Origin) ([]*Project, error) {
	dirs := map[Origin]string{Invented: invented}
	var o eval.Options
	if shared != "" {
		dirs[People] = filepath.Join(shared, "eval", "gold")
		o.Transcripts, _ = eval.Transcripts(ctx, filepath.Join(shared, "transcripts", "dev"))
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
