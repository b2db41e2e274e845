package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/cmd/recall/app"
	"recall/prompts"
	"recall/serve/hooks/clients"
	"recall/serve/mcp"
)

const pluginDir = "../../plugin"

func pluginFile(t *testing.T, name string, into any) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(pluginDir, name))
	must(t, err)
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// The plugin calls what the program has: its hooks are those that recall hooks
// install writes, its server and its commands are there.
func TestPluginAgreesWithTheProgram(t *testing.T) {
	var manifest, market struct {
		Name    string
		Version string
		Plugins []struct{ Name, Source string }
	}
	pluginFile(t, ".claude-plugin/plugin.json", &manifest)
	pluginFile(t, "../.claude-plugin/marketplace.json", &market)
	if manifest.Name != "recall" || manifest.Version == "" || len(market.Plugins) != 1 ||
		market.Plugins[0].Name != manifest.Name || market.Plugins[0].Source != "./plugin" {
		t.Errorf("got plugin %+v, marketplace %+v", manifest, market)
	}
	type all struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct {
				Type, Command string
				Args          []string
				Timeout       int
				Async         bool
			}
		}
	}
	var installed, want all
	pluginFile(t, "hooks/hooks.json", &installed)
	t.Setenv("CLAUDE_CONFIG_DIR", t.TempDir())
	c, err := clients.ClaudeCode.Files()[0].Plan(&clients.Program{Path: `"${CLAUDE_PLUGIN_ROOT}"/bin/recall`}, clients.Hooks)
	if err != nil || json.Unmarshal(c.After, &want) != nil {
		t.Fatalf("got %s, %v", c.After, err)
	}
	for _, groups := range want.Hooks {
		h := &groups[0].Hooks[0]
		h.Command, h.Args = strings.Join(append([]string{h.Command}, h.Args...), " "), nil
	}
	if diff := cmp.Diff(want, installed); diff != "" || len(want.Hooks) == 0 {
		t.Errorf("the plugin's hooks (-as installed +its own):\n%s", diff)
	}
	var servers struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	pluginFile(t, ".mcp.json", &servers)
	root := rootCmd(&app.App{})
	if s := servers.MCPServers[clients.ServerName]; len(servers.MCPServers) != 1 ||
		s.Command != "${CLAUDE_PLUGIN_ROOT}/bin/recall" || !slices.Equal(s.Args, []string{"mcp"}) {
		t.Errorf("got servers %+v", servers)
	}
	for _, words := range [][]string{{"mcp"}, {"hook"}, {"mcp", "install"}} {
		if cmd, _, err := root.Find(words); err != nil || cmd.Name() != words[len(words)-1] {
			t.Errorf("recall %s: got %v, %v", words, cmd.Name(), err)
		}
	}
}

func TestPluginCommands(t *testing.T) {
	for name, prompt := range map[string]string{"recall": "", "wrap-up": prompts.WrapUp.Text(),
		"handoff": prompts.Handoff.Text()} {
		text := pluginFile(t, "commands/"+name+".md", nil)
		front, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
		if !ok || !strings.Contains(front, "description: ") || !strings.Contains(body, "$ARGUMENTS") ||
			!strings.Contains(body, prompt) {
			t.Errorf("%s: it lacks front matter, $ARGUMENTS or its prompt:\n%s", name, text)
		}
		for line := range strings.Lines(front) {
			list, ok := strings.CutPrefix(strings.TrimSpace(line), "allowed-tools: ")
			if !ok {
				continue
			}
			for tool := range strings.SplitSeq(list, ", ") {
				if own, ok := strings.CutPrefix(tool, "mcp__plugin_recall_recall__"); !ok ||
					!slices.Contains(mcp.Tools(), own) {
					t.Errorf("%s: no tool %q", name, tool)
				}
			}
		}
	}
	files, err := filepath.Glob(pluginDir + "/commands/*")
	if err != nil || len(files) != 3 {
		t.Errorf("got commands %q, %v; want 3", files, err)
	}
}

