package web

import (
	"fmt"
	"math"
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

// However many there are, no mark of a timeline lies on another, none is outside of the picture, and each decision is
// one of them or counted by one.
func TestChartIsReadable(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	for _, n := range []int{1, 2, 20, 200, 2000, 20000} {
		c := chartOf(many(n), &url.URL{Path: "/time"})
		all := 0
		for i, a := range c.Dots {
			all += a.N
			if a.X-a.R < c.Left-column || a.X+a.R > c.Width || a.Y-a.R < 0 || a.Y+a.R > c.Height {
				t.Errorf("%d: a mark at %d,%d of radius %d is outside of %d by %d", n, a.X, a.Y, a.R, c.Width, c.Height)
			}
			for _, b := range c.Dots[:i] {
				if apart := math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)); apart < float64(a.R+b.R) {
					t.Errorf("%d: marks at %d,%d and %d,%d are %.0f apart, their radii %d and %d", n, a.X, a.Y, b.X, b.Y,
						apart, a.R, b.R)
				}
			}
		}
		if all != n || len(c.Dots) > 800 || len(c.Lanes) > mostLanes+1 ||
			n >= 20 && (len(c.Elbows) == 0 || len(c.Lanes) < 4) {
			t.Errorf("%d decisions are %d in %d marks, %d lanes, %d elbows", n, all, len(c.Dots), len(c.Lanes),
				len(c.Elbows))
		}
		for _, e := range c.Elbows {
			if !strings.Contains(e.Title, "“quote ") {
				t.Errorf("%d: an elbow doesn't say what changed it: %q", n, e.Title)
			}
		}
	}
}

// A page of the timeline has at most 200 KB, however many decisions there are.
func TestTimeLineIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	line, page := many(20000), &url.URL{Path: "/time"}
	for i := range line {
		line[i].Session, line[i].Project, line[i].SessionN = "a1b2c3d4-e5f6-4711-8899-aabbccddeeff", "invoices", i
	}
	w := httptest.NewRecorder()
	s.show(w, http.StatusOK, view{Name: "time", URL: page, Doc: timeView{Items: line[:inTable],
		Chart: chartOf(line, page)}})
	if n := w.Body.Len(); w.Code != http.StatusOK || n > 200<<10 || n < 50<<10 {
		c := chartOf(line, page)
		t.Errorf("%d: %d KB, %d dots, %d elbows", w.Code, n>>10, len(c.Dots), len(c.Elbows))
	}
}
