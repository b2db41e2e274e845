package guard

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
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
	liveIn(t, home)
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
	from := pipeline.Sources{Readers: []ingest.Reader{claudecode.Reader{}}}
	threatened := func(command, dir string) []string {
		lost, _ := Threatened(command, dir, from, "")
		return lost
	}
	for _, command := range []string{
		"sh x.sh", "sh ./x.sh", "bash -e x.sh", "./x.sh", "source x.sh", ". ./x.sh", "true && ./x.sh", "sudo bash x.sh",
		"sh 'x.sh'",
		"/bin/sh " + dir + "/x.sh", "cd sub && sh y.sh", "sh outer.sh", "python3 x.py", "ls; nohup ./x.sh &",
		`printf "rm -rf ~/.claude/projects\n" > z.sh && sh z.sh`, `printf 'rm -rf %s\n' ` + store + ` > z.sh; sh z.sh`,
		"ls ~/.claude/projects | xargs rm -rf", `echo "$(rm -rf ~/.claude/projects)"`, "x=`rm -rf ~/.claude/projects`",
		"diff <(rm -rf ~/.claude/projects) y", "pushd ~/.claude; rm -rf projects", "gio trash ~/.claude/projects",
		"rm -rf ${CLAUDE_CONFIG_DIR:-~/.claude}/projects", `rm -rf "${HOME%/}/.claude/projects"`,
		`a=(~/.claude/projects); rm -rf "${a[@]}"`, "d=~/.claude; rm -rf $d/projects",
		"trap 'rm -rf ~/.claude/projects' EXIT", `ruby -e "require 'fileutils'; FileUtils.rm_rf('` + store + `')"`,
	} {
		if got := threatened(command, dir); !slices.Contains(got, store) {
			t.Errorf("%s: %q, want %s in it", command, got, store)
		}
	}
	if got := threatened(">~/.claude/projects/-app/x.jsonl", dir); len(got) == 0 {
		t.Error("a file emptied by a redirection alone: nothing")
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

// liveIn makes a folder the home.
func liveIn(t *testing.T, home string) {
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
}

// A home is found in a command on any system: one with a blank in its name, and on Windows as its shells write it.
func TestThreatenedAtHome(t *testing.T) {
	home := filepath.Join(t.TempDir(), "Ana Smith")
	liveIn(t, home)
	store := filepath.Join(home, ".claude", "projects")
	if err := os.MkdirAll(filepath.Join(store, "-app"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(store, "-app", "x.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	slashed := filepath.ToSlash(home)
	commands := []string{"rm -rf ~/.claude/projects", `rm -rf "$HOME/.claude/projects"`, "cd ~/.claude && rm -r projects",
		"rm -rf ~/.clau*", "rm -rf ~/.clau*/projects", "rm -rf ~/.clau*/*/*/*.jsonl", "rm -rf ~/.clau*/*/**/x.jsonl",
		"rm -rf ~/.c*e/projects/-app/x.jsonl",
		"rm -rf ~/.claude/projects " + strings.Repeat("{a,b}", 40),
		"rm -rf ~/.{claude,codex}", "rm -rf ~/{.cache,.claude/projects}", "rm -rf ~/.c{laude,odex}/{projects,todos}/*",
		`rm -rf "` + slashed + `/.claude/projects"`, "ls ~/.claude/projects | xargs rm -rf"}
	if drive := filepath.VolumeName(home); drive != "" {
		git := "/" + strings.ToLower(drive[:1]) + slashed[len(drive):]
		commands = append(commands, `rm -rf '`+store+`'`, `rm -rf "`+git+`/.claude/projects"`,
			`cd "`+git+`" && rm -rf .claude/projects`, `rm -rf `+strings.ToUpper(`"`+slashed+`/.claude/projects"`))
	}
	from := pipeline.Sources{Readers: []ingest.Reader{claudecode.Reader{}}}
	threatened := func(command string) []string {
		lost, _ := Threatened(command, t.TempDir(), from, "")
		return lost
	}
	for _, command := range commands {
		got := threatened(command)
		if !slices.ContainsFunc(got, func(p string) bool { return near(p, []string{store}) && isThere(p) }) {
			t.Errorf("%s: %q, want %s in it", command, got, store)
		}
	}
	for _, command := range []string{"rm -rf ~/.c*/todos", "rm -rf ~/.clau*/*/*.jsonl", "rm -rf ~/.c*e/projects/-app/y*"} {
		if got := threatened(command); len(got) > 0 {
			t.Errorf("%s: %q, want nothing: it matches no session", command, got)
		}
	}
}

func isThere(path string) bool { _, err := os.Stat(path); return err == nil }

// Whatever empties, replaces or removes a session's file is seen; what reads one, adds to it or puts another beside it
// isn't held up. A new name on the same disk loses nothing but what had that name before.
func TestThreatenedByAnyMeans(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: the commands are a Unix shell's")
	}
	home := t.TempDir()
	liveIn(t, home)
	app, file := filepath.Join(home, ".config", "Claude"), filepath.Join(home, ".claude", "projects", "-a", "x.jsonl")
	spaced := filepath.Join(home, "Application Support", "Claude", "vm_bundles")
	for _, dir := range []string{filepath.Dir(file), filepath.Join(app, "vm_bundles"), filepath.Join(home, "w"), spaced} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	from := pipeline.Sources{Readers: []ingest.Reader{claudecode.Reader{}},
		Roots: map[ingest.Source][]string{ingest.ClaudeCode: {filepath.Join(home, ".claude"), app}}}
	const x = "~/.claude/projects/-a/x.jsonl"
	for command, want := range map[string]string{
		"truncate -s 0 ~/.claude/projects/*/*.jsonl": file, ": > " + x: file, "cat /dev/null >| " + x: file,
		"for f in ~/.claude/projects/*/*.jsonl; do : > \"$f\"; done": file, "date | tee " + x: file,
		"tar cf x.tar --remove-files " + x: file, "cp /dev/null " + x: file, "dd if=/dev/null of=" + file: file, "ln -sf /dev/null " + x: file,
		"sed -i 1d " + x: file, "mv w/y " + x: file, "python3 -c \"open('" + file + "', 'w')\"": file,
		"perl -e 'unlink glob \"~/.claude/projects/*/*.jsonl\"'":                                                filepath.Dir(filepath.Dir(file)),
		"python3 -c \"import shutil, os; shutil.rmtree(os.path.expanduser('~/.config/Claude'))\"":               app,
		"python3 - <<'E'\nimport shutil, pathlib\nshutil.rmtree(pathlib.Path.home() / '.config' / 'Claude')\nE": app,
		"cd ~/.config/Claude; python3 -c \"import shutil; shutil.rmtree('vm_bundles')\"":                        filepath.Join(app, "vm_bundles"),
		"python3 -c \"import shutil; shutil.rmtree('" + spaced + "')\"":                                         spaced,
		"find ~/.claude -name '*.jsonl' -delete":                                                                file, "find ~ -name 'x*' -mtime +30 -delete": file,
		"rm -rf $(echo ~/.config/Claude)": app, "gzip " + x: file, "zstd --rm " + x: file,
		"perl -pi -e s/a/b/ " + x: file, "awk -i inplace 1 " + x: file, "jq . y | sponge " + x: file,
		"git -C ~/.config/Claude stash -u": app, "cd / && cd && rm -rf .config/Claude": app,
		"npx rimraf ~/.config/Claude":                app,
		"pwsh -c 'Remove-Item -Recurse " + app + "'": app, "rsync -a --delete w/ ~/.config/Claude/": app,
		"sqlite3 ~/.config/Claude/opencode.db 'DELETE FROM session'":                filepath.Join(app, "opencode.db"),
		"find ~/.claude -name x -o -name y -delete":                                 filepath.Join(home, ".claude"),
		"recall guard --vm ~/.claude --run -- sh -c 'rm -rf ~/.config/Claude'":      app,
		"recall guard --vm ~/.config/Claude --run -- true; rm -rf ~/.config/Claude": app,
	} {
		got, _ := Threatened(command, home, from, "")
		if !slices.Contains(got, want) {
			t.Errorf("%s: %q, want %s", command, got, want)
		}
	}
	for command, want := range map[string][]string{
		"mv ~/.config/Claude/vm_bundles ~/vm.bak": {filepath.Join(app, "vm_bundles")},
		"cp " + x + " w": nil, "cp w/y ~/.claude/projects/-a/": nil, "date | tee -a " + x: nil, "date >> " + x: nil,
		"gzip -k " + x: nil, "zstd " + x + " -o y": nil, "rsync -a --delete ~/.config/Claude/ w": nil,
		"perl -MFile::Find -ne print " + x:   nil,
		"git -C ~/.config/Claude stash list": nil, "echo $(dirname " + x + ")": nil,
		"sed -n 1p " + x: nil, "npm install": nil, "find ~/.config/Claude -name 'local_*' -delete": nil, "recall guard " + x: nil,
		"recall guard --vm ~/.config/Claude --run -- sh -c 'rm -rf ~/.config/Claude'": nil,
		"mv ~/.config/Claude ~/.config/Claude.bak":                                    {app}, "mv a b": nil,
	} {
		got, moved := Threatened(command, home, from, "")
		if len(got) > 0 || !slices.Equal(moved, want) {
			t.Errorf("%s: loses %q and moves %q, want nothing and %q", command, got, moved, want)
		}
	}
}
