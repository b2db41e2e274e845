package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
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
	item := regexp.MustCompile(`name="item" value="([^"]+)"`)
	seen := map[string]bool{}
	for page, pages := "/review", 0; page != ""; pages++ {
		text := get(page, nil)
		for _, m := range item.FindAllStringSubmatch(text, -1) {
			seen[m[1]] = true
		}
		page = ""
		if m := regexp.MustCompile(`<a href="([^"]*from=[^"]*)">older</a>`).FindStringSubmatch(text); m != nil {
			page = strings.ReplaceAll(m[1], "&amp;", "&")
		}
		if want := []string{"sessions 1–40 of 45", "sessions 41–45 of 45"}[min(pages, 1)]; !strings.Contains(text, want) {
			t.Errorf("page %d doesn't say %q", pages, want)
		}
	}
	if len(seen) < 45 {
		t.Errorf("%d items were to be reviewed, want those of 45 sessions", len(seen))
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
		!strings.Contains(health, "improve: never") {
		t.Errorf("nothing of the hook, or of what was never done:\n%.6000s", health)
	}
}

// Of more sessions than a picture can tell of one by one every item is counted, and a number leads to what it counts.
func TestWebTimeLineCounts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	home, recall := asProgram(t)
	const sessions = 260
	for i := range sessions {
		tell(t, home, i+1, fmt.Sprintf("we decided that way %d is taken for part %d, as the others are too slow", i, i),
			"Noted: decided.")
	}
	recall(nil, "sync")
	get := enter(t, startWeb(t, home, filepath.Join(home, "Recall")))
	dot := regexp.MustCompile(`<a href="([^"]*)" class="dot several"><title>([^<]*), (\d+) items?, `)
	for page, lane := range map[string]string{"/time?kind=lead": "app", "/time?kind=lead&project=app": "lead"} {
		text, all, most, next := get(page, nil), 0, 0, ""
		for _, m := range dot.FindAllStringSubmatch(text, -1) {
			n, err := strconv.Atoi(m[3])
			must(t, err)
			if m[2] != lane {
				t.Errorf("%s: a lane is called %q, want %q", page, m[2], lane)
			}
			if all += n; n > most {
				most, next = n, strings.ReplaceAll(m[1], "&amp;", "&")
			}
		}
		if all != sessions || strings.Count(text, "<tr id=") != 100 || !strings.Contains(text, "160 older left out") {
			t.Fatalf("%s: %d items are counted, want %d, and the newest listed:\n%.5000s", page, all, sessions, text)
		}
		of := get(next, nil)
		if strings.Contains(of, "Too many to draw") || strings.Count(of, "<tr id=") < min(most, 100) {
			t.Errorf("%s leads to %s, which hasn't its %d items:\n%.3000s", page, next, most, of)
		}
	}
}
