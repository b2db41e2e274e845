package codex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

// What is known isn't opened; a sub-agent whose parent is not there is a session of its own, and nobody's.
func TestFind(t *testing.T) {
	home := copyHome(t)
	found, _ := Reader{}.Find(context.Background(), home, nil)
	owner := map[string]ingest.SessionID{}
	var ids []string
	for _, f := range found {
		ids = append(ids, fmt.Sprint(f.ID, " ", len(f.Files)))
		for _, file := range f.Files {
			owner[file.Path] = f.ID
			if err := os.WriteFile(file.Path, bytes.Repeat([]byte("x"), int(file.Size)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	ingesttest.Equal(t, "sessions and files", ids, []string{main + " 2", fork + " 1", paged + " 1", oldest + " 1"})
	seen := func(path string, _ int64, _ time.Time) (ingest.SessionID, bool) {
		return owner[path], owner[path] != ""
	}
	again, problems := Reader{}.Find(context.Background(), home, seen)
	ingesttest.Equal(t, "problems", problems, nil)
	names := func(all []ingest.Found) (list []string) {
		for _, f := range all {
			for _, file := range f.Files {
				list = append(list, string(f.ID)+" "+file.Name)
			}
		}
		return list
	}
	ingesttest.Equal(t, "known files", names(again), names(found))

	home = copyHome(t)
	if err := os.Remove(rollouts(t, home, main)); err != nil {
		t.Fatal(err)
	}
	alone := ingesttest.All(t, Reader{}, home)[agent]
	if alone == nil || !alone.Helper || len(alone.Turns) != 3 {
		t.Fatalf("got %+v, want a helper's session", alone)
	}
	one, _ := Reader{}.Find(context.Background(), rollouts(t, home, fork), nil)
	ingesttest.Equal(t, "a file by itself", names(one), []string{fork + " " + ingest.MainName})
	none, _ := Reader{}.Find(context.Background(), filepath.Join(samples, "..", "01-branching"), nil)
	ingesttest.Equal(t, "another client's", len(none), 0)
}

// A folder that goes while it is looked through, or that may not be read, is told, and costs no other.
func TestFindWhereNothingCanBeRead(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	f := &finder{Search: ingest.Search{Context: context.Background()}}
	f.walk(gone)
	ingesttest.Equal(t, "paths of problems", len(f.Problems) == 1 && f.Problems[0].Path == gone, true)

	home := copyHome(t)
	shut := filepath.Join(home, "sessions", "2026")
	if err := os.Chmod(shut, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(shut, 0o700) })
	if _, err := os.ReadDir(shut); err == nil {
		t.Skip("everything can be read here")
	}
	found, problems := Reader{}.Find(context.Background(), home, nil)
	ingesttest.Equal(t, "sessions", len(found), 2)
	ingesttest.Equal(t, "problems", len(problems) == 1 && problems[0].Path == shut, true)
}

// startedBy is the header of a thread that another started.
func startedBy(id, parent string) string {
	return line("session_meta", `{"id":"`+id+`","cwd":"/home/ann/relay","source":{"subagent":{"thread_spawn":`+
		`{"parent_thread_id":"`+parent+`","depth":2}}}}`)
}

// Threads of which each says that another started it are sessions of their own, none lost.
func TestFindInACircle(t *testing.T) {
	home := t.TempDir()
	id := func(i int) string { return fmt.Sprintf("01a00000-0000-7000-8000-0000000000%02d", i) }
	for i, parent := range []int{1, 2, 0, 2, 4} {
		path := filepath.Join(home, "rollout-2026-03-09T09-07-00-"+id(i)+".jsonl")
		if err := os.WriteFile(path, []byte(startedBy(id(i), id(parent))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got, want []string
	for i, s := range slices.Sorted(maps.Keys(ingesttest.All(t, Reader{}, home))) {
		got, want = append(got, string(s)), append(want, id(i))
	}
	ingesttest.Equal(t, "sessions", got, want)
	ingesttest.Equal(t, "how many", len(got), 5)
}

// What is packed unpacks as far as a conversation does, and no further.
func TestPackedWithoutEnd(t *testing.T) {
	t.Parallel()
	home := copyHome(t)
	path := filepath.Join(home, "archived_sessions", "rollout-2026-03-09T09-07-00-"+agent+".jsonl.zst")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	enc, _ := zstd.NewWriter(file)
	_, err = io.Copy(enc, io.LimitReader(endless{}, 1<<30))
	if err = errors.Join(err, enc.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	found, problems := Reader{}.Find(context.Background(), path, nil)
	ingesttest.Equal(t, "sessions and problems", []int{len(found), len(problems)}, []int{1, 0})
	began := time.Now()
	_, err = Reader{}.Parse(context.Background(), found[0])
	if err == nil || !strings.Contains(err.Error(), path+" unpacks to more than") {
		t.Errorf("got %v, want that the file unpacks to too much", err)
	}
	if took := time.Since(began); took > 2*time.Minute {
		t.Errorf("it took %v", took)
	}
}

// A sub-agent's own sub-agent goes on while it waits: it belongs to the session at the top, also where what is known
// isn't opened. A file is its name's, at the first look as at the next.
func TestFindWhatGrewAlone(t *testing.T) {
	home := copyHome(t)
	nested := "01a00000-0000-7000-8000-0000000000f0"
	path := filepath.Join(home, "sessions", "2026", "03", "09", "rollout-2026-03-09T09-07-00-"+nested+".jsonl")
	meta := startedBy(nested, agent)
	odd := filepath.Join(home, "sessions", "rollout-2026-03-09T09-08-00-01a00000-0000-7000-8000-0000000000f1.jsonl")
	for at, text := range map[string]string{path: meta, odd: strings.Replace(meta, nested, "other", 1)} {
		text = strings.Replace(text, agent, map[bool]string{true: "nobody", false: agent}[at == odd], 1)
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	owners := func(seen ingest.Seen) map[string]ingest.SessionID {
		found, problems := Reader{}.Find(context.Background(), home, seen)
		ingesttest.Equal(t, "problems", problems, nil)
		all := map[string]ingest.SessionID{}
		for _, f := range found {
			for _, file := range f.Files {
				all[file.Path] = f.ID
			}
		}
		return all
	}
	first := owners(nil)
	ingesttest.Equal(t, "a sub-agent's sub-agent's", first[path], main)
	ingesttest.Equal(t, "again", owners(func(path string, _ int64, _ time.Time) (ingest.SessionID, bool) {
		return first[path], !strings.Contains(path, nested)
	}), first)
}
func TestPackedAndPutAway(t *testing.T) {
	home := copyHome(t)
	before := ingesttest.All(t, Reader{}, home)
	path := rollouts(t, home, main)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	enc, _ := zstd.NewWriter(nil)
	packed := filepath.Join(home, "archived_sessions", filepath.Base(path)+".zst")
	if err := os.WriteFile(packed, enc.EncodeAll(raw, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	both := ingesttest.All(t, Reader{}, home)[main]
	ingesttest.Equal(t, "lines that both have", both.Report.Duplicates, before[main].Report.Lines-9)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	after := ingesttest.All(t, Reader{}, home)
	for _, s := range []*ingest.Session{both, after[main]} {
		var ids, was []ingest.TurnID
		for i := range s.Turns {
			ids = append(ids, s.Turns[i].ID)
		}
		for i := range before[main].Turns {
			was = append(was, before[main].Turns[i].ID)
		}
		ingesttest.Equal(t, "turns", ids, was)
	}
	found, _ := Reader{}.Find(context.Background(), home, nil)
	for _, f := range found {
		places, err := ingest.PlacesOf(Reader{}, f, "")
		if err != nil || ingest.BaseOf(Reader{}, f) == "" {
			t.Errorf("%s: got %v, %v", f.ID, places, err)
		}
		for _, file := range f.Files {
			if filepath.Join(ingest.BaseOf(Reader{}, f), places[file.Name]) != file.Path {
				t.Errorf("%s goes to %s, was at %s", file.Name, places[file.Name], file.Path)
			}
		}
	}
}
