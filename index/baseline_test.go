package index

import (
	"context"
	"database/sql"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/payload"
)

// baseline is what anybody would write first: every message a document, the
// question's words joined by OR, BM25, a session as good as its best message.
type baseline struct{ db *sql.DB }

func newBaseline(t testing.TB, sessions []*ingest.Session) baseline {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "base.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	exec := func(q string, args ...any) {
		if _, err := db.Exec(q, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`PRAGMA synchronous=OFF`)
	exec(`CREATE VIRTUAL TABLE f USING fts5(text, session UNINDEXED, tokenize='porter unicode61')`)
	for _, s := range sessions {
		for _, u := range s.Turns {
			if strings.TrimSpace(u.Text) != "" {
				exec(`INSERT INTO f VALUES(?,?)`, u.Text, string(s.ID))
			}
		}
	}
	return baseline{db}
}

var wordRE = regexp.MustCompile(`[\pL\pN_]+`)

// baselineStop is the stop list of the prototype that the research measured
// with.
var baselineStop = strings.Fields(`a an and are as at be been but by can could did do does for from had has have he her hers him his how i if in into is it its me my of on or our ours she should so than that the their them then there these they this those to was we were what when where which who whom why will with would you your yours about also any both each just more most much no not only other over own same some such too under up very s t m re ve ll d`)

func (b baseline) sessions(t testing.TB, question string) []string {
	var terms []string
	for _, w := range wordRE.FindAllString(strings.ToLower(question), -1) {
		if !slices.Contains(baselineStop, w) {
			terms = append(terms, `"`+w+`"`)
		}
	}
	rows, err := b.db.Query(`SELECT session FROM f WHERE f MATCH ? ORDER BY rank`, strings.Join(terms, " OR "))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// devSessions parses the shared transcripts, forks told apart; the folder under
// dev is the project.
func devSessions(t testing.TB) (sessions []*ingest.Session, project map[ingest.SessionID]string) {
	dir := filepath.Join(shared(t), "transcripts/dev")
	found, problems := claudecode.Reader{}.Find(context.Background(), dir, nil)
	if len(problems) > 0 {
		t.Logf("problems: %v", problems)
	}
	project = map[ingest.SessionID]string{}
	for _, f := range found {
		s, err := claudecode.Reader{}.Parse(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(dir, f.Files[0].Path)
		project[s.ID], _, _ = strings.Cut(filepath.ToSlash(rel), "/")
		sessions = append(sessions, s)
	}
	ingest.Own(sessions)
	return sessions, project
}

func TestNeverWorseThanBaseline(t *testing.T) {
	sessions, project := devSessions(t)
	base := newBaseline(t, sessions)
	x := openDev(t, sessions, project, "")
	ox := openDev(t, sessions, project, "items")
	ax := openDev(t, sessions, project, "aliases")
	for _, p := range goldProjects {
		qs, _ := questions(t, p)
		var b, turnsOnly, oracle, oi, ai, as rates
		for _, q := range qs {
			b.add(base.sessions(t, q.Q), q.sessions())
			turnsOnly.add(sessionsOf(search(t, x, Query{Text: q.Q, Limit: 100})), q.sessions())
			a := search(t, ox, Query{Text: q.Q, Limit: 100})
			oracle.add(sessionsOf(a), q.sessions())
			oi.add(itemsOf(a), q.Expect)
			a = search(t, ax, Query{Text: q.Q, Limit: 100})
			as.add(sessionsOf(a), q.sessions())
			ai.add(itemsOf(a), q.Expect)
		}
		n := len(qs)
		t.Logf("%s, %d questions\n  baseline sessions    %.2f\n  turns only, sessions %.2f\n  oracle, sessions     %.2f\n  +aliases, sessions   %.2f\n  oracle, items        %.2f\n  +aliases, items      %.2f", p, n, b.of(n), turnsOnly.of(n), oracle.of(n), as.of(n), oi.of(n), ai.of(n))
	}
}

func openDev(t testing.TB, sessions []*ingest.Session, project map[ingest.SessionID]string, what string) *Index {
	gold := map[string][]payload.Item{}
	if what != "" {
		for _, p := range goldProjects {
			for s, list := range goldItems(t, p, what == "aliases") {
				gold[s] = list
			}
		}
	}
	x := openWith(t)
	var docs []Doc
	for _, s := range sessions {
		n := map[string]int{}
		for _, u := range s.Turns {
			for _, id := range u.Records {
				n[id] = u.N
			}
		}
		for i := range gold[string(s.ID)] {
			ev := gold[string(s.ID)][i].Evidence
			for j := range ev {
				ev[j].N = n[ev[j].Turn]
			}
		}
		docs = append(docs, DocOf(s, &payload.Payload{Items: gold[string(s.ID)]}, project[s.ID]))
	}
	if err := x.PutAll(context.Background(), docs); err != nil {
		t.Fatal(err)
	}
	return x
}
