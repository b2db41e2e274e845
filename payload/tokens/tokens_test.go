package tokens_test

import (
	"strings"
	"testing"

	"recall/payload/tokens"
)

// What is counted errs on too many, and not by much: beside each text is what the o200k vocabulary makes of it.
func TestCount(t *testing.T) {
	for s, want := range map[string]int{
		"- **decided 2026-09-02 in session 2**: the cache is an in-process LRU in `internal/fx/cache.go`, no Redis — " +
			"because ops run Postgres and nothing else\n": 45,
		"1. Write the migration for dead_jobs and run `go test ./internal/queue/...`\n" +
			"2. Tell Jonas that TestRefundThenCharge fails until charge_seq is raised.\n": 35,
		"<!-- recall c5egdgyy2g ixbcwrhezz tgzkum5nzc vpwg8q3bwu qhuc3urkmn 8dpxew79sp -->\n": 42,
		"Die Sitzungen werden in der Datenbank gespeichert, weil ein Neustart alle abgemeldet hat; " +
			"Verbesserungsvorschläge an die Projektleitung.": 29,
		"Nous gardons les sessions dans la base de données parce qu'un redémarrage déconnectait tous les utilisateurs.": 23,
		"我们决定把会话保存在数据库中，因为重启会让所有用户退出登录。":                                                                                19,
		"Сессии хранятся в базе данных, потому что перезапуск разлогинивал всех.":                                       22,
		"qzjxkvbwpfgtyhdmnrlcsuieoaqzjxkvbwpfgtyhdmnrlcsuieoaqzjxkvbwpfgtyhdmnrlcsuieoaqzjxkvbwpfgtyhdmnrlcsuieoa":      56,
		"\xff\xfe\x00": 2,
		"":             0,
	} {
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
