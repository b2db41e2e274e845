package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/payload"
)

var day = time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC)

// Put puts one session in.
func (x *Index) Put(ctx context.Context, d Doc) error { return x.PutAll(ctx, []Doc{d}) }

// billing is a small project: three sessions, five items.
func billing() []Doc {
	item := func(id string, kind payload.Kind, text, why string, at time.Time, n int) Item {
		return Item{Item: payload.Item{ID: payload.ItemID(id), Kind: kind, Text: text, Why: why, At: at,
			State: payload.Stands, By: payload.ByUser, Maker: payload.ByRule,
			Evidence: []payload.Evidence{{Turn: fmt.Sprintf("%s-t%d", id, n), N: n, Quote: text}}}}
	}
	turn := func(n int, role, text string) Turn {
		return Turn{ID: fmt.Sprintf("t%d", n), N: n, Role: role, At: day.Add(time.Duration(n) * time.Minute), Text: text}
	}
	return []Doc{
		{Session: "s1", Project: "billing", Title: "Fix duplicate jobs", Source: "claude-code", Start: day,
			End: day.Add(time.Hour),
			Items: []Item{
				item("aaaaaaaaaa", payload.Decision, "Take the lock in ProcessQueue.acquire() before the job is read",
					"two workers read the same job otherwise", day, 2),
				item("bbbbbbbbbb", payload.Eliminated, "Duplicate DB writes are not the cause", "the write is idempotent", day, 3),
			},
			Turns: []Turn{
				turn(1, "user", "jobs run twice when the load is high, find out why"),
				turn(2, "assistant", "The lock is taken after the job is read. Take it before."),
				turn(3, "assistant", "The database write is idempotent, so that is not it."),
			}},
		{Session: "s2", Project: "billing", Title: "Retry policy", Source: "claude-code", Start: day.AddDate(0, 0, 3),
			End: day.AddDate(0, 0, 3),
			Items: []Item{item("cccccccccc", payload.Decision,
				"Retries use exponential backoff with jitter, at most 5, then the dead-letter queue",
				"fixed delays synchronised the workers", day.AddDate(0, 0, 3), 1)},
			Turns: []Turn{turn(1, "user", "five tries then DLQ, and put jitter on it")}},
		{Session: "s3", Project: "website", Title: "数据库选择", Source: "cowork", Start: day.AddDate(0, 0, 4),
			End: day.AddDate(0, 0, 4),
			Items: []Item{item("dddddddddd", payload.Decision, "缓存使用数据库而不是文件系"+
				"统", "", day.AddDate(0, 0, 4), 1)},
			Turns: []Turn{turn(1, "user", "我们应该使用数据库吗"), turn(2, "assistant", "好的，缓存使用数据"+
				"库。")}},
	}
}

func openWith(t testing.TB, docs ...Doc) *Index {
	t.Helper()
	x, err := Open(filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	for _, d := range docs {
		if err := x.Put(context.Background(), d); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// reading is a search's view of an index until the test ends.
func reading(t testing.TB, x *Index, q Query) *reader {
	t.Helper()
	tx, err := x.db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tx.Rollback() })
	return &reader{tx: tx, q: q}
}

func search(t testing.TB, x *Index, q Query) Answer {
	t.Helper()
	a, err := x.Search(context.Background(), q)
	if err != nil {
		t.Fatalf("Search(%+v): %v", q, err)
	}
	return a
}

// ids lists an answer: items by id, turns as session/turn.
func ids(a Answer) []string {
	var out []string
	for _, r := range a.Ranked {
		if r.Item != nil {
			out = append(out, string(r.Item.ID))
		} else {
			out = append(out, r.Session+"/"+r.TurnID)
		}
	}
	return out
}

// findsFirst expects an item, or a turn as session/turn, as the first answer of each question.
func findsFirst(t *testing.T, x *Index, first map[string]string) {
	t.Helper()
	for q, want := range first {
		if got := ids(search(t, x, Query{Text: q})); len(got) == 0 || got[0] != want {
			t.Errorf("%s: got %v, want %s first", q, got, want)
		}
	}
}

// turnsOf are the turns of an answer.
func turnsOf(a Answer) []*Result {
	return slices.DeleteFunc(slices.Clone(a.Ranked), func(r *Result) bool { return r.Item != nil })
}

func TestSearch(t *testing.T) {
	x := openWith(t, billing()...)
	for _, c := range []struct {
		name  string
		q     Query
		first string
	}{
		{"full question", Query{Text: "what did we decide about the retry backoff?"}, "cccccccccc"},
		{"stemmed", Query{Text: "retrying"}, "cccccccccc"},
		{"part of an identifier", Query{Text: "acquire"}, "aaaaaaaaaa"},
		{"identifier as written", Query{Text: "processQueue.acquire"}, "aaaaaaaaaa"},
		{"the reason", Query{Text: "idempotent write"}, "bbbbbbbbbb"},
		{"keywords of a caller", Query{Text: "thundering herd", Also: []string{"jitter"}}, "cccccccccc"},
		{"Chinese", Query{Text: "缓存用什么数据库"}, "dddddddddd"},
		{"one Chinese character", Query{Text: "缓", Kinds: []payload.Kind{payload.Decision}}, "dddddddddd"},
		{"one kind", Query{Text: "job lock write", Kinds: []payload.Kind{payload.Eliminated}}, "bbbbbbbbbb"},
		{"from a day on", Query{Text: "queue", Since: day.AddDate(0, 0, 1)}, "cccccccccc"},
		{"until a day", Query{Text: "queue", Until: day.AddDate(0, 0, 1)}, "aaaaaaaaaa"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ids(search(t, x, c.q))
			if len(got) == 0 || got[0] != c.first {
				t.Errorf("got %v, want %s first", got, c.first)
			}
		})
	}
}

