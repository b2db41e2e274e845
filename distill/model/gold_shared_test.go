package model

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"recall/ingest"
	"recall/payload"
)

// goldCase is a session with what people, or a model, would keep of it.
type goldCase struct {
	session *ingest.Session
	gold    struct {
		Session, Transcript string
		Items               []struct {
			ID, Text, Why, Quote string
			Quotes               []string
			Kind                 payload.Kind
			Must                 bool
			Turns                []string
		}
	}
}

// goldCases reads the shared sessions that people wrote gold sets of, or a model.
func goldCases(t *testing.T, shared, files string) (all []goldCase) {
	t.Helper()
	sessions := map[string]*ingest.Session{}
	for _, s := range realSessions(t, shared) {
		sessions[string(s.ID)] = s
	}
	names, err := filepath.Glob(filepath.Join(shared, files))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: got %v (%v), want gold sets", files, names, err)
	}
	for _, name := range names {
		var c goldCase
		text, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(text, &c.gold)
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.session = sessions[c.gold.Session]; c.session == nil {
			t.Fatalf("%s: no transcript of %s", name, c.gold.Session)
		}
		all = append(all, c)
	}
	return all
}

// peoples and models are the gold sets below the shared folder.
var (
	peoples = filepath.Join("eval", "gold", "*", "*.gold.json")
	models  = filepath.Join("silver", "*", "*.silver.json")
)
