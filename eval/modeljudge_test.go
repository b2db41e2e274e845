package eval

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/eval/relay"
	"recall/internal/llm"
	"recall/payload"
	"recall/prompts"
)

// asked finds the pairs of a judge's prompt.
var asked = regexp.MustCompile(`(?m)^(\d+)\nA (.*)\nB (.*)$`)

// saysOf is a model that gives each pair the verdicts of f: none or several,
// where f wants that.
type saysOf struct {
	f        func(a, b string) []string
	most     int // pairs of a request that isn't cut; -1 for none, 0 for any number
	mu       sync.Mutex
	requests int
	pairs    []int // of each request
}

func (m *saysOf) Name() string { return "test/judge" }
func (m *saysOf) Window() int  { return 0 }
func (m *saysOf) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	found := asked.FindAllStringSubmatch(r.Prompt, -1)
	m.mu.Lock()
	m.requests++
	m.pairs = append(m.pairs, len(found))
	m.mu.Unlock()
	if r.Task != "judge" || r.System != prompts.Judge.Text() || r.Schema == nil || r.Max == 0 {
		return llm.Response{}, fmt.Errorf("not a judge's request: %+v", r)
	}
	if m.most != 0 && len(found) > m.most {
		return llm.Response{}, &llm.Error{Fault: llm.Cut, Model: m.Name()}
	}
	var all []string
	for _, p := range found {
		for _, v := range m.f(p[2], p[3]) {
			all = append(all, fmt.Sprintf(`{"number":%s,"why":"…","verdict":%q}`, p[1], v))
		}
	}
	return llm.Response{Text: `{"pairs":[{"number":99,"verdict":"same"},` +
		strings.Join(append(all, `{"number":0,"verdict":"same"}`), ",") + `]}`}, nil
}

// keeping is a llm.Store in memory.
type keeping struct{ all sync.Map }

func (k *keeping) Answer(key string) ([]byte, bool, error) {
	data, ok := k.all.Load(key)
	if !ok {
		return nil, false, nil
	}
	return data.([]byte), true, nil
}

func (k *keeping) KeepAnswer(key string, data []byte) error { k.all.Store(key, data); return nil }

func statements(all ...string) (claims []Claim, pairs [][2]int) {
	for i, t := range all {
		claims = append(claims, Claim{Kind: payload.Decision, Text: t})
		if i%2 == 1 {
			pairs = append(pairs, [2]int{i - 1, i})
		}
	}
	return claims, pairs
}

func TestModelJudge(t *testing.T) {
	m := &saysOf{f: func(a, b string) []string {
		switch {
		case strings.Contains(a+b, "half"):
			return []string{"part"}
		case strings.Contains(a+b, "not"):
			return []string{"contrary"}
		case strings.Contains(a+b, "other"):
			return []string{"different"}
		}
		return []string{"Same "}
	}}
	claims, pairs := statements("Use SQLite.", "SQLite is used.", "Use SQLite.", "Do not use SQLite.", "Use SQLite.",
		"Use  SQLite.",
		"Use SQLite.", "Use the other one.", "Use SQLite.", "Use half of SQLite.", "SQLite is used.", "Use SQLite.")
	claims = append(claims, Claim{Kind: payload.File, Path: "a.go", Text: "a.go: parses"},
		Claim{Kind: payload.File, Path: "b.go", Text: "b.go: parses"})
	pairs = append(pairs, [2]int{12, 13})
	j := ModelJudge{Model: m, Kept: &keeping{}}
	want := []float64{1, 0, 1, 0, 0.4, 1, 0}
	got, err := j.Alike(t.Context(), claims, pairs)
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	if d := cmp.Diff([]int{4}, m.pairs); d != "" { // not the same words, not the pair turned round, not two files
		t.Errorf("pairs asked about (-want +got):\n%s", d)
	}

	// What was said once isn't asked again; what is kept torn is.
	if got, err := j.Alike(t.Context(), claims, pairs); err != nil || !cmp.Equal(want, got) || m.requests != 1 {
		t.Errorf("got %v, %v after %d requests", got, err, m.requests)
	}
	kept := j.Kept.(*keeping)
	kept.all.Range(func(key, _ any) bool { kept.all.Store(key, []byte(`{"ju`)); return true })
	if got, err := j.Alike(t.Context(), claims, pairs); err != nil || !cmp.Equal(want, got) || m.requests != 2 {
		t.Errorf("torn: got %v, %v after %d requests", got, err, m.requests)
	}
	name := "model/test/judge/" + prompts.Version(prompts.Judge.Text()+string(prompts.Judge.Schema()))
	if j.Name() != name {
		t.Errorf("got %s, want %s", j.Name(), name)
	}
}

