package index

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"recall/internal/text"
)

// TestSpeed prints what docs/internals/performance.md tells, for each size in
// RECALL_SPEED:
//
//	RECALL_SPEED=10000,100000 go test ./index -run TestSpeed -v -timeout 60m
//	RECALL_SPEED=1000000 go test ./index -run TestSpeed -v -timeout 5h    # 5 GB of disk, 3 of memory; no goal
//
// RECALL_SPEED_DIR keeps the indexes between runs.
func TestSpeed(t *testing.T) {
	sizes := os.Getenv("RECALL_SPEED")
	if sizes == "" {
		t.Skip("RECALL_SPEED isn't set: how many items, such as 10000,100000")
	}
	dir := os.Getenv("RECALL_SPEED_DIR")
	if dir == "" {
		dir = t.TempDir()
	}
	out := tabwriter.NewWriter(os.Stdout, 2, 8, 2, ' ', 0)
	for s := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		speed(t, out, filepath.Join(dir, s), n)
		out.Flush()
	}
}

// speed measures one size.
func speed(t *testing.T, out *tabwriter.Writer, dir string, n int) {
	line := func(what string, took timings) {
		fmt.Fprintf(out, "%d items\t%s\t%s\tof the processor %s\tof %d\n", n, what, percentiles(took.waited),
			percentiles(took.worked), len(took.waited))
	}
	path := filepath.Join(dir, "index.db")
	if _, err := os.Stat(path); err != nil {
		start := time.Now()
		fillSynth(t, path, n)
		fmt.Fprintf(out, "%d items, %d turns\tmade in\t%.1f s\n", n, n/perSession*turnsASession, time.Since(start).Seconds())
	}
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(out, "%d items\tindex\t%.0f MB\t%.1f KB an item with its turns\t%s\n", n, float64(fi.Size())/1e6,
		float64(fi.Size())/1000/float64(n), tableSizes(t, path, n))
	x, err := OpenRead(path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s := newSynth(2)
	var questions []string
	for range 300 {
		questions = append(questions, s.question())
	}
	ask := func(q Query) (took timings) {
		q.Limit = 5 // as recall query asks
		for _, q.Text = range questions {
			took.add(func() { search(t, x, q) })
		}
		return took
	}
	line("query", ask(Query{}))
	line("query, one project of 12", ask(Query{Project: "project-3"}))
	if took := orBM25(t, dir, n, questions[:60]); took.waited != nil {
		line("baseline: OR of all words over turns, BM25", took)
	}
	if took := ripgrep(t, dir, n, questions[:10]); took.waited != nil {
		line("ripgrep for one word over the turns' text", took)
	}
	var mem runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	fmt.Fprintf(out, "%d items\tmemory\t%.0f MB of heap\t%s\n", n, float64(mem.HeapInuse)/1e6, resident())
	w, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var took timings
	for i := range puts {
		d := newSynth(uint64(i+9)).doc(2_000_000+i, 20, 100)
		runtime.GC() // what was used to make it up isn't the Put's
		took.add(func() {
			if err := w.Put(context.Background(), d); err != nil {
				t.Fatal(err)
			}
		})
	}
	line("a session of 20 items and 100 turns put in", took)
	line("query right after those", ask(Query{}))
	line("query right after those, one project of 12", ask(Query{Project: "project-3"}))
	var pieces int
	if err := w.db.QueryRow(`SELECT count(*) FROM segment`).Scan(&pieces); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(out, "%d items\tsegments right after those\t%d\n", n, pieces)
	for i := range puts {
		if err := w.Delete(context.Background(), fmt.Sprintf("session-%06d", 2_000_000+i)); err != nil {
			t.Fatal(err)
		}
	}
}

// puts is how many sessions are put in one by one: enough for several merges of merges.
const puts = 400

// timings are how long calls took: by the clock, and of the processor's time,
// which another's work beside it changes less.
type timings struct{ waited, worked []time.Duration }

func (t *timings) add(f func()) {
	start, used := time.Now(), cpu()
	f()
	t.waited, t.worked = append(t.waited, time.Since(start)), append(t.worked, cpu()-used)
}

func percentiles(took []time.Duration) string {
	took = slices.Sorted(slices.Values(took))
	at := func(p float64) float64 { return float64(took[int(p*float64(len(took)-1))].Microseconds()) / 1000 }
	return fmt.Sprintf("p50 %.1f p95 %.1f p99 %.1f max %.1f ms", at(.5), at(.95), at(.99), at(1))
}

const (
	perSession    = 10 // items
	turnsASession = 40
)

// fillSynth makes an index of n items.
func fillSynth(t testing.TB, path string, n int) {
	x, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s := newSynth(1)
	var docs []Doc
	for i := range n / perSession {
		docs = append(docs, s.doc(i, perSession, turnsASession))
		if len(docs) == 50 || i == n/perSession-1 {
			if err := x.PutAll(context.Background(), docs); err != nil {
				t.Fatal(err)
			}
			docs = docs[:0]
		}
	}
	if err := x.Tidy(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// tableSizes tells what items and turns take, from the lengths of their rows.
func tableSizes(t *testing.T, path string, n int) string {
	db, err := driver.Open("file:" + filepath.ToSlash(path) + "?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var parts []string
	for _, p := range []struct{ what, query string }{
		{"items", `SELECT sum(length(data)+length(iid)+60) FROM item`},
		{"lists of words", `SELECT sum(length(data)+length(word)+10) FROM block`},
		{"turns", `SELECT sum(length(text)+length(tid)+40) FROM turn`},
	} {
		var bytes float64
		if err := db.QueryRow(p.query).Scan(&bytes); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, fmt.Sprintf("%s %.2f KB", p.what, bytes/1000/float64(n)))
	}
	return strings.Join(parts, ", ")
}

// mostBeside is for how many items the others are measured beside recall: what
// they need takes longer to make, or more memory, than anybody would give it.
const mostBeside = 100_000

// orBM25 is what anybody would write first, over the same turns.
func orBM25(t *testing.T, dir string, n int, questions []string) (took timings) {
	if n > mostBeside {
		return took
	}
	path := filepath.Join(dir, "baseline.db")
	_, missing := os.Stat(path)
	db, err := driver.Open("file:"+filepath.ToSlash(path), fts5.Register)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if missing != nil {
		fillBaseline(t, db, n)
	}
	for _, q := range questions {
		var quoted []string
		for _, w := range text.Content(q) {
			quoted = append(quoted, `"`+w+`"`)
		}
		took.add(func() {
			rows, err := db.Query(`SELECT rowid FROM turn WHERE turn MATCH ? ORDER BY rank LIMIT 20`,
				strings.Join(quoted, " OR "))
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			for rows.Next() {
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
		})
	}
	return took
}

func fillBaseline(t *testing.T, db *sql.DB, n int) {
	if _, err := db.Exec(`CREATE VIRTUAL TABLE turn USING fts5(body, content='', ` +
		`tokenize='porter unicode61')`); err != nil {
		t.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	s := newSynth(1)
	id := 0
	for i := range n / perSession {
		for _, u := range s.doc(i, perSession, turnsASession).Turns {
			id++
			if _, err := tx.Exec(`INSERT INTO turn(rowid, body) VALUES(?,?)`, id, u.Text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// ripgrep looks for a question's last word in the text of all turns, where it is
// installed.
func ripgrep(t *testing.T, dir string, n int, questions []string) (took timings) {
	rg, err := exec.LookPath("rg")
	if err != nil || n > mostBeside {
		return took
	}
	file := filepath.Join(dir, "turns.txt")
	if _, err := os.Stat(file); err != nil {
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		s := newSynth(1)
		for i := range n / perSession {
			for _, u := range s.doc(i, perSession, turnsASession).Turns {
				fmt.Fprintln(f, u.Text)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range questions {
		w := strings.Fields(strings.Trim(q, "?"))
		cmd := exec.Command(rg, "-c", "-w", w[len(w)-1], file)
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil && len(out) > 0 {
			t.Fatalf("%v: %s", err, out)
		}
		took.waited = append(took.waited, time.Since(start))
		took.worked = append(took.worked, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	return took
}

// resident is this process's memory as the system counts it, where it tells.
func resident() string {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return ""
	}
	for l := range strings.SplitSeq(string(b), "\n") {
		if strings.HasPrefix(l, "VmRSS:") {
			return "resident " + strings.Join(strings.Fields(l)[1:], " ")
		}
	}
	return ""
}
