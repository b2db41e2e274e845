package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A session put in piece by piece stands in the index as one put in at once: the same
// rows, and the same answers. What stands already isn't written again.
func TestGrownSession(t *testing.T) {
	words := strings.Fields("retry backoff queue jitter lock importer gauge tide harbour cache policy schema worker " +
		"redis sqlite")
	r := rand.New(rand.NewPCG(3, 5))
	d := Doc{Session: "s", Project: "harbour"}
	for n := range 60 {
		var said []string
		for range 1 + r.IntN(40) {
			said = append(said, words[r.IntN(len(words))])
		}
		turn := Turn{ID: fmt.Sprint("t", n), N: n + 1, Role: []string{"user", "assistant"}[n%2],
			Text: strings.Join(said, " ")}
		if n%7 == 0 {
			turn.More = "also " + words[n%len(words)]
		}
		d.Turns = append(d.Turns, turn)
	}
	whole := openWith(t)
	if err := whole.Put(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	grown := openWith(t)
	all := d.Turns
	before := [][]any{}
	for n := 0; n <= len(all); n += 1 + r.IntN(25) {
		d.Turns = all[:n]
		if err := grown.Put(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		now := turnRows(t, grown, true)
		if diff := cmp.Diff(before, now[:min(len(before), len(now))]); diff != "" {
			t.Errorf("%d turns: rows that were there were written again (-before +after):\n%s", n, diff)
		}
		before = now
	}
	d.Turns = slices.Clone(all)
	d.Turns[20].Text = "a secret that a later turn gives away" // and is put in again
	for _, turns := range [][]Turn{d.Turns, all} {
		d.Turns = turns
		if err := grown.Put(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(turnRows(t, whole, false), turnRows(t, grown, false)); diff != "" {
		t.Errorf("rows (-at once +grown):\n%s", diff)
	}
	// FTS5 goes on counting the words of deleted rows in what it takes for a row's usual length, which may change the
	// order of what is all but equal.
	exchanges := func(a Answer) (out []int) {
		for _, r := range a.Ranked {
			out = append(out, r.Exchange)
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	for i, w := range words {
		q := Query{Text: w + " " + words[(i*5+2)%len(words)], Limit: 100}
		if diff := cmp.Diff(exchanges(search(t, whole, q)), exchanges(search(t, grown, q))); diff != "" {
			t.Errorf("%q (-at once +grown):\n%s", q.Text, diff)
		}
	}
}

func turnRows(t *testing.T, x *Index, ids bool) [][]any {
	t.Helper()
	rows, err := x.db.QueryContext(t.Context(), `SELECT id, tid, n, role, hash, text FROM turn ORDER BY n`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := [][]any{}
	for rows.Next() {
		var id, n, hash int64
		var tid, role, text string
		if err := rows.Scan(&id, &tid, &n, &role, &hash, &text); err != nil {
			t.Fatal(err)
		}
		if !ids {
			id = 0
		}
		out = append(out, []any{id, tid, n, role, hash, text})
	}
	return out
}
