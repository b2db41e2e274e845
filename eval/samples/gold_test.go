package samples

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recall/cmd/recall/demo"
)

var update = flag.Bool("update", false, "find the evidence turns of the gold sets again")

const goldDir = "../testdata/demo"

// The gold sets cite records of the sample sessions by uuid. Quotes are written
// by hand, turns are found: -update writes them after a script was changed.
func TestGoldCitesRecords(t *testing.T) {
	records := spokenRecords(t)
	files, err := filepath.Glob(filepath.Join(goldDir, "*.gold.json"))
	if err != nil || len(files) < 12 {
		t.Fatalf("got %d gold sets (%v), want one for each of 12 sessions", len(files), err)
	}
	for _, file := range files {
		var gold map[string]any
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &gold); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		session := gold["session"].(string)
		if len(records[session]) == 0 {
			t.Errorf("%s: no session %s in the samples", file, session)
		}
		for _, it := range gold["items"].([]any) {
			item := it.(map[string]any)
			found := quoting(records[session], item["quote"].(string))
			if len(found) == 0 {
				t.Errorf("%s: %s: no record says %q", filepath.Base(file), item["id"], item["quote"])
			}
			var cited []string
			for _, c := range item["turns"].([]any) {
				cited = append(cited, c.(string))
			}
			if *update {
				item["turns"] = found
			} else if !slices.Equal(cited, found) {
				t.Errorf("%s: %s cites %v, want %v (go test ./eval/samples -update)", filepath.Base(file), item["id"], cited, found)
			}
		}
		if *update && !t.Failed() {
			writeGold(t, file, raw, gold)
		}
	}
}

// Every question expects items that exist, and names its stale ones.
func TestQuestionsNameItems(t *testing.T) {
	items := map[string]bool{}
	files, _ := filepath.Glob(filepath.Join(goldDir, "*.gold.json"))
	for _, file := range files {
		var gold struct {
			Session string
			Items   []struct{ ID string }
		}
		read(t, file, &gold)
		for _, it := range gold.Items {
			items[gold.Session+"#"+it.ID] = true
		}
	}
	var questions []struct {
		Q             string
		Expect, Stale []string
	}
	read(t, filepath.Join(goldDir, "demo.questions.json"), &questions)
	asked := map[string]bool{}
	for _, q := range questions {
		asked[q.Q] = true
		for _, id := range append(q.Expect, q.Stale...) {
			if !items[id] {
				t.Errorf("%q: no item %s", q.Q, id)
			}
		}
	}
	for _, q := range demo.Questions() {
		if !asked[q.Text] {
			t.Errorf("%q has no gold answer", q.Text)
		}
	}
}

func read(t *testing.T, file string, v any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

type spoken struct {
	uuid  string
	texts []string
}

// spokenRecords lists the user and assistant records of every session with
// every text in them, by the session's id (Cowork: the app's own).
func spokenRecords(t *testing.T) map[string][]spoken {
	t.Helper()
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]spoken{}
	for _, name := range sortedKeys(files) {
		if !strings.HasSuffix(name, ".jsonl") || strings.Contains(name, "/subagents/") ||
			strings.HasSuffix(name, "audit.jsonl") {
			continue
		}
		session := strings.TrimSuffix(filepath.Base(name), ".jsonl")
		if i := strings.Index(name, "/local_"); i >= 0 {
			session, _, _ = strings.Cut(name[i+1:], "/")
		}
		for sc := bufio.NewScanner(bytes.NewReader(files[name])); sc.Scan(); {
			var line map[string]any
			if err := json.Unmarshal(sc.Bytes(), &line); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if k := line["type"]; k != "user" && k != "assistant" && k != "attachment" || line["isCompactSummary"] == true {
				continue
			}
			r := spoken{uuid: line["uuid"].(string)}
			for _, part := range []string{"message", "toolUseResult", "attachment"} {
				texts(line[part], &r.texts)
			}
			all[session] = append(all[session], r)
		}
	}
	return all
}

func texts(v any, out *[]string) {
	switch v := v.(type) {
	case string:
		*out = append(*out, v)
	case []any:
		for _, e := range v {
			texts(e, out)
		}
	case map[string]any:
		for _, k := range sortedKeys(v) {
			texts(v[k], out)
		}
	}
}

func quoting(records []spoken, quote string) []string {
	found := []string{}
	for _, r := range records {
		if slices.ContainsFunc(r.texts, func(s string) bool { return strings.Contains(s, quote) }) {
			found = append(found, r.uuid)
		}
	}
	return found
}

// writeGold puts the turns into the file and leaves all else as it stands.
func writeGold(t *testing.T, file string, raw []byte, gold map[string]any) {
	t.Helper()
	var head struct {
		Schema     int
		Session    string
		Transcript string
		Summary    string
		Variant    string
		Not        []string
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		t.Fatal(err)
	}
	var items []object
	for _, it := range gold["items"].([]any) {
		m := it.(map[string]any)
		var o object
		for _, k := range []string{"id", "kind", "text", "why", "must", "turns", "quote"} {
			if v, ok := m[k]; ok {
				o = append(o, field{k, v})
			}
		}
		items = append(items, o)
	}
	b, err := encode(obj("schema", head.Schema, "session", head.Session, "transcript", head.Transcript, "summary",
		head.Summary,
		"variant", head.Variant, "items", items, "not", head.Not))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", " "); err != nil {
		t.Fatal(err)
	}
	out.WriteByte('\n')
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
