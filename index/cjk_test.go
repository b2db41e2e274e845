package index

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"recall/payload"
)

// cjk are invented items in Chinese and Japanese, each with a question that
// somebody would ask weeks later.
var cjk = []struct{ text, turn, ask string }{
	{"缓存使用数据库而不是文件系统", "我们比较了两种方案，缓存还是放进数据库里",
		"缓存放在哪里？数据库吗"},
	{"重试采用指数退避，最多五次", "固定间隔会让所有工作进程同时重试",
		"失败以后怎么重试"},
	{"订单服务与用户服务分开部署", "先把订单服务拆出来，接口保持不变",
		"订单服务怎么部署"},
	{"死信队列的告警阈值由产品决定", "告警阈值先不定，等产品的意见",
		"死信队列告警谁来定"},
	{"登录令牌的有效期是三十分钟", "令牌过期太快用户会抱怨，三十分钟合适",
		"令牌多久过期"},
	{"日志不记录用户的邮箱地址", "隐私要求：邮箱地址不能出现在日志里",
		"日志里可以有邮箱吗"},
	{"导出功能改为异步生成文件", "同步导出会超时，所以改成后台任务",
		"为什么导出改成异步"},
	{"搜索不支持模糊匹配", "模糊匹配太慢，用户其实不需要", "模糊匹配支持吗"},
	{"キャッシュはデータベースではなくメモリに置く", "メモリのほうが速いので、そちらにします",
		"キャッシュはどこに置く？"},
	{"再試行は指数バックオフで最大五回", "固定の遅延だと全部のワーカーが同時に再試行してしまう",
		"再試行は何回まで"},
	{"ログイン画面の配色は青を使う", "緑は見づらいという意見があった",
		"ログイン画面の色は？"},
	{"テストは毎晩まとめて実行する", "毎回だと時間がかかりすぎる",
		"テストはいつ実行しますか"},
	{"設定ファイルは再起動なしで読み直す", "再起動すると接続が切れるから",
		"設定を変えたら再起動が必要？"},
	{"料金の計算は整数で行う", "小数だと丸め誤差が出た",
		"料金計算で小数を使わない理由"},
	{"画像は保存前に縮小する", "大きい画像で容量が足りなくなった",
		"画像を縮小するのはなぜ"},
	{"通知メールは一日一回にまとめる", "一件ごとに送ると苦情が来た",
		"通知メールの頻度は"},
}

// Chinese and Japanese are found at least as well as by SQLite's trigrams.
func TestCJKNotWorseThanTrigrams(t *testing.T) {
	d := Doc{Session: "s", Project: "p", Start: day}
	db, err := driver.Open("file:"+filepath.ToSlash(filepath.Join(t.TempDir(), "trigram.db")), fts5.Register)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`CREATE VIRTUAL TABLE f USING fts5(body, tokenize='trigram')`); err != nil {
		t.Fatal(err)
	}
	for i, c := range cjk {
		u := Turn{ID: fmt.Sprintf("t%d", i+1), N: i + 1, Role: "user", Text: c.turn}
		d.Turns = append(d.Turns, u)
		d.Items = append(d.Items, Item{Context: c.turn, Item: payload.Item{ID: payload.ItemID(fmt.Sprintf("i%d", i)),
			Kind: payload.Decision, Text: c.text, State: payload.Stands,
			Evidence: []payload.Evidence{{Turn: u.ID, N: u.N, Quote: c.turn}}}})
		if _, err := db.Exec(`INSERT INTO f(rowid, body) VALUES(?,?)`, i+1, c.text+" "+c.turn); err != nil {
			t.Fatal(err)
		}
	}
	x := openWith(t, d)
	var ours, theirs [2]int
	for i, c := range cjk {
		for rank, h := range search(t, x, Query{Text: c.ask}).Items() {
			if string(h.Item.ID) == fmt.Sprintf("i%d", i) {
				ours[0] += one(rank < 1)
				ours[1] += one(rank < 5)
			}
		}
		rank := 0
		rows, err := db.Query(`SELECT rowid FROM f WHERE f MATCH ? ORDER BY rank`, trigrams(c.ask))
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var id int
			if err := rows.Scan(&id); err != nil {
				t.Fatal(err)
			}
			if id == i+1 {
				theirs[0] += one(rank < 1)
				theirs[1] += one(rank < 5)
			}
			rank++
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		rows.Close()
	}
	t.Logf("of %d questions at 1 and 5: %v, trigrams %v", len(cjk), ours, theirs)
	for k := range ours {
		if ours[k] < theirs[k] || ours[k] < len(cjk)*3/4 {
			t.Errorf("found %v of %d at 1 and 5, trigrams %v: want no fewer, and three quarters", ours, len(cjk), theirs)
		}
	}
}

// trigrams is a text as a question to a table of trigrams.
func trigrams(s string) string {
	r := []rune(s)
	var parts []string
	for i := range len(r) - 2 {
		parts = append(parts, `"`+string(r[i:i+3])+`"`)
	}
	return strings.Join(parts, " OR ")
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
