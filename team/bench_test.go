package team

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recall/index"
	"recall/payload"
)

const (
	people   = 200
	projects = 500
	each     = 40 // items of a session
)

// TestScale measures a team of so many generated items as RECALL_TEAM_ITEMS says: what questions and puts take, and
// what an item takes on disk. It is run by itself:
//
//	RECALL_TEAM_ITEMS=1000000 go test ./team -run TestScale -v
func TestScale(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("RECALL_TEAM_ITEMS"))
	if err != nil {
		t.Skip("RECALL_TEAM_ITEMS doesn't say how many items")
	}
	c := newCrew(t)
	ana := c.owner()
	w := newWorld(n)
	begun := time.Now()
	w.fill(t, c, n)
	t.Logf("%d items in %d sessions were made in %v", n, n/each, time.Since(begun).Round(time.Second))
	for _, size := range c.column(`SELECT relname || ': ' || pg_relation_size(oid) / ` + itoa(n) + ` || ' bytes an item'
		FROM pg_class WHERE relname IN ('item', 'item_words', 'item_session_iid_key', 'item_pkey', 'session')`) {
		t.Log(size)
	}
	bob := c.admit(ana, "bob")
	all := c.admit(ana, "all")
	for p := 1; p <= projects; p++ {
		if p%50 == 0 {
			c.Exec(fmt.Sprintf(`INSERT INTO recall.access VALUES(%d, %d)`, p, bob.Member.ID))
		}
		c.Exec(fmt.Sprintf(`INSERT INTO recall.access VALUES(%d, %d)`, p, all.Member.ID))
	}
	ask := func(m mate, q index.Query) time.Duration {
		begun := time.Now()
		a, err := m.Search(context.Background(), q)
		if err != nil || a.SearchedItems == 0 {
			t.Errorf("%q: %v", q.Text, err)
		}
		return time.Since(begun)
	}
	for name, q := range map[string]func() (mate, index.Query){
		"of ten projects":  func() (mate, index.Query) { return bob, index.Query{Text: w.question()} },
		"within one":       func() (mate, index.Query) { return bob, index.Query{Text: w.question(), Project: "p50"} },
		"of all projects":  func() (mate, index.Query) { return all, index.Query{Text: w.question()} },
		"of common words":  func() (mate, index.Query) { return bob, index.Query{Text: strings.Join(w.words[5:9], " ")} },
		"within, by kinds": func() (mate, index.Query) { return bob, index.Query{Text: w.question(), Kinds: payload.Kinds[:2]} },
	} {
		var took []time.Duration
		m, _ := q()
		before := m.worked(t)
		for range 60 {
			_, query := q()
			took = append(took, ask(m, query))
		}
		t.Logf("a question %s: %s, %v of the server's processor", name, quantiles(took[10:]),
			(m.worked(t)-before)/time.Duration(len(took)))
	}
	var took []time.Duration
	before := bob.worked(t)
	for i := range 100 {
		s := w.session(fmt.Sprint("new", i), 50)
		ready := c.ready(s)
		begun := time.Now()
		if err := bob.Put(t.Context(), bob.device, ready, 1); err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(begun))
	}
	t.Logf("put of %d items: %s, %v of the server's processor", each, quantiles(took),
		(bob.worked(t)-before)/time.Duration(len(took)))

	done := make(chan []time.Duration)
	var mates []mate
	for range 50 {
		m, err := Open(t.Context(), c.Address("bob"))
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		mates = append(mates, mate{m, ""})
	}
	var questions [][]string
	for range mates {
		questions = append(questions, []string{w.question(), w.question(), w.question(), w.question(), w.question()})
	}
	for i, m := range mates {
		go func() {
			var took []time.Duration
			for _, q := range questions[i] {
				took = append(took, ask(m, index.Query{Text: q}))
			}
			done <- took
		}()
	}
	took = nil
	for range mates {
		took = append(took, (<-done)[1:]...)
	}
	t.Logf("50 ask at once: %s", quantiles(took))
}

