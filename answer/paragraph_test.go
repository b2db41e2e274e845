package answer

import (
	"testing"
	"time"

	"recall/answer/compose"
	"recall/index"
	"recall/payload"
)

var march = time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local)

func found(it payload.Item) *Result {
	it.State = payload.Stands
	place := index.Place{Project: "billing", SessionN: 2, SessionTitle: "Cache"}
	return &Result{Result: index.Result{Item: &it, Turn: 3, Place: place}}
}

func ids(list ...payload.ItemID) []payload.ItemID { return list }

// Each sentence of a paragraph names a source that was found; one that doesn't is
// left out.
func TestParagraphIsCited(t *testing.T) {
	old := payload.Item{ID: "bbbbbbbbbb", Kind: payload.Decision, Text: "Use Redis.", At: march.AddDate(0, -1, -1)}
	r := found(payload.Item{ID: "aaaaaaaaaa", Kind: payload.Decision, Text: "Use an LRU.", Why: "it met the target",
		At: march})
	r.History = []index.Linked{{Placed: index.Placed{Place: r.Place, Turn: 7, Item: old}}}
	text, sources := paragraphOf([]compose.Sentence{{Text: "An LRU, which met the target.", Items: ids("aaaaaaaaaa")},
		{Text: "Before, it was Redis.", Items: ids("bbbbbbbbbb")}}, []*Result{r}).Cited()
	want := "An LRU, which met the target. [1] Before, it was Redis. [2]"
	if text != want || len(sources) != 2 || sources[0].Item.ID != "aaaaaaaaaa" || sources[1].Turn != 7 {
		t.Errorf("got %s\n%v", text, sources)
	}
	p := paragraphOf([]compose.Sentence{{Text: "An LRU.", Items: ids("aaaaaaaaaa")},
		{Text: "And so will the next version."},
		{Text: "Redis was never liked.", Items: ids("aaaaaaaaaa", "cccccccccc")}, {Text: " ", Items: ids("aaaaaaaaaa")}},
		[]*Result{r})
	if len(p.Sentences) != 1 || p.Sentences[0].Text != "An LRU." {
		t.Errorf("kept %v, want the one sentence that cites what was found", p.Sentences)
	}
	if p := paragraphOf(nil, []*Result{r}); p != nil {
		t.Errorf("got %v of no sentence", p)
	}
}
