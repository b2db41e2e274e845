package main

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/demo"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/library/received"
	"recall/payload"
	"recall/pipeline"
)

// spoilTables makes the first page of tables of an index, and of SQLite's indexes of
// them, a page of no kind.
func spoilTables(t *testing.T, path string, tables ...string) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	must(t, err)
	defer db.Close()
	b, err := os.ReadFile(path)
	must(t, err)
	for _, table := range tables {
		rows, err := db.Query(`SELECT rootpage FROM sqlite_schema WHERE tbl_name=?`, table)
		must(t, err)
		spoilt := 0
		for rows.Next() {
			var page int
			must(t, rows.Scan(&page))
			b[(page-1)*4096] = 0xee
			spoilt++
		}
		if err := rows.Err(); err != nil || spoilt == 0 {
			t.Fatalf("%s has %d pages, %v", table, spoilt, err)
		}
	}
	must(t, os.WriteFile(path, b, 0o600))
}

// Whatever writes to an index that is damaged says so, makes it again, and what it was
// to write is there.
func TestDamageFoundByWriters(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	sources, home := t.TempDir(), t.TempDir()
	claude, cowork, err := demo.Write(sources)
	must(t, err)
	var asked atomic.Int64
	var down atomic.Bool
	config := filepath.Join(home, "config.yaml")
	text := "llm:\n  provider: openai\n  url: " + chatting(t, &asked, &down) +
		"\n  model: small-enough\n  prices: [{model: small-enough, in: 0.1, out: 0.4}]\n" +
		"sources:\n  claude_code: [" + claude + "]\n  cowork: [" + cowork + "]\n"
	must(t, os.WriteFile(config, []byte(text), 0o600))
	say := func(args ...string) string {
		t.Helper()
		cmd := recallCmd(t, home, append([]string{"--config", config}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("recall %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	const again = "rebuilding it from the library"
	wants := func(out string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(out, part) {
				t.Errorf("%q isn't in:\n%s", part, out)
			}
		}
	}
	sound := func() {
		t.Helper()
		if out := say("sync", "--no-model"); strings.Contains(out, again) {
			t.Errorf("it is damaged still:\n%s", out)
		}
	}
	spoil := func(tables ...string) {
		t.Helper()
		paths, _ := filepath.Glob(filepath.Join(home, "cache", "recall", "*", "index.db"))
		if len(paths) != 1 {
			t.Fatalf("got %d indexes, want one", len(paths))
		}
		spoilTables(t, paths[0], tables...)
	}
	say("sync", "--no-model")
	const question = "do workers poll the jobs table?"

	const gone = `"relation": "supersedes"`
	before := strings.Count(say("query", "--no-sync", "-n", "5", "--json", question), gone)
	say("query", "--no-sync", "-n", "5", question) // whose numbers follow
	spoil("link", "due")
	wants(say("review", "link", "1", "supersedes", "5"), again, "supersedes")
	if out := say("query", "--no-sync", "-n", "5", "--json", question); strings.Count(out, gone) != before+1 {
		t.Errorf("want one more that was superseded than the %d before:\n%s", before, out)
	}
	sound()

	spoil("stamp")
	wants(say("sync"), again, "distilled by openai/small-enough")
	sound()
	spoil("line")
	wants(say("redistill", "--since", "2000", "--yes"), again, "distilled by openai/small-enough")
	sound()

	wants(say("check"), "everything is as it was written")
}

// So does what takes in what a person accepted of somebody's handoff.
func TestDamageFoundByHandoff(t *testing.T) {
	dir, _ := demoLibrary(t)
	var out bytes.Buffer
	a := &app.App{Console: terminal.Console{In: strings.NewReader(""), Out: &out, Err: &out}}
	defer a.Close()
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	cmd.Flags().String("library", dir, "")
	config.SetsKey(cmd.Flags(), "library", "library.dir")
	must(t, cmd.Flags().Set("library", dir))
	a.Flags = cmd.Flags()
	l, err := a.Library(cmd.Context())
	must(t, err)
	if _, err := a.Sync(cmd.Context(), pipeline.Options{}); err != nil {
		t.Fatal(err)
	}
	project, err := l.Project("ledgerline")
	must(t, err)
	at := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	text, err := payload.EncodeHandover(&payload.Payload{Session: "theirs", Project: "ledgerline", Start: at, End: at,
		Items: []payload.Item{{ID: "k3v9t2m8qa", Kind: payload.Decision, Text: "Invoices go out by carrier pigeon",
			At: at}}}, payload.Handover{To: "Bob", From: "Ann B.", At: at})
	must(t, err)
	id := payload.HandoverID(text)
	if err := received.Add(l, received.Line{Handoff: id, At: at, Project: project.ID, Text: text},
		received.Line{Handoff: id, Edits: []payload.Edit{{Op: payload.OpPin, ID: "k3v9t2m8qa"}}}); err != nil {
		t.Fatal(err)
	}
	a.Index.Close()
	a.Index = nil
	spoilTables(t, app.IndexPath(l), "words_data")
	if err := a.IndexReceived(cmd.Context()); err != nil ||
		!strings.Contains(out.String(), "rebuilding it from the library") {
		t.Errorf("got %v, said\n%s", err, &out)
	}
	found, err := a.Index.Search(t.Context(), index.Query{Text: "carrier pigeon"})
	if err != nil || len(found.Items()) == 0 || found.Items()[0].Item.ID != "k3v9t2m8qa" {
		t.Errorf("got %d results, %v; want what was taken over", len(found.Items()), err)
	}
}