// Models leave pairs out, contradict themselves, invent verdicts, and have
// too little room.
func TestModelJudgeRude(t *testing.T) {
	var all []string
	for i := range 70 {
		all = append(all, fmt.Sprintf("Use thing %d.", i), fmt.Sprintf("Thing %d is used.", i))
	}
	claims, pairs := statements(all...)
	for _, tc := range []struct {
		name     string
		f        func(n int) []string // at the n-th time a pair is asked about
		most     int
		requests int
		err      string
	}{
		{"once more", func(n int) []string { return map[bool][]string{true: {"same"}}[n > 1] }, 0, 6, ""},
		{"two verdicts", func(n int) []string { return []string{"same", "different"}[:max(1, 3-n)] }, 0, 6, ""},
		{"the same twice", func(int) []string { return []string{"same", "same"} }, 0, 3, ""},
		{"invented", func(int) []string { return []string{"maybe"} }, 0, 0, "no verdict on"},
		{"in halves", func(int) []string { return []string{"same"} }, 10, 15, ""}, // 30, 15 and 15, 7 and 8 …; twice, and 10
		{"always cut", func(int) []string { return []string{"same"} }, -1, 0, "cut"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var mu sync.Mutex
			times := map[string]int{}
			m := &saysOf{most: tc.most, f: func(a, b string) []string {
				mu.Lock()
				defer mu.Unlock()
				times[a+b]++
				return tc.f(times[a+b])
			}}
			got, err := ModelJudge{Model: m}.Alike(t.Context(), claims, pairs)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("got %v, want %q", err, tc.err)
				}
				return
			}
			if err != nil || m.requests != tc.requests {
				t.Errorf("got %v after %d requests, want %d", err, m.requests, tc.requests)
			}
			for i, x := range got {
				if x != 1 {
					t.Errorf("pair %d: got %v, want 1", i, x)
				}
			}
		})
	}
}

// Of many claims only those are asked about that may be the same; what denies a
// claim is among them, for the model to tell.
func TestWorthAsking(t *testing.T) {
	claims := []Claim{{Text: "Jobs are kept in Postgres."}, {Text: "The page polls every five seconds."}}
	var pairs [][2]int
	for _, t := range []string{"Keep jobs in Postgres.", "Do not keep jobs in Postgres.", "Poll each 5 s.",
		"Colours are blue.", "Tests run on push.", "Logs go to stderr."} {
		for i := range 2 {
			pairs = append(pairs, [2]int{i, len(claims)})
		}
		claims = append(claims, Claim{Text: t})
	}
	var got []string
	for k, ok := range worthAsking(claims, pairs) {
		if ok && pairs[k][0] == 0 {
			got = append(got, claims[pairs[k][1]].Text)
		}
	}
	// Those with two partners are asked about in any case.
	if !cmp.Equal(got[:2], []string{"Keep jobs in Postgres.", "Do not keep jobs in Postgres."}) {
		t.Errorf("got %q", got)
	}
	// Half of all pairs that people call the same, and as many that aren't, each
	// among all statements of its session.
	by := sharedPairs(t)
	asks, all, kept, same := 0, 0, 0, 0
	for _, list := range by {
		sessions := map[string][]LabelledPair{}
		for _, p := range list {
			sessions[p.Session] = append(sessions[p.Session], p)
		}
		for _, list := range sessions {
			var claims []Claim
			for _, p := range list {
				claims = append(claims, p.claimA())
			}
			for _, p := range list {
				claims = append(claims, p.claimB())
			}
			var pairs [][2]int
			for i := range list {
				for j := range list {
					pairs = append(pairs, [2]int{i, len(list) + j})
				}
			}
			for k, ok := range worthAsking(claims, pairs) {
				i, j := pairs[k][0], pairs[k][1]-len(list)
				all++
				if ok {
					asks++
				}
				if i == j && list[i].Same {
					same++
					if ok {
						kept++
					}
				}
			}
		}
	}
	t.Logf("asked about %d of %d pairs, among them %d of %d true ones", asks, all, kept, same)
	if kept*100 < same*99 {
		t.Errorf("%d of %d true pairs are asked about, want 99 of 100", kept, same)
	}
}

