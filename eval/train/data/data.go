// Package data reads what recall learns from: sessions of many projects with
// what people, or a model, would keep of them, and what people ask.
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
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/payload"
)

// Origin says who wrote down what is worth keeping, and whether the sessions are real.
type Origin string

const (
	People   Origin = "people"   // real sessions, read by people
	Silver   Origin = "a model"  // real sessions, read by a model
	Invented Origin = "invented" // written for the purpose, with what is worth keeping
)

// A Project is the sessions of one project with what is known of them.
type Project struct {
	Name      string
	Origin    Origin
	Cases     []*eval.Case      // sessions with items, oldest first
	Sessions  []*ingest.Session // these and those beside them
	Questions []eval.Question
	Others    map[string]eval.Other // by "<session>#<id>"
}

// Real reports whether its sessions took place.
func (p *Project) Real() bool { return p.Origin != Invented }

// Load reads the projects below a shared folder (eval/gold, silver, and the
// transcripts of both) and the invented ones, in order of origin and name. With
// no shared folder it reads only these.
func Load(ctx context.Context, shared, invented string) ([]*Project, error) {
	l := loader{sessions: map[string]*ingest.Session{}}
	if shared != "" {
		for _, dir := range []string{"transcripts/dev", "silver"} {
			if err := l.parse(ctx, filepath.Join(shared, filepath.FromSlash(dir))); err != nil {
				return nil, err
			}
		}
		if err := l.read(filepath.Join(shared, "eval", "gold"), People); err != nil {
			return nil, err
		}
		if err := l.read(filepath.Join(shared, "silver"), Silver); err != nil {
			return nil, err
		}
	}
	if err := l.read(invented, Invented); err != nil {
		return nil, err
	}
	for _, p := range l.projects {
		slices.SortFunc(p.Sessions, byTime)
		slices.SortFunc(p.Cases, func(a, b *eval.Case) int { return byTime(a.Session, b.Session) })
	}
	return l.projects, nil
}

func byTime(a, b *ingest.Session) int {
	return cmp.Or(a.Start.Compare(b.Start), strings.Compare(string(a.ID), string(b.ID)))
}

type loader struct {
	projects []*Project
	folders  map[string][]*ingest.Session // transcripts, by the folder that names their project
	sessions map[string]*ingest.Session
}

// parse reads the transcripts below a folder; each of its folders is a project.
func (l *loader) parse(ctx context.Context, dir string) error {
	if l.folders == nil {
		l.folders = map[string][]*ingest.Session{}
	}
	found, _ := claudecode.Reader{}.Find(ctx, dir, nil)
	var all []*ingest.Session
	for _, f := range found {
		s, err := claudecode.Reader{}.Parse(ctx, f)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, f.Files[0].Path)
		if err != nil {
			return err
		}
		project, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		l.folders[project] = append(l.folders[project], s)
		l.sessions[string(s.ID)] = s
		all = append(all, s)
	}
	slices.SortFunc(all, byTime)
	ingest.Own(all)
	ingest.AdoptPlans(all)
	return nil
}

// read reads what was written down of the sessions, a folder a project.
func (l *loader) read(dir string, from Origin) error {
	folders, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	paths, err := filePaths(filepath.Join(dir, "answers"))
	if err != nil {
		return err
	}
	for _, d := range folders {
		if !d.IsDir() {
			continue
		}
		set, err := eval.LoadSet(filepath.Join(dir, d.Name()))
		if err != nil {
			return err
		}
		if len(set.Golds) == 0 {
			continue
		}
		p := &Project{Name: d.Name(), Origin: from, Questions: set.Questions, Others: set.Others,
			Sessions: slices.Clone(l.folders[d.Name()])}
		told := map[string]*ingest.Session{}
		for _, s := range set.Sessions {
			told[string(s.ID)] = s
			p.Sessions = append(p.Sessions, s)
		}
		for _, g := range set.Golds {
			for i := range g.Items {
				if it := &g.Items[i]; it.Kind == payload.File {
					if p := cmp.Or(paths[it.Text], paths[it.Quote]); p != "" && !strings.HasPrefix(it.Text, p) {
						it.Text = p + " — " + it.Text
					}
				}
			}
			s := cmp.Or(told[g.Session], l.sessions[g.Session])
			if s == nil {
				return fmt.Errorf("%s: session %s isn't among the transcripts", g.File, g.Session)
			}
			p.Cases = append(p.Cases, eval.NewCase(s, g))
		}
		l.projects = append(l.projects, p)
	}
	return nil
}

// filePaths are the paths of the files in a model's answers, by what it says of
// them and by what it quotes: its items, as they were kept, leave them out.
func filePaths(dir string) (map[string]string, error) {
	out := map[string]string{}
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
				out[it.Text] = it.Path
				for _, e := range it.Evidence {
					if p, seen := out[e.Quote]; seen && p != it.Path {
						out[e.Quote] = "" // said of more than one
					} else {
						out[e.Quote] = it.Path
					}
				}
			}
		}
	}
	return out, nil
}
