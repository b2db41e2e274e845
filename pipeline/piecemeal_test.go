package pipeline_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"recall/index"
	"recall/pipeline"
)

// A session that is taken in piece by piece, cut anywhere, is in the end what it is when
// it is taken in at once: the same pages, byte for byte, the same items, the same
// answers. Where a piece had another beginning than the session has in the end, what
// only that piece had is kept too: there all that is found then must be found. The
// sessions have branches, compactions, sub-agents, forks, refusals and plans.
// RECALL_PIECES says how often that is tried.
func TestPiecemeal(t *testing.T) {
	tries := flag.Lookup("rapid.checks").Value
	defer tries.Set(tries.String())
	if err := tries.Set(cmp.Or(os.Getenv("RECALL_PIECES"), "10")); err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob("../ingest/testdata/*/*")
	folders = slices.DeleteFunc(folders, func(f string) bool {
		fi, err := os.Stat(f)
		return err != nil || !fi.IsDir()
	})
	if err != nil || len(folders) < 10 {
		t.Fatal(folders, err)
	}
	whole, root := map[string]outcome{}, t.TempDir() // one for all: pages say where files lie
	rapid.Check(t, func(rt *rapid.T) {
		folder := rapid.SampledFrom(folders).Draw(rt, "folder")
		p, another := open(t, t.TempDir()), false
		for _, part := range append(rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 3).Draw(rt, "parts"), 1) {
			rewritten := part < 1 && rapid.IntRange(0, 3).Draw(rt, "rewritten") == 0
			piece(t, folder, root, part, rewritten)
			syncPiece(t, p, root)
			another = another || rewritten
		}
		if _, ok := whole[folder]; !ok {
			fresh := open(t, t.TempDir())
			syncPiece(t, fresh, root)
			whole[folder] = outcomeOf(t, fresh)
		}
		got := outcomeOf(t, p)
		for words, found := range whole[folder].Found {
			for _, one := range found {
				if !slices.Contains(got.Found[words], one) {
					rt.Errorf("%s: asked for %q, it doesn't find %s", folder, words, one)
				}
			}
		}
		if diff := gocmp.Diff(whole[folder], got); diff != "" && !another {
			rt.Fatalf("%s (-at once +piecemeal):\n%s", folder, diff)
		}
	})
}

// piece writes the first part of each conversation below a folder, one byte of it
// another where it is to be rewritten later.
func piece(t *testing.T, from, to string, part float64, another bool) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	err := filepath.Walk(to, func(path string, fi os.FileInfo, err error) error {
		if err != nil || fi.IsDir() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text = text[:int(part*float64(len(text)))]
		if another {
			text = bytes.Replace(text, []byte(" the "), []byte(" that "), 1)
		}
		return os.WriteFile(path, text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func syncPiece(t *testing.T, p *pipeline.Pipeline, root string) {
	t.Helper()
	if _, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}}); err != nil {
		t.Fatal(err)
	}
}

// outcome is what is made of sessions, by their ids, and what is found of them.
type outcome struct {
	Pages map[string]string
	Items map[string][]string
	Found map[string][]string
}

func outcomeOf(t *testing.T, p *pipeline.Pipeline) outcome {
	t.Helper()
	d := outcome{map[string]string{}, map[string][]string{}, map[string][]string{}}
	entries, err := p.Library.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pages, err := filepath.Glob(filepath.Join(e.Folder, "transcript*.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			d.Pages[string(e.ID)+"/"+filepath.Base(page)] = string(text)
		}
		made, err := p.Library.Payload(e.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range made.Items {
			it.ID = "" // minted when it was first seen
			text, err := json.Marshal(it)
			if err != nil {
				t.Fatal(err)
			}
			d.Items[string(e.ID)] = append(d.Items[string(e.ID)], string(text))
		}
	}
	for _, words := range []string{"test", "file", "plan the work", "why not", "error"} {
		a, err := p.Index.Search(context.Background(), index.Query{Text: words, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range a.Ranked {
			if r.Item == nil {
				d.Found[words] = append(d.Found[words], fmt.Sprint(r.Session, " ", r.TurnID, " ", r.Text))
			}
		}
		slices.Sort(d.Found[words])
	}
	return d
}
