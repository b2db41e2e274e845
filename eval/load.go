package eval

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recall/ingest"
	"recall/internal/hint"
)

// Set is everything people wrote about some sessions.
type Set struct {
	Name      string // of its folders
	Hash      string // of its files
	Golds     []*Gold
	Sessions  []*ingest.Session // carried by the set itself, in order of time within a project
	Questions []Question
	Others    map[string]Other // by "<session>#<id>"
	Pairs     []LabelledPair
}

//go:embed testdata/demo
var bundled embed.FS

// Bundled is the name of the gold set over the sample sessions, used when no folder is given.
const Bundled = "bundled"

// LoadSet reads what lies below the folders, in order of path: *.gold.json, *.silver.json, *.questions.json,
// aliases.json, pairs-*.jsonl, and sessions.json and questions.json of an invented project. Without a folder it
// reads the bundled set. The error is Problems, everything that is wrong; the set then holds the rest.
func LoadSet(folders ...string) (*Set, error) {
	s := &Set{Others: map[string]Other{}}
	l := loader{set: s, hash: sha256.New(), othersFrom: map[string]string{}}
	if len(folders) == 0 {
		sub, err := fs.Sub(bundled, "testdata/demo")
		if err != nil {
			return nil, err
		}
		s.Name = Bundled
		l.folder(sub, Bundled, "demo")
	}
	for i, dir := range folders {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, hint.With(fmt.Errorf("%s: no such folder", dir),
				"--gold is a folder with files named NAME.gold.json; docs/internals/gold.md says what is in one")
		}
		if i > 0 {
			s.Name += "+"
		}
		s.Name += filepath.Base(abs)
		l.folder(os.DirFS(dir), dir, filepath.Base(abs))
	}
	s.Hash = hex.EncodeToString(l.hash.Sum(nil))[:16]
	l.check()
	if len(l.problems) > 0 {
		return s, l.problems
	}
	return s, nil
}

// Ref summarizes what the set holds.
func (s *Set) Ref() GoldRef {
	r := GoldRef{Name: s.Name, Hash: s.Hash, Sessions: len(s.Golds), Pairs: len(s.Pairs), Asked: len(s.Questions)}
	for _, g := range s.Golds {
		r.Items += len(g.Items)
		for _, it := range g.Items {
			if it.Must {
				r.Must++
			}
		}
	}
	return r
}

// folder reads all files below one folder.
func (l *loader) folder(fsys fs.FS, name, base string) {
	var files []string
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			l.problem(filepath.Join(name, p), "", err.Error())
			return nil
		}
		if !d.IsDir() {
			files = append(files, p)
		}
		return nil
	})
	if err != nil {
		l.problem(name, "", err.Error())
	}
	slices.Sort(files)
	for _, p := range files {
		take := l.reader(path.Base(p))
		if take == nil {
			continue
		}
		project := path.Base(path.Dir(p))
		if project == "." {
			project = base
		}
		shown := filepath.Join(name, filepath.FromSlash(p))
		b, err := fs.ReadFile(fsys, p)
		if err != nil {
			l.problem(shown, "", err.Error())
			continue
		}
		fmt.Fprintf(l.hash, "%s %d\n", p, len(b))
		l.hash.Write(b)
		take(shown, project, b)
	}
}

// reader returns the function that reads files of that name, nil for unrelated files.
func (l *loader) reader(name string) func(file, project string, b []byte) {
	switch {
	case strings.HasSuffix(name, ".gold.json"), strings.HasSuffix(name, ".silver.json"):
		return l.gold
	case strings.HasSuffix(name, ".questions.json"), name == "questions.json":
		return l.questions
	case name == "aliases.json":
		return l.others
	case name == "sessions.json":
		return l.inlineSessions
	case strings.HasPrefix(name, "pairs-") && strings.HasSuffix(name, ".jsonl"):
		return l.pairs
	}
	return nil
}

func (l *loader) gold(file, project string, b []byte) {
	g := &Gold{File: file, Project: project}
	if l.read(file, "", b, g) {
		l.set.Golds = append(l.set.Golds, g)
	}
}

func (l *loader) questions(file, _ string, b []byte) {
	var list []Question
	if !l.read(file, "", b, &list) {
		return
	}
	for _, q := range list {
		q.File = file
		l.set.Questions = append(l.set.Questions, q)
	}
}

func (l *loader) others(file, _ string, b []byte) {
	var m map[string]Other
	if !l.read(file, "", b, &m) {
		return
	}
	for name, o := range m {
		l.set.Others[name] = o
		l.othersFrom[name] = file
	}
}

func (l *loader) pairs(file, project string, b []byte) {
	for i, line := range bytes.Split(b, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		p := LabelledPair{Project: project}
		at := fmt.Sprintf("line %d", i+1)
		if !l.read(file, at, line, &p) {
			continue
		}
		if strings.TrimSpace(p.A) == "" || strings.TrimSpace(p.B) == "" {
			l.problem(file, at, "a pair needs two texts, a and b")
			continue
		}
		l.set.Pairs = append(l.set.Pairs, p)
	}
}

// read decodes JSON and reports the line of an error. A name that occurs twice in one object is an error, and one that
// is unknown: in a hand-written file it is a mistake.
func (l *loader) read(file, item string, b []byte, v any) bool {
	err := json.Unmarshal(b, v, json.RejectUnknownMembers(true))
	if err == nil {
		return true
	}
	at := int64(-1)
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = syntax.ByteOffset
	} else if kind, ok := errors.AsType[*json.SemanticError](err); ok {
		at = kind.ByteOffset
	}
	if item == "" && at >= 0 && at <= int64(len(b)) {
		item = fmt.Sprintf("line %d", 1+bytes.Count(b[:at], []byte("\n")))
	}
	l.problem(file, item, err.Error())
	return false
}
