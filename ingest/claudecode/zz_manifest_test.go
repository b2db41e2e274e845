package claudecode

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/ingest"
)

func TestManifestDump(t *testing.T) {
	root := os.Getenv("DUMP")
	if root == "" {
		t.Skip("DUMP unset")
	}
	b, _ := os.ReadFile(filepath.Join(root, "MANIFEST.tsv"))
	rows := strings.Split(strings.TrimSpace(string(b)), "\n")
	head := strings.Split(rows[0], "\t")
	for _, row := range rows[1:] {
		m := map[string]string{}
		for i, c := range strings.Split(row, "\t") {
			m[head[i]] = c
		}
		path := filepath.Join(root, m["file"])
		f, _ := Reader{}.Find(context.Background(), path, nil)
		if len(f) != 1 {
			fmt.Println(m["file"], "FOUND", len(f))
			continue
		}
		s, err := Reader{}.Parse(context.Background(), f[0])
		if err != nil {
			fmt.Println(err)
		}
		prompts, msgs, rej, ab := 0, 0, 0, 0
		for _, tu := range s.Turns {
			switch tu.Kind {
			case ingest.Prompt, ingest.PlanTurn:
				prompts++
			case ingest.Message:
				msgs++
			}
			if tu.Abandoned && tu.Kind == ingest.Prompt {
				ab++
			}
			for _, c := range tu.Calls {
				if c.Verdict == ingest.Rejected || c.Verdict == ingest.Clarify {
					rej++
				}
			}
		}
		got := fmt.Sprintf("u=%d a=%d c=%d r=%d rw=%d bad=%d", prompts, msgs, len(s.Compactions), rej, ab, s.Report.SkippedTotal)
		want := fmt.Sprintf("u=%s a=%s c=%s r=%s rw=%s bad=%s", m["user_turns"], m["assistant_turns"], m["compactions"], m["user_rejections"], m["rewind_branches"], m["malformed_lines"])
		if got != want {
			fmt.Println(m["file"], "\n   got ", got, "\n   want", want, m["note"], m["notes"])
		}
	}
}