// worked is how long the server's process for a member has been on a processor: the clock counts what others do, too.
func (m mate) worked(t *testing.T) time.Duration {
	t.Helper()
	var pid int
	if err := m.pool.QueryRow(t.Context(), `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
	if err != nil {
		t.Fatal(err)
	}
	var ns int64
	if _, err := fmt.Sscan(string(text), &ns); err != nil {
		t.Fatal(err)
	}
	return time.Duration(ns)
}

func quantiles(all []time.Duration) string {
	slices.Sort(all)
	at := func(share float64) time.Duration {
		return all[int(share*float64(len(all)-1))].Round(100 * time.Microsecond)
	}
	return fmt.Sprintf("p50 %v, p99 %v (n=%d)", at(0.5), at(0.99), len(all))
}

// world makes up what people say: words as unevenly frequent as people's.
type world struct {
	*rand.Rand
	words []string
	zipf  *rand.Zipf
}

func newWorld(n int) *world {
	r := rand.New(rand.NewSource(1))
	w := &world{Rand: r}
	seen := map[string]bool{}
	for len(w.words) < 60_000 {
		var b strings.Builder
		for range 2 + r.Intn(3) {
			b.WriteByte("bcdfgklmnprstvz"[r.Intn(15)])
			b.WriteByte("aeiou"[r.Intn(5)])
		}
		if b.WriteString([]string{"", "n", "r", "k"}[r.Intn(4)]); !seen[b.String()] {
			seen[b.String()] = true
			w.words = append(w.words, b.String())
		}
	}
	w.zipf = rand.NewZipf(r, 1.1, 20, uint64(len(w.words)-1))
	return w
}

func (w *world) say(n int) string {
	var out []string
	for range n {
		out = append(out, w.words[w.zipf.Uint64()])
	}
	return strings.Join(out, " ")
}

// question has a common word or two, and rarer ones.
func (w *world) question() string {
	return "what did we decide about " + w.say(3) + " " + w.words[300+w.Intn(3000)]
}

func (w *world) session(id string, project int) Session {
	s := Session{ID: id, Project: project, Title: w.say(5), Start: noon.Add(time.Duration(w.Intn(1e6)) * time.Second)}
	for i := range each {
		text := w.say(14)
		s.Items = append(s.Items, payload.Item{ID: payload.ItemID(fmt.Sprintf("%s-%d", id, i)), Text: text,
			Kind: payload.Kinds[w.Intn(len(payload.Kinds))], Why: w.say(6), Aliases: []string{w.say(3), w.say(3)},
			By: payload.ByUser, Maker: payload.ByModel, State: payload.Stands, At: s.Start, Confidence: 0.9,
			Evidence: []payload.Evidence{{Turn: "0199c2f0-7d1e-7000-8000-000000000000", N: 3, Quote: text + " " + w.say(8)}}})
	}
	return s
}

// fill puts so many items in, past the policies.
func (w *world) fill(t *testing.T, c *crew, n int) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, c.Super())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	c.Exec(fmt.Sprintf(`ALTER TABLE recall.session DISABLE TRIGGER USER; DROP INDEX recall.item_words;
		INSERT INTO recall.member(login, name) SELECT 'm' || i, 'Member ' || i FROM generate_series(2, %d) i;
		INSERT INTO recall.device(id, member, name) SELECT gen_random_uuid(), id, 'd' FROM recall.member;
		INSERT INTO recall.project(name, remote, keeper) SELECT 'p' || i, 'example.org/p' || i, 1
			FROM generate_series(1, %d) i`, people, projects))
	devices := c.column(`SELECT id::text FROM recall.device ORDER BY member`)
	of := func(session int) int { return 1 + session%projects }
	copyIn := func(table string, write func(b *bufio.Writer)) {
		r, to := io.Pipe()
		go func() {
			b := bufio.NewWriterSize(to, 1<<20)
			write(b)
			b.Flush()
			to.Close()
		}()
		if _, err := conn.PgConn().CopyFrom(ctx, r, `COPY recall.`+table+` FROM STDIN`); err != nil {
			t.Fatal(err)
		}
	}
	copyIn(`session(device, sid, project, generation, hash, rules, title, started, items)`, func(b *bufio.Writer) {
		for i := range n / each {
			fmt.Fprintf(b, "%s\ts%d\t%d\t1\tx\tx\tsome title\t%s\t%d\n", devices[i%len(devices)], i, of(i),
				noon.Add(time.Duration(i)*time.Minute).Format(time.RFC3339), each)
		}
	})
	copyIn(`item(session, generation, project, iid, kind, said, hash, rules, data, words)`, func(b *bufio.Writer) {
		for i := range n / each {
			s := w.session(fmt.Sprint("s", i), of(i))
			for _, it := range s.Items {
				data, _ := json.Marshal(it)
				fmt.Fprintf(b, "%d\t1\t%d\t%s\t%s\t%s\t0123456789abcdef0123456789abcdef\t0123456789ab\t%s\t", i+1, of(i), it.ID,
					it.Kind, it.At.Format(time.RFC3339), strings.ReplaceAll(string(data), `\`, `\\`))
				for _, stem := range index.StemsOf(asIndexed(it)) {
					fmt.Fprintf(b, "'%s %d' ", stem, of(i))
				}
				b.WriteByte('\n')
			}
		}
	})
	c.Exec(`SET maintenance_work_mem = '1GB'; CREATE INDEX item_words ON recall.item USING gin(words) WITH (fastupdate = off);
		ALTER TABLE recall.session ENABLE TRIGGER USER`)
	c.Exec(`VACUUM ANALYZE recall.item`)
	c.Exec(`VACUUM ANALYZE recall.session`)
}
