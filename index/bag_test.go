package index

import (
	"context"
	"testing"
)

// A word may be the stem of another and have a stem of its own: "statuses" is
// "status", which is "statu". Neither may stand in the other's place, whichever
// comes first.
func TestStemsOfStems(t *testing.T) {
	for _, text := range []string{"the statuses of jobs and their status", "the status of jobs and all statuses"} {
		x := openWith(t, Doc{Session: "s", Project: "p", Turns: []Turn{{ID: "t", N: 1, Role: "user", Text: text}}})
		for _, q := range []string{"status", "statuses"} {
			if a := search(t, x, Query{Text: q}); len(turnsOf(a)) != 1 || len(a.Missing) > 0 ||
				len(a.Corrected) > 0 {
				t.Errorf("%q in %q: got %d turns, missing %v, corrected %v, want it found as it is", q, text,
					len(turnsOf(a)), a.Missing, a.Corrected)
			}
		}
	}
}

// What was made ready can be put in again after a transaction that failed.
func TestPutAgainAfterFailure(t *testing.T) {
	ctx := context.Background()
	x := openWith(t)
	p, err := Prepare(billing()[1])
	if err != nil {
		t.Fatal(err)
	}
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := beginWriting(ctx, tx)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.put(ctx, p); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := x.PutPrepared(ctx, []*Prepared{p}, nil); err != nil {
		t.Fatal(err)
	}
	if a := search(t, x, Query{Text: billing()[1].Items[0].Text}); len(a.Items()) == 0 {
		t.Error("its words aren't found")
	}
}
