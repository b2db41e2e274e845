package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"recall/serve/hooks"
)

// A command that would take sessions away waits until they are safe; whether it
// may run is the user's to say. One that takes none isn't held up.
func TestHookBeforeDeleting(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are a Unix shell's")
	}
	d := newDesk(t)
	d.recall("sync")
	bash := func(command string) string {
		t.Helper()
		return d.context(d.hook(hooks.PreToolUse, sessionC, "tool_name", "Bash", "tool_input",
			map[string]string{"command": command}))
	}
	const safe = "every byte of which is in recall's library"
	store := filepath.Join(d.home, ".claude", "projects")
	for _, command := range []string{
		"rm -rf ~/.claude/projects/-harborlight",
		`rm -r "$HOME/.claude"`,
		"cd ~/.claude/projects && rm -rf -- *",
		"sudo rm -rf ${HOME}/.claude/projects/*",
		"rm -rf ~/.cl*", "rm -rf ~/.claud?/", "rm -rf ~/.clau*/projects/*", "rm -rf ~/.{claude,codex}/projects",
		"mv " + store + " /tmp/old",
		"find ~/.claude/projects -name '*.jsonl' -mtime +30 -delete",
		"find ~/.claude -name '*.jsonl' | xargs rm -f",
		`python3 -c "import shutil; shutil.rmtree('` + store + `')"`,
		"for f in ~/.claude/projects/*/*.jsonl; do rm \"$f\"; done",
		"true > " + d.path(sessionA),
		"git -C ~/.claude clean -fdx",
		"ls; rm -rf " + d.home,
	} {
		os.RemoveAll(filepath.Join(d.home, "Recall"))
		os.RemoveAll(filepath.Join(d.home, "cache"))
		path := d.says(sessionA, first...)
		d.recall("init", "--yes")
		d.says(sessionA, append(first, "One more word that nobody has archived.", "Noted.")...)
		got := bash(command)
		if strings.HasSuffix(command, d.home) {
			if !strings.HasPrefix(got, "deny: ") || !strings.Contains(got, "recall's own library") {
				t.Errorf("%s: %q, want a refusal: the library goes too", command, got)
			}
			continue
		}
		if !strings.Contains(got, safe) || !strings.Contains(got, "archived first") {
			t.Errorf("%s: %q, want it archived first", command, got)
		}
		if out := d.recall("guard", path); !strings.Contains(out, "1 archived as they are now, 0 not") {
			t.Errorf("%s: after it %s", command, out)
		}
	}
	for _, command := range []string{
		"rm -rf build", "rm -rf ~/*.tmp ~/.zsh*", "rm -rf ~/.{zsh,bash}_history ~/.c*/todos",
		"ls ~/.c*; rm a", "ls ~/.claude/projects",
		"cat ~/.claude/settings.json", "rm -f ~/.claude/todo.txt",
		"ls ~/.claude/projects && rm -rf build",
		"git commit -m 'rm -rf ~/.claude'", "echo done > out.txt", "mv a b", "grep -rn rm ~/.claude/settings.json",
	} {
		if got := bash(command); got != "" {
			t.Errorf("%s: %q, want nothing", command, got)
		}
	}
	// What can't be saved isn't let go.
	raws, err := filepath.Glob(filepath.Join(d.library, "*", "*", "raw", "*.zst"))
	if err != nil || len(raws) == 0 {
		t.Fatal(raws, err)
	}
	for _, raw := range raws {
		must(t, os.WriteFile(raw, []byte("damaged"), 0o600))
	}
	got := bash("rm -rf ~/.claude/projects")
	if !strings.HasPrefix(got, "deny: ") || !strings.Contains(got, sessionA) ||
		!strings.Contains(got, "recall sync && recall guard") {
		t.Errorf("with damaged bytes: %q", got)
	}
	if got := bash("rm -rf ~/.claude/projects"); strings.Contains(got, "allow") {
		t.Errorf("it gives a permission: %q", got)
	}
}
