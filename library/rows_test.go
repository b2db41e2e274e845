package library_test

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recall/ingest"
	"recall/ingest/opencode"
	"recall/ingest/opencode/opencodetest"
)

// A session of which the last row changes each time, as the client completes a message, isn't stored anew each time.
func TestRowsThatChange(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	r := newRows(t)
	text := func(n int, done string) string { return fmt.Sprint(n, strings.Repeat(" said", 200), done) }
	r.do("BEGIN; " + strings.Join(slices.Collect(func(yield func(string) bool) {
		for n := range 400 {
			yield(saying(n, text(n, "")))
		}
	}), ";") + "; COMMIT")
	l := newLib(t)
	whole, files := archive(t, l, r.find()).Bytes, 0
	var after int64
	for n := range 60 {
		r.do(saying(399+n, text(399+n, " done")) + ";" + saying(400+n, text(400+n, "")))
		if change := archive(t, l, r.find()); n > 0 {
			after += change.Bytes
		}
		names, err := filepath.Glob(filepath.Join(l.Dir(), "*", "*", "raw", "*"))
		if err != nil {
			t.Fatal(err)
		}
		files = len(names)
	}
	t.Logf("a session of %d bytes took %d more, in %d files, when 60 times 1,000 bytes were added", whole, after, files)
	if after > 3*whole || files > 300 {
		t.Error("too many")
	}
}

// What is taken of a database's rows is one state of them, though the client changes what was archived long ago while
// recall looks where to go on.
func TestRowsOfOneState(t *testing.T) {
	r := newRows(t)
	l := newLib(t)
	for n := range 2 { // a segment each
		r.do(saying(n, "first"))
		archive(t, l, r.find())
	}
	r.do(saying(1, "goes on"))
	f := r.find()
	open, looks := f.Files[0].Open, 0
	f.Files[0].Open = func() (io.ReadCloser, error) {
		if looks++; looks == 2 {
			r.do(saying(0, "longer than it was"))
		}
		return open()
	}
	archive(t, l, f)
	for line := range strings.Lines(content(t, l, "ses_1", "transcript.jsonl")) {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line that never was: %s", line)
		}
	}
}

// rows are those of a session in a client's database.
type rows struct {
	t    *testing.T
	path string
}

func newRows(t *testing.T) rows {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	r := rows{t, filepath.Join(t.TempDir(), "opencode.db")}
	r.do("INSERT INTO session (id) VALUES ('ses_1')")
	return r
}

func (r rows) do(sql string) {
	r.t.Helper()
	if err := opencodetest.Exec(r.path, sql); err != nil {
		r.t.Fatal(err)
	}
}

// saying is the SQL of a message, made or changed.
func saying(n int, text string) string {
	return fmt.Sprintf(`INSERT OR REPLACE INTO message VALUES ('msg_%04d', 'ses_1', %[1]d, %d, '{"text":%q}')`,
		n, n+len(text), text)
}

func (r rows) find() ingest.Found {
	r.t.Helper()
	all, problems := opencode.Reader{}.Find(r.t.Context(), r.path, nil)
	if len(all) != 1 || len(problems) > 0 {
		r.t.Fatal(len(all), problems)
	}
	return all[0]
}
