package eval

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"recall/payload"
)

const toldKiln = `[
 {"id": "kiln-01", "title": "Firing curves", "start": "2026-02-03T09:00:00Z", "branch": "curves",
  "turns": [
   {"id": "t1", "by": "user", "after": 0, "text": "keep the firing curves in a CSV file,\n people edit them in spreadsheets"},
   {"id": "t2", "by": "assistant", "after": 3, "text": "Done: curves.csv is read at start.", "calls": [{"tool": "Edit", "path": "kiln/curves.py"}, {"tool": "Bash", "command": "pytest"}]}],
  "items": [
   {"id": "d1", "kind": "decision", "text": "Firing curves are kept in a CSV file.", "why": "People edit them in spreadsheets.", "by": "user", "about": ["kiln/curves.py"],
    "must": true, "turns": ["t1"], "quote": "firing curves in a CSV file, people edit them"}]},
 {"id": "kiln-02", "title": "Curves move", "start": "2026-03-03T09:00:00Z",
  "turns": [
   {"id": "t1", "by": "assistant", "after": 0, "text": "I would put them into SQLite: rounding spoils the CSV file."},
   {"id": "t2", "by": "user", "after": 2.5, "text": "ok, sqlite instead of the csv file for the firing curves"}],
  "items": [
   {"id": "d1", "kind": "decision", "text": "Firing curves are kept in SQLite instead of a CSV file.", "by": "assistant", "must": true, "turns": ["t2", "t1"], "quote": "sqlite instead of the csv file"}]}
]`

const toldQuestions = `[
 {"q": "where are the firing curves kept?", "expect": ["kiln-02#d1"], "stale": ["kiln-01#d1"]},
 {"q": "where are the firing curves kept?", "expect": ["kiln-01#d1"], "as_of": "2026-02-20"},
 {"q": "which relay switches the fan?", "expect": []}
]`

