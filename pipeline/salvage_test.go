package pipeline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/ingest"
	"recall/library/state"
	"recall/pipeline"
)

// remember makes root a client's folder that remembers a prompt of each of some sessions.
func remember(t *testing.T, root string, ids ...string) {
	t.Helper()
	var lines strings.Builder
	for i, id := range ids {
		fmt.Fprintf(&lines, `{"display":"Put part %d of the report first.","timestamp":%d,`+
			`"project":"/w/app","sessionId":%q}`+"\n", i, day.UnixMilli(), id)
	}
	notes := filepath.Join(root, "projects", "-w-app", "memory")
	if err := os.MkdirAll(notes, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "history.jsonl"), []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(notes, "MEMORY.md")); err == nil {
		return
	}
	if err := os.WriteFile(filepath.Join(notes, "MEMORY.md"), []byte("Noted.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

const typedOnly = "dddddddd-0000-4000-8000-00000000000d"

// A session that always fails is told of once, and keeps nothing else from being salvaged, once.
func TestSalvageBesideAFault(t *testing.T) {
	root := filepath.Join(t.TempDir(), ".claude")
	remember(t, root, typedOnly)
	first.write(t, root)
	second.write(t, root)
	p := own(open(t, t.TempDir()), root)
	p.Distiller = &picky{refuses: second.id}
	for i, want := range []int{1, 0} {
		r, err := p.Sync(context.Background(), pipeline.Options{})
		if err != nil || len(r.Problems) != 1 || r.Salvaged != want {
			t.Errorf("sync %d: %v, problems %v, %d salvaged; want one problem and %d", i, err, r.Problems, r.Salvaged,
				want)
		}
	}
	db, err := state.Open(p.Cache)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	noted := ""
	err = db.Each("SELECT value FROM fact WHERE name = 'salvaged'", func(r state.Row) { noted = r.ColumnText(0) })
	if err != nil || noted == "" {
		t.Error("it isn't noted that all was salvaged:", err)
	}
}

// While a session of the library can't be read, nothing is taken for one that was never
// archived; a damaged memory costs no session.
func TestNothingIsSalvagedInDoubt(t *testing.T) {
	root := filepath.Join(t.TempDir(), ".claude")
	remember(t, root)
	path := first.write(t, root)
	p := own(open(t, t.TempDir()), root)
	sync := func() pipeline.Report {
		t.Helper()
		r, err := p.Sync(context.Background(), pipeline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	sync()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	sync()
	e, err := p.Library.Session(ingest.SessionID(first.id))
	if err != nil {
		t.Fatal(err)
	}
	entry := filepath.Join(e.Folder, "session.json")
	whole, err := os.ReadFile(entry)
	if err != nil {
		t.Fatal(err)
	}
	damage := func(path string, text []byte) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	damage(entry, []byte("{"))
	remember(t, root, first.id)
	if r := sync(); r.Salvaged != 0 {
		t.Errorf("%d salvaged of a session that can't be read just now", r.Salvaged)
	}
	damage(entry, whole)
	if r := sync(); r.Salvaged != 0 {
		t.Errorf("%d salvaged of a session that is there again", r.Salvaged)
	}

	all, err := p.Library.AllEntries()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Source.IsMemory() {
			damage(filepath.Join(e.Folder, "raw", "versions.jsonl"), []byte("{\n"))
		}
	}
	second.write(t, root)
	remember(t, root, first.id, typedOnly)
	if r := sync(); r.Distilled != 2 || r.Salvaged != 1 || len(r.Problems) == 0 {
		t.Errorf("%+v; want the damage told and mended from the source, so both sessions distilled", r)
	}
}
