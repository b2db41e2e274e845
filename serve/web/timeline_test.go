package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"recall/answer/history"
	"recall/payload"
)

// many are decisions of some topics over two years, every third of which took the place of the one before of its topic.
func many(n int) (line []history.Dated) {
	topics := strings.Fields("queue cache retries ledger invoices charts search parser schema tokens hooks layout colours")
	first := time.Date(2024, 11, 1, 9, 0, 0, 0, time.UTC)
	for i := range n {
		at := first.Add(time.Duration(float64(i) / float64(n) * 2 * 365 * 24 * float64(time.Hour)))
		topic := topics[i*i%len(topics)]
		it := payload.Item{ID: payload.ItemID(fmt.Sprint("item", i)), Kind: payload.Decision, At: at, State: payload.Stands,
			Text:  fmt.Sprintf("The %s is done in way number %d, %s.", topic, i, strings.Repeat("as was said ", 8)),
			About: []string{topic}, Evidence: []payload.Evidence{{Turn: "a1b2c3d4-e5f6-4711-8899-aabbccddeeff",
				N: 1, Quote: fmt.Sprint("quote ", i, strings.Repeat(" of that day", 8))}}}
		if i%5 == 4 {
			it.Kind = payload.Eliminated
		}
		line = append(line, history.Dated{})
		line[i].Item = it
		for k := i - 1; i%3 == 2 && k >= 0; k-- {
			if old := &line[k]; old.Item.About[0] == topic && old.Until == nil {
				old.Until, old.By, old.Sure = &line[i].Item.At, it.ID, true
				break
			}
		}
	}
	return line
}

// Each decision is told once, under what it is about, after what it took the place of; what was replaced leads to what
// replaced it. A page has at most 300 of them and 200 KB.
func TestStory(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 20, 200, 20000} {
		line := many(n)
		for i := range line {
			line[i].Session, line[i].Project, line[i].SessionN = "a1b2c3d4-e5f6-4711-8899-aabbccddeeff", "invoices", i
		}
		v := storyOf(line, filters{})
		all, place := 0, map[payload.ItemID][2]int{}
		for i, topic := range v.Topics {
			for k, one := range topic.Told {
				all++
				place[one.Item.ID] = [2]int{i, k}
			}
		}
		if all != min(n, inStory) || len(place) != all || all+v.More != n || n >= 200 && len(v.Topics) < 4 {
			t.Errorf("%d decisions are %d told, %d left out, in %d topics", n, all, v.More, len(v.Topics))
		}
		for i, topic := range v.Topics {
			for k, one := range topic.Told {
				if at := place[one.By]; one.To != "" && (at[0] != i || at[1] <= k) {
					t.Errorf("%d: %s at %d,%d was replaced by what is told at %v", n, one.Item.ID, i, k, at)
				}
			}
		}
		w := httptest.NewRecorder()
		s.show(w, http.StatusOK, view{Name: "time", URL: &url.URL{Path: "/time"}, Doc: v})
		if size := w.Body.Len(); w.Code != http.StatusOK || size > 200<<10 || n > inStory && size < 50<<10 {
			t.Errorf("%d: %d, %d KB", n, w.Code, size>>10)
		}
		if gone := strings.Count(w.Body.String(), "<del>"); n >= 200 && gone < all/5 {
			t.Errorf("%d: only %d are struck out", n, gone)
		}
	}
}
