package payload

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Every schema that was ever written has its fixture here and still reads.
func TestOldSchemasStillRead(t *testing.T) {
	files, err := filepath.Glob("testdata/schema*.json")
	if err != nil || len(files) < Schema {
		t.Fatalf("got %d fixtures (%v), want one for each of %d schemas", len(files), err, Schema)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Decode(data)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if diff := cmp.Diff(example(), p); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// No items are an empty list to a program, not null.
func TestEncodeOfNothing(t *testing.T) {
	got, err := Encode(&Payload{Session: "s"})
	if err != nil || !bytes.Contains(got, []byte(`"items": []`)) {
		t.Errorf("got %s, %v, want an empty list of items", got, err)
	}
}

func TestEncodeIsStable(t *testing.T) {
	want, err := os.ReadFile("testdata/schema1.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Encode(example())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the form of a payload changed (-want +got); a change of meaning needs a new schema:\n%s", diff)
	}
	again, err := Encode(example())
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("twice the same payload: got different bytes (%v)", err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"a newer schema", `{"schema": 99, "items": "changed shape"}`,
			"decode payload: schema 99, this recall knows 1: written by a newer recall"},
		{"no schema", `{"session": "7f3c"}`, "decode payload: no schema version, so this is not a payload"},
		{"no JSON", "<!-- recall -->", "decode payload: jsontext: invalid character '<' at start of value"},
		{"nothing", "", "decode payload: jsontext: unexpected EOF"},
	} {
		_, err := Decode([]byte(tt.data))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: got error %v, want %s", tt.name, err, tt.want)
		}
	}
	if _, err := Decode([]byte(`{"schema": 99}`)); !errors.Is(err, ErrNewer) {
		t.Errorf("a newer schema: got %v, want ErrNewer", err)
	}
}

// example is the payload of the design's page.
func example() *Payload {
	at := func(h, m int) time.Time { return time.Date(2026, 4, 17, h, m, 0, 0, time.UTC) }
	quote := func(turn string, n int, q string) []Evidence { return []Evidence{{Turn: turn, N: n, Quote: q}} }
	return &Payload{
		Schema: 1, Session: "7f3c1a2b-0000-4000-8000-000000000001", Source: "claude-code",
		Title: "Fix duplicate jobs in ProcessQueue", Project: "billing", Branch: "fix/queue",
		Start: at(14, 32), End: at(16, 5),
		Made: Provenance{Distiller: "offline/1", Rules: "r1", Input: "9f86d081"},
		Items: []Item{
			{ID: "k3v9t2m8qa", Kind: Goal, Text: "Find and fix the race that duplicates jobs under high concurrency.",
				By: ByUser, Maker: ByRule, Rule: "first-request", Confidence: 0.9, State: Stands, At: at(14, 32),
				Evidence: quote("u1", 1, "jobs run twice under load, find the race and fix it")},
			{ID: "b7xw4c5d2e", Kind: Decision, Text: "Log at acquire() before changing the lock order",
				Why: "the window must be confirmed first.", Alternatives: []string{"swap the locks right away"},
				About: []string{"ProcessQueue.acquire"},
				By:    ByBoth, Maker: ByRule, State: Stands, At: at(14, 50), Evidence: quote("u5", 9,
					"log first, then we know the window")},
			{ID: "5hq2n6r3ya", Kind: Eliminated, Text: "Duplicate DB writes",
				Why: "the write is idempotent; duplicates occur before it.",
				By:  ByAssistant, Maker: ByRule, State: Stands, At: at(15, 10),
				Evidence: quote("a7", 12, "ruled out: the upsert is idempotent")},
			{ID: "w2m7f4k6tc", Kind: Next, Text: "Add logging at ProcessQueue.acquire() lines 44–47, then run the load test at 200 workers.",
				By: ByBoth, Maker: ByRule, State: Stands, At: at(16, 5), Evidence: quote("a9", 20, "Next: logging at lines 44–47")},
		},
	}
}
