package payload

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func day(n int) time.Time { return time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, n) }

// on makes a session of two hours.
func on(session string, n int, branch string, more ...func(*ThreadInfo)) ThreadInfo {
	s := ThreadInfo{Session: session, Project: "billing", Branch: branch, Start: day(n), End: day(n).Add(2 * time.Hour)}
	for _, f := range more {
		f(&s)
	}
	return s
}

// names writes threads as "a b | c".
func names(threads [][]ThreadInfo) string {
	var out []string
	for _, thread := range threads {
		var one []string
		for _, s := range thread {
			one = append(one, s.Session)
		}
		out = append(out, strings.Join(one, " "))
	}
	return strings.Join(out, " | ")
}

func TestThreads(t *testing.T) {
	files := func(f ...string) func(*ThreadInfo) { return func(s *ThreadInfo) { s.Files = f } }
	goal := func(g string) func(*ThreadInfo) { return func(s *ThreadInfo) { s.Goal = g } }
	parent := func(p string) func(*ThreadInfo) { return func(s *ThreadInfo) { s.Parent = p } }
	plan := func(p string) func(*ThreadInfo) { return func(s *ThreadInfo) { s.PlanFiles = []string{p} } }
	items := func(ids ...ItemID) func(*ThreadInfo) { return func(s *ThreadInfo) { s.Items = ids } }
	carried := func(ids ...ItemID) func(*ThreadInfo) { return func(s *ThreadInfo) { s.Carried = ids } }
	injected := func(ids ...ItemID) func(*ThreadInfo) { return func(s *ThreadInfo) { s.Injected = ids } }
	project := func(p string) func(*ThreadInfo) { return func(s *ThreadInfo) { s.Project = p } }
	cowork := func(s *ThreadInfo) { s.Folder = s.Project }
	for _, tt := range []struct {
		name        string
		sessions    []ThreadInfo
		corrections []Correction
		want        string
	}{
		{"none", nil, nil, ""},
		{"one branch", []ThreadInfo{on("a", 0, "fix/queue"), on("b", 13, "fix/queue"), on("c", 14, "other")}, nil, "c | a b"},
		{"over 14 days", []ThreadInfo{on("a", 0, "fix/queue"), on("b", 15, "fix/queue")}, nil, "b | a"},
		{"14 days count from the end of the longest", []ThreadInfo{on("a", 0, "x", func(s *ThreadInfo) { s.End = day(20) }),
			on("b", 1, "x"), on("c", 30, "x")}, nil, "a b c"},
		{"one branch, two projects", []ThreadInfo{on("a", 0, "x"), on("b", 1, "x", project("web"))}, nil, "b | a"},
		{"default branch, nothing in common", []ThreadInfo{on("a", 0, "main"), on("b", 1, "main"), on("c", 2, ""),
			on("d", 3, "")}, nil, "d | c | b | a"},
		{"default branch, a file in common", []ThreadInfo{on("a", 0, "main", files("q.go", "x.go")),
			on("b", 1, "main", files("q.go"))}, nil, "a b"},
		{"a file that all touch", []ThreadInfo{on("a", 0, "main", files("README.md")),
			on("b", 1, "main", files("README.md"))}, nil, "b | a"},
		{"a file in common, long ago", []ThreadInfo{on("a", 0, "main", files("q.go")), on("b", 30, "main", files("q.go"))},
			nil, "b | a"},
		{"a branch that everything is done on", []ThreadInfo{on("a", 0, "dev"), on("b", 1, "dev"), on("c", 2, "next"),
			on("d", 3, "next")}, nil, "d | c | b | a"},
		{"a goal in common", []ThreadInfo{on("a", 0, "main", goal("Find the race that duplicates jobs")),
			on("b", 1, "main", goal("Go on finding the race that duplicates jobs")),
			on("c", 2, "main", goal("Write the release notes"))}, nil, "c | a b"},
		{"lineage over projects and years", []ThreadInfo{on("a", 0, "x"), on("b", 500, "y", parent("a"), project("web"))},
			nil, "a b"},
		{"siblings of a parent that isn't there", []ThreadInfo{on("a", 0, "main", parent("p")),
			on("b", 1, "main", parent("p"))}, nil, "a b"},
		{"one folder given to Cowork", []ThreadInfo{on("a", 0, "", cowork), on("b", 90, "", cowork), on("c", 91, "")}, nil,
			"c | a b"},
		{"a plan", []ThreadInfo{on("a", 0, "main", plan("/p/plan.md")), on("b", 40, "x", plan("/p/plan.md"))}, nil, "a b"},
		{"two projects' PLAN.md", []ThreadInfo{on("a", 0, "main", plan("PLAN.md")),
			on("b", 1, "main", plan("PLAN.md"), project("web"))}, nil, "b | a"},
		{"a carried payload", []ThreadInfo{on("a", 0, "x", items("k3v9t2m8qa")),
			on("b", 90, "main", carried("k3v9t2m8qa", "b7xw4c5d2e"))}, nil, "a b"},
		{"a carried page", []ThreadInfo{on("a", 0, "main"), on("b", 90, "main", carried(PageID("a"), PageID("x")))}, nil, "a b"},
		{"injected on the default branch", []ThreadInfo{on("a", 0, "x", items("k3v9t2m8qa")),
			on("b", 90, "main", injected("k3v9t2m8qa"))}, nil, "a b"},
		{"injected on its branch", []ThreadInfo{on("a", 0, "x", items("k3v9t2m8qa")),
			on("b", 90, "x", injected("k3v9t2m8qa"))}, nil, "a b"},
		{"injected on another branch", []ThreadInfo{on("a", 0, "x", items("k3v9t2m8qa")),
			on("b", 1, "y", injected("k3v9t2m8qa"))}, nil, "b | a"},
		{"a person joins", []ThreadInfo{on("a", 0, "x"), on("b", 90, "y")}, []Correction{{Op: Join, A: "b", B: "a"}}, "a b"},
		{"a person parts two, the third stays with the nearer", []ThreadInfo{on("a", 0, "x"), on("b", 5, "x"),
			on("c", 6, "x")}, []Correction{{Op: Split, A: "a", B: "c"}}, "b c | a"},
		{"the later word counts", []ThreadInfo{on("a", 0, "x"), on("b", 1, "x")},
			[]Correction{{Op: Join, A: "a", B: "b", At: day(9)}, {Op: Split, A: "b", B: "a", At: day(8)}}, "a b"},
		{"a split wins over what follows from joins", []ThreadInfo{on("a", 0, "x"), on("b", 90, "y"), on("c", 180, "z")},
			[]Correction{{Op: Join, A: "a", B: "b"}, {Op: Join, A: "b", B: "c"}, {Op: Split, A: "a", B: "c"}}, "c | a b"},
		{"unknown sessions in corrections", []ThreadInfo{on("a", 0, "x")},
			[]Correction{{Op: Join, A: "a", B: "gone"}, {Op: Split, A: "gone", B: "a"}}, "a"},
		{"no times", []ThreadInfo{{Session: "a", Branch: "x"}, {Session: "b", Branch: "x"}}, nil, "a | b"},
	} {
		if got := names(Threads(tt.sessions, tt.corrections)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Each session is in just one thread, whatever the order of sessions and
// corrections, and nobody is with whom a person parted them from.
func TestThreadsDontDependOnOrder(t *testing.T) {
	some := func(t *rapid.T, name, prefix string) []string {
		return rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 6), func(i int) string { return fmt.Sprint(prefix, i) }), 0,
			2).Draw(t, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		var sessions []ThreadInfo
		var corrections []Correction
		for i := range rapid.IntRange(0, 14).Draw(t, "sessions") {
			s := on(fmt.Sprint("s", i), rapid.IntRange(0, 60).Draw(t, "day"),
				rapid.SampledFrom([]string{"", "main", "x", "y"}).Draw(t, "branch"))
			s.Project = rapid.SampledFrom([]string{"p", "q"}).Draw(t, "project")
			s.Files, s.PlanFiles = some(t, "files", "f"), some(t, "plans", "plan")
			s.Goal = rapid.SampledFrom([]string{"", "fix the queue race", "fix that queue race soon",
				"ship release notes"}).Draw(t, "goal")
			s.Items = []ItemID{ItemID(fmt.Sprint("item", i))}
			s.Carried = []ItemID{ItemID(rapid.SampledFrom([]string{"item1", "item5", "none"}).Draw(t, "carried"))}
			if rapid.Bool().Draw(t, "forked") {
				s.Parent = rapid.SampledFrom([]string{"s0", "s2", "gone"}).Draw(t, "parent")
			}
			sessions = append(sessions, s)
		}
		for range rapid.IntRange(0, 5).Draw(t, "corrections") {
			corrections = append(corrections, Correction{
				Op: rapid.SampledFrom([]CorrectionOp{Join, Split}).Draw(t, "op"),
				A:  fmt.Sprint("s", rapid.IntRange(0, 14).Draw(t, "a")), B: rapid.SampledFrom([]string{"", "s1", "s3",
					"s7"}).Draw(t, "b"),
				At: day(rapid.IntRange(0, 3).Draw(t, "at")),
			})
		}
		want := Threads(sessions, corrections)
		n := 0
		where := map[string]int{}
		for i, thread := range want {
			n += len(thread)
			for _, s := range thread {
				where[s.Session] = i
			}
		}
		if n != len(sessions) || len(where) != len(sessions) {
			t.Fatalf("got %d places for %d sessions: %s", n, len(sessions), names(want))
		}
		for _, c := range latest(corrections) {
			a, okA := where[c.A]
			b, okB := where[c.B]
			if c.Op == Split && okA && okB && c.A != c.B && a == b {
				t.Fatalf("%s and %s were parted: %s", c.A, c.B, names(want))
			}
		}
		got := Threads(rapid.Permutation(sessions).Draw(t, "order"), rapid.Permutation(corrections).Draw(t,
			"corrections' order"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("in another order (-want +got):\n%s", diff)
		}
	})
}

func TestPickPassesOverTheSilent(t *testing.T) {
	says, silent := on("a", 0, "x"), on("b", 1, "y")
	says.Items = []ItemID{"k3v9t2m8qa"}
	if got := Pick(Threads([]ThreadInfo{says, silent}, nil), "y"); len(got) != 1 || got[0].Session != "a" {
		t.Errorf("got %v, want the session that says something", got)
	}
}

func TestPick(t *testing.T) {
	threads := Threads([]ThreadInfo{on("a", 0, "x"), on("b", 30, "x"), on("c", 40, "y"), on("d", 41, "main")}, nil)
	for _, tt := range []struct{ branch, want string }{{"x", "b"}, {"y", "c"}, {"", "d"}, {"new", "d"}, {"main", "d"}} {
		if got := names([][]ThreadInfo{Pick(threads, tt.branch)}); got != tt.want {
			t.Errorf("branch %q: got %q, want %q", tt.branch, got, tt.want)
		}
	}
	if got := Pick(nil, "x"); got != nil {
		t.Errorf("of no threads: got %v", got)
	}
}

func TestInfoOf(t *testing.T) {
	p := example()
	p.Items = append(p.Items, Item{ID: "f2f2f2f2f2", Kind: File, Path: "src/queue.go"})
	p.Items[1].About = append(p.Items[1].About, "GitHub", "0.4.3")
	p.Retired = []Item{{ID: "g2g2g2g2g2", Kind: Goal, Text: "old"}}
	p.Carried = []ItemID{"h2h2h2h2h2"}
	got := InfoOf(p)
	want := ThreadInfo{Session: p.Session, Project: "billing", Branch: "fix/queue", Start: p.Start, End: p.End,
		Carried: p.Carried,
		Items:   []ItemID{"k3v9t2m8qa", "b7xw4c5d2e", "5hq2n6r3ya", "w2m7f4k6tc", "f2f2f2f2f2", "g2g2g2g2g2"},
		Files:   []string{"ProcessQueue.acquire", "src/queue.go"}, Goal: p.Items[0].Text}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func BenchmarkThreads(b *testing.B) {
	var sessions []ThreadInfo
	for i := range 10_000 {
		s := on(fmt.Sprint("s", i), i/20, []string{"main", "", "x", fmt.Sprint("f", i%300)}[i%4])
		s.Files = []string{fmt.Sprint("f", i%997), fmt.Sprint("g", i%1201)}
		s.Goal = strings.Join(sayings[i%len(sayings)], " ") + " of the " + strings.Join(sayings[i*7%len(sayings)], " ")
		sessions = append(sessions, s)
	}
	slices.Reverse(sessions)
	for b.Loop() {
		Threads(sessions, nil)
	}
}
