package tokens_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recall/payload/tokens"
)

func TestCount(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"hello", 1},
		{"hello world", 2},
		{"## Decisions made\n", 4},
		{"ProcessQueue.acquire()", 4},
	} {
		if got := tokens.Count(tt.text); got != tt.want {
			t.Errorf("Count(%q): got %d, want %d", tt.text, got, tt.want)
		}
	}
}

func TestCountTakesAnything(t *testing.T) {
	if got := tokens.Count("\xff\xfe\x00"); got == 0 {
		t.Error("broken UTF-8: got 0 tokens, want some")
	}
}

// What is guessed without the vocabulary errs on too many, and not by much.
func TestAtMost(t *testing.T) {
	for _, s := range []string{
		"- **decided 2026-09-02 in session 2**: the cache is an in-process LRU in `internal/fx/cache.go`, no Redis — because ops run Postgres and nothing else\n",
		"1. Write the migration for dead_jobs and run `go test ./internal/queue/...`\n2. Tell Jonas that TestRefundThenCharge fails until charge_seq is raised.\n",
		"<!-- recall c5egdgyy2g ixbcwrhezz tgzkum5nzc vpwg8q3bwu qhuc3urkmn 8dpxew79sp -->\n",
		"Die Sitzungen werden in der Datenbank gespeichert, weil ein Neustart alle abgemeldet hat; Verbesserungsvorschläge an die Projektleitung.",
		"Nous gardons les sessions dans la base de données parce qu'un redémarrage déconnectait tous les utilisateurs.",
		"我们决定把会话保存在数据库中，因为重启会让所有用户退出登录。", "Сессии хранятся в базе данных, потому что перезапуск разлогинивал всех.",
	} {
		got, count := tokens.AtMost(s), tokens.Count(s)
		if got < count || got > 2*count {
			t.Errorf("AtMost(%q): got %d, want %d to %d", s, got, count, 2*count)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	text := strings.Repeat("- Log at acquire() before changing the lock order — because the window must be confirmed first.\n", 40)
	tokens.Count(text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tokens.Count(text)
	}
}

// What is known of words and lines adds up to what the tokenizer says of the whole
// text, whatever they begin and end with.
func TestCountOfParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "text"), "")
		if got, want := tokens.Count(s), tokens.Whole(s); got != want {
			t.Fatalf("Count(%q): got %d, want %d", s, got, want)
		}
	})
}

var pieces = []string{"\n", "\n", "\n", "\n\n", "\r\n", " ", "  ", "\t", "/", "//", "a", "The", "ABC", "don't", "'s",
	"1", "2026-04-17", ".", "...", "- ", "## ",
	"1. ", "`x`", "—", "…", "é", "中", "\u00a0", "\u3000", "<!-- recall k3v9t2m8qa -->", "\xff", "🎉",
	"src/queue/DeadLetterQueue.ts", "_", "\x00"}
