package eval

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeFiles makes a folder of gold files.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const goodGold = `{"schema": 1, "session": "s1", "transcript": "s1.jsonl", "items": [
 {"id": "d1", "kind": "decision", "text": "Use a heap.", "must": true, "turns": ["u1"], "quote": "use a heap"}], "not": []}`

// Everything that is wrong is named at once, with file and item.
func TestBadGoldIsNamed(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"p/good.gold.json": goodGold,
		"p/bad.gold.json": `{"schema": 2, "session": "s2", "items": [
 {"id": "d1", "kind": "decison", "text": "x", "turns": ["u1"], "quote": "q"},
 {"id": "d2", "kind": "decision", "text": " ", "turns": [], "quote": ""},
 {"id": "d2", "kind": "decision", "text": "x", "turns": ["u1"], "quote": "q"},
 {"kind": "flag", "text": "x", "turns": ["u1"], "quote": "q"}]}`,
		"p/broken.gold.json":   "{\n \"schema\": 1,\n \"items\": [}\n",
		"p/typed.gold.json":    "{\"schema\": 1,\n\"session\": 5}",
		"p/misspelt.gold.json": strings.NewReplacer("s1", "s4", "must", "musst").Replace(goodGold),
		"p/twin.gold.json":     strings.Replace(goodGold, "heap", "pile", 1),
		"p/q.questions.json":   `[{"q": "why a heap?", "expect": ["s1#d1"]}, {"q": "", "expect": ["s1#d9"], "stale": ["s3#d1"], "as_of": "May"}]`,
		"p/aliases.json":       `{"s1#d1": {"aliases": ["pile"]}, "s1#d7": {}}`,
		"p/pairs-1.jsonl":      "{\"a\": \"x\", \"b\": \"y\", \"same\": true}\n\n{\"a\": \"x\"}\nnot json\n",
		"p/notes.txt":          "no gold file",
		"p/agreement-1.json":   "{}",
		"p/.hidden/x.gold.txt": "",
	})
	set, err := LoadSet(dir)
	var problems Problems
	if !errors.As(err, &problems) {
		t.Fatalf("got error %v, want Problems", err)
	}
	got := strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
	for _, want := range []string{
		"bad.gold.json: schema 2, want 1",
		`bad.gold.json: d1: unknown kind "decison"`,
		"bad.gold.json: d2: no text",
		"bad.gold.json: d2: cites no turn",
		"bad.gold.json: d2: no quote",
		"bad.gold.json: d2: another item has this id",
		"bad.gold.json: item 4: no id",
		"broken.gold.json: line 3: jsontext: invalid character",
		`unmarshal JSON number into Go string within "/session"`, // "cannot" or "unable to", by chance,
		`unmarshal JSON string into Go eval.GoldItem: unknown object member name "musst"`,
		"twin.gold.json: session s1 has another gold set, good.gold.json",
		"q.questions.json: question 2: no question in q",
		"q.questions.json: question 2: expects or calls stale s1#d9",
		"q.questions.json: question 2: expects or calls stale s3#d1",
		`q.questions.json: question 2: as_of "May" is not a day`,
		"aliases.json: s1#d7: no such gold item",
		"pairs-1.jsonl: line 3: a pair needs two texts",
		"pairs-1.jsonl: line 4: jsontext: invalid character",
	} {
		if !strings.Contains(filepath.ToSlash(got), want) {
			t.Errorf("not named: %s\nin\n%s", want, got)
		}
	}
	if len(problems) != 18 {
		t.Errorf("got %d problems, want 18:\n%s", len(problems), got)
	}
	if set.Golds[0].Items[0].ID != "d1" || len(set.Pairs) != 1 {
		t.Errorf("what was right is lost: %+v", set)
	}
}

func TestHashFollowsContent(t *testing.T) {
	one, err := LoadSet(writeFiles(t, map[string]string{"a.gold.json": goodGold}))
	if err != nil {
		t.Fatal(err)
	}
	same, _ := LoadSet(writeFiles(t, map[string]string{"a.gold.json": goodGold, "README.md": "not part of it"}))
	other, _ := LoadSet(writeFiles(t, map[string]string{"a.gold.json": strings.Replace(goodGold, "Use", "Take", 1)}))
	if one.Hash != same.Hash || one.Hash == other.Hash {
		t.Errorf("hashes %s, same %s, other %s", one.Hash, same.Hash, other.Hash)
	}
}

func TestBundledSetIsWhole(t *testing.T) {
	set, err := LoadSet()
	if err != nil {
		t.Fatal(err)
	}
	if r := set.Ref(); r.Name != Bundled || r.Sessions != 12 || r.Items < 100 || r.Asked < 15 {
		t.Errorf("got %+v", r)
	}
}

// A transcript that isn't there is named and costs the others nothing; what the
// gold claims of a transcript is looked up in it.
func TestTranscriptsAgainstGold(t *testing.T) {
	record := `{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-01-05T10:00:00Z","cwd":"/w","message":{"role":"user","content":"please use a\n  heap for the queue"}}` + "\n"
	from := writeFiles(t, map[string]string{"deep/down/s1.jsonl": record})
	gold := writeFiles(t, map[string]string{
		"one.gold.json":   strings.Replace(goodGold, `"not"`, `"summary": "x", "not"`, 1),
		"two.gold.json":   strings.ReplaceAll(goodGold, "s1", "s2"),
		"three.gold.json": `{"schema": 1, "session": "s3", "items": []}`,
	})
	run, err := Payloads(t.Context(), Options{Gold: []string{gold}, From: from})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(run.Missing, " "); got != "s3 s2" || len(run.Systems[0].Payloads.Sessions) != 1 {
		t.Errorf("missing %q, %d sessions scored; want s3 and s2 named, one scored", got,
			len(run.Systems[0].Payloads.Sessions))
	}
	if len(run.Problems) != 2 || !strings.Contains(run.Problems[1].String(),
		"two.gold.json: no transcript of session s2") {
		t.Errorf("got problems %v, want the two missing transcripts and nothing else", run.Problems)
	}

	wrong := writeFiles(t, map[string]string{"one.gold.json": strings.NewReplacer(`["u1"]`, `["u1", "u9"]`,
		"use a heap\"", "use a list\"").Replace(goodGold)})
	run, err = Payloads(t.Context(), Options{Gold: []string{wrong}, From: from})
	if err != nil {
		t.Fatal(err)
	}
	all := Problems(run.Problems).Error()
	for _, want := range []string{"one.gold.json: d1: cites turn u9",
		`one.gold.json: d1: the quote "use a list" isn't in any`} {
		if !strings.Contains(all, want) {
			t.Errorf("not named: %s\nin\n%s", want, all)
		}
	}
	empty := t.TempDir()
	if _, err := Payloads(t.Context(), Options{Gold: []string{empty}, From: from}); err == nil ||
		!strings.Contains(err.Error(), empty+": no gold set") {
		t.Errorf("an empty folder of gold sets: got %v", err)
	}
	if _, err := Payloads(t.Context(), Options{Gold: []string{gold}, From: t.TempDir()}); err == nil {
		t.Error("a run without any transcript was no error")
	}
}
