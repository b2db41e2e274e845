package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recall/index"
	_ "recall/library/ramdisk"
	"recall/payload"
)

// labelled is one line of testdata/actions.txt.
type labelled struct {
	file    string
	line    int
	project string
	want    string // id of the item it goes against, "" for none
	how     string
	action  Action
}

type score struct{ right, wrong, missed int }

// firstAgainst is the id of the item that an action goes against most, "" if it goes against none.
func firstAgainst(t *testing.T, x *index.Index, a labelled) string {
	t.Helper()
	got, err := Against(t.Context(), x, a.action)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) == 0 {
		return ""
	}
	return string(got[0].Item.ID)
}

// count counts what was said of an action, the id of an item or "", and shows what wasn't right.
func (s *score) count(t *testing.T, a labelled, first string, show bool) {
	t.Helper()
	right := first == a.want || first != "" && slices.Contains(strings.Split(a.want, ","), first)
	switch {
	case first == "" && a.want != "":
		s.missed++
	case right && first != "":
		s.right++
	case first != "":
		s.wrong++
		if a.want != "" {
			s.missed++
		}
	}
	if !right && show {
		t.Logf("%s:%d: got %q, want %q: %s | %s%s", a.file, a.line, first, a.want, a.how, a.action.Text, a.action.Command)
	}
}

func (s *score) precision() float64 { return float64(s.right) / float64(max(1, s.right+s.wrong)) }
func (s *score) recall() float64    { return float64(s.right) / float64(max(1, s.right+s.missed)) }

func (s *score) String() string {
	lo, hi := wilson(s.right, s.right+s.wrong)
	return fmt.Sprintf("%d right, %d wrong, %d missed; precision %.3f (95 %% interval %.3f–%.3f), recall %.3f", s.right,
		s.wrong, s.missed, s.precision(), lo, hi, s.recall())
}

// wilson is the interval of a share.
func wilson(k, n int) (lo, hi float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.96
	p, m := float64(k)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m)) / (1 + z*z/m)
	return mid - half, mid + half
}

type placed struct {
	project, title string // title is the session's
	item           payload.Item
}

// readActions reads a file of testdata.
func readActions(t *testing.T, file string) (items []placed, actions []labelled) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	project := ""
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		mark, rest, _ := strings.Cut(line, " ")
		switch mark {
		case "P":
			project = rest
		case "J":
			items = append(items, itemsIn(t, rest)...)
		case "I":
			items = append(items, placed{project, "Made up", itemOf(t, rest)})
		case "+", "-":
			want := ""
			if mark == "+" {
				want, rest, _ = strings.Cut(rest, " ")
				ids := strings.Split(want, ",")
				for i, id := range ids {
					ids[i] = (id + "xxxxxxxxxx")[:10]
				}
				want = strings.Join(ids, ",")
			}
			how, what, ok := strings.Cut(rest, " | ")
			if !ok {
				t.Fatalf("line %d: %s", i+1, line)
			}
			a := Action{Project: project}
			switch how {
			case "prompt":
				a.Text = what
			case "bash":
				a.Command = what
			default:
				old, new, ok := strings.Cut(strings.ReplaceAll(what+" ", "⏎", "\n"), " => ")
				if !ok {
					t.Fatalf("line %d: %s", i+1, line)
				}
				a.Paths, a.Old, a.New = []string{how}, old, strings.TrimSuffix(new, " ")
			}
			actions = append(actions, labelled{file, i + 1, project, want, how, a})
		}
	}
	return items, actions
}

// itemsIn reads items as they were made, a line each.
func itemsIn(t *testing.T, file string) (out []placed) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var one struct {
			Project string       `json:"project"`
			Title   string       `json:"title"`
			Item    payload.Item `json:"item"`
		}
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, placed{one.Project, one.Title, one.Item})
	}
	return out
}

