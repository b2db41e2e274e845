package web

import (
	"html"
	"strings"
	"testing"

	"recall/ingest"
	"recall/library/render"
	"recall/payload"
)

// What an item rests on is marked as it is laid out, and nothing else of its turn; no tag is cut.
func TestQuotesAreMarked(t *testing.T) {
	for _, c := range []struct {
		said, quote string
		want        []string // that are marked
	}{
		{"We use the queue. Then more.", "We use the queue.", []string{"We use the queue."}},
		{"We use **the queue**, not `cron`, for now. More.", "use **the queue**, not `cron`, for",
			[]string{"use ", "the queue", ", not ", "cron", ", for"}},
		{"First.\n\n- retries use backoff\n- the port is 8443\n\nLast.", "retries use backoff\n- the port is 8443",
			[]string{"retries use backoff", "the port is 8443"}},
		{"See [the page](https://a.example/x?y=1) of it.", "page](https://a.example/x?y=1) of",
			[]string{"page ", "(https://a.example/x?y=1)", " of"}},
		{"See https://a.example/decided and go.", "decided and", nil},
		{"It has <b onclick=\"x\">bold</b> & more.", `<b onclick="x">bold</b> &`,
			[]string{`<b onclick="x">bold</b> &`}},
		{"Nothing of it.", "not said", nil},
	} {
		turn := ingest.Turn{ID: "t", N: 1, Role: ingest.Assistant, Kind: ingest.Message, Text: c.said}
		s := &ingest.Session{ID: "s", Turns: []ingest.Turn{turn}}
		page, err := render.Turns(s, render.About{})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := page(turn)
		if err != nil {
			t.Fatal(err)
		}
		turn.Text = quoted(turn.Text, []payload.Item{{Evidence: []payload.Evidence{{Turn: "t", Quote: c.quote}}}})
		signed, err := page(turn)
		if err != nil {
			t.Fatal(err)
		}
		got := string(marked(signed))
		if strings.ContainsAny(got, opens+closes) {
			t.Errorf("%q: signs are left in %s", c.said, got)
		}
		for _, want := range c.want {
			if mark := "<mark>" + want + "</mark>"; !strings.Contains(html.UnescapeString(got), mark) {
				t.Errorf("%q: %q isn't in %s", c.said, mark, got)
			}
		}
		if n := strings.Count(got, "<mark>"); c.want != nil && n != len(c.want) {
			t.Errorf("%q: %d marks, want %d, in %s", c.said, n, len(c.want), got)
		}
		bare := strings.NewReplacer("<mark>", "", "</mark>", "").Replace(got)
		if len(c.want) > 0 && bare != string(plain) {
			t.Errorf("%q: with its marks out it is\n%s\nand without marks\n%s", c.said, bare, plain)
		}
	}
}

// What is looked for is marked in what is said, never in a tag.
func TestHits(t *testing.T) {
	const page = `<p class="list">A list &amp; a <b title="list">LIST</b> of <code>lists`
	const want = `<p class="list">A <mark class="hit">list</mark> &amp; a ` +
		`<b title="list"><mark class="hit">LIST</mark></b> of <code><mark class="hit">list</mark>s`
	if got := hits(page, looking("list")); string(got) != want {
		t.Errorf("got %s", got)
	}
}
