package team

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"recall/index"
	"recall/payload"
)

// store is a searchable store of items: an index, or what a team shares.
type store interface {
	Search(ctx context.Context, q index.Query) (index.Answer, error)
}

// suiteItem is an item of the suite: its session, how many days after the first it was said, and its texts.
type suiteItem struct {
	id, project, session string
	day                  int
	kind                 payload.Kind
	text, why, alias     string
}

// suiteItems lists the items, one per line, with the fields of suiteItem.
const suiteItems = `
retry00001 ~ billing ~ b1 ~ 0 ~ decision ~ Failed charges are tried again five times ~ the gateway drops one in fifty ~ retry limit
retry00002 ~ billing ~ b2 ~ 9 ~ decision ~ Retries wait twice as long each time ~ ~ exponential backoff
retry00003 ~ crawler ~ c1 ~ 3 ~ decision ~ A page that fails is fetched once more only ~ ~ retry
heap000001 ~ crawler ~ c1 ~ 3 ~ decision ~ The queue is a min-heap, not a sorted list ~ a sorted list is 4x slower above 10k jobs ~
kafka00001 ~ billing ~ b2 ~ 9 ~ eliminated ~ Kafka between charge and ledger ~ nobody can run it ~
cache00001 ~ crawler ~ c2 ~ 20 ~ finding ~ robots.txt is cached for a day by src/fetch/robots.go ~ ~
jp00000001 ~ crawler ~ c2 ~ 20 ~ decision ~ 検索結果は二十件まで表示する ~ ~
quote00001 ~ billing ~ b3 ~ 30 ~ flag ~ O'Brien's \backslash & "quotes" | (pipes) :* stay in names ~ ~
next000001 ~ billing ~ b3 ~ 30 ~ next ~ Write the migration of the invoices table ~ ~
`

var suiteSaid = func() (list []suiteItem) {
	for line := range strings.Lines(strings.TrimSpace(suiteItems)) {
		f := strings.Split(line, "~")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		day, err := strconv.Atoi(f[3])
		if err != nil {
			panic(err)
		}
		list = append(list, suiteItem{id: f[0], project: f[1], session: f[2], day: day, kind: payload.Kind(f[4]), text: f[5],
			why: f[6], alias: f[7]})
	}
	return list
}()

var suiteFirst = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func suiteDay(n int) time.Time { return suiteFirst.AddDate(0, 0, n) }

// suiteDocs returns the sessions that the suite searches.
func suiteDocs() (docs []index.Doc) {
	for _, s := range suiteSaid {
		if n := len(docs); n == 0 || docs[n-1].Session != s.session {
			at := slices.IndexFunc(docs, func(d index.Doc) bool { return d.Session == s.session })
			if at >= 0 {
				docs = append(slices.Delete(slices.Clone(docs), at, at+1), docs[at])
			} else {
				docs = append(docs, index.Doc{Session: s.session, Project: s.project, Title: "About " + s.session,
					Source: "test", Start: suiteDay(s.day), End: suiteDay(s.day).Add(time.Hour)})
			}
		}
		it := payload.Item{ID: payload.ItemID(s.id), Kind: s.kind, Text: s.text, Why: s.why, By: payload.ByUser,
			Maker: payload.ByRule, State: payload.Stands, At: suiteDay(s.day).Add(time.Minute),
			Evidence: []payload.Evidence{{Turn: "t1", N: 1, Quote: s.text}}}
		if s.alias != "" {
			it.Aliases = []string{s.alias}
		}
		d := &docs[len(docs)-1]
		d.Items = append(d.Items, index.Item{Item: it, Context: s.text})
	}
	return docs
}

// testStore tests a store that holds suiteDocs.
func testStore(t *testing.T, s store) {
	for _, c := range []struct {
		q    index.Query
		want string // ids of the results: the first one first, the others in any order
	}{
		{index.Query{Text: "how often are failed charges tried again?"}, "retry00001 kafka00001 retry00003"},
		{index.Query{Text: "exponential backoff"}, "retry00002"},
		{index.Query{Text: "retry limit", Project: "crawler"}, "retry00003"},
		{index.Query{Text: "min-heap"}, "heap000001"},
		{index.Query{Text: "why not a sorted list?"}, "heap000001"},
		{index.Query{Text: "KAFKA"}, "kafka00001"},
		{index.Query{Text: "charges", Kinds: []payload.Kind{payload.Eliminated}}, "kafka00001"},
		{index.Query{Text: "robots.go"}, "cache00001"},
		{index.Query{Text: "検索結果"}, "jp00000001"},
		{index.Query{Text: "索"}, "jp00000001"}, // the start of a pair of characters
		{index.Query{Text: "what about O'Brien"}, "quote00001"},
		{index.Query{Text: `' | backslash \ & "pipes`}, "quote00001"},
		{index.Query{Text: "invoices migration"}, "next000001"},
		{index.Query{Text: "kubernetes"}, ""},
		{index.Query{Text: "kubernetes", Also: []string{"kafka"}}, "kafka00001"},
		{index.Query{Text: "charges", Since: suiteDay(5)}, "kafka00001"},
		{index.Query{Text: "charges", Until: suiteDay(5)}, "retry00001"},
		{index.Query{Text: "charges", AsOf: suiteDay(5)}, "retry00001"},
		{index.Query{Text: "charges", Until: suiteDay(30), AsOf: suiteDay(5)}, "retry00001"},
		{index.Query{Text: "queue", Project: "nowhere"}, ""},
		{index.Query{Text: "\x00\xff'\\"}, ""},
		{index.Query{Text: strings.Repeat("lorem ipsum ", 5000) + "kafka"}, ""},
		{index.Query{Text: "kafka " + strings.Repeat("lorem ipsum ", 5000)}, "kafka00001"},
	} {
		c.q.Exact = true
		a, err := s.Search(context.Background(), c.q)
		if err != nil {
			t.Errorf("%.60q: %v", c.q.Text, err)
			continue
		}
		var got []string
		for _, r := range a.Ranked {
			got = append(got, string(r.Item.ID))
		}
		if len(got) > 1 {
			slices.Sort(got[1:])
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%.60q %+v finds %q, want %q", c.q.Text, fmt.Sprint(c.q.Kinds, c.q.Project), got, c.want)
		}
		if len(got) > 0 {
			i := slices.IndexFunc(suiteSaid, func(s suiteItem) bool { return s.id == got[0] })
			r, s := a.Ranked[0], suiteSaid[i]
			same := r.Project == s.project && r.Session == s.session && r.Item.Text == s.text && r.Item.Why == s.why &&
				r.SessionStart.Equal(suiteDay(s.day))
			if !same {
				t.Errorf("%.60q finds %+v %+v", c.q.Text, *r, *r.Item)
			}
		}
		if unknown := c.want == ""; a.Unknown != unknown && c.q.Also == nil {
			t.Errorf("%.60q: unknown is %v", c.q.Text, a.Unknown)
		}
	}
	if a, err := s.Search(context.Background(), index.Query{Text: "retry charges kafka queue", Limit: 2}); err != nil ||
		len(a.Ranked) != 2 || a.SearchedItems != len(suiteSaid) {
		t.Errorf("limit 2 of %d items: got %d, %v", a.SearchedItems, len(a.Ranked), err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Search(ctx, index.Query{Text: "retry"}); err == nil {
		t.Error("a cancelled search gives no error")
	}
}
