package hooks

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Configurations of many shapes survive install and uninstall byte for byte.
func TestServersSurviveInstallAndUninstall(t *testing.T) {
	for name, text := range map[string]string{
		"empty object":  "{}\n",
		"one line":      `{"a":1,"mcpServers":{"other":{"command":"x","args":[]}}}`,
		"tabs":          "{\n\t\"theme\": \"dark\",\n\t\"mcpServers\": {\n\t\t\"db\": {\"command\": \"db-mcp\"}\n\t}\n}\n",
		"windows":       "{\r\n  \"mcpServers\": {\r\n  }\r\n}\r\n",
		"bom":           "\xef\xbb\xbf{\"numStartups\": 12}",
		"comments":      "{\n  // mine\n  \"a\": 1, /* b */\n  \"projects\": {\"/home/ann/app\": {\"mcpServers\": {}}}\n}\n",
		"large numbers": "{\n  \"id\": 12345678901234567890.10,\n  \"s\": \"\\u00e9 <&>\"\n}\n",
		"no end":        "{\n  \"a\": [1, 2,3]\n}",
		"twice":         `{"mcpServers": {"a": {"command": "1"}}, "mcpServers": {"b": {"command": "2"}}}`,
	} {
		path := filepath.Join(t.TempDir(), ".claude.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, s := Client{Path: path, typed: true}, Program{"/opt/my tools/recall", []string{"--library", "/a b"}}
		for range 2 { // the second changes nothing
			c, err := code.Install(s)
			if err == nil {
				err = c.Do()
			}
			if err != nil {
				t.Fatalf("%s: install: %v", name, err)
			}
		}
		now, _ := os.ReadFile(path)
		if have, err := code.command(); err != nil || len(have) != 4 || have[0] != s.Path {
			t.Errorf("%s: got %q, %v in\n%s", name, have, err, now)
		}
		alone, err := edited(now, inServers(true).remove)
		if have, _ := inServers(true).installed(alone); err != nil || have != nil {
			t.Errorf("%s: still there after a removal: %q, %v", name, have, err)
		}
		c, err := code.Uninstall()
		if err == nil {
			err = c.Do()
		}
		if got, _ := os.ReadFile(path); err != nil || !bytes.Equal(got, []byte(text)) {
			t.Errorf("%s: got %q after uninstall, %v; want %q", name, got, err, text)
		}
		if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
			t.Errorf("%s: left %q", name, left)
		}
	}
}

func TestServerBesideChanges(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sub", "config.json")
	desktop := Client{Path: path}
	c, err := desktop.Install(Program{Path: "/bin/recall"})
	if err == nil {
		err = c.Do()
	}
	want := "{\n  \"mcpServers\": {\n    \"recall\": {\n      \"command\": \"/bin/recall\",\n      \"args\": [\n        " +
		"\"mcp\"\n      ]\n    }\n  }\n}\n"
	if got, _ := os.ReadFile(path); err != nil || string(got) != want {
		t.Fatalf("got %q, %v; want %q", got, err, want)
	}
	// A newer program takes the entry's place; what the client wrote meanwhile stays.
	text, _ := os.ReadFile(path)
	text = bytes.Replace(text, []byte("{\n"), []byte("{\n  \"startups\": 3,\n"), 1)
	os.WriteFile(path, text, 0o600)
	c, err = desktop.Install(Program{Path: "/new/recall"})
	if err == nil {
		err = c.Do()
	}
	text, _ = os.ReadFile(path)
	if err != nil || !bytes.Contains(text, []byte(`"startups": 3`)) || !bytes.Contains(text, []byte(`"/new/recall"`)) ||
		bytes.Contains(text, []byte(`"/bin/recall"`)) {
		t.Errorf("got %s, %v", text, err)
	}
	c, err = desktop.Uninstall()
	if err == nil {
		err = c.Do()
	}
	if got, _ := os.ReadFile(path); err != nil || string(got) != "{\n  \"startups\": 3\n}\n" {
		t.Errorf("got %q, %v; want the client's own words alone", got, err)
	}
	// Somebody else's server of that name isn't touched.
	other := []byte(`{"mcpServers": {"recall": {"command": "npx", "args": ["recall-mcp"]}}}`)
	add := func(d *document) error { return inServers(false).add(d, Program{Path: "/bin/recall"}) }
	if _, err := edited(other, add); !errors.Is(err, ErrTaken) {
		t.Errorf("got %v, want ErrTaken", err)
	}
	if got, err := edited(other, inServers(false).remove); err != nil || !bytes.Equal(got, other) {
		t.Errorf("got %s, %v; want it untouched", got, err)
	}
}
