package config

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShown(t *testing.T) {
	at := standIn(t)
	p := put(t, "payload:\n  variant: debug\n", at.User, "recall", "config.yaml")
	c, err := load(t, flagsOf(t, "--limit", "3"), "", []string{"RECALL_QUERY_SYNC=false"}, at)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := json.NewEncoder(&out).Encode(map[string]any{"file": c.File, "settings": c.Shown()}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		File     string
		Settings []Shown
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.File != p || len(got.Settings) != len(Keys) {
		t.Errorf("got %+v", got)
	}
	for _, want := range []Shown{{"query.sync", false, fromEnv, "RECALL_QUERY_SYNC"},
		{"payload.variant", "debug", fromFile, p + ":2"}, {"query.limit", float64(3), fromFlag, "--limit"},
		{"distill.quiet", "30m", fromDefault, ""}, {"sources.cowork", nil, fromDefault, ""}} {
		if !slices.ContainsFunc(got.Settings, func(s Shown) bool { return cmp.Equal(s, want) }) {
			t.Errorf("got %+v, want %+v among them", got.Settings, want)
		}
	}
}

func TestMaskedAddress(t *testing.T) {
	for in, want := range map[string]any{"https://me:secret@example.com/v1": "https://xxxxx@example.com/v1",
		"https://example.com/v1": "https://example.com/v1", "": "",
		"me:secret@example.com/v1": "xxxxx@example.com/v1", "ftp://me:se@cret@example.com": "ftp://xxxxx@example.com",
		"http://me:a b@example.com": "http://xxxxx@example.com"} {
		if got := masked("llm.url", in); got != want {
			t.Errorf("%s: got %v, want %v", in, got, want)
		}
	}
}
