package clients

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var program = Program{Path: "/opt/my tools/recall"}

const othersHooks = `{
  "hooks": {
    "SessionStart": [
      {
        "matcher": "startup",
        "hooks": [
          { "type": "command", "command": "echo hello" }
        ]
      }
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "/usr/bin/true"}]}]
  },
  "model": "opus"
}
`

// shapes are settings files as people have them. Install, then uninstall gives
// each back byte for byte.
var shapes = map[string]string{
	"empty file":              "",
	"white space":             "\n\n",
	"empty object":            "{}",
	"empty object, newline":   "{}\n",
	"empty object with space": "{\n}\n",
	"no hooks":                "{\n  \"model\": \"opus\",\n  \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}\n",
	"no newline at the end":   "{\n  \"model\": \"opus\"\n}",
	"hooks of others":         othersHooks,
	"same matcher": strings.Replace(othersHooks, `"Stop": [`,
		`"PreToolUse": [{"matcher": "Edit|Write|NotebookEdit|Bash", "hooks": []}], "Stop": [`, 1),
	"hooks before others": "{\"hooks\": {}, \"model\": \"x\"}",
	"empty lists":         "{\n  \"hooks\": {\n    \"SessionStart\": [],\n    \"SessionEnd\": [ ]\n  }\n}\n",
	"tabs":                "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}\n",
	"four spaces":         "{\n    \"a\": [1, 2,3],\n    \"b\": 1.50e3\n}\n",
	"CRLF":                "{\r\n  \"model\": \"opus\",\r\n  \"x\": []\r\n}\r\n",
	"BOM":                 "\xef\xbb\xbf{\n  \"model\": \"opus\"\n}\n",
	"one line":            `{"model":"opus","env":{"A":"b"}}`,
	"duplicate keys":      `{"hooks": {"Stop": 1}, "model": "a", "hooks": {"Stop": []}, "model": "b"}`,
	"comments":            "{\n  // mine\n  \"model\": \"opus\" /* best */\n  // end\n}\n",
	"escapes and unknown keys": "{\"\\u0068ooks\": {\"Neu\": [{\"x\": null}], \"Stop\": []}, \"ä\\/b\": " +
		"\"\\ud83d\\ude00 </>&\", \"n\": 12345678901234567890}\n",
	"odd layout": "{ \"a\" : 1 ,\n\n\n      \"b\":[\n],\"hooks\" :\n{ \"SessionStart\" :[ " +
		"{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]} ]\n\t} }  \n\n",
	"huge":               "{\n  \"list\": [\"" + strings.Repeat("x\", \"", 40_000) + "\"]\n}\n",
	"a comma at the end": "{\n  \"a\": 1,\n}",
	"another tool's recall": `{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"/usr/bin/total-recall ` +
		`hook it"}]}]}}`,
	"hooks last, nested object": "{\n  \"z\": {\"hooks\": {\"SessionStart\": \"no\"}},\n  \"hooks\": {\n    " +
		"\"PreCompact\": [\n      {\"hooks\": [{\"type\": \"prompt\", \"prompt\": \"hm\"}]}\n    ]\n  }\n}",
}

func TestSettingsSurviveInstallAndUninstall(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	for name, text := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits for the disk
			path := filepath.Join(t.TempDir(), "settings.json")
			write(t, path, text)
			install(t, path, program)
			once := read(t, path)
			if n := strings.Count(once, program.Path); n != len(ClaudeCode.events) {
				t.Errorf("%s is installed %d times, want %d\n%.600s", program.Path, n, len(ClaudeCode.events), once)
			}
			if !strings.Contains(text, "//") && !json.Valid([]byte(strings.TrimPrefix(once, "\xef\xbb\xbf"))) {
				t.Errorf("it isn't JSON any more:\n%.600s", once)
			}
			if strings.Contains(text, "\r\n") && strings.Count(once, "\n") != strings.Count(once, "\r\n") {
				t.Error("line ends are mixed")
			}
			if c := install(t, path, program); c.Differs() {
				t.Error("the second install changed something")
			}
			install(t, path, Program{Path: `C:\new\recall.exe`, Args: []string{"--library", "/x"}})
			if again := read(t, path); strings.Count(again, `recall.exe`) != len(ClaudeCode.events) || strings.Contains(again, "my tools") {
				t.Errorf("an upgrade leaves:\n%.900s", again)
			}
			uninstall(t, path)
			if got := read(t, path); got != text {
				t.Errorf("uninstalled (-want +got):\n%s", cmp.Diff(text, got))
			}
			if names := files(t, path); len(names) != 1 {
				t.Errorf("left over: %v", names)
			}
			// What came in since stays, wherever it is.
			install(t, path, program)
			changed := strings.Replace(read(t, path), `{`, `{"since": [ 1 ], `, 1)
			write(t, path, changed)
			uninstall(t, path)
			if got := read(t, path); strings.Contains(got, program.Path) || !strings.Contains(got, `"since": [ 1 ]`) {
				t.Errorf("after a change by hand, uninstalled:\n%.600s", got)
			}
		})
	}
}

