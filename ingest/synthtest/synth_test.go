package synthtest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/synthtest"
)

// Sessions parse without a skipped line or an unknown record, and the parser sees
// what was said.
func TestSessionsParseCleanly(t *testing.T) {
	for name, o := range map[string]synthtest.Options{
		"text":  {Sessions: 8, BytesEach: 300 << 10, Seed: 1},
		"small": {Sessions: 20, BytesEach: 2 << 10, Seed: 3},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			made, err := synthtest.Write(dir, o)
			if err != nil {
				t.Fatal(err)
			}
			found, problems := claudecode.Reader{}.Find(context.Background(), dir, nil)
			if len(found) != o.Sessions || len(problems) > 0 {
				t.Fatalf("found %d sessions with problems %v, want %d", len(found), problems, o.Sessions)
			}
			byID := map[ingest.SessionID]ingest.Found{}
			for _, f := range found {
				byID[f.ID] = f
			}
			answers, refusals := 0, 0
			for _, m := range made {
				a, r := checkSession(t, m, byID[ingest.SessionID(m.ID)], o)
				answers, refusals = answers+a, refusals+r
			}
			if name == "text" && (answers == 0 || refusals == 0) {
				t.Errorf("got %d answers to questions and %d refusals with a reason, want some", answers, refusals)
			}
		})
	}
}

func checkSession(t *testing.T, m synthtest.Session, f ingest.Found, o synthtest.Options) (answers, refusals int) {
	t.Helper()
	s, err := claudecode.Reader{}.Parse(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	if s.Report.SkippedTotal > 0 || len(s.Report.Unknown) > 0 {
		t.Errorf("%s: skipped %v, unknown %v", m.Path, s.Report.Skipped, s.Report.Unknown)
	}
	if s.Title == "" || s.Start.IsZero() || len(s.Where.Cwds) != 1 {
		t.Errorf("%s: title %q, start %v, directories %v", m.Path, s.Title, s.Start, s.Where.Cwds)
	}
	if strings.Contains(strings.Join(s.Models, ""), "synthetic") || len(s.Turns) < 2 {
		t.Errorf("%s: models %v, %d turns", m.Path, s.Models, len(s.Turns))
	}
	texts := map[string]string{}
	for _, turn := range s.Turns {
		texts[string(turn.ID)] = turn.Text
		for _, id := range turn.Records {
			texts[id] = turn.Text
		}
		for _, c := range turn.Calls {
			if !c.Done {
				t.Errorf("%s: call %s of %s has no result", m.Path, c.ID, c.Name)
			}
			answers += len(c.Answers)
			if c.Verdict == ingest.Rejected && c.Reason != "" {
				refusals++
			}
		}
	}
	for _, i := range m.Said {
		if !strings.Contains(texts[i.Turn], i.Quote) {
			t.Errorf("%s: turn %s is %q, want it to hold %q", m.Path, i.Turn, texts[i.Turn], i.Quote)
		}
	}
	if info, err := os.Stat(m.Path); err != nil || info.Size() != m.Bytes || m.Bytes > 2*o.BytesEach+64<<10 {
		t.Errorf("%s: %v bytes, %v; want %d, told about %d", m.Path, info.Size(), err, m.Bytes, o.BytesEach)
	}
	return answers, refusals
}

// The same options give the same bytes, another seed others.
func TestSameSeedSameBytes(t *testing.T) {
	read := func(seed uint64) map[string]string {
		dir := t.TempDir()
		made, err := synthtest.Write(dir, synthtest.Options{Sessions: 5, BytesEach: 60 << 10, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, m := range made {
			data, err := os.ReadFile(m.Path)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(dir, m.Path)
			if err != nil {
				t.Fatal(err)
			}
			all[name] = string(data)
		}
		return all
	}
	first := read(7)
	if diff := cmp.Diff(first, read(7)); diff != "" {
		t.Errorf("second time (-first +second):\n%s", diff)
	}
	for name := range read(8) {
		if _, ok := first[name]; ok {
			t.Errorf("seeds 7 and 8 both made %s", name)
		}
	}
}

func TestItems(t *testing.T) {
	items := synthtest.Items(1000, 1)
	if len(items) != 1000 {
		t.Fatalf("got %d items, want 1000", len(items))
	}
	ids, questions, kinds := map[string]bool{}, map[string]bool{}, map[string]int{}
	for n, i := range items {
		if !strings.Contains(i.TurnText, i.Quote) || i.Quote == "" || i.Text == "" || len(i.ID) != 10 {
			t.Errorf("item %d: %+v", n, i)
		}
		if n > 0 && i.At.Before(items[n-1].At.Add(-2*60*60*1e9)) {
			t.Errorf("item %d is from %v, hours before the one before it", n, i.At)
		}
		ids[i.ID] = true
		questions[i.Question()] = true
		kinds[i.Kind]++
	}
	if len(ids) != 1000 || len(questions) < 300 || len(kinds) != 6 {
		t.Errorf("got %d ids, %d questions, kinds %v, want 1000, many and six", len(ids), len(questions), kinds)
	}
	if diff := cmp.Diff(items[:50], synthtest.Items(50, 1), cmp.AllowUnexported(synthtest.Item{})); diff != "" {
		t.Errorf("fewer items aren't the first of more (-more +fewer):\n%s", diff)
	}
}
