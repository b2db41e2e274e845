package pipeline_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"recall/index/indextest"
	"recall/ingest"
	"recall/library"
	"recall/library/received"
	"recall/payload"
	"recall/pipeline/improve"
)

// Forgetting a session takes the model's answers that hold its words, and what
// was handed over of it and came back. The other sessions' answers stay: nothing
// is asked, or paid, again.
func TestForgetAnswers(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	p.Now = func() time.Time { return day.AddDate(0, 1, 0) }
	s := newService(t, 0)
	s.ask(t, p, improve.Caps{})
	stays := talk{id: "aaaaaaaa-0000-4000-8000-000000000001", start: day,
		said: []string{"Let's use a heap for the importer's queue instead of the sorted list of jobs.",
			"Done: the heap is in.",
			"Let's keep the limit of retries at five for the importer's queue.", "Five it is.",
			"Good, then let's ship the importer on Monday instead of today.", "Monday."}}
	goes := talk{id: "bbbbbbbb-0000-4000-8000-000000000002", start: day.AddDate(0, 0, 1),
		said: []string{"Let's use a heap of quokkas for the importer's queue instead of the sorted list of jobs.",
			"Done: quokkas.",
			"Let's keep the limit of retries at seven quokkas for the importer's queue.", "Seven it is.",
			"Good, then let's ship the quokkas on Tuesday instead of today.", "Tuesday."}}
	for _, k := range []talk{stays, goes} {
		k.write(t, root)
	}
	if r := improved(t, p, root); r.Improved != 2 {
		t.Fatalf("%+v, want both improved", r)
	}
	own, err := p.Library.Payload(ingest.SessionID(goes.id))
	if err != nil {
		t.Fatal(err)
	}
	hand := func(of *payload.Payload) {
		t.Helper()
		projects, err := p.Library.Projects()
		if err != nil {
			t.Fatal(err)
		}
		text, err := payload.EncodeHandover(of, payload.Handover{To: "bea", From: "ann", At: day})
		if err == nil {
			id := payload.HandoverID(text)
			err = received.Add(p.Library, received.Line{Handoff: id, At: day, Text: text,
				Project: projects[0].ID},
				received.Line{Handoff: id, Edits: []payload.Edit{{Op: payload.OpPin, ID: of.Items[len(of.Items)-1].ID}}})
		}
		if err == nil {
			err = p.IndexReceived(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	hand(own)
	theirs, err := p.Library.Payload(ingest.SessionID(stays.id))
	if err != nil {
		t.Fatal(err)
	}
	hand(theirs)
	if n := held(t, p.Library.Dir(), "quokka"); len(n) < 4 {
		t.Fatalf("only %q hold its words: this test proves nothing", n)
	}
	before := len(answers(t, p.Library.Dir()))

	e, err := p.Library.Session(ingest.SessionID(goes.id))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.PlanForget(t.Context(), []library.Entry{e})
	if err != nil || len(plan.Sessions[0].Received) != 1 {
		t.Fatalf("got %d handoffs in the plan (%v), want 1", len(plan.Sessions[0].Received), err)
	}
	if _, err := p.ForgetSessions(t.Context(), nil, e.ID); err != nil {
		t.Fatal(err)
	}
	if n := held(t, p.Library.Dir(), "quokka", goes.id[:8]); len(n) > 0 {
		t.Errorf("%q hold words of the forgotten session", n)
	}
	seen := 0
	if err := filepath.WalkDir(filepath.Dir(p.Library.Dir()), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "index.db" {
			return err
		}
		seen++
		all, err := indextest.Dump(path)
		if bytes.Contains(all, []byte("quokka")) || !bytes.Contains(all, []byte("heap")) {
			t.Errorf("the index holds words of the forgotten session, or none of the other's")
		}
		return err
	}); err != nil || seen == 0 {
		t.Fatalf("%d indexes were looked through (%v), want some", seen, err)
	}
	after := answers(t, p.Library.Dir())
	if len(after) == 0 || len(after) >= before {
		t.Errorf("%d answers were kept, %d stayed: want some, not all", before, len(after))
	}
	if handed, err := received.All(p.Library); err != nil || len(handed) != 1 {
		t.Errorf("got %d handoffs (%v), want the other one", len(handed), err)
	}
	asked := s.requests
	again, err := asker(p).Run(context.Background(), improve.Options{Only: []ingest.SessionID{ingest.SessionID(stays.id)}})
	if err != nil || again.Improved != 1 || s.requests != asked {
		t.Errorf("asking again about the other session: %+v, %v, %d requests, want its kept answers", again, err,
			s.requests-asked)
	}
}

// answers are what models answered, as it is kept.
func answers(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "cache"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// held lists the files of a library that hold one of some words, unpacked; the
// tombstone, the journal and the ledger may have an id.
func held(t *testing.T, dir string, words ...string) (files []string) {
	t.Helper()
	unpack, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unpack.Close()
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains("tombstones.jsonl journal.jsonl usage.jsonl", d.Name()) {
			return err
		}
		text, err := os.ReadFile(path)
		if filepath.Ext(path) == ".zst" && err == nil {
			text, err = unpack.DecodeAll(text, nil)
		}
		for _, w := range words {
			if bytes.Contains(text, []byte(w)) {
				files = append(files, path)
				break
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