func TestSearchFilters(t *testing.T) {
	x := openWith(t, billing()...)
	a := search(t, x, Query{Text: "job queue 数据库", Project: "website"})
	for _, r := range a.Ranked {
		if r.Session != "s3" {
			t.Errorf("got a result of session %s, want only project website's", r.Session)
		}
	}
	if a.SearchedItems != 1 || a.SearchedSessions != 1 || a.Projects != 1 {
		t.Errorf("searched %d items, %d sessions, %d projects, want 1 each", a.SearchedItems, a.SearchedSessions, a.Projects)
	}
	a = search(t, x, Query{Text: "job queue retry lock", Kinds: []payload.Kind{payload.Goal}})
	if len(a.Ranked) != 0 {
		t.Errorf("got %v of kind goal, want none", ids(a))
	}
}

func TestResultIsComplete(t *testing.T) {
	docs := billing()
	x := openWith(t, docs...)
	a := search(t, x, Query{Text: "exponential backoff jitter"})
	h := a.Ranked[0]
	want := &Result{
		Type: "item", Title: "Retry policy",
		Place: Place{Session: "s2", SessionTitle: "Retry policy", SessionN: 2, SessionStart: day.AddDate(0, 0, 3),
			Project: "billing", Source: "claude-code"},
		Item: &docs[1].Items[0].Item,
		Turn: 1, Exchange: 1, Score: h.Score, Terms: []string{"exponential", "backoff", "jitter"}, Coverage: 1,
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestNumberFollowsTime(t *testing.T) {
	docs := billing()
	x := openWith(t, docs...)
	early := Doc{Session: "s0", Project: "billing", Start: day.AddDate(0, 0, -9),
		Turns: []Turn{{ID: "a", N: 1, Role: "user", Text: "hello"}}}
	if err := x.Put(context.Background(), early); err != nil {
		t.Fatal(err)
	}
	if got := search(t, x, Query{Text: "backoff"}).Ranked[0].SessionN; got != 3 {
		t.Errorf("got number %d after an earlier session came, want 3", got)
	}
}

func TestPutReplaces(t *testing.T) {
	ctx := context.Background()
	docs := billing()
	x := openWith(t, docs...)
	d := docs[1]
	d.Title = "Retries"
	d.Items = []Item{{Item: payload.Item{ID: "eeeeeeeeee", Kind: payload.Decision, Text: "No retries at all", At: day}}}
	d.Turns = append(d.Turns, Turn{ID: "t2", N: 2, Role: "assistant", Text: "Retries are gone."})
	for range 2 {
		if err := x.Put(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"eeeeeeeeee", "s2/t2", "s2/t1"}
	if got := ids(search(t, x, Query{Text: "retries"})); !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := ids(search(t, x, Query{Text: "synchronised"})); len(got) != 0 {
		t.Errorf("got %v for a word of the replaced item, want nothing", got)
	}
	if err := x.Delete(ctx, "s2"); err != nil {
		t.Fatal(err)
	}
	if err := x.Delete(ctx, "s2"); err != nil {
		t.Errorf("deleting what isn't there: %v", err)
	}
	if got := ids(search(t, x, Query{Text: "retries jitter"})); len(got) != 0 {
		t.Errorf("got %v of a deleted session, want nothing", got)
	}
}

// What was put in any order, with detours, answers as what was put straight.
func TestPutOrderDoesNotMatter(t *testing.T) {
	docs := billing()
	a := openWith(t, docs...)
	b := openWith(t, docs[2], docs[1], docs[0], Doc{Session: "s1"}, docs[0], docs[1])
	for _, q := range []string{"job lock", "retry queue dead letter", "数据库", "write"} {
		x, y := search(t, a, Query{Text: q}), search(t, b, Query{Text: q})
		if diff := cmp.Diff(ids(x), ids(y)); diff != "" {
			t.Errorf("%q (-straight +detour):\n%s", q, diff)
		}
	}
	var want, got struct{ terms, rows int }
	for x, to := range map[*Index]*struct{ terms, rows int }{a: &want, b: &got} {
		if err := x.db.QueryRow(`SELECT count(*), sum(doc) FROM vocabulary`).Scan(&to.terms, &to.rows); err != nil {
			t.Fatal(err)
		}
	}
	if got != want {
		t.Errorf("got terms and their rows %v after detours, want %v", got, want)
	}
}

func TestUnknown(t *testing.T) {
	x := openWith(t, billing()...)
	for q, want := range map[string]bool{
		"which font did we pick?": true,
		"retry backoff":           false,
		"kubernetes jitter":       false,
		"":                        true,
		"what did we?":            true,
	} {
		if a := search(t, x, Query{Text: q}); a.Unknown != want {
			t.Errorf("%q: got Unknown %v (missing %v), want %v", q, a.Unknown, a.Missing, want)
		}
	}
	a := search(t, x, Query{Text: "kubernetes jitter"})
	if a.Coverage <= 0 || a.Coverage >= 1 || !cmp.Equal(a.Missing, []string{"kubernetes"}) {
		t.Errorf("got coverage %v, missing %v; want a part, and kubernetes missing", a.Coverage, a.Missing)
	}
	a = search(t, x, Query{Text: "kubernetes policy jitter"})
	if len(a.Missing) != 2 || !cmp.Equal(a.Titled, []string{"policy"}) {
		t.Errorf("missing %v, of which titles have %v, want two and policy", a.Missing, a.Titled)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenRead(filepath.Join(dir, "none.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	write := func(name, content string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	newer := filepath.Join(dir, "newer.db")
	x, err := Open(newer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.db.Exec(`PRAGMA user_version=999`); err != nil {
		t.Fatal(err)
	}
	x.Close()
	for _, p := range []string{write("text.db", "this is no database, but long enough to be taken for one "), newer} {
		if _, err := Open(p); !errors.Is(err, ErrRebuild) {
			t.Errorf("Open(%s): got %v, want ErrRebuild", filepath.Base(p), err)
		}
		if _, err := OpenRead(p); !errors.Is(err, ErrRebuild) {
			t.Errorf("OpenRead(%s): got %v, want ErrRebuild", filepath.Base(p), err)
		}
	}
	empty := write("empty.db", "")
	if _, err := OpenRead(empty); !errors.Is(err, ErrRebuild) {
		t.Errorf("OpenRead of an empty file: got %v, want ErrRebuild", err)
	}
}

func TestDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	x, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range billing() {
		if err := x.Put(context.Background(), d); err != nil {
			t.Fatal(err)
		}
	}
	x.Close()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(b); i++ {
		b[i] = 0xa5
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	x, err = OpenRead(path)
	if err == nil {
		defer x.Close()
		_, err = x.Search(context.Background(), Query{Text: "retry backoff"})
	}
	if !errors.Is(err, ErrRebuild) {
		t.Errorf("got %v, want ErrRebuild", err)
	}
	if err := Remove(path); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
		t.Errorf("Remove left %v", left)
	}
}

func TestReadOnlyOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deeper", "index.db")
	w, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		t.Errorf("got mode %v, %v, want nothing for others", fi.Mode(), err)
	}
	if err := w.Put(context.Background(), billing()[0]); err != nil {
		t.Fatal(err)
	}
	for _, closed := range []bool{false, true} {
		if closed {
			w.Close()
		}
		r, err := OpenRead(path)
		if err != nil {
			t.Fatalf("OpenRead, writer closed %v: %v", closed, err)
		}
		if got := ids(search(t, r, Query{Text: "acquire"})); len(got) == 0 {
			t.Errorf("writer closed %v: found nothing", closed)
		}
		r.Close()
	}
}
