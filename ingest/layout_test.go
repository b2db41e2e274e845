package ingest_test

import (
	"testing"

	"recall/ingest"
)

// SQLite reads a path of any system out of its URI as it was: what follows "file:" and, where two slashes do, a host.
func TestDatabaseURI(t *testing.T) {
	for path, want := range map[string]string{
		"/home/ann/a b?#%.db":     "file:///home/ann/a%20b%3F%23%25.db?mode=ro",
		"C:/Users/Ann/a b.db":     "file:C:/Users/Ann/a%20b.db?mode=ro", // not /C:/…, which Windows can't find
		"//server/share/Ann/a.db": "file:////server/share/Ann/a.db?mode=ro",
	} {
		if got := ingest.DatabaseURI(path, "mode=ro"); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
