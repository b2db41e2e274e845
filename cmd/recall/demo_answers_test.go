package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/answer"
	"recall/cmd/recall/app"
)

// The samples' gold questions, asked through the whole program. Each line of
// the log is a question with the rank of the first result from an expected
// session and of the first from an expected turn (0: not among the first five).
// The floors are what was reached, less what a change elsewhere may cost.
func TestDemoAnswers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "LocalAppData", "AppData", "USERPROFILE"} {
		t.Setenv(name, dir)
	}
	demoDir := filepath.Join(dir, "demo")
	mustRun(t, "demo", "--dir", demoDir)
	turns := turnsOfRecords(t, filepath.Join(demoDir, "sources"))

	var questions []struct {
		Q      string
		Expect []string
	}
	gold := "../../eval/testdata/demo"
	readJSON(t, filepath.Join(gold, "demo.questions.json"), &questions)
	wanted := goldTurns(t, gold)

	var table strings.Builder
	asked, inSession, inFive, first, silent, unanswerable := 0, 0, 0, 0, 0, 0
	for _, q := range questions {
		var got answer.Answer
		out := mustRun(t, "--library", filepath.Join(demoDir, "Recall"), "query", "--no-sync", "--json", "--limit", "5", q.Q)
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%s: %v", q.Q, err)
		}
		if len(q.Expect) == 0 {
			unanswerable++
			if got.Verdict == "nothing" {
				silent++
			}
			fmt.Fprintf(&table, "%10s  %s\n", got.Verdict, q.Q)
			continue
		}
		asked++
		session, turn := ranks(got, q.Expect, wanted, turns)
		fmt.Fprintf(&table, "%d %d %6s  %s\n", session, turn, got.Verdict, q.Q)
		if session == 1 {
			first++
		}
		if session > 0 {
			inSession++
		}
		if turn > 0 {
			inFive++
		}
	}
	t.Logf("session and turn rank, verdict\n%s%d of %d: session first %d, in five %d, turn in five %d; unanswerable "+
		"said %d of %d",
		table.String(), asked, len(questions), first, inSession, inFive, silent, unanswerable)
	if first < asked*6/10 || inSession < asked*8/10 || silent < unanswerable {
		t.Errorf("session first for %d, in five for %d of %d; said nothing for %d of %d", first, inSession, asked, silent,
			unanswerable)
	}
}

// ranks finds the first result of an expected session and of an expected turn.
func ranks(a answer.Answer, expect []string, wanted map[string][]string, turns map[string]string) (session, turn int) {
	for i, r := range a.Results {
		for _, e := range expect {
			id, _, _ := strings.Cut(e, "#")
			if id == r.Session && session == 0 {
				session = i + 1
			}
			for _, record := range wanted[e] {
				if turn == 0 && turns[record] == fmt.Sprint(r.Session, " ", r.Turn) {
					turn = i + 1
				}
			}
		}
	}
	return session, turn
}

// turnsOfRecords says of every record which turn of which session it is.
func turnsOfRecords(t *testing.T, dir string) map[string]string {
	t.Helper()
	turns := map[string]string{}
	for _, r := range app.Readers() {
		found, _ := r.Find(t.Context(), dir, nil)
		for _, f := range found {
			s, err := r.Parse(t.Context(), f)
			must(t, err)
			for _, turn := range s.Turns {
				at := fmt.Sprint(s.ID, " ", turn.N)
				for _, record := range turn.Records {
					turns[record] = at
				}
				for _, c := range turn.Calls {
					turns[string(c.ResultTurn)] = at
				}
			}
		}
	}
	return turns
}

// goldTurns gives the evidence of every gold item by "<session>#<id>".
func goldTurns(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.gold.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no gold sets in %s: %v", dir, err)
	}
	wanted := map[string][]string{}
	for _, file := range files {
		var g struct {
			Session string
			Items   []struct {
				ID    string
				Turns []string
			}
		}
		readJSON(t, file, &g)
		for _, it := range g.Items {
			wanted[g.Session+"#"+it.ID] = it.Turns
		}
	}
	return wanted
}

func readJSON(t *testing.T, file string, v any) {
	t.Helper()
	b, err := os.ReadFile(file)
	must(t, err)
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// mustRun runs recall in this process and gives what it prints.
func mustRun(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, errOut bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(""), &out, &errOut); code != app.ExitOK &&
		code != app.ExitNothing {
		t.Fatalf("recall %s: exit code %d\n%s", strings.Join(args, " "), code, errOut.String())
	}
	return out.Bytes()
}
