package main

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// What a day, week or month cost leads to its sessions, and what those cost then.
func TestWebCost(t *testing.T) {
	t.Parallel()
	home, recall := asProgram(t)
	year, month, today := time.Now().Date()
	at := time.Date(year, month, today, 0, 0, 1, 0, time.Local)
	var records strings.Builder
	for i := range 3 { // two of them the day before
		fmt.Fprintf(&records, `{"type":"assistant","uuid":"a%d","parentUuid":null,"sessionId":%q,"timestamp":%q,`+
			`"cwd":"/home/ann/app","version":"2.1.200","message":{"id":"m%[1]d","type":"message","role":"assistant",`+
			`"model":"claude-opus-4-8","content":[{"type":"text","text":"Done."}],`+
			`"usage":{"input_tokens":1000000,"output_tokens":0}}}`+"\n", i, "00000006-0000-4000-8000-000000000001",
			at.Add(time.Duration(i-2)*2*time.Second).UTC().Format(time.RFC3339))
	}
	path := filepath.Join(home, ".claude", "projects", "-home-ann-app", "00000006-0000-4000-8000-000000000001.jsonl")
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(records.String()), 0o600))
	recall(nil, "sync")
	get := enter(t, startWeb(t, home, filepath.Join(home, "Recall")))
	rows := regexp.MustCompile(`<tr><th scope="row"><a href="([^"]+)">[^<]*</a></th><td class="n">\$([\d.]+)</td>`)
	for by, want := range map[string]string{"day": "5.00 10.00", "week": "", "month": ""} {
		var costs []string
		for _, row := range rows.FindAllStringSubmatch(get("/health?by="+by, nil), -1) {
			costs = append(costs, row[2])
			sessions := get(html.UnescapeString(row[1]), nil)
			if !strings.Contains(sessions, "1 session, newest first · <b>$"+row[2]+"</b> at list prices") {
				t.Errorf("by %s: %s cost $%s, and its sessions are\n%.3000s", by, row[1], row[2], sessions)
			}
		}
		if got := strings.Join(costs, " "); len(costs) == 0 || want != "" && got != want {
			t.Errorf("by %s it cost %q, want %q", by, got, want)
		}
	}
	if week := get("/week", nil); !regexp.MustCompile(`1 session</a>, \$(5|15)\.00 at list prices`).MatchString(week) {
		t.Errorf("the week's letter says\n%.3000s", week)
	}
}
