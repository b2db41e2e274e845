package report

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"recall/eval"
)

// Everything that a transcript says comes out as text, wherever it stands.
func TestEscapes(t *testing.T) {
	page := rendered(t, invented(2))
	for _, bad := range []string{"<script", "<img", "policy <b>", "</style><"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q, want it escaped", bad)
		}
	}
	if n := strings.Count(page, "&lt;script&gt;alert(1)"); n < 4 {
		t.Errorf("the hostile text stands %d times in the page, want it as item, reason, quote and question", n)
	}
	if attr := regexp.MustCompile(`(?i)\s(on[a-z]+|src|srcset|action|formaction)\s*=`).FindString(withoutTexts(page)); attr != "" {
		t.Errorf("the page has the attribute %q, want none that runs or fetches", attr)
	}
	for _, href := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(href[1], "#") && href[1] != "data:," {
			t.Errorf("the page links to %q, want links within it only", href[1])
		}
	}
}

// withoutTexts leaves the tags of a page.
func withoutTexts(page string) string {
	return strings.Join(regexp.MustCompile(`<[^>]*>`).FindAllString(page, -1), "\n")
}

// Each state is shown with a sign and a word beside its colour.
func TestSideBySide(t *testing.T) {
	s := inventedPayloads(0).Systems[0].Payloads.Sessions[0]
	got := map[string]int{}
	for _, r := range sideBySide(&s) {
		got[r.State+" "+r.Kind+" "+r.FoundAs()]++
		if r.Sign() == "" {
			t.Errorf("%s has no sign", r.State)
		}
	}
	want := map[string]int{"matched decision ": 1, "missed decision ": 1, "wrong decision ": 1, "matched file ": 1,
		"other kind flag hypothesis": 1, "fair status ": 1}
	for k, n := range want {
		if got[k] != n {
			t.Errorf("%q: got %d rows, want %d (all: %v)", k, got[k], n, got)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if f1, want := viewSession(&s).F1, (eval.Count{Hits: 2, Pred: 4, Wanted: 4}).F1(); f1 != want {
		t.Errorf("F1 of the session is %v, want %v", f1, want)
	}
}

// Runs are grouped by gold set and kind; the newest is shown, the others are history.
func TestHistory(t *testing.T) {
	runs := invented(3)
	runs[0], runs[4] = runs[4], runs[0]
	page := rendered(t, runs)
	if n := strings.Count(page, `<section class="chapter"`); n != 2 {
		t.Errorf("got %d chapters, want payloads and questions", n)
	}
	if !strings.Contains(page, `<ul class="facts"><li>offline</li><li>2026-05-03</li>`) {
		t.Error("the newest run isn't the one that is shown")
	}
	for _, d := range []string{"2026-05-01 09:30", "2026-05-02 09:30", "2026-05-03 09:30"} {
		if !strings.Contains(page, d) {
			t.Errorf("the run of %s isn't in the history", d)
		}
	}
}

func TestNothingToReport(t *testing.T) {
	var b bytes.Buffer
	if err := HTML(&b, nil); err == nil {
		t.Error("no runs: got a page, want an error")
	}
	empty := inventedPayloads(0)
	empty.Systems = nil
	if err := HTML(&b, []*eval.Run{empty}); err == nil || !strings.Contains(err.Error(), "billing") {
		t.Errorf("a run without systems: got error %v, want one that names its gold set", err)
	}
	if b.Len() > 0 {
		t.Errorf("a failed page left %d bytes", b.Len())
	}
}

func invented(n int) []*eval.Run {
	var runs []*eval.Run
	for i := range n {
		runs = append(runs, inventedPayloads(i), inventedQuestions(i))
	}
	return runs
}

func rendered(t *testing.T, runs []*eval.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, runs); err != nil {
		t.Fatal(err)
	}
	if file := os.Getenv("REPORT_OUT"); file != "" {
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}
