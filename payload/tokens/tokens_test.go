package tokens_test

import (
	"strings"
	"testing"

	"recall/payload/tokens"
)

// Beside each text is what the o200k vocabulary makes of it: of a single sentence the count may be off by a third, of a
// page by 5 %.
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
		"# Rehydration payload: Retry policy of the job queue\n" +
			"Session 7f3c1a2b… · project billing · branch fix/queue · 2026-04-17 14:32–16:05\n\n" +
			"## Where it ended\n" +
			"- “Queue: at most five retries, then the dead-letter queue” — commit, turn 53\n" +
			"- “`ProcessQueue.acquire()` reads the job before it takes the lock " +
			"(`src/queue/process.go:44`), so two workers can get the same one.” — assistant, turn 75\n" +
			"- “don't touch the HTTP client, that's Maria's” — user, turn 61, " +
			"to “Should I add a retry there too?”\n": 146,
		"我们决定把会话保存在数据库中，因为重启会让所有用户退出登录。":                                                                           19,
		"Сессии хранятся в базе данных, потому что перезапуск разлогинивал всех.":                                  22,
		"qzjxkvbwpfgtyhdmnrlcsuieoaqzjxkvbwpfgtyhdmnrlcsuieoaqzjxkvbwpfgtyhdmnrlcsuieoaqzjxkvbwpfgtyhdmnrlcsuieoa": 56,
		"\xff\xfe\x00": 2,
		"":             0,
	} {
		if got := tokens.Count(s); got*20 < want*19 || got*3 > want*4 {
			t.Errorf("Count(%q): got %d, want about %d", s, got, want)
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
