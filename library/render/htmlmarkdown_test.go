package render

import (
	"strings"
	"testing"
	"time"

	"recall/ingest"
)

func TestMessage(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"bold, code", "use **SQLite**, not `redis`", "<p>use <strong>SQLite</strong>, not <code>redis</code></p>"},
		{"lines as typed", "one\ntwo", "<p>one<br />\ntwo</p>"},
		{"a list", "- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"},
		{"a table", "| a | b |\n|---|--:|\n| 1 | 2 |", "<table>"},
		{"a heading", "# Plan", "<p><b>Plan</b></p>"},
		{"a block of code", "```go\nx := \"<\"\n```",
			"<pre><code class=\"language-go\">x := &quot;&lt;&quot;\n</code></pre>"},
		{"a link", "[docs](https://example.com/a?b=1&c=2)",
			`<p>docs <span class="dim">(https://example.com/a?b=1&amp;c=2)</span></p>`},
		{"a link that runs", "[x](javascript:alert(1))", `<p>x <span class="dim">(javascript:alert(1))</span></p>`},
		{"a picture from elsewhere", `![p](http://evil.example/p.png "x")`,
			`<p>p <span class="dim">(http://evil.example/p.png x)</span></p>`},
		{"HTML", "<script>alert(1)</script>\n\n<img src=x onerror=y> <!-- hidden -->",
			"<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n<p>&lt;img src=x onerror=y&gt; &lt;!-- hidden --&gt;</p>"},
		{"a definition", "[a]: http://example.com \"t\"", "<p>[a]: http://example.com &quot;t&quot;</p>"},
		{"an address in brackets", "<http://example.com>", "<p>&lt;http://example.com&gt;</p>"},
	} {
		got := strings.TrimSpace(string(Message(c.in)))
		if !strings.HasPrefix(got, c.want) || c.name != "a table" && got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Nesting without end costs neither the stack nor minutes, and the page stays whole.
func TestMessageOfAnything(t *testing.T) {
	t.Parallel()
	const size = 10_000
	for _, part := range []string{">", "- ", "[", "![", "*", "**a", "`", "_a_", "|", "| a ", "\\", "<", "&#x202e;", "&#0;",
		"~~", "1. ", "\t", "[a](", "\u202e\u200b\x00", "a\r", "“"} {
		text := strings.Repeat(part, size/len(part)) + "\n|---|---|\n" + strings.Repeat(part+"\n", 500)
		s := &ingest.Session{ID: "x", Turns: []ingest.Turn{{ID: "t", N: 1, Role: ingest.User, Kind: ingest.Prompt,
			Text: text}}}
		begun := time.Now()
		page := turnsOf(t, s)
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("%q: after %v", part, took)
		}
		if err := wellFormed(page); err != nil {
			t.Errorf("%q: %v", part, err)
		}
	}
}
