package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Settings are put in without disturbing what is there.
func TestWithSetting(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no file", "", "llm:\n  provider: anthropic\n"},
		{"another section", "# mine\nquery:\n  limit: 7 # few\n",
			"# mine\nquery:\n  limit: 7 # few\nllm:\n  provider: anthropic\n"},
		{"no line break at the end", "query:\n  limit: 7", "query:\n  limit: 7\nllm:\n  provider: anthropic\n"},
		{"its section", "llm:\n  # fast\n  model: m\nquery:\n  limit: 7\n",
			"llm:\n  provider: anthropic\n  # fast\n  model: m\nquery:\n  limit: 7\n"},
		{"its section, empty", "llm:\n#  provider: none\n\nquery:\n  limit: 7\n",
			"llm:\n  provider: anthropic\n#  provider: none\n\nquery:\n  limit: 7\n"},
		{"its section, last and bare", "llm:", "llm:\n  provider: anthropic\n"},
		{"another value", "llm:\n  model: m\n  provider: 'ollama' # local\n",
			"llm:\n  model: m\n  provider: anthropic # local\n"},
		{"a name like it", "llm:\n  model: provider\n", "llm:\n  provider: anthropic\n  model: provider\n"},
		{"Windows' lines", "llm:\r\n  provider: none\r\nquery:\r\n", "llm:\r\n  provider: anthropic\r\nquery:\r\n"},
		{"comments only", "# nothing yet\n", "# nothing yet\nllm:\n  provider: anthropic\n"},
		{"taken out", "llm:\n  model: m\n  provider: x # y\nquery:\n", "llm:\n  model: m\nquery:\n"},
	} {
		got, err := withSetting(c.text, Written{"llm.provider", "anthropic"})
		if c.name == "taken out" {
			got, err = withSetting(c.text, Written{"llm.provider", ""})
		}
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, diff)
		}
	}
}

// The shipped file, edited, loads with the new setting and no other; a file
// that wouldn't load is left as it was; modes and links stay.
func TestWriteConfig(t *testing.T) {
	at := standIn(t)
	shipped, err := os.ReadFile("../../../config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	real := put(t, string(shipped), at.Home, "dotfile.yaml")
	name := filepath.Join(at.User, "recall", "config.yaml")
	if err := os.Symlink(real, name); err != nil {
		t.Skip(err)
	}
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := WriteConfig(name, []Written{{"llm.provider", "openai"}, {"llm.url", "http://127.0.0.1:1234/v1"},
		{"llm.model", "qwen3: 8b"}}, at); err != nil {
		t.Fatal(err)
	}
	c, err := load(t, nil, "", nil, at)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range Keys {
		if set := !c.Auto(k.Name); set != (k.Name == "llm.provider" || k.Name == "llm.url" || k.Name == "llm.model") {
			t.Errorf("%s: set is %v", k.Name, set)
		}
	}
	if c.LLM.Provider != "openai" || c.LLM.URL != "http://127.0.0.1:1234/v1" || c.LLM.Model != "qwen3: 8b" {
		t.Errorf("got %+v", c.LLM)
	}
	info, err := os.Stat(real)
	if err != nil || info.Mode().Perm()&0o777 != 0o640 && runtime.GOOS != "windows" {
		t.Errorf("mode: got %v, %v, want 0640", info.Mode(), err)
	}
	before, err := os.ReadFile(real)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteConfig(name, []Written{{"llm.provider", "magic"}}, at); err == nil ||
		!strings.Contains(err.Error(), "isn't changed") {
		t.Errorf("a bad value: got %v", err)
	}
	after, err := os.ReadFile(real)
	if err != nil || string(after) != string(before) {
		t.Errorf("a bad value changed the file: %v", err)
	}
	// What isn't written as lines indented by two isn't understood, and stays.
	for _, text := range []string{"llm: {model: m}\n", "llm:\n    model: m\n", "- a\n", "a: [\n",
		"llm:\n  provider: |\n    ollama\n"} {
		other := put(t, text, at.Home, "other.yaml")
		if err := WriteConfig(other, []Written{{"llm.provider", "openai"}}, at); err == nil ||
			!strings.Contains(err.Error(), "isn't changed") {
			t.Errorf("%q: got %v, want it refused", text, err)
		}
		if after, err := os.ReadFile(other); err != nil || string(after) != text {
			t.Errorf("%q became %q, %v", text, after, err)
		}
	}
	fresh := filepath.Join(at.Home, "new", "config.yaml")
	if err := WriteConfig(fresh, []Written{{"llm.provider", "ollama"}}, at); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(fresh); err != nil || string(text) != "llm:\n  provider: ollama\n" {
		t.Errorf("a new file: got %q, %v", text, err)
	}
}