// Without the copy from before, taking out alone gives files in the usual
// layouts back.
func TestRemoveAlone(t *testing.T) {
	for _, name := range []string{"empty object", "no hooks", "no newline at the end", "hooks of others", "tabs",
		"four spaces", "CRLF", "BOM", "one line", "duplicate keys", "odd layout"} {
		in, _, err := ClaudeCode.inJSON(argued)([]byte(shapes[name]), &program)
		if err != nil {
			t.Fatal(err)
		}
		out, _, err := ClaudeCode.inJSON(argued)(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.ReplaceAll(shapes[name], "\"hooks\": {\n\t\t\"Stop\": []\n\t}", "\"hooks\": {\n\t\t\"Stop\": []\n\t}")
		if name == "duplicate keys" {
			want = shapes[name]
		}
		if string(out) != want {
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(want, string(out)))
		}
	}
}

func TestSettingsThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"a\": 1,\n  \"b\": \n}":       "line 4, column 1: invalid character '}'",
		"{\n  \"a\": \"x\n}":                 "line 3, ",
		"[]":                                 "line 1: settings must be an object",
		"{}\n{}":                             "line 2, column 1: invalid character '{' after top-level value",
		"{\"hooks\":\n[]}":                   "line 2: \"hooks\" is not an object",
		"{\"hooks\": {\"SessionEnd\":\n{}}}": "line 2: \"SessionEnd\" is not a list",
		"{\"a\": 01}":                        "line 1, ",
		"{\"a\" 1}":                          `line 1, column 6: invalid character '1'`,
		"\xff\xfe{\x00}\x00":                 "isn't UTF-8",
	} {
		path := filepath.Join(t.TempDir(), "settings.json")
		write(t, path, text)
		_, err := inSettings(path).Plan(&program, Hooks)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %q", text, err, want)
		}
		if c, err := inSettings(path).Plan(nil, Hooks); err == nil && c.Differs() {
			t.Errorf("%.40q: uninstall would change it", text)
		}
		if got := read(t, path); got != text {
			t.Errorf("%.40q was changed", text)
		}
	}
}

func TestSettingsFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "deep", "settings.json")
	install(t, path, program) // there was none
	if fi, _ := os.Stat(path); fi == nil || fi.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("a new file is %v, want 0600", fi.Mode())
	}
	uninstall(t, path)
	if names := files(t, path); len(names) != 0 {
		t.Errorf("after the uninstall there is %v, want nothing as before", names)
	}

	target := filepath.Join(dir, "dotfiles.json")
	write(t, target, shapes["no hooks"])
	if err := os.Chmod(target, 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "settings.json")
	if err := os.Symlink("dotfiles.json", link); err != nil {
		t.Skip("no links here")
	}
	install(t, link, program)
	if fi, _ := os.Lstat(link); fi.Mode()&os.ModeSymlink == 0 {
		t.Error("the link became a file")
	}
	if fi, _ := os.Stat(target); fi.Mode().Perm() != 0o644 && runtime.GOOS != "windows" {
		t.Errorf("its rights are %v now", fi.Mode())
	}
	uninstall(t, link)
	if got := read(t, target); got != shapes["no hooks"] {
		t.Errorf("behind a link: %s", cmp.Diff(shapes["no hooks"], got))
	}

	if err := os.Chmod(target, 0o444); err != nil {
		t.Fatal(err)
	}
	c, err := inSettings(link).Plan(&program, Hooks)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Do(); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a read-only file: %v", err)
	}
	c.Before = []byte("{}")
	os.Chmod(target, 0o644)
	if err := c.Do(); err == nil || !strings.Contains(err.Error(), "just now") {
		t.Errorf("changed meanwhile: %v", err)
	}
}

// Hooks of recall's in other forms are known and replaced.
func TestOlderForms(t *testing.T) {
	for _, command := range []string{`"command":"\"/old place/recall\" hook session-start"`,
		`"command":"recall hook session-start"`,
		`"command":"/x/recall --library /y hook session-start"`,
		`"command":"C:\\t\\recall.exe","args":["hook","session-start"]`,
		`"command":"/x/recall","args":["hook","SessionStart"]`} {
		old := `{"hooks":{"SessionStart":[{"matcher":"startup","hooks":[{"type":"command",` + command +
			`},{"type":"command","command":"mine"}]}]}}`
		got, _, err := ClaudeCode.inJSON(argued)([]byte(old), &program)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(got, []byte("session-start")); n != 1 || !bytes.Contains(got, []byte(`"mine"`)) {
			t.Errorf("%s: %d hooks of ours at the start\n%s", command, n, got)
		}
	}
}

func inSettings(path string) File {
	return File{Client: ClaudeCode, Path: path, entries: entries{Hooks: ClaudeCode.inJSON(argued)}}
}

func install(t *testing.T, path string, p Program) Change {
	t.Helper()
	c, err := inSettings(path).Plan(&p, Hooks)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Do(); err != nil {
		t.Fatal(err)
	}
	return c
}

func uninstall(t *testing.T, path string) {
	t.Helper()
	c, err := inSettings(path).Plan(nil, Hooks)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Do(); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func files(t *testing.T, path string) []string {
	t.Helper()
	entries, _ := os.ReadDir(filepath.Dir(path))
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
