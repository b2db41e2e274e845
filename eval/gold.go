// Package eval compares payloads with gold sets: what people wrote down about
// the same sessions. It says how much of what should have been found was found
// (recall), and how much of what was found should have been (precision).
package eval

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"recall/payload"
)

// A Gold set is what careful people would keep of one session.
type Gold struct {
	Schema     int        `json:"schema"`
	Session    string     `json:"session"`
	Transcript string     `json:"transcript"` // relative to the folder of transcripts
	Items      []GoldItem `json:"items"`
	Not        []string   `json:"not"` // claims a careless distiller would make, wrong here

	File    string `json:"-"`
	Project string `json:"-"` // name of the folder it stands in
}

// GoldItem is one thing worth keeping.
type GoldItem struct {
	ID    string       `json:"id"`
	Kind  payload.Kind `json:"kind"`
	Text  string       `json:"text"`
	Why   string       `json:"why"`
	Must  bool         `json:"must"`  // false: fair to keep and fair to leave
	Turns []string     `json:"turns"` // uuids of the records that show it
	Quote string       `json:"quote"`
}

// LoadGold reads every *.gold.json below dir, in order of path. Problems are
// reported with file and item.
func LoadGold(dir string) ([]*Gold, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".gold.json") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	var sets []*Gold
	for _, f := range files {
		g, err := readGold(f)
		if err != nil {
			return nil, err
		}
		sets = append(sets, g)
	}
	return sets, nil
}

func readGold(file string) (*Gold, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	g := &Gold{File: file, Project: filepath.Base(filepath.Dir(file))}
	if err := json.Unmarshal(b, g); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return g, g.check()
}

// check finds what would make a score meaningless.
func (g *Gold) check() error {
	known := map[payload.Kind]bool{}
	for _, k := range payload.Kinds {
		known[k] = true
	}
	seen := map[string]bool{}
	for i, it := range g.Items {
		switch {
		case it.ID == "":
			return fmt.Errorf("%s: item %d has no id", g.File, i+1)
		case seen[it.ID]:
			return fmt.Errorf("%s: two items with the id %s", g.File, it.ID)
		case !known[it.Kind]:
			return fmt.Errorf("%s: item %s: unknown kind %q", g.File, it.ID, it.Kind)
		case strings.TrimSpace(it.Text) == "":
			return fmt.Errorf("%s: item %s has no text", g.File, it.ID)
		case len(it.Turns) == 0:
			return fmt.Errorf("%s: item %s cites no turn", g.File, it.ID)
		}
		seen[it.ID] = true
	}
	return nil
}
