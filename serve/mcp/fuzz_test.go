package mcp

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// hostile are values that an argument shouldn't have, as JSON.
var hostile = []string{`"\u0000"`, `"recall://payload/\u0000"`, `"recall://payload/\u001b[2J"`,
	`"recall://payload/%00"`, `"recall://payload/%zz"`, `"recall://\u009b"`, `"\ud800"`,
	`"\u202e\u200b"`, `"a\nb"`, `"../../etc/passwd"`, `"file:///etc/passwd"`, `""`, `" "`, `"\\x"`, `"%s%n%v"`, `null`,
	`true`, `0`, `-1`, `1e400`, `-9223372036854775809`, `0.5`, `[]`, `{}`, `[null]`, `[[]]`,
	`{"":null}`, `{"question":"x"}`, `["\u0000"]`, strconv.Quote(strings.Repeat("x", 20_000)), strings.Repeat("[", 200) +
		strings.Repeat("]", 200)}

// malformed is a message that is one in form, with something wrong in it.
func malformed(r *rand.Rand, id int) string {
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	value := func() string { return pick(hostile) }
	method := pick([]string{"resources/read", "resources/read", "tools/call", "tools/call", "prompts/get",
		"resources/list", "tools/list", "prompts/list", "resources/templates/list", "resources/subscribe",
		"resources/unsubscribe",
		"completion/complete", "logging/setLevel", "initialize", "ping", "notifications/initialized",
		"notifications/cancelled", "notifications/progress", "notifications/roots/list_changed", "roots/list",
		"sampling/createMessage", "", "\\u0000"})
	params := value()
	switch r.IntN(5) {
	case 0:
		params = fmt.Sprintf(`{"uri":%s}`, value())
	case 1, 2:
		name := `"` + pick(append(Tools(), "recall_none", `\u0000`)) + `"`
		args := pick([]string{"question", "also", "ids", "kinds", "limit", "since", "session", "find",
			"parts", "variant", "kind", "text", "quote", "plan", "command", "path", "new_text", "project"})
		params = fmt.Sprintf(`{"name":%s,"arguments":{"%s":%s,"%s":%s}}`, name, args, value(),
			pick([]string{"question", "text", "plan", "session"}), value())
	case 3:
		params = fmt.Sprintf(`{"name":%s,"arguments":%s,"_meta":%s,"cursor":%s,"requestId":%s,"level":%s,"ref":%s}`, value(),
			value(), value(), value(), value(), value(), value())
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}`, id, method, params)
}

// No request ends the server, and whatever it says is a message. RECALL_FUZZ_MCP
// sends so many instead of 400, from a seed of its own.
func TestNoRequestEndsTheServer(t *testing.T) {
	n, seed := 400, uint64(1)
	if s := os.Getenv("RECALL_FUZZ_MCP"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	r := newWorld(t).demo().raw()
	r.send(fmt.Sprintf(hello, "2025-11-25"))
	if got := r.answer(); got != "0 ok" {
		t.Fatalf("initialize: got %s", got)
	}
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	for i := 1; i <= n; i++ {
		message := malformed(random, i)
		if random.IntN(8) == 0 { // torn, or a byte of it another
			b := []byte(message)
			if at := random.IntN(len(b)); random.IntN(2) == 0 {
				b = b[:at]
			} else {
				b[at] = byte(random.IntN(256))
			}
			message = strings.ReplaceAll(string(b), "\n", " ")
		}
		r.send(message + "\n")
		ping := fmt.Sprintf("%d ok", 1_000_000+i)
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", 1_000_000+i))
		for got := ""; got != ping; { // it may come before the other answer
			got = r.answer()
			if t.Failed() {
				t.Fatalf("after %.300s", message)
			}
		}
	}
	for _, uri := range []string{`recall://payload/\u0000`, `recall://payload/\u001b`, `recall://payload/\u007f`,
		`recall://payload/a\nb`, `\u0000`} {
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"%s"}}`+"\n", uri))
		for {
			got := r.answer()
			if strings.HasPrefix(got, "7 ") {
				if got != "7 -32602" {
					t.Errorf("%s: got %s, want that there is no such resource", uri, got)
				}
				break
			}
		}
	}
}

// Tools lists the names of the tools, sorted.
func Tools() []string {
	all := slices.Sorted(maps.Keys(pages()))
	return slices.DeleteFunc(all, func(name string) bool { return name == "instructions" })
}
