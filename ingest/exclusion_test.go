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
			got := ingest.Exclude([]string{rule}).Session(s)
			if (got != "") != want {
				t.Errorf("%s by %s: %q, want it excluded: %v", folder, rule, got, want)
			}
		}
	}
}

// A session is left out for the folder in which a sub-agent of it ran, too.
func TestExcludedBySubagent(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "clients")
	s := &ingest.Session{Where: ingest.Where{Cwds: []ingest.CwdCount{{Dir: "/work/app", Turns: 1}}},
		Subagents: []ingest.Subagent{{Turns: []ingest.Turn{{Dir: "/work/app"}, {Dir: filepath.Join(secret, "acme")}}}}}
	x := ingest.Exclude([]string{secret})
	if x.Session(s) == "" {
		t.Error("a sub-agent ran there: not left out")
	}
	if s.Subagents = nil; x.Session(s) != "" {
		t.Error("nothing ran there: left out")
	}
}
