package index

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/trace"
)

// did is a session that ran the given command lines with their outputs, a turn each.
func did(id string, day int, pairs ...string) Doc {
	s := &ingest.Session{ID: ingest.SessionID(id)}
	for i := 0; i+1 < len(pairs); i += 2 {
		at := time.Date(2026, 4, day, 12, i, 0, 0, time.UTC)
		s.Turns = append(s.Turns, ingest.Turn{ID: ingest.TurnID(fmt.Sprint("t", i)), N: i + 1, Role: ingest.Assistant,
			At: at, Dir: "/app",
			Calls: []ingest.ToolCall{{ID: fmt.Sprint("c", i), Name: "Bash", Command: pairs[i], Result: pairs[i+1], Done: true,
				Failed: strings.HasPrefix(pairs[i+1], "Exit code"), At: at}}})
	}
	return Doc{Session: id, Project: "app", Start: time.Date(2026, 4, day, 0, 0, 0, 0, time.UTC), Did: trace.OfSession(s)}
}

func openDid(t *testing.T, docs ...Doc) *Index {
	t.Helper()
	x, err := Open(filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	if err := x.PutAll(context.Background(), docs); err != nil {
		t.Fatal(err)
	}
	return x
}

func files(t *testing.T, x *Index, name string) []string {
	t.Helper()
	all, err := x.Files(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range all {
		out = append(out, fmt.Sprint(f.Session, " ", f.Path, " ", f.Hows, " ", f.N, " ", f.Calls))
	}
	return out
}

func TestFiles(t *testing.T) {
	ctx := context.Background()
	x := openDid(t,
		did("one", 1, "cat src/a.go", "", "sed -i s/a/b/ src/a.go", ""),
		did("two", 2, "git mv src/a.go src/b.go && gofmt -w src/b.go", "", "cat /other/A.go", ""))
	want := []string{"two /other/A.go [read] 3 1", "two /app/src/a.go [renamed] 1 1",
		"one /app/src/a.go [read edited] 3 2"}
	if diff := cmp.Diff(want, files(t, x, "x/A.go")); diff != "" {
		t.Error(diff)
	}
	moves, err := x.Moves(ctx, "/app/src/b.go")
	if diff := cmp.Diff([]FileRename{{"two", "/app/src/a.go", "/app/src/b.go"}}, moves); diff != "" || err != nil {
		t.Error(err, diff)
	}
	// Put again, with less: what it doesn't say any more is gone.
	if err := x.Put(ctx, did("two", 2, "cat src/c.go", "")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"one /app/src/a.go [read edited] 3 2"}, files(t, x, "a.go")); diff != "" {
		t.Error(diff)
	}
	if moves, err := x.Moves(ctx, "/app/src/b.go"); len(moves) > 0 || err != nil {
		t.Errorf("got %v, %v", moves, err)
	}
}

func TestCommits(t *testing.T) {
	ctx := context.Background()
	x := openDid(t,
		did("one", 1, `git commit -m "a"`, "[main 1234abc] a"),
		did("two", 2, `git commit -m "b"`, "[main 99ffee1] b"))
	commits := func(hash string, at time.Time) string {
		t.Helper()
		all, err := x.Commits(ctx, hash, at)
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, c := range all {
			out += c.Session + c.Hash + c.Subject + c.Branch + " "
		}
		return out
	}
	for _, c := range []struct {
		hash string
		at   time.Time
		want string
	}{
		{"1234abc0000000000000000000000000000000ff", time.Time{}, "one1234abcamain "},
		{"1234abd0000000000000000000000000000000ff", time.Time{}, ""},
		{"99ffee1", time.Time{}, "two99ffee1bmain "},
		{"", time.Date(2026, 4, 2, 12, 0, 40, 0, time.UTC), "two99ffee1bmain "},
		{"99ff", time.Time{}, ""},
	} {
		if got := commits(c.hash, c.at); got != c.want {
			t.Errorf("%q %v: got %q, want %q", c.hash, c.at, got, c.want)
		}
	}
}

// What was deleted is in no table: not even its paths.
func TestDeleteForgetsDoings(t *testing.T) {
	ctx := context.Background()
	x := openDid(t, did("one", 1, "cat quokka.go shared.go; git mv quokka.go wombat.go; git commit -m numbat",
		"Exit code 1\n[main 1234abc] numbat\nerror: no quokka found here"),
		did("two", 2, "cat shared.go", ""))
	if err := x.Delete(ctx, "one"); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"path", "moved", "made"} {
		var n int
		if err := x.db.QueryRow(`SELECT count(*) FROM ` + table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if want := map[string]int{"path": 1}[table]; n != want {
			t.Errorf("%s: %d rows left, want %d", table, n, want)
		}
	}
	if diff := cmp.Diff([]string{"two /app/shared.go [read] 1 1"}, files(t, x, "shared.go")); diff != "" {
		t.Error(diff)
	}
}
