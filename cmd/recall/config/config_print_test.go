package config

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrint(t *testing.T) {
	at := standIn(t)
	p := put(t, "payload:\n  variant: debug\n", at.User, "recall", "config.yaml")
	c, err := load(t, flagsOf(t, "--limit", "3"), "", []string{"RECALL_QUERY_SYNC=false"}, at)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"config.yaml: " + p + "\n", "30m ", "debug", p + ":2", "RECALL_QUERY_SYNC", "--limit",
		"(searched for)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	out.Reset()
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
	if want := (Shown{"query.sync", false, fromEnv, "RECALL_QUERY_SYNC"}); !slices.ContainsFunc(got.Settings,
		func(s Shown) bool { return cmp.Equal(s, want) }) {
		t.Errorf("got %+v, want %+v among them", got.Settings, want)
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
