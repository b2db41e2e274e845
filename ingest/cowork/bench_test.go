package cowork

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recall/ingest"
)

// What a sync with nothing new costs: metadata only.
func BenchmarkFindKnown(b *testing.B) {
	const sessions = 1000
	root := filepath.Join(b.TempDir(), sessionsFolder)
	d := disk{b, filepath.Join(root, "org", "ws")}
	for i := range sessions {
		id := fmt.Sprintf("local_%08d", i)
		d.put(id+".json", `{"processName":"p","createdAt":1785747590000}`)
		d.put(id+"/audit.jsonl", "")
		d.put(id+"/.claude/projects/-sessions-p/c1.jsonl", "")
		d.put(id+"/outputs/a.md", "")
	}
	seen := func(path string, size int64, mod time.Time) (ingest.SessionID, bool) { return "x", true }
	for b.Loop() {
		if found, _ := (Reader{}).Find(context.Background(), root, seen); len(found) != sessions {
			b.Fatalf("%d sessions, want %d", len(found), sessions)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/sessions, "µs/session")
}

func BenchmarkParse(b *testing.B) {
	d := newDisk(b)
	var lines, heard []string
	for i := 0; i < 3000; i += 3 {
		u, a, r := fmt.Sprint("u", i), fmt.Sprint("a", i), fmt.Sprint("r", i)
		lines = append(lines, lineUser(i, u, "", "Prompt "+u), lineCall(i+1, a, u, "m"+a, "t"+a, "Bash",
			`{"command":"ls `+a+`"}`),
			lineResult(i+2, r, a, "t"+a, strings.Repeat("output of a tool, a line of it\n", 100)))
		heard = append(heard, heardUser(i, u, "Prompt "+u), heardCall(i+1, a, "m"+a, "t"+a, "Bash", `{"command":"ls `+a+`"}`),
			heardAt(i+2, fmt.Sprintf(`"type":"user","uuid":%q,"message":{"role":"user","content":[{"type":"tool_result",`+
				`"tool_use_id":"t%s","content":%q}]}`, r, a, strings.Repeat("output of a tool, a line of it\n", 100))))
	}
	d.record("")
	d.transcript("c1", lines...)
	d.audit(heard...)
	found, _ := Reader{}.Find(context.Background(), d.account, nil)
	size := int64(0)
	for _, f := range found[0].Files {
		size += f.Size
	}
	b.SetBytes(size)
	for b.Loop() {
		s, err := Reader{}.Parse(context.Background(), found[0])
		if err != nil || len(s.Turns) != 2000 {
			b.Fatalf("%d turns, %v; want 2000", len(s.Turns), err)
		}
	}
}
