package web

import (
	"errors"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"recall/ingest"
	"recall/library"
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

// What is looked for is marked and listed as it is shown: never in a tag, in a turn's head, or in the line over its
// calls, which repeats what they say.
func TestHits(t *testing.T) {
	const page = `<article><div>Claude, on a list</div><p class="list">A list &amp; a <b title="list">LIST</b> don&#39;t` +
		`<details class="tools"><summary>Edit list.go</summary><code>lists</code></details>`
	const want = `<article><div>Claude, on a list</div><p class="list">A <mark class="hit">list</mark> &amp; a ` +
		`<b title="list"><mark class="hit">LIST</mark></b> don&#39;t` +
		`<details class="tools"><summary>Edit list.go</summary><code><mark class="hit">list</mark>s</code></details>`
	got, found := hits(page, looking("list"))
	if string(got) != want || len(found) != 3 || found[0].Before+found[0].Text+found[0].After != "A list & a " {
		t.Errorf("got %s\n%+v", got, found)
	}
	if _, found := hits(page, looking("& a")); len(found) != 1 {
		t.Errorf("%+v", found)
	}
}

// A session's head is on its way before the session is read, and a fault that comes then is told on the page.
func TestHeadComesFirst(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	v := sessionView{ListEntry: library.ListEntry{Title: "Retries", Turns: 7}}
	v.resume = func() Resumed { return Resumed{Command: "claude --resume"} }
	v.rest = func() (*sessionRest, error) {
		if head := w.Body.String(); !w.Flushed || !strings.Contains(head, "<h1>Retries</h1>") {
			t.Errorf("sent before the session is read: %v, %s", w.Flushed, head)
		}
		return nil, errors.New("a segment is gone")
	}
	s.show(w, http.StatusOK, view{Name: "session", URL: &url.URL{Path: "/session/s"}, Doc: v})
	if page := w.Body.String(); !strings.Contains(page, "a segment is gone") || !strings.Contains(page, "</html>") {
		t.Errorf("the page is\n%s", page)
	}
}
