package team

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recall/index"
	"recall/internal/text"
	"recall/payload"
	"recall/team/pgtest"
)

const (
	people = 200
	each   = 40 // items of a session
)

// TestScale measures a team of so many generated items as RECALL_TEAM_ITEMS says, in 500 projects or as many as
// RECALL_TEAM_PROJECTS does: what questions and puts take, and what an item takes on disk. Its server writes to disk
// as one does that people use, so TMPDIR has to be on one. It is run by itself:
//
//	TMPDIR=/var/tmp RECALL_TEAM_ITEMS=1000000 go test ./team -run TestScale -v -timeout 9h
func TestScale(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("RECALL_TEAM_ITEMS"))
	if err != nil {
		t.Skip("RECALL_TEAM_ITEMS doesn't say how many items")
	}
	projects := 500
	if more := os.Getenv("RECALL_TEAM_PROJECTS"); more != "" {
		if projects, err = strconv.Atoi(more); err != nil || projects < 50 {
			t.Fatalf("RECALL_TEAM_PROJECTS is %q, not a number from 50", more)
		}
	}
	if strings.HasPrefix(os.TempDir(), "/dev/shm") {
		t.Fatal("TMPDIR isn't on a disk")
	}
	s := pgtest.Start(t, "", "shared_buffers = 2GB", "max_wal_size = 1GB", "effective_cache_size = 8GB")
	t.Cleanup(func() { s.End(); os.RemoveAll(s.Dir) })
	c := newCrewOn(t, s.Database(t))
	ana := c.owner()
	w := newWorld(t)
	begun := time.Now()
	w.fill(t, c, n, projects)
	t.Logf("%d items in %d sessions were made in %v", n, n/each, time.Since(begun).Round(time.Second))
	for _, size := range c.column(`SELECT relname || ': ' || pg_table_size(oid) / ` + itoa(n) + ` || ' bytes an item'
		FROM pg_class WHERE relname IN ('item', 'word', 'word_words', 'item_session_iid_key', 'item_pkey', 'word_pkey', 'session')`) {
		t.Log(size)
	}
	bob := c.admit(ana, "bob")
	all := c.admit(ana, "all")
	for p := 1; p <= projects; p++ {
		if p%(projects/10) == 0 {
			c.Exec(fmt.Sprintf(`INSERT INTO recall.access VALUES(%d, %d)`, p, bob.Member.ID))
		}
		c.Exec(fmt.Sprintf(`INSERT INTO recall.access VALUES(%d, %d)`, p, all.Member.ID))
	}
	for _, setting := range []string{"fsync", "synchronous_commit", "full_page_writes", "autovacuum"} {
		c.Exec("ALTER SYSTEM SET " + setting + " = on")
	}
	c.Exec("CHECKPOINT; SELECT pg_reload_conf()")
	c.Exec("SET work_mem = '64MB'; SELECT count(data) FROM recall.item; SELECT count(words) FROM recall.word")
	ask := func(m mate, q index.Query) time.Duration {
		begun := time.Now()
		a, err := m.Search(context.Background(), q)
		if err != nil || a.SearchedItems == 0 {
			t.Errorf("%q: %v", q.Text, err)
		}
		return time.Since(begun)
	}
	for name, q := range map[string]func() (mate, index.Query){
		"of ten projects": func() (mate, index.Query) { return bob, index.Query{Text: w.question()} },
		"within one":      func() (mate, index.Query) { return bob, index.Query{Text: w.question(), Project: "p50"} },
		"of all projects": func() (mate, index.Query) { return all, index.Query{Text: w.question()} },
		"of common words": func() (mate, index.Query) { return bob, index.Query{Text: strings.Join(w.words[5:9], " ")} },
		"within, by kinds": func() (mate, index.Query) {
			return bob, index.Query{Text: w.question(), Project: "p50", Kinds: payload.Kinds[:2]}
		},
	} {
		var took []time.Duration
		m, _ := q()
		before := m.worked(t)
		for range 10 + len(w.questions) {
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

	var mates []mate
	for range 50 {
		m, err := Open(t.Context(), c.Address("bob"))
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		mates = append(mates, mate{m, ""})
	}
	atOnce := func(ask func(m mate, q index.Query) time.Duration) string {
		done := make(chan []time.Duration)
		for _, m := range mates {
			var questions []string
			for range 9 {
				questions = append(questions, w.question())
			}
			go func() {
				var took []time.Duration
				for _, q := range questions {
					took = append(took, ask(m, index.Query{Text: q}))
				}
				done <- took[1:]
			}()
		}
		var took []time.Duration
		for range mates {
			took = append(took, <-done...)
		}
		return quantiles(took)
	}
	t.Logf("50 ask at once, and rank on the server's cores: %s", atOnce(ask))
	t.Logf("50 ask at once, and rank elsewhere: %s", atOnce(func(m mate, q index.Query) time.Duration {
		begun := time.Now()
		rows, err := m.first(t.Context(), q, index.Ask(q))
		if err != nil {
			t.Error(err)
			return 0
		}
		rows.Close()
		if rows.Err() != nil || rows.CommandTag().RowsAffected() == 0 {
			t.Errorf("%d rows, %v", rows.CommandTag().RowsAffected(), rows.Err())
		}
		return time.Since(begun)
	}))
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

// world makes up what people say: the words of invented projects and their questions, the most frequent first, and
// others made up, as unevenly frequent as people's. So questions, and what the lexicon adds to them, find as much.
type world struct {
	*rand.Rand
	words     []string
	questions []string
	asked     int
	zipf      *rand.Zipf
}

func newWorld(t testing.TB) *world {
	t.Helper()
	r := rand.New(rand.NewSource(1))
	w := &world{Rand: r}
	seen := map[string]bool{}
	count := map[string]int{}
	files, _ := filepath.Glob("../eval/testdata/asked/*/*.json")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(name) == "questions.json" {
			var all []struct{ Q string }
			if err := json.Unmarshal(data, &all); err != nil {
				t.Fatal(err)
			}
			for _, q := range all {
				w.questions = append(w.questions, q.Q)
			}
		}
		for tell := json.NewDecoder(bytes.NewReader(data)); ; {
			token, err := tell.Token()
			if err != nil {
				break
			}
			said, _ := token.(string)
			for _, word := range text.Content(said) {
				if !strings.ContainsAny(word, "0123456789") { // ids have them
					count[word]++
				}
			}
		}
	}
	if len(w.questions) == 0 {
		t.Fatal("no questions in eval/testdata/asked")
	}
	w.words = slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
	for _, word := range w.words {
		seen[word] = true
	}
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

// question is one of them after the other.
func (w *world) question() string {
	w.asked++
	return w.questions[w.asked%len(w.questions)]
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

// fill puts so many items of so many projects in, past the policies.
func (w *world) fill(t *testing.T, c *crew, n, projects int) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, c.Super())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	c.Exec(fmt.Sprintf(`ALTER TABLE recall.session DISABLE TRIGGER USER; DROP INDEX recall.word_words;
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
	words, err := os.Create(filepath.Join(t.TempDir(), "words")) // a connection copies one table at a time
	if err != nil {
		t.Fatal(err)
	}
	defer words.Close()
	copyIn(`item(session, generation, project, iid, kind, said, hash, rules, data)`, func(b *bufio.Writer) {
		also := bufio.NewWriterSize(words, 1<<20)
		defer also.Flush()
		for i := range n / each {
			s := w.session(fmt.Sprint("s", i), of(i))
			for k, it := range s.Items {
				data, _ := json.Marshal(it)
				at := it.At.Format(time.RFC3339)
				fmt.Fprintf(b, "%d\t1\t%d\t%s\t%s\t%s\t0123456789abcdef0123456789abcdef\t0123456789ab\t%s\n", i+1, of(i), it.ID,
					it.Kind, at, strings.ReplaceAll(string(data), `\`, `\\`))
				fmt.Fprintf(also, "%d\t%d\t%d\t%s\t%s\t", i*each+k+1, i+1, of(i), it.Kind, at)
				for _, stem := range index.StemsOf(asIndexed(it)) {
					fmt.Fprintf(also, "'%s %d' ", stem, of(i))
				}
				also.WriteByte('\n')
			}
		}
	})
	if _, err := words.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	copyIn(`word(item, session, project, kind, said, words)`, func(b *bufio.Writer) { io.Copy(b, words) })
	c.Exec(`SET maintenance_work_mem = '3GB';
		CREATE INDEX word_words ON recall.word USING gin(words) WITH (fastupdate = off);
		ALTER TABLE recall.session ENABLE TRIGGER USER;
		UPDATE recall.project p SET (items, sessions, first, last) = (SELECT coalesce(sum(items), 0), count(*), min(id),
			max(id) FROM recall.session s WHERE s.project = p.id)`)
	c.Exec(`VACUUM ANALYZE recall.item`)
	c.Exec(`VACUUM ANALYZE recall.word`)
	c.Exec(`VACUUM ANALYZE recall.session`)
}