// An invented project tells its sessions itself: its questions are asked without
// any transcript.
func TestInventedProject(t *testing.T) {
	dir := writeFiles(t, map[string]string{"kiln/sessions.json": toldKiln, "kiln/questions.json": toldQuestions,
		"kiln/aliases.json": `{"kiln-02#d1": {"aliases": ["curve storage"], "asks": ["what holds the ramps?"]}}`})
	set, err := LoadSet(filepath.Join(dir, "kiln"))
	if err != nil {
		t.Fatal(err)
	}
	if r := set.Ref(); !set.TellsAll() || r.Sessions != 2 || r.Items != 2 || r.Asked != 3 ||
		set.Golds[1].Project != "kiln" {
		t.Errorf("got %+v", r)
	}
	s := set.Sessions[0]
	if call := s.Turns[1].Calls[1]; s.Where.Branch != "curves" || s.End.Minute() != 3 || s.Turns[0].Kind != "prompt" ||
		s.Turns[1].Kind != "message" || call.Command != "pytest" {
		t.Errorf("got session %+v", s)
	}
	run, err := Questions(t.Context(), Options{Gold: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	oracle := run.Systems[len(run.Systems)-1].Questions
	if oracle.All.Means["answer@1"].Value != 1 || len(oracle.Questions) != 3 || len(run.Problems) > 0 {
		t.Errorf("answer@1 %v of %d questions, problems %v; want both answered", oracle.All.Means["answer@1"].Value,
			len(oracle.Questions), run.Problems)
	}
	if _, err := Payloads(t.Context(), Options{Gold: []string{dir}}); err != nil {
		t.Error(err)
	}
	if it := NewCase(set.Sessions[1], set.Golds[1]).Items(set.Others)[0]; it.By != payload.ByAssistant ||
		len(it.Aliases) != 2 || it.At.Minute() != 2 {
		t.Errorf("got item %+v", it)
	}
}

// What is wrong with an invented project is named, with file and item.
func TestBadInventedProject(t *testing.T) {
	swap := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(toldKiln) }
	for _, c := range []struct{ what, sessions, questions, aliases, want string }{
		{"quote", swap("sqlite instead of the csv file\"", "sqlite it is\""), "", "",
			`sessions.json: kiln-02, d1: the quote "sqlite it is" isn't in any of its turns`},
		{"turn", swap(`"t2", "t1"]`, `"t2", "t9"]`), "", "",
			"sessions.json: kiln-02, d1: cites turn t9, which the transcript doesn't have"},
		{"kind", swap(`"kind": "decision", "text": "Firing curves are kept in SQLite`,
			`"kind": "choice", "text": "Firing curves are kept in SQLite`), "", "",
			`sessions.json: kiln-02, d1: unknown kind "choice"`},
		{"speaker", swap(`"by": "assistant", "after": 0`, `"by": "Claude", "after": 0`), "", "",
			`sessions.json: kiln-02, turn 1: said by "Claude"`},
		{"whose word", swap(`"by": "user", "about"`, `"by": "me", "about"`), "", "",
			`sessions.json: kiln-01, d1: by "me" is neither`},
		{"turn twice", swap(`"id": "t2"`, `"id": "t1"`), "", "",
			`sessions.json: kiln-01, turn 2: id "t1" is missing or another turn's`},
		{"turn order", swap(`"after": 0, "text": "keep`, `"after": 9, "text": "keep`), "", "",
			"sessions.json: kiln-01, turn 2: it comes before the one above it"},
		{"session order", swap("2026-03-03", "2026-01-03"), "", "",
			"sessions.json: kiln-02: it has no start, or begins before"},
		{"session twice", swap("kiln-02", "kiln-01"), "", "", "sessions.json: session kiln-01 has another gold set"},
		{"name twice", swap(`"must": true, "turns": ["t1"]`, `"must": true, "must": false, "turns": ["t1"]`), "", "",
			`sessions.json: line 8: jsontext: duplicate object member name "must"`},
		{"misspelt", swap(`"branch"`, `"brunch"`), "", "", `unknown object member name "brunch"`},
		{"item", "", `[{"q": "x?", "expect": ["kiln-01#d7"]}]`, "",
			"questions.json: question 1: expects or calls stale kiln-01#d7"},
		{"question twice", "", `[{"q": "Why CSV?", "expect": ["kiln-01#d1"]}, {"q": "why  csv?", "expect": []}]`, "",
			"questions.json: question 2: it repeats question 1"},
		{"too early", "", `[{"q": "why?", "expect": ["kiln-02#d1"], "as_of": "2026-02-20"}]`, "",
			"questions.json: question 1: is asked on 2026-02-20, before kiln-02#d1"},
		{"both", "", `[{"q": "why?", "expect": ["kiln-01#d1"], "stale": ["kiln-01#d1"]}]`, "",
			"questions.json: question 1: expects kiln-01#d1 and calls it stale"},
		{"alias of nothing", "", "", `{"kiln-01#d2": {"aliases": ["x"]}}`, "aliases.json: kiln-01#d2: no such gold item"},
		{"alias twice", "", "", `{"kiln-01#d1": {"aliases": ["x"]}, "kiln-01#d1": {"aliases": ["y"]}}`,
			`aliases.json: line 1: jsontext: duplicate object member name "kiln-01#d1"`},
	} {
		files := map[string]string{"kiln/sessions.json": toldKiln, "kiln/questions.json": toldQuestions,
			"kiln/aliases.json": "{}"}
		for name, text := range map[string]string{"sessions": c.sessions, "questions": c.questions, "aliases": c.aliases} {
			if text != "" {
				files["kiln/"+name+".json"] = text
			}
		}
		_, err := LoadSet(writeFiles(t, files))
		var problems Problems
		if !errors.As(err, &problems) || !strings.Contains(filepath.ToSlash(err.Error()), c.want) {
			t.Errorf("%s: got\n%v\nwant %q", c.what, err, c.want)
		}
	}
}
