package ingest_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"recall/ingest"
)

// Of a folder that is known by its hash alone, rules and patterns mean it and what lies below it on the disk.
func TestExcludedByHash(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "clients", "acme", "app"), 0o700); err != nil {
		t.Fatal(err)
	}
	for rule, folders := range map[string]map[string]bool{
		filepath.Join(dir, "clients"):      {"clients": true, "clients/acme": true, "clients/acme/app": true, ".": false},
		filepath.Join(dir, "clients", "*"): {"clients": false, "clients/acme": true, "clients/acme/app": true},
		filepath.Join(dir, "gone"):         {"gone": true, "gone/app": false, "clients": false},
	} {
		for folder, want := range folders {
			sum := sha256.Sum256([]byte(filepath.Join(dir, filepath.FromSlash(folder))))
			s := &ingest.Session{Where: ingest.Where{Hash: hex.EncodeToString(sum[:])}}
			got := ingest.Exclusion{Folders: []string{rule}}.Session(s)
			if (got != "") != want {
				t.Errorf("%s by %s: %q, want it excluded: %v", folder, rule, got, want)
			}
		}
	}
}
