package hooks

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/pipeline"
)

// What a script takes away is seen as what a command line does, whether the
// script is there already or is written by the same line.
func TestThreatenedByScripts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: the commands are a Unix shell's")
	}
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	store := filepath.Join(home, ".claude", "projects")
	if err := os.MkdirAll(store, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"x.sh":        "#!/bin/sh\nset -e\nrm -rf ~/.claude/projects\n",
		"outer.sh":    "cd " + dir + "\n. ./x.sh\n",
		"x.py":        "import shutil, pathlib\nshutil.rmtree(pathlib.Path.home() / '.claude/projects')\n",
		"sub/y.sh":    "rm -rf \"$HOME/.claude/projects\"\n",
		"harmless.sh": "echo ~/.claude/projects\n",
		"build.sh":    "rm -rf build\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h := &Host{Sources: pipeline.Sources{Readers: []ingest.Reader{claudecode.Reader{}}}}
	threatened := func(command, dir string) []string {
		in := Input{Tool: "Bash", Cwd: dir}
		in.ToolInput.Command = command
		if !takesAway(in) {
			return nil
		}
		return h.threatened(withScripts(command, dir), dir)
	}
	for _, command := range []string{
		"sh x.sh", "sh ./x.sh", "bash -e x.sh", "./x.sh", "source x.sh", ". ./x.sh", "true && ./x.sh", "sudo bash x.sh",
		"sh 'x.sh'",
		"/bin/sh " + dir + "/x.sh", "cd sub && sh y.sh", "sh outer.sh", "python3 x.py", "ls; nohup ./x.sh &",
		`printf "rm -rf ~/.claude/projects\n" > z.sh && sh z.sh`, `printf 'rm -rf %s\n' ` + store + ` > z.sh; sh z.sh`,
		"ls ~/.claude/projects | xargs rm -rf", `echo "$(rm -rf ~/.claude/projects)"`, "x=`rm -rf ~/.claude/projects`",
		"diff <(rm -rf ~/.claude/projects) y",
	} {
		if got := threatened(command, dir); !slices.Contains(got, store) {
			t.Errorf("%s: %q, want %s in it", command, got, store)
		}
	}
	if got := threatened("ls | xargs rm -rf", store); !slices.Contains(got, store) {
		t.Errorf("in the store itself: %q", got)
	}
	for _, command := range []string{"sh harmless.sh", "sh build.sh", "./build.sh", "cat x.sh", "sh missing.sh",
		"ls -l ./x.sh"} {
		if got := threatened(command, dir); len(got) > 0 {
			t.Errorf("%s: %q, want nothing", command, got)
		}
	}
}
