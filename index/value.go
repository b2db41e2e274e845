package index

import (
	"context"
	"strings"
	"time"

	"recall/internal/text"
)

// preferLastValue moves what gives what a short question asks about its last value before what gave it another one:
// "make the log retention 90 days" before "keep the logs 14 days". Both stay quotes.
func (r *reader) preferLastValue(ctx context.Context, list []*ranked) {
	list = list[:min(len(list), laterWindow)]
	if len(list) == 0 || !r.asked.Few() || r.asked.Past() {
		return
	}
	last := 0
	for k, o := range list {
		if k > last && r.revalues(ctx, o, list[last]) {
			last = k
		}
	}
	putFirst(list, last)
}

const (
	longestOrder = 200 // bytes of a sentence that gives a value; what is longer tells something
	bareValue    = 2   // strange words in one that only gives another value
	aboutAsNear  = 0.7 // of a cosine; of invented pairs on one value 12 of 14 have as much, of others 1 of 14
)

// revalues reports whether a person gave what is asked about another value than an older result has. What they say next
// needs no word of the question: "no, 8 seconds".
func (r *reader) revalues(ctx context.Context, newer, older *ranked) bool {
	said, _ := newer.typed()
	ahead := said.At.After(time.Now().AddDate(0, 0, 1)) // by its clock
	if said.Text == "" || newer.project != older.project || ahead || !said.At.After(older.at()) {
		return false
	}
	before := older.shownText() + "\n" + older.beside.passage
	next := newer.session == older.session && newer.x == older.x+1
	for _, s := range text.Sentences(text.HeadMarked(said.Text, longestSaid), true) {
		now := text.Amounts(s)
		if len(now) == 0 || len(s) > longestOrder || strings.HasSuffix(s, "?") {
			continue
		}
		corrects := next && (text.Refuses(said.Text) || len(text.Words(s).Without(text.Words(before))) <= bareValue)
		for _, was := range text.Sentences(before, true) {
			for unit, n := range text.Amounts(was) {
				if other := now[unit] != "" && now[unit] != n; other && (corrects || shareIn(r.asked, s) > 0) {
					return corrects || r.asNear(ctx, s, was) // once, as it takes as long as the search
				}
			}
		}
	}
	return false
}

// asNear reports whether a sentence means about as much of what is asked as another one.
func (r *reader) asNear(ctx context.Context, s, other string) bool {
	if r.near == nil {
		return false
	}
	within, cancel := context.WithTimeout(ctx, embedTimeout)
	defer cancel()
	v, err := r.near.model.Embed(within, []string{r.q.Text, s, other})
	if err != nil || len(v) != 3 {
		return false
	}
	near := func(v, asked []float32) (sum float64) {
		for i := range min(len(v), len(asked)) {
			sum += float64(v[i]) * float64(asked[i])
		}
		return sum
	}
	return near(v[1], v[0]) >= aboutAsNear*near(v[2], v[0])
}
