package library_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "recall/library"
	"recall/library/received"
	"recall/payload"
)

// A handoff is kept as it came; only what a person takes over counts, as they
// worded it.
func TestReceived(t *testing.T) {
	l, err := Create(filepath.Join(t.TempDir(), "Recall"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	text, err := payload.EncodeHandover(&payload.Payload{Session: "s", Project: "billing", Items: []payload.Item{
		{ID: "k3v9t2m8qa", Kind: payload.Decision, Text: "Min-heap"},
		{ID: "b7xw4c5d2e", Kind: payload.Flag, Text: "The mock lies"}, {ID: "5hq2n6r3ya", Kind: payload.Next, Text: "Log"},
	}}, payload.Handover{To: "Bob", From: "ann", At: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	id := payload.HandoverID(text)
	first, err := payload.DecodeHandover(text)
	if err != nil {
		t.Fatal(err)
	}
	reworded, err := payload.Reword(&payload.Payload{Items: first.Items}, "k3v9t2m8qa",
		"Pairing heap — because inserts dominate", payload.Edit{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []received.Line{
		{Handoff: id, Text: text},
		{Handoff: id, Edits: append(reworded, payload.Edit{Op: payload.OpPin, ID: "k3v9t2m8qa"})},
		{Handoff: id, Edits: []payload.Edit{{Op: payload.OpDrop, ID: "b7xw4c5d2e"}}},
		{Handoff: id, Text: text, Project: "here"},
	} {
		if err := received.Add(l, r); err != nil {
			t.Fatal(err)
		}
	}
	all, err := received.All(l)
	if err != nil || len(all) != 1 {
		t.Fatalf("got %d, %v", len(all), err)
	}
	h := all[0]
	if taken := h.Taken(); len(taken) != 1 || taken[0].Text != "Pairing heap" || taken[0].Why != "inserts dominate" ||
		!taken[0].Pinned {
		t.Errorf("taken over: %+v", taken)
	}
	if waiting := h.Waiting(); len(waiting) != 1 || waiting[0].Text != "Log" || h.Project != "here" {
		t.Errorf("waiting: %+v for %q", waiting, h.Project)
	}
	f, err := os.OpenFile(filepath.Join(l.Dir(), ReceivedName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("{\"handoff\":\"x\",\"text\":\"no\"}\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if all, err := received.All(l); !errors.Is(err, ErrDamaged) || len(all) != 1 {
		t.Errorf("with a damaged line: %d, %v", len(all), err)
	}
}