// The judge and its agreement from end to end: requests go out as files,
// somebody answers them by what people said of the pairs.
func TestModelJudgeByRelay(t *testing.T) {
	pairs, same := inventedPairs(t)
	dir := t.TempDir()
	m, err := relay.New(dir, "people")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	answered := make(chan int)
	go func() { answered <- answerAll(ctx, t, dir, same) }()
	v := &keeping{}
	a, err := Agree(ctx, ModelJudge{Model: m, Kept: v}, pairs)
	if err != nil {
		t.Fatal(err)
	}
	if a.Agree != a.Pairs || a.Pairs != len(pairs) || a.SameFound != a.Same {
		t.Errorf("got %+v, want full agreement", a)
	}
	forms := toldApart(t, ModelJudge{Model: m, Kept: v}, pairs)
	if len(forms) < 4 {
		t.Errorf("got forms %v, want four or more", forms)
	}
	for form, n := range forms {
		if n.K != n.N {
			t.Errorf("%s: %d of %d told apart", form, n.K, n.N)
		}
	}
	stop()
	if n := <-answered; n < 3 {
		t.Errorf("%d requests for %d pairs and their forms", n, a.Pairs)
	}
	// All is known by now, so nobody need answer.
	m, err = relay.New(t.TempDir(), "people")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop = context.WithTimeout(t.Context(), time.Second)
	defer stop()
	again, err := Agree(ctx, ModelJudge{Model: m, Kept: v}, pairs)
	if d := cmp.Diff(a, again); d != "" || err != nil {
		t.Errorf("the second time %v (-first +second):\n%s", err, d)
	}
}

// inventedPairs are the bundled pairs, and which texts are the same.
func inventedPairs(t *testing.T) (pairs []LabelledPair, same map[string]bool) {
	t.Helper()
	f, err := os.Open("testdata/invented-pairs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	same = map[string]bool{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var p struct {
			LabelledPair
			Form string
		}
		if err := json.Unmarshal(sc.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		p.Same = p.Form == "same"
		pairs = append(pairs, p.LabelledPair)
		if p.Same {
			a, b := string(p.Kind)+": "+p.A, string(p.Kind)+": "+p.B
			same[a+"\n"+b], same[b+"\n"+a] = true, true
		}
	}
	return pairs, same
}

// answerAll answers every request in a folder until the context ends, and says
// how many there were.
func answerAll(ctx context.Context, t *testing.T, dir string, same map[string]bool) (n int) {
	for ; ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		requests, _ := filepath.Glob(filepath.Join(dir, "*.request.json"))
		for _, name := range requests {
			out := strings.TrimSuffix(name, ".request.json") + ".answer.json"
			if _, err := os.Stat(out); err == nil {
				continue
			}
			var q struct{ Prompt string }
			b, err := os.ReadFile(name)
			if err := errors.Join(err, json.Unmarshal(b, &q)); err != nil {
				t.Error(err)
				return n
			}
			var all []string
			for _, p := range asked.FindAllStringSubmatch(q.Prompt, -1) {
				verdict := "contrary"
				if same[p[2]+"\n"+p[3]] {
					verdict = "same"
				}
				all = append(all, fmt.Sprintf(`{"number":%s,"why":"so they said","verdict":%q}`, p[1], verdict))
			}
			text := []byte(`{"pairs":[` + strings.Join(all, ",") + `]}`)
			if err := errors.Join(os.WriteFile(out+".tmp", text, 0o600), os.Rename(out+".tmp", out)); err != nil {
				t.Error(err)
				return n
			}
			n++
		}
	}
	return n
}
