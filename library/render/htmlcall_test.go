package render

import (
	"strings"
	"testing"

	"recall/ingest"
)

// Folded, calls say what they did; opened, what they changed and what came out; what failed is open.
func TestCallsInHTML(t *testing.T) {
	s := &ingest.Session{ID: "s", Turns: []ingest.Turn{{ID: "a", N: 1, Role: ingest.Assistant, Kind: ingest.Message,
		Calls: []ingest.ToolCall{
			{Name: "Read", Path: "/w/a.go", Done: true, Result: "1"}, {Name: "Read", Path: "/w/b.go", Done: true, Result: "2"},
			{Name: "Edit", Path: `C:\w\route.go`, Done: true, Result: "updated",
				Edits: []ingest.Edit{{Old: "func f() {\n\treturn 1 < 2\n}", New: "func f() {\n\tlog()\n\treturn 1 > 2\n}\n"}}},
			{Name: "Write", Path: "/w/new.go", Done: true, Result: "ok", Input: map[string]string{"content": "package w\n"}},
			{Name: "Bash", Command: "go test ./...", Done: true, Failed: true, Result: "--- FAIL: TestF\nFAIL", ResultLen: 9000},
		}}}}
	page := turnsOf(t, s)
	for _, want := range []string{
		"<summary>Read ×2 · Edit route.go &#43;2 −1 · Write new.go &#43;1 −0 · Bash go test ./... ✗</summary>",
		"<span>  func f() {</span><del>− \treturn 1 &lt; 2</del><ins>+ \tlog()</ins>" +
			"<ins>+ \treturn 1 &gt; 2</ins><span>  }</span>",
		`<details class="call" open=""><summary><b>Bash</b>`, "--- FAIL: TestF\nFAIL\n\n(9000 bytes in all)",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if n := strings.Count(page, `class="call"`); n != 3 {
		t.Errorf("%d calls have more to show, want 3", n)
	}
	if err := wellFormed(page); err != nil {
		t.Error(err)
	}
}
