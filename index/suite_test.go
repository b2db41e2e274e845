package index_test

import (
	"path/filepath"
	"testing"

	"recall/index"
	"recall/index/indextest"
)

func TestSuite(t *testing.T) {
	x, err := index.Open(filepath.Join(t.TempDir(), "index"))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.PutAll(t.Context(), indextest.Docs()); err != nil {
		t.Fatal(err)
	}
	indextest.Suite(t, x)
}