func itemOf(t *testing.T, line string) payload.Item {
	parts := strings.Split(line, "|")
	for len(parts) < 5 {
		parts = append(parts, "")
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	head := strings.Fields(parts[0])
	it := payload.Item{ID: payload.ItemID((head[0] + "xxxxxxxxxx")[:10]), Kind: payload.Kind(head[1]), Text: parts[1],
		Why: parts[2],
		By:  payload.ByUser, Maker: payload.ByRule, State: payload.Stands, At: time.Date(2026, 4, 17, 14, 50, 0, 0, time.UTC),
		Evidence: []payload.Evidence{{Turn: "u1", N: 3, Quote: parts[1]}}}
	split := func(s, sep string) (out []string) {
		for _, p := range strings.Split(s, sep) {
			if p = strings.TrimSpace(p); p != "" {
				out = append(out, p)
			}
		}
		return out
	}
	it.Alternatives, it.About = split(parts[3], ";"), split(parts[4], ",")
	if it.Kind == payload.File {
		it.Text = parts[1]
	}
	for _, f := range head[2:] {
		name, value, _ := strings.Cut(f, "=")
		switch name {
		case "pinned":
			it.Pinned = true
		case "retired":
			it.State = payload.Superseded
		case "path":
			it.Path = value
		case "status":
			it.Status = strings.ReplaceAll(value, "_", " ")
		default:
			t.Fatalf("flag %q", f)
		}
	}
	return it
}

// fill puts items into a real index, six to a session.
func fill(t testing.TB, items []placed) *index.Index {
	t.Helper()
	x, err := index.Open(filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	var docs []index.Doc
	for i, p := range items {
		if n := len(docs); n == 0 || docs[n-1].Project != p.project || docs[n-1].Title != p.title || i%6 == 0 {
			docs = append(docs, index.Doc{Session: fmt.Sprintf("s%d", i), Project: p.project, Title: p.title,
				Source: "claude-code", Start: p.item.At, End: p.item.At})
		}
		d := &docs[len(docs)-1]
		d.Items = append(d.Items, index.Item{Item: p.item, Context: p.item.Text})
		d.Turns = append(d.Turns, index.Turn{ID: fmt.Sprintf("u%d", i), N: i + 1, Role: "user", At: p.item.At,
			Text: p.item.Text})
	}
	if err := x.PutAll(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	return x
}

// files are those of testdata, by who wrote them: the first by people who knew the code, strangers' by three who had
// not seen it. Half of their lines are near misses on purpose.
var (
	files = []string{"actions.txt", "fresh.txt", "unseen.txt", "later.txt", "edits.txt", "round.txt", "demo.txt",
		"last.txt", "others.txt", "elsewhere.txt", "strangers.txt"}
	strangers = files[8:]
)

// Of actions that name what was ruled out, half of them near misses on purpose, most that are told of it go against it.
func TestLabelled(t *testing.T) {
	scores := map[string]*score{"strangers": {}, "all": {}}
	for _, file := range files {
		items, actions := readActions(t, file)
		if file == "last.txt" {
			more, _ := readActions(t, "demo.txt")
			items = append(items, more...)
		}
		x := fill(t, items)
		for _, a := range actions {
			kind := a.how
			if kind != "prompt" && kind != "bash" {
				kind = "edit"
			}
			names := []string{"all", kind}
			if slices.Contains(strangers, file) {
				names = append(names, "strangers", "strangers "+kind)
			}
			first := firstAgainst(t, x, a)
			for _, name := range names {
				if scores[name] == nil {
					scores[name] = &score{}
				}
				scores[name].count(t, a, first, name == "all")
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(scores)) {
		t.Logf("%s: %v", name, scores[name])
	}
	if s := scores["strangers"]; s.precision() < 0.72 || s.recall() < 0.38 {
		t.Errorf("strangers: %v", s)
	}
}

// What was decided in a session that a person archived still holds.
func TestArchivedSessionsCount(t *testing.T) {
	x := fill(t, []placed{{project: "app", title: "Queue", item: itemOf(t,
		"d1 decision | SQLite for the timetable index, not Postgres | | Postgres | SQLite, timetable index")}})
	a := Action{Project: "app", Text: "Let's move the timetable index to Postgres."}
	before, err := Against(t.Context(), x, a)
	if err != nil || len(before) != 1 {
		t.Fatalf("got %v, %v, want a warning", before, err)
	}
	if err := x.SetArchived(t.Context(), "s0", true); err != nil {
		t.Fatal(err)
	}
	if after, err := Against(t.Context(), x, a); err != nil || len(after) != 1 {
		t.Errorf("archived: got %v, %v, want the warning", after, err)
	}
}

// A project's own name among what lost forbids nothing there: all that is done in it is about it.
func TestNameOfTheProjectForbidsNothing(t *testing.T) {
	x := fill(t, []placed{{project: "kiosk", title: "Issues", item: itemOf(t,
		"d1 decision | Issues of the tracker get no label | | kiosk; Jira | issues, tracker")}})
	for what, want := range map[string]int{"Mend the kiosk issues of the tracker.": 0, "Move the issues to Jira.": 1} {
		got, err := Against(t.Context(), x, Action{Project: "kiosk", Text: what})
		if err != nil || len(got) != want {
			t.Errorf("%s: got %v, %v, want %d", what, got, err, want)
		}
	}
}

// What people forbid or give up is known in the usual ways of saying so, and isn't where that only sounds alike.
func TestForbids(t *testing.T) {
	said, err := os.ReadFile(filepath.Join("testdata", "said.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(said)) {
		part := strings.Split(strings.TrimSpace(line), " | ")
		if len(part) < 3 {
			continue // a comment
		}
		a := Action{Text: part[2]}
		switch how, path, _ := strings.Cut(part[1], " "); how {
		case "command":
			a = Action{Command: part[2]}
		case "edit":
			a = Action{Paths: []string{path + "src/view.go"}, New: part[2]}
		}
		order, _ := Read(a).Forbids(part[0][2:], "")
		if told := order != "" && MayForbid(part[0][2:]); told != (line[0] == '+') {
			t.Errorf("told %v: %s", told, line)
		}
	}
}
