package clients

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
		code, s := inConfig(path), Program{"/opt/my tools/recall", []string{"--library", "/a b"}}
		for range 2 { // the second changes nothing
			c, err := code.Plan(&s, Server)
			if err == nil {
				err = c.Do()
			}
			if err != nil {
				t.Fatalf("%s: install: %v", name, err)
			}
		}
		now, _ := os.ReadFile(path)
		if have, err := code.entered(now); err != nil || len(have[Server].Args) != 2 || have[Server].Path != s.Path {
			t.Errorf("%s: got %+v, %v in\n%s", name, have[Server], err, now)
		}
		alone, _, err := code.entries[Server](now, nil)
		if _, have, _ := code.entries[Server](alone, nil); err != nil || have != nil {
			t.Errorf("%s: still there after a removal: %+v, %v", name, have, err)
		}
		c, err := code.Plan(nil, Server)
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
	desktop := File{Path: path, entries: entries{Server: inServers("mcpServers", plain)}}
	c, err := desktop.Plan(&Program{Path: "/bin/recall"}, Server)
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
	c, err = desktop.Plan(&Program{Path: "/new/recall"}, Server)
	if err == nil {
		err = c.Do()
	}
	text, _ = os.ReadFile(path)
	if err != nil || !bytes.Contains(text, []byte(`"startups": 3`)) || !bytes.Contains(text, []byte(`"/new/recall"`)) ||
		bytes.Contains(text, []byte(`"/bin/recall"`)) {
		t.Errorf("got %s, %v", text, err)
	}
	c, err = desktop.Plan(nil, Server)
	if err == nil {
		err = c.Do()
	}
	if got, _ := os.ReadFile(path); err != nil || string(got) != "{\n  \"startups\": 3\n}\n" {
		t.Errorf("got %q, %v; want the client's own words alone", got, err)
	}
	// Somebody else's server of that name isn't touched.
	other := []byte(`{"mcpServers": {"recall": {"command": "npx", "args": ["recall-mcp"]}}}`)
	if _, _, err := desktop.entries[Server](other, &Program{Path: "/bin/recall"}); !errors.Is(err, ErrTaken) {
		t.Errorf("got %v, want ErrTaken", err)
	}
	if got, _, err := desktop.entries[Server](other, nil); err != nil || !bytes.Equal(got, other) {
		t.Errorf("got %s, %v; want it untouched", got, err)
	}
}

func inConfig(path string) File {
	return File{Path: path, entries: entries{Server: inServers("mcpServers", stdio)}}
}
