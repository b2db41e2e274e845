package claudecode

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the service counted with its last answer, however long what came since is.
func TestContextOf(t *testing.T) {
	counted := func(tokens int, side bool) string {
		return fmt.Sprintf(`{"type":"assistant","isSidechain":%v,"message":{"usage":{"input_tokens":7,`+
			`"cache_read_input_tokens":%d,"output_tokens":3}}}`+"\n", side, tokens-10)
	}
	const (
		cut  = `{"type":"system","subtype":"compact_boundary"}` + "\n"
		said = `{"type":"user","message":{"content":"the \"usage\" of \"subtype\":\"compact_boundary\""}}` + "\n"
	)
	long := `{"type":"user","message":{"content":"` + strings.Repeat("usage ", 40_000) + `"}}` + "\n"
	for name, c := range map[string]struct {
		lines string
		want  int
	}{
		"the last":             {counted(90_000, false) + counted(160_000, false) + said, 160_000},
		"not a sub-agent's":    {counted(160_000, false) + counted(20_000, true), 160_000},
		"far up":               {counted(160_000, false) + long, 160_000},
		"cut since":            {counted(160_000, false) + cut + said, 0},
		"answered since":       {counted(160_000, false) + cut + counted(30_000, false), 30_000},
		"nothing":              {"", 0},
		"a line being written": {counted(160_000, false) + `{"type":"assis`, 160_000},
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(c.lines), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := ContextOf(path); got != c.want {
			t.Errorf("%s: got %d tokens, want %d", name, got, c.want)
		}
	}
	if got := ContextOf(filepath.Join(t.TempDir(), "none")); got != 0 {
		t.Errorf("got %d tokens of no file", got)
	}
}
