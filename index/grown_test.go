package index

import (
	"database/sql"
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
	before := map[int64]string{}
	for n := 0; n <= len(all); n += 1 + r.IntN(25) {
		d.Turns = all[:n]
		if err := grown.Put(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		now, kept := rowsIn(t, grown, "SELECT id, x||' '||n||' '||m||' '||key FROM window"), 0
		for id, is := range now {
			if before[id] == is {
				kept++
			}
		}
		if kept < len(before)-2 { // the last exchange grows, and its last window with it
			t.Errorf("%d turns: of %d windows that were there, %d stayed as they were", n, len(before), kept)
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
	for _, query := range []string{"SELECT n, tid||' '||role||' '||hex(text) FROM turn",
		"SELECT key, x||' '||n||' '||m FROM window", "SELECT w.key, hex(u.text) FROM unembedded u JOIN window w USING (id)"} {
		if diff := cmp.Diff(rowsIn(t, whole, query), rowsIn(t, grown, query)); diff != "" {
			t.Errorf("%s (-at once +grown):\n%s", query, diff)
		}
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

// rowsIn returns what a query finds: a number and a text.
func rowsIn(t *testing.T, x *Index, query string) map[int64]string {
	t.Helper()
	out := map[int64]string{}
	err := scan(t.Context(), x.db, func(rows *sql.Rows) error {
		var id int64
		var text string
		err := rows.Scan(&id, &text)
		out[id] += text
		return err
	}, query)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
