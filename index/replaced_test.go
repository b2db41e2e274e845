package index

import (
	"context"
	"fmt"
	"testing"

	"recall/payload"
)

// How many documents hold a frequent word is guessed from lists that hold gone
// ones too. However often all was replaced, the guess stays near, and merging
// what was merged changes nothing.
func TestFrequentWordsOfReplaced(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and it replaces thousands of items")
	}
	ctx := context.Background()
	x := openWith(t)
	counted := func(when string) {
		t.Helper()
		tx, err := x.db.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		f, err := x.fulltext(ctx, tx)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.lookUp(ctx, []string{"queue"}); err != nil {
			t.Fatal(err)
		}
		n, err := f.count(ctx, "queue")
		if got, want := n[ofItems], tables[ofItems].rows+200; err != nil || got < want-50 || got > want+50 {
			t.Errorf("%s: got %d items with the word, %v, want %d", when, got, err, want)
		}
	}
	put := func(round int) {
		d := Doc{Session: "s", Project: "p"}
		for i := range 2 * (tables[ofItems].rows + 200) {
			text := fmt.Sprintf("round %d", round)
			if i%2 == 0 {
				text += " queue"
			}
			d.Items = append(d.Items, Item{Item: payload.Item{ID: payload.ItemID(fmt.Sprint(i)), Kind: payload.Decision,
				Text: text}})
		}
		if err := x.Put(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	segment := func() (id int) {
		if err := x.Tidy(ctx); err != nil {
			t.Fatal(err)
		}
		if err := x.db.QueryRow(`SELECT max(id) FROM segment`).Scan(&id); err != nil {
			t.Fatal(err)
		}
		return id
	}
	for round := range 3 {
		put(round)
		counted(fmt.Sprintf("round %d", round))
	}
	was := segment()
	counted("tidied")
	if now := segment(); now != was {
		t.Errorf("segment %d was written again as %d, and nothing of it had gone", was, now)
	}
	put(3)
	counted("replaced after it was tidied")
}
