package pipeline_test

import (
	"bytes"
	cmp2 "cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/payload"
	"recall/pipeline"
)

const queuePlan = "# Dead letters\n\n- add a table dead_letters with the job, the error and the attempt\n" +
	"- move a job there after five attempts\n" +
	"- use a partial index instead of a second table, because the retrieval is rare"

// related are sessions that bear on one another: forks, a fork of a fork, the
// two halves of a plan, another with nothing in common.
func related() []talk {
	parent := first
	parent.said = append(slices.Clone(first.said), "Cap the retries at five attempts, then dead-letter the job.",
		"Retries stop after five attempts.")
	fork := &talk{id: "cccccccc-0000-4000-8000-000000000001", start: day, fork: &first, turns: 4,
		said: append(slices.Clone(first.said), "Never delete rows from the jobs table, mark them instead.",
			"Rows are marked as deleted now.")}
	second := talk{id: "dddddddd-0000-4000-8000-000000000001", start: day, fork: fork, turns: 6,
		said: append(slices.Clone(fork.said),
			"Let's go with soft deletes and a nightly purge instead of partitions, because the table is small.",
			"The purge runs at night.")}
	planner := talk{id: "eeeeeeee-0000-4000-8000-000000000001", start: day.AddDate(0, 0, 2), plan: queuePlan,
		said: []string{"Plan the dead-letter table for the job queue.", "Here is the plan."}}
	doer := talk{id: "ffffffff-0000-4000-8000-000000000001", start: day.AddDate(0, 0, 2).Add(time.Hour),
		said: []string{"Implement the following plan:\n\n" + queuePlan,
			"The table is there, the tests pass.\n\nNext steps:\n- a command that retries one of them"}}
	other := talk{id: "99999999-0000-4000-8000-000000000001", start: day.AddDate(0, 0, 5),
		said: []string{"Write the release notes. Leave the API section for later, the names aren't settled.",
			"The notes are written, without the API section."}}
	return []talk{parent, *fork, second, planner, doer, other}
}

// Whatever arrives first: the same sessions make the same library, byte for byte.
func TestOrderOfArrival(t *testing.T) {
	all := related()
	root := t.TempDir() // one for all: the library says where it found what
	want := arrive(t, root, [][]talk{all})
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	rng := rand.New(rand.NewPCG(seed, 7))
	orders := 12
	if testing.Short() {
		orders = 3
	}
	for range orders {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		var batches [][]talk
		for rest := all; len(rest) > 0; {
			n := 1 + rng.IntN(len(rest))
			batches = append(batches, rest[:n])
			rest = rest[n:]
		}
		if d := cmp.Diff(want, arrive(t, root, batches)); d != "" {
			t.Fatalf("%s makes another library (-at once +so):\n%s", names(batches), d)
		}
	}
}

// A part of them makes the same library whether or not it comes in parts.
func TestArrivalOfSome(t *testing.T) {
	all := related()
	root := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		some := all[:2+rng.IntN(3)]
		var one [][]talk
		for _, k := range some {
			one = append(one, []talk{k})
		}
		if d := cmp.Diff(arrive(t, root, [][]talk{some}), arrive(t, root, one)); d != "" {
			t.Fatalf("%s one by one makes another library (-at once +so):\n%s", names(one), d)
		}
	}
}

func names(batches [][]talk) string {
	text := ""
	for _, b := range batches {
		for _, k := range b {
			text += k.id[:1]
		}
		text += " "
	}
	return text
}

// arrive syncs batch after batch and returns the library's files.
func arrive(t *testing.T, root string, batches [][]talk) map[string]string {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(root, "projects")); err != nil {
		t.Fatal(err)
	}
	p := open(t, t.TempDir())
	for _, batch := range batches {
		for _, k := range batch {
			k.write(t, root)
		}
		if r := syncAll(t, p, root); r.Distilled > r.Found {
			t.Errorf("%d sessions distilled of %d", r.Distilled, r.Found)
		}
	}
	if r := syncAll(t, p, root); r.New+r.Grown+r.Distilled+r.Indexed != 0 {
		t.Errorf("a sync with nothing new did something: %+v", r)
	}
	return tree(t, p.Library.Dir())
}

var stamped = regexp.MustCompile(`(?m)^ *"(stamp|check)": .*\n`)

// tree is the content of a library's files, but for those that say when it was
// made.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || e.IsDir() && (rel == ".locks" || rel == ".tmp") {
			return cmp2.Or(err, error(fs.SkipDir))
		}
		if e.IsDir() || rel == "journal.jsonl" || rel == "library.toml" {
			return nil
		}
		text, err := os.ReadFile(path)
		if e.Name() == "links.jsonl" && err == nil {
			text, err = standing(text)
		}
		if e.Name() == "session.json" { // when a source was last changed, as the system says
			text = stamped.ReplaceAll(text, nil)
		}
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// standing is what a links.jsonl says in the end: its lines are in the order in
// which things were found.
func standing(text []byte) ([]byte, error) {
	var links []payload.Link
	for line := range bytes.Lines(text) {
		var l payload.Link
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, err
		}
		links = append(links, l)
	}
	return json.MarshalIndent(payload.StandingLinks(links), "", " ")
}

// Two syncs at once over one library and one cache make the library that one
// alone makes.
func TestTwoSyncsAtOnce(t *testing.T) {
	root := t.TempDir()
	want := arrive(t, root, [][]talk{related()})
	dir := t.TempDir()
	p, q := open(t, dir), open(t, dir)
	done := make(chan error, 2)
	for _, one := range []*pipeline.Pipeline{p, q} {
		go func() {
			r, err := one.Sync(context.Background(), pipeline.Options{From: []string{root}})
			if err == nil && r.Skipped() {
				err = fmt.Errorf("skipped: %v", r.Problems)
			}
			done <- err
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(want, tree(t, p.Library.Dir())); d != "" {
		t.Errorf("two at once (-one +two): %s", d)
	}
	edits, _ := filepath.Glob(filepath.Join(p.Library.Dir(), "*", "*", "edits.jsonl"))
	for _, path := range edits {
		text, _ := os.ReadFile(path)
		t.Errorf("one sync took the other for a person: %s: %s", path, bytes.TrimSpace(text))
	}
}