// A missing program breaks nothing: hooks are silent with exit code 0, and the
// person is told once how to get it.
func TestPluginWithoutTheProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: the launcher is a shell script")
	}
	data := t.TempDir()
	launchers, err := filepath.Abs(filepath.Join(pluginDir, "bin"))
	must(t, err)
	start := func(path string, args ...string) string {
		cmd := exec.Command(filepath.Join(launchers, "recall"), args...)
		cmd.Dir = data
		cmd.Env = []string{"PATH=" + path, "HOME=" + data, "CLAUDE_PLUGIN_DATA=" + data}
		cmd.Stdin = strings.NewReader("{}")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if _, err := exec.LookPath("/usr/local/bin/recall"); err == nil {
		t.Skip("skipped: recall is installed here")
	}
	if got := start("/usr/bin:/bin", "hook", "pre-tool-use"); got != "" {
		t.Errorf("pre-tool-use: got %q, want nothing", got)
	}
	var said struct {
		SystemMessage      string
		HookSpecificOutput any
	}
	first := start("/usr/bin:/bin", "hook", "session-start")
	if err := json.Unmarshal([]byte(first), &said); err != nil ||
		!strings.Contains(said.SystemMessage, "not on your PATH") || said.HookSpecificOutput != nil {
		t.Errorf("the first start: got %q, %v; want a word to the person", first, err)
	}
	if again := start("/usr/bin:/bin", "hook", "session-start"); again != "" {
		t.Errorf("the second start: got %q, want nothing", again)
	}
	// A program of the repository that the hook runs in isn't the program, whatever PATH says.
	must(t, os.WriteFile(filepath.Join(data, "recall"), []byte("#!/bin/sh\necho hostile\n"), 0o700))
	if got := start(".:./:/usr/bin:/bin", "hook", "pre-tool-use"); got != "" {
		t.Errorf("in a repository with a program: got %q", got)
	}
	// With the program on PATH it is called with all that it is given.
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "recall"), []byte("#!/bin/sh\necho \"$*\"; cat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := start(bin+":/usr/bin:/bin", "hook", "session-start"); got != "hook session-start\n{}" {
		t.Errorf("with the program: got %q", got)
	}
	// So it is where it is commonly installed, and the server too; another launcher
	// on PATH isn't taken for it.
	home := filepath.Join(data, "go", "bin")
	must(t, os.MkdirAll(home, 0o700))
	must(t, os.Rename(filepath.Join(bin, "recall"), filepath.Join(home, "recall")))
	if got := start(launchers+":/usr/bin:/bin", "mcp"); got != "mcp\n{}" {
		t.Errorf("in ~/go/bin: got %q", got)
	}
}

// Beside hooks in the settings the plugin's say nothing.
func TestPluginBesideSettings(t *testing.T) {
	home := t.TempDir()
	t.Setenv("CLAUDE_CONFIG_DIR", home)
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		plugin    string
		installed bool
		want      bool
	}{{"", false, false}, {"/p", false, false}, {"", true, false}, {"/p", true, true}} {
		settings := filepath.Join(home, "settings.json")
		must(t, os.WriteFile(settings, []byte("{}"), 0o600))
		if c.installed {
			change, err := clients.ClaudeCode.Files()[0].Plan(&clients.Program{Path: "/bin/recall"}, clients.Hooks)
			if err == nil {
				err = change.Do()
			}
			must(t, err)
		}
		t.Setenv(clients.EnvPlugin, c.plugin)
		if got := clients.CalledTwice(); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
	// The project's settings count from wherever the session has gone.
	project := t.TempDir()
	local := filepath.Join(project, ".claude", "settings.local.json")
	os.Rename(filepath.Join(home, "settings.json"), filepath.Join(home, "settings"))
	must(t, os.MkdirAll(filepath.Dir(local), 0o700))
	os.Rename(filepath.Join(home, "settings"), local)
	t.Setenv("CLAUDE_PROJECT_DIR", project)
	if !clients.CalledTwice() {
		t.Error("hooks in the project's local settings: got false")
	}
}
