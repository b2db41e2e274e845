package ingest

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMapTextMovesForeign(t *testing.T) {
	turn := Turn{Role: User, Text: "key=abc\n" + pasted + "\nkey=abc again"}
	MarkForeign(&turn)
	before := parts(turn)
	s := &Session{Turns: []Turn{turn}}
	s.MapText(func(s string) string { return strings.ReplaceAll(s, "abc", "‹a longer secret 1›") })
	got := s.Turns[0]
	if want := "key=‹a longer secret 1›\n" + pasted + "\nkey=‹a longer secret 1› again"; got.Text != want {
		t.Errorf("got %q, want %q", got.Text, want)
	}
	if d := cmp.Diff(before, parts(got)); d != "" {
		t.Errorf("foreign parts (-want +got):\n%s", d)
	}
}

// TestMapTextVisitsAll fills every string of a session and holds that none is
// left out but ids, hashes and times.
func TestMapTextVisitsAll(t *testing.T) {
	s := &Session{}
	fill(reflect.ValueOf(s).Elem())
	s.Turns[0].Foreign, s.Subagents[0].Turns[0].Foreign = nil, nil
	s.MapText(func(string) string { return "seen" })
	left := map[string]bool{}
	unseen("", reflect.ValueOf(s).Elem(), left)
	want := map[string]bool{}
	for _, name := range strings.Fields(`
		.ID .Source .Aliases .Opened .Copy .ContinuedIn .Carried .Pasted .Injected .TakenBack .Parent.Session .Parent.How
		.Tasks.Turn .Subagents.ID .Subagents.Call .Unheard.Message`) {
		want[name] = true
	}
	for name := range left {
		if !want[name] && !turnLeft[strings.TrimPrefix(strings.TrimPrefix(name, ".Subagents"), ".Turns.")] {
			t.Errorf("text %s: got it unmapped, want it mapped", name)
		}
	}
}

// turnLeft are a turn's strings that MapText leaves alone.
var turnLeft = map[string]bool{
	"ID": true, "Records": true, "Role": true, "Kind": true, "Carried": true, "Keys": true,
	"Calls.ID":         true,
	"Calls.ResultTurn": true, "Calls.Verdict": true, "Calls.ReasonTurn": true, "Calls.Agent": true, "Calls.Commit": true,
}

// TestMapTextLeavesWhatWasTold holds that a copy of where a session ran stays
// exact, and that a secret in a folder's name is mapped alike in the paths
// below it.
func TestMapTextLeavesWhatWasTold(t *testing.T) {
	s := &Session{Where: Where{Cwds: []CwdCount{{"/home/ann/abc/app", 3}}, Folders: []string{"/home/ann/abc"},
		Worktree: &Worktree{Path: "/w/abc"}}}
	s.Turns = []Turn{{Dir: "/home/ann/abc/app", Calls: []ToolCall{{Name: "Read", Path: "/home/ann/abc/app/x.go",
		Input: map[string]string{"file_path": "/home/ann/abc/app/x.go", "abc": "1"}}}}}
	exact := s.Where
	s.MapText(func(s string) string { // like a rule that asks for the end of a name
		if s == "abc" {
			return "‹key›"
		}
		return s
	})
	if got := []string{exact.Cwds[0].Dir, exact.Folders[0], exact.Worktree.Path}; !slices.Equal(got,
		[]string{"/home/ann/abc/app", "/home/ann/abc", "/w/abc"}) {
		t.Errorf("told before: got %q, want it as it was", got)
	}
	key := func(s string) string { // like a rule that asks for the beginning of a word
		if rest, ok := strings.CutPrefix(s, "abc."); ok {
			return "‹key›." + rest
		}
		return s
	}
	for _, path := range []string{"old_abc.txt", "/w/old_abc.txt"} { // a name alone is a path as well
		if got := MapPath(path, key); !strings.HasSuffix(got, "old_‹key›.txt") {
			t.Errorf("%s: got %q, want ‹key› in it", path, got)
		}
	}
	c := s.Turns[0].Calls[0]
	if s.Where.Cwds[0].Dir != "/home/ann/‹key›/app" || c.Path != "/home/ann/‹key›/app/x.go" ||
		s.Turns[0].Dir != "/home/ann/‹key›/app" {
		t.Errorf("got %q, %q, %q, want ‹key› in each", s.Where.Cwds[0].Dir, c.Path, s.Turns[0].Dir)
	}
	if c.Input["‹key›"] != "1" || len(c.Input) != 2 {
		t.Errorf("got inputs %q, want the name mapped", c.Input)
	}
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("raw")
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		if v.Type().Elem().Kind() == reflect.String {
			v.SetMapIndex(reflect.ValueOf("key"), reflect.ValueOf("raw"))
		}
	}
}

func unseen(name string, v reflect.Value, left map[string]bool) {
	switch v.Kind() {
	case reflect.String:
		if v.String() == "raw" {
			left[name] = true
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				unseen(name+"."+f.Name, v.Field(i), left)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			unseen(name, v.Index(i), left)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			unseen(name, v.Elem(), left)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			unseen(name, v.MapIndex(k), left)
		}
	}
}

// A secret is told in a name that other words are glued to on either side, as an MCP server's is in its tool's.
func TestMapTextWithinNames(t *testing.T) {
	secret := regexp.MustCompile(`\bsk_live_[a-z0-9]{16}\b`)
	for name, want := range map[string]string{
		"mcp_sk_live_0123456789abcdef_query":         "mcp_‹key 1›_query",
		"mcp_sk_live_0123456789abcdef_query_all.now": "mcp_‹key 1›_query_all.now",
		"sk_live_0123456789abcdef_query":             "‹key 1›_query",
		"old-sk_live_0123456789abcdef":               "old-‹key 1›",
		"mcp_github_list_issues":                     "mcp_github_list_issues",
	} {
		s := &Session{Turns: []Turn{{Calls: []ToolCall{{Name: name}}}}}
		s.MapText(func(s string) string { return secret.ReplaceAllString(s, "‹key 1›") })
		if got := s.Turns[0].Calls[0].Name; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// What no name is, of thousands of parts, takes no minutes.
func TestMapTextOfLongNames(t *testing.T) {
	looked := 0
	s := &Session{Models: []string{strings.Repeat("some_name_", 800)}}
	s.MapText(func(text string) string {
		looked += len(text)
		return text
	})
	if looked > 100<<20 {
		t.Errorf("%d bytes were looked at for one of %d", looked, len(s.Models[0]))
	}
}
