package tokens_test

import (
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"

	"recall/payload/tokens"
)

// What is counted errs on too many, and not by much.
func TestCount(t *testing.T) {
	vocabulary := codec.NewO200kBase()
	for _, s := range []string{
		"- **decided 2026-09-02 in session 2**: the cache is an in-process LRU in `internal/fx/cache.go`, no Redis — " +
			"because ops run Postgres and nothing else\n",
		"1. Write the migration for dead_jobs and run `go test ./internal/queue/...`\n" +
			"2. Tell Jonas that TestRefundThenCharge fails until charge_seq is raised.\n",
		"<!-- recall c5egdgyy2g ixbcwrhezz tgzkum5nzc vpwg8q3bwu qhuc3urkmn 8dpxew79sp -->\n",
		"Die Sitzungen werden in der Datenbank gespeichert, weil ein Neustart alle abgemeldet hat; " +
			"Verbesserungsvorschläge an die Projektleitung.",
		"Nous gardons les sessions dans la base de données parce qu'un redémarrage déconnectait tous les utilisateurs.",
		"我们决定把会话保存在数据库中，因为重启会让所有用户退出登录。",
		"Сессии хранятся в базе данных, потому что перезапуск разлогинивал всех.",
		"qzjxkvbwpfgtyhdmnrlcsuieoaqzjxkvbwpfgtyhdmnrlcsuieoaqzjxkvbwpfgtyhdmnrlcsuieoaqzjxkvbwpfgtyhdmnrlcsuieoa",
		"\xff\xfe\x00",
		"",
	} {
		want, err := vocabulary.Count(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := tokens.Count(s); got < want || got > 2*want {
			t.Errorf("Count(%q): got %d, want %d to %d", s, got, want, 2*want)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	text := strings.Repeat("- Log at acquire() before changing the lock order — "+
		"because the window must be confirmed first.\n", 40)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tokens.Count(text)
	}
}
