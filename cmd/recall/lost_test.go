package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/cmd/recall/app"
)

// A session that is gone at its source and of which the library lost the bytes is named by every sync until it is
// forgotten.
func TestSyncNamesWhatIsLostAtBothEnds(t *testing.T) {
	d := newDesk(t)
	path := d.says(sessionA, first...)
	d.says(sessionB, "Which port?", "8080.")
	d.recall("sync")
	sync := func() string {
		var out, errs bytes.Buffer
		if code := run(d.t.Context(), []string{"sync"}, strings.NewReader(""), &out, &errs); code != app.ExitOK {
			t.Errorf("exit code %d: %s", code, errs.String())
		}
		return errs.String()
	}
	must(t, os.Remove(path))
	if got := sync(); strings.Contains(got, "are gone") {
		t.Errorf("gone at its source alone: %s", got)
	}
	raw, err := filepath.Glob(filepath.Join(d.library, "harborlight", "*"+sessionA[:8], "raw", "*.zst"))
	if err != nil || len(raw) == 0 {
		t.Fatal(raw, err)
	}
	for _, segment := range raw {
		must(t, os.Remove(segment))
	}
	for range 2 {
		if got := sync(); strings.Count(got, "the bytes of harborlight#1 The stop lookup") != 1 {
			t.Errorf("gone at both ends: %s", got)
		}
	}
	if got := d.recall("sync", "--json"); !strings.Contains(got, `"harborlight#1 The stop lookup`) {
		t.Errorf("for a program: %s", got)
	}
	d.recall("forget", sessionA, "--yes")
	if got := sync(); strings.Contains(got, "are gone") {
		t.Errorf("forgotten: %s", got)
	}
}
