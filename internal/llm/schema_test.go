package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"recall/internal/llm"
)

func TestFindJSON(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"as asked", `{"a":1}`, `{"a":1}`},
		{"a list", " [1,2]\n", `[1,2]`},
		{"byte order mark", "\ufeff{}", `{}`},
		{"fence", "```json\n{\"a\":1}\n```", `{"a":1}`},
		{"words around", `Here you are: {"a":{"b":"}"}} Anything else?`, `{"a":{"b":"}"}}`},
		{"a bracket before", `See [1]. {"items":["x"]}`, `{"items":["x"]}`},
		{"many brackets before", strings.Repeat("See [1]. ", 60) + `{"items":[1,2,3]}`, `{"items":[1,2,3]}`},
		{"braces before", `{not json} and {"a":[]}`, `{"a":[]}`},
		{"raw line break", "{\"a\":\"x\ny\t\"}", `{"a":"x\ny\t"}`},
		{"commas before ends", `{"a":[1,2,],}`, `{"a":[1,2]}`},
		{"quotes in quotes", `say {"a":"\"b\\"}`, `{"a":"\"b\\"}`},
		{"brackets that never close", strings.Repeat("[", 100_000), ""},
		{"cut after a whole part", "Here: {\"items\":[{\"a\":1},{\"b\":", ""},
		{"a bracket in words before", `See [ and { first: {"a":1}`, `{"a":1}`},
		{"cut", `{"a":[1,2`, ""},
		{"none", `I can't do that.`, ""},
		{"empty", ``, ""},
	} {
		got, ok := llm.FindJSON(tc.text)
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("%s: FindJSON(%q): got %q, %v, want %q", tc.name, tc.text, got, ok, tc.want)
		}
	}
}

func FuzzFindJSON(f *testing.F) {
	f.Add("```json\n{\"a\":[1,\"\\\"\n\",],}```")
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := llm.FindJSON(text); ok && !json.Valid([]byte(got)) {
			t.Errorf("FindJSON(%q): got %q, which is no JSON", text, got)
		}
	})
}
