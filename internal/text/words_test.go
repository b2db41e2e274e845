package text

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Use the min-heap", []string{"use", "the", "minheap", "min", "heap"}},
		{"ProcessQueue.acquire() at 44–47", []string{"processqueueacquire", "process", "queue", "acquire", "at", "44", "47"}},
		{"parseJSONFile", []string{"parsejsonfile", "parse", "json", "file"}},
		{"snake_case_name", []string{"snakecasename", "snake", "case", "name"}},
		{"src/queue/backoff.ts", []string{"backoffts", "src", "queue", "backoff", "ts"}},
		{`C:\work\main.go`, []string{"c", "maingo", "work", "main", "go"}},
		{"v2.1.38", []string{"v2138", "v2", "1", "38"}},
		{"wait... what--is-this?", []string{"wait", "what", "isthis", "is", "this"}},
		{"don't stop", []string{"don", "t", "stop"}},
		{"缓存数据库 and redis", []string{"缓存", "存数", "数据", "据库", "and", "redis"}},
		{"用Redis吗", []string{"用", "redis", "吗"}},
		{"데이터베이스", []string{"데이", "이터", "터베", "베이", "이스"}},
		{"Ärger über Straße", []string{"ärger", "über", "straße"}},
		{"", nil},
		{"...", nil},
	} {
		if diff := cmp.Diff(c.want, Split(c.text)); diff != "" {
			t.Errorf("Split(%q) (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestContent(t *testing.T) {
	for text, want := range map[string][]string{
		"what did we decide about the retry backoff?": {"retry", "backoff"},
		"why did we do this":                          {"why", "did", "we", "do", "this"},
		"retry, retry and retry":                      {"retry"},
	} {
		if diff := cmp.Diff(want, Content(text)); diff != "" {
			t.Errorf("Content(%q) (-want +got):\n%s", text, diff)
		}
	}
	const question = "Who does CLAUDE.md name retry_backoff or src/Helm, v1.2 or Öl? CLAUDE.mdは何処"
	want := []string{"CLAUDE.md", "retry_backoff", "Helm", "v1.2", "Öl"}
	unsaid := []string{"who", "claudemd", "claude", "md", "retrybackoff", "backoff", "helm", "v12", "2", "öl", "は何"}
	if diff := cmp.Diff(want, Written(question, unsaid)); diff != "" {
		t.Errorf("what nobody said (-want +got):\n%s", diff)
	}
}

func TestLookup(t *testing.T) {
	const lines = "a\t1\nab\t2\nb c\t3\nz\t\n"
	for key, want := range map[string]string{"a": "1", "ab": "2", "b c": "3", "z": ""} {
		if got, ok := Lookup(lines, key); !ok || got != want {
			t.Errorf("Lookup(%q) = %q, %v, want %q", key, got, ok, want)
		}
	}
	for _, key := range []string{"", "aa", "b", "zz", "\n", "\t"} {
		if got, ok := Lookup(lines, key); ok {
			t.Errorf("Lookup(%q) = %q, want nothing", key, got)
		}
	}
	if _, ok := Lookup("", "a"); ok {
		t.Error("Lookup in nothing found something")
	}
}
