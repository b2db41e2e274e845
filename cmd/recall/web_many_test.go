package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Review goes through all sessions, 40 at a time; Sessions shows those that their client deletes within the week, and
// which are kept in what way; Usage and health says what went wrong in hooks.
func TestWebOfManySessions(t *testing.T) {
	t.Parallel()
	home, recall := asProgram(t)
	for i := range 45 {
		tell(t, home, i+1, fmt.Sprintf("we decided that way %d is taken for part %d, as the others are too slow", i, i),
			"Noted: decided.")
	}
	soon := filepath.Join(home, ".claude", "projects", "-home-ann-app", "00000007-0000-4000-8000-000000000001.jsonl")
	for i := range 45 {
		at := time.Now().AddDate(0, 0, -3)
		path := strings.Replace(soon, "00000007", fmt.Sprintf("%08d", i+1), 1)
		if path == soon {
			at = time.Now().AddDate(0, 0, -26)
		}
		must(t, os.Chtimes(path, at, at))
	}
	recall(nil, "sync")
	cache := "cache"
	if runtime.GOOS == "darwin" {
		cache = filepath.Join("Library", "Caches")
	}
	log := filepath.Join(home, cache, "recall", "hooks", "hooks.log")
	must(t, os.MkdirAll(filepath.Dir(log), 0o700))
	must(t, os.WriteFile(log, []byte("2026-04-01T09:00:00Z session-start x 3ms the disk <is> full\n"), 0o600))
	get := enter(t, startWeb(t, home, filepath.Join(home, "Recall")))
	pages := 0
	for page := "/review"; page != ""; pages++ {
		text := get(page, nil)
		page = ""
		if m := regexp.MustCompile(`<a href="([^"]*from=[^"]*)">older</a>`).FindStringSubmatch(text); m != nil {
			page = strings.ReplaceAll(m[1], "&amp;", "&")
		}
		if want := []string{"sessions 1–40 of 45", "sessions 41–45 of 45"}[min(pages, 1)]; !strings.Contains(text, want) {
			t.Errorf("page %d doesn't say %q", pages, want)
		}
	}
	if pages != 2 {
		t.Errorf("%d pages to review, want 2", pages)
	}
	leaving := get("/sessions?leaving", nil)
	if !strings.Contains(leaving, "1 transcript in") || !strings.Contains(leaving, "1 session, newest first") ||
		!strings.Contains(leaving, "its client deletes it soon") || !strings.Contains(leaving, "way 6 is taken") {
		t.Errorf("of the session that is deleted soon:\n%.3000s", leaving)
	}
	if all := get("/sessions?state=safe", nil); !strings.Contains(all, "45 sessions, newest first") {
		t.Errorf("not all are safe:\n%.2000s", all)
	}
	if health := get("/health", nil); !strings.Contains(health, "the disk &lt;is&gt; full") ||
		!strings.Contains(health, "asking a model: never") {
		t.Errorf("nothing of the hook, or of what was never done:\n%.6000s", health)
	}
}

// The timeline tells of 40 sessions at a time, and leads to those before.
func TestWebTimeLinePages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	home, recall := asProgram(t)
	const sessions = 45
	for i := range sessions {
		tell(t, home, i+1, fmt.Sprintf("we decided that way %d is taken for part %d, as the others are too slow", i, i),
			"Noted: decided.")
	}
	recall(nil, "sync")
	get := enter(t, startWeb(t, home, filepath.Join(home, "Recall")))
	first, second := get("/time?kind=lead", nil), get("/time?kind=lead&from=40", nil)
	older := strings.Contains(first, `href="/time?from=40&amp;kind=lead">older`)
	if n, m := strings.Count(first, "<li id="), strings.Count(second, "<li id="); n < 40 || m != sessions-40 || !older {
		t.Errorf("%d items, then %d; it leads on: %v\n%.3000s", n, m, older, first)
	}
}
