package library_test

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"recall/ingest"
	"recall/ingest/opencode"
	"recall/ingest/opencode/opencodetest"
)

// What is taken of a database's rows is one state of them, though the client changes what was archived long ago while
// recall looks where to go on.
func TestRowsOfOneState(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "opencode.db")
	do := func(sql string) {
		t.Helper()
		if err := opencodetest.Exec(path, sql); err != nil {
			t.Fatal(err)
		}
	}
	say := func(n int, text string) {
		t.Helper()
		do(fmt.Sprintf(`INSERT OR REPLACE INTO message VALUES ('msg_%d', 'ses_1', %[1]d, %d, '{"text":%q}')`,
			n, n+len(text), text))
	}
	l := newLib(t)
	found := func() ingest.Found {
		t.Helper()
		all, problems := opencode.Reader{}.Find(t.Context(), path, nil)
		if len(all) != 1 || len(problems) > 0 {
			t.Fatal(len(all), problems)
		}
		return all[0]
	}
	do("INSERT INTO session (id) VALUES ('ses_1')")
	for n := range 2 { // a segment each
		say(n, "first")
		archive(t, l, found())
	}
	say(1, "goes on")
	f := found()
	open, looks := f.Files[0].Open, 0
	f.Files[0].Open = func() (io.ReadCloser, error) {
		if looks++; looks == 2 {
			say(0, "longer than it was")
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
