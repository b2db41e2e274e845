package eval_test

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recall/cmd/recall/demo"
)

const demoGold = "testdata/demo"

// The gold sets of the sample sessions cite the records that say their quotes, by uuid, and no other.
func TestGoldCitesRecords(t *testing.T) {
	records := demoRecords(t)
	files, err := filepath.Glob(filepath.Join(demoGold, "*.gold.json"))
	if err != nil || len(files) < 12 {
		t.Fatalf("got %d gold sets (%v), want one for each of 12 sessions", len(files), err)
	}
	for _, file := range files {
		var gold struct {
			Session string
			Items   []struct {
				ID, Quote string
				Turns     []string
			}
		}
		readDoc(t, file, &gold)
		for _, it := range gold.Items {
			found := []string{}
			for _, r := range records[gold.Session] {
				if r.says(it.Quote) {
					found = append(found, r.uuid)
				}
			}
			if len(found) == 0 || !slices.Equal(it.Turns, found) {
				t.Errorf("%s: %s cites %v, and %q is said in %v", filepath.Base(file), it.ID, it.Turns, it.Quote, found)
			}
		}
	}
}

// Every question expects items that exist, and names its stale ones.
func TestQuestionsNameItems(t *testing.T) {
	items := map[string]bool{}
	files, _ := filepath.Glob(filepath.Join(demoGold, "*.gold.json"))
	for _, file := range files {
		var gold struct {
			Session string
			Items   []struct{ ID string }
		}
		readDoc(t, file, &gold)
		for _, it := range gold.Items {
			items[gold.Session+"#"+it.ID] = true
		}
	}
	var questions []struct {
		Q             string
		Expect, Stale []string
	}
	readDoc(t, filepath.Join(demoGold, "demo.questions.json"), &questions)
	asked := map[string]bool{}
	for _, q := range questions {
		asked[q.Q] = true
		for _, id := range append(q.Expect, q.Stale...) {
			if !items[id] {
				t.Errorf("%q: no item %s", q.Q, id)
			}
		}
	}
	for _, q := range demo.Questions {
		if !asked[q] {
			t.Errorf("%q has no gold answer", q)
		}
	}
}

func readDoc(t *testing.T, file string, v any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// A demoRecord is one of a person or the assistant.
type demoRecord struct {
	uuid string
	said []any
}

// says reports whether a quote stands in any text of the record.
func (r demoRecord) says(quote string) bool {
	var in func(v any) bool
	in = func(v any) bool {
		switch v := v.(type) {
		case string:
			return strings.Contains(v, quote)
		case []any:
			return slices.ContainsFunc(v, in)
		case map[string]any:
			for _, part := range v {
				if in(part) {
					return true
				}
			}
		}
		return false
	}
	return in(r.said)
}

// demoRecords lists the records of every sample session, by the session's id (Cowork: the app's own).
func demoRecords(t *testing.T) map[string][]demoRecord {
	t.Helper()
	samples, err := zip.OpenReader("../cmd/recall/demo/samples.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer samples.Close()
	all := map[string][]demoRecord{}
	err = fs.WalkDir(samples, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".jsonl") || strings.Contains(name, "/subagents/") ||
			strings.HasSuffix(name, "audit.jsonl") {
			return err
		}
		session := strings.TrimSuffix(path.Base(name), ".jsonl")
		if i := strings.Index(name, "/local_"); i >= 0 {
			session, _, _ = strings.Cut(name[i+1:], "/")
		}
		f, err := samples.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		sc := bufio.NewScanner(f)
		for sc.Buffer(nil, 1<<20); sc.Scan(); {
			var line map[string]any
			if err := json.Unmarshal(sc.Bytes(), &line); err != nil {
				return err
			}
			if k := line["type"]; k != "user" && k != "assistant" && k != "attachment" || line["isCompactSummary"] == true {
				continue
			}
			all[session] = append(all[session], demoRecord{line["uuid"].(string),
				[]any{line["message"], line["toolUseResult"], line["attachment"]}})
		}
		return sc.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
