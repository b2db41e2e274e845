package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recall/ingest"
	"recall/ingest/trace"
)

func TestCleanupAndRebuild(t *testing.T) {
	t.Parallel()
	for i, sh := range shells(t) {
		t.Run(filepath.Base(sh[0]), func(t *testing.T) {
			t.Parallel()
			cleanAndRebuild(t, sh, castOf(hostile, i))
		})
	}
}

func cleanAndRebuild(t *testing.T, sh []string, files cast) {
	vm := newMachine(t, sh)
	fillMachine(vm, files)
	m, contents := hostileManifest(files)
	before := tree(t, vm.root)
	script, c, err := Cleanup([]Stay{{m, contents, []string{"/w"}}})
	if err != nil || c.Keep != len(files.lost) || c.Keep+c.Again != files.files() {
		t.Fatalf("%+v, %v", c, err)
	}
	// Without --apply: copied, nothing gone. Twice is as good as once.
	for range 2 {
		out := vm.run("c.sh", script, 0)
		if !strings.Contains(out, "can be freed: sh ") || strings.Contains(out, "deleted") {
			t.Fatalf("got\n%s", out)
		}
	}
	same(t, "the machine after a look", tree(t, vm.root), before)
	kept := tree(t, filepath.Join(vm.mount, m.KeptName()))
	for _, name := range files.lost {
		if kept["/w/lost/"+name] != "lost "+name {
			t.Errorf("%q isn't kept", name)
		}
	}
	if len(kept) != len(files.lost) {
		t.Errorf("%d files are kept, want %d", len(kept), len(files.lost))
	}
	// With --apply: what was listed is gone, all else as it was.
	vm.run("c.sh", script, 0, "--apply")
	same(t, "the machine after --apply", tree(t, vm.root), map[string]string{"/w/other.txt": "nobody's business",
		"/other/lost/plain.txt": "elsewhere"})
	vm.run("c.sh", script, 0, "--apply")
	if log := tree(t, vm.mount)["/recall-cleanup-0a1b2c3d.log"]; strings.Count(log, " deleted ") != files.files() ||
		strings.Count(log, "\n") > 4*files.files() {
		t.Errorf("the log says\n%s", log)
	}
	// And back, by the other script: what was written, and what was kept.
	again, r := Stay{m, contents, []string{"/w"}}.Rebuild(nil)
	if len(r.Lost) != len(files.lost) || len(r.Files) != len(files.written) {
		t.Fatalf("%d lost, %d files", len(r.Lost), len(r.Files))
	}
	for _, f := range r.Files {
		writeFile(t, filepath.Join(vm.mount, m.FilesName(), f.Name), f.Content)
	}
	vm.run("r.sh", again, 0)
	vm.run("r.sh", again, 0)
	want := map[string]string{"/w/other.txt": "nobody's business", "/other/lost/plain.txt": "elsewhere"}
	for _, name := range files.lost {
		want["/w/lost/"+name] = "lost " + name
	}
	for _, name := range files.written {
		want["/w/written/"+name] = "written " + name
	}
	same(t, "the machine after rebuild", tree(t, vm.root), want)
	// Nothing is written over.
	vm.write("/w/written/"+files.written[0], "newer")
	if out := vm.run("r.sh", again, 1); !strings.Contains(out, "left as it is, something else is there: /w/written/") {
		t.Errorf("got\n%s", out)
	}
	if tree(t, vm.root)["/w/written/"+files.written[0]] != "newer" {
		t.Error("a newer file was written over")
	}
	noPwned(t, vm)
}

// A file that isn't what it was is kept before it goes; a link is left alone.
func TestCleanupIsCareful(t *testing.T) {
	t.Parallel()
	vm := newMachine(t, aShell(t))
	m := Manifest{Session: "local_x", Machine: VM, Start: noon, End: noon, Intermediate: []Made{
		{Path: "/w/edited", Machine: VM, Rebuildable: true, Calls: []string{"c"}},
		{Path: "/w/touched", Machine: VM, Rebuildable: true, Command: "make it"},
		{Path: "/w/link", Machine: VM},
		{Path: "/w/dir/file", Machine: VM},
		{Path: "/w/folder", Machine: VM},
		{Path: "/w/gone", Machine: VM},
		{Path: "/sessions/x/mnt/outputs/mine", Machine: VM},
		{Path: "/w/../etc/passwd", Machine: VM},
		{Path: "relative", Machine: VM},
		{Path: "/w/‹api-key 1›", Machine: VM},
	}}
	vm.write("/w/edited", "by somebody")
	vm.write("/w/touched", "later")
	now := time.Now()
	if err := os.Chtimes(vm.root+"/w/touched", now, now); err != nil {
		t.Fatal(err)
	}
	vm.write("/outside/file", "precious")
	vm.write("/etc/passwd", "root")
	vm.write("/sessions/x/mnt/outputs/mine", "mine")
	vm.write("/w/folder/x", "in a folder")
	for link, to := range map[string]string{"/w/link": "../outside/file", "/w/dir": "../outside"} {
		if err := os.Symlink(to, vm.root+link); err != nil {
			t.Fatal(err)
		}
	}
	before := tree(t, vm.root)
	script, c, err := Cleanup([]Stay{{m, map[string][]byte{"/w/edited": []byte("as writte" +
		"n")}, []string{"/w", "/sessions/x"}}})
	if err != nil || c.Keep+c.Again != 6 {
		t.Fatalf("%+v, %v", c, err)
	}
	out := vm.run("c.sh", script, 1, "--apply")
	for _, p := range []string{"/w/link", "/w/dir/file", "/w/folder"} {
		if !strings.Contains(out, "left alone (it is not a plain file, or is behind a link): "+p) {
			t.Errorf("%s isn't left alone:\n%s", p, out)
		}
	}
	delete(before, "/w/edited")
	delete(before, "/w/touched")
	same(t, "the machine", tree(t, vm.root), before)
	kept := tree(t, filepath.Join(vm.mount, m.KeptName()))
	same(t, "what is kept", kept, map[string]string{"/w/edited": "by somebody", "/w/touched": "later"})
}

// A mount that can't be written, or that links elsewhere, costs no file.
func TestCleanupWithoutRoom(t *testing.T) {
	t.Parallel()
	vm := newMachine(t, aShell(t))
	vm.write("/w/a", "only copy")
	m := Manifest{Session: "local_x", Machine: VM, Start: noon, End: noon, Outputs: []Made{{Path: "/w/a", Machine: VM}}}
	script, _, err := Cleanup([]Stay{{m, nil, []string{"/w"}}})
	if err != nil {
		t.Fatal(err)
	}
	// In the place of the folder to copy to lies a link to the outside.
	outside := filepath.Join(filepath.Dir(vm.mount), "outside")
	if err := os.Mkdir(outside, 0o700); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(vm.mount, m.KeptName())
	if err := os.Symlink(outside, kept); err != nil {
		t.Fatal(err)
	}
	vm.run("c.sh", script, 2, "--apply")
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(kept, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(kept, "w")); err != nil {
		t.Fatal(err)
	}
	vm.run("c.sh", script, 1, "--apply")
	// A file where a folder must be.
	if err := os.Remove(filepath.Join(kept, "w")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(kept, "w"), nil)
	vm.run("c.sh", script, 1, "--apply")
	if tree(t, vm.root)["/w/a"] != "only copy" || len(tree(t, outside)) > 0 {
		t.Errorf("got %v, outside %v", tree(t, vm.root), tree(t, outside))
	}
}

// Rebuild doesn't write through a link either.
func TestRebuildStaysInside(t *testing.T) {
	t.Parallel()
	vm := newMachine(t, aShell(t))
	vm.write("/outside/x", "x")
	if err := os.MkdirAll(vm.root+"/w", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../outside", vm.root+"/w/dir"); err != nil {
		t.Fatal(err)
	}
	m := Manifest{Session: "local_x", Machine: VM, Intermediate: []Made{
		{Path: "/w/dir/sub/file", Machine: VM, Rebuildable: true, Calls: []string{"c"}},
		{Path: "/w/made.txt", Machine: VM, Rebuildable: true, Command: "printf %s \"it's\" > made.txt", Dir: "/w"},
	}}
	script, r := Stay{m, map[string][]byte{"/w/dir/sub/file": []byte("text")}, []string{"/w"}}.Rebuild(nil)
	writeFile(t, filepath.Join(vm.mount, m.FilesName(), r.Files[0].Name), r.Files[0].Content)
	out := vm.run("r.sh", script, 1, "--remake")
	if !strings.Contains(out, "its folder can't be made, or is behind a link: /w/dir/sub/file") {
		t.Errorf("got\n%s", out)
	}
	same(t, "the machine", tree(t, vm.root), map[string]string{"/outside/x": "x", "/w/dir": "-> ../outside",
		"/w/made.txt": "it's"})
}

// Packages go to their managers as words, with their versions.
func TestRebuildInstalls(t *testing.T) {
	vm := newMachine(t, aShell(t))
	bin := t.TempDir()
	log := filepath.Join(bin, "log")
	for _, name := range []string{"python3", "npm", "apt-get", "sudo", "cargo", "go", "brew", "uv"} {
		text := fmt.Sprintf("#!/bin/sh\n[ %[1]s = sudo ] || { printf '%%s' %[1]s; for a; do printf ' <%%s>' \"$a\"; done; "+
			"echo \" $PWD\"; } >>%[2]s\n[ %[1]s = sudo ] && exec \"$@\"\nexit 0\n", name, quote(log))
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	vm.write("/w/web/package.json", "{}")
	m := Manifest{Session: "local_x", Machine: VM, Packages: []trace.Package{
		{Manager: "pip", Name: "requests", Version: "2.32.3", Command: "pip install --break-system-packages requests"},
		{Manager: "npm", Name: "@types/node", Version: "22.1.0", Dir: "/w/web"},
		{Manager: "apt", Name: "jq", Version: "1.6-2.1"},
		{Manager: "go", Name: "golang.org/x/tools/gopls", Version: "v0.16.0"},
		{Manager: "cargo", Name: "ripgrep", Version: "14.1.0"},
		{Manager: "brew", Name: "tmux", Version: "3.5a"},
		{Manager: "pip", Name: "x; touch pwned", Version: "$(touch pwned)"},
		{Manager: "pip", Name: "--index-url", Version: "evil"},
		{Manager: "conda", Name: "numpy"},
	}}
	script, r := Stay{m, nil, []string{"/w"}}.Rebuild(nil)
	vm.run("r.sh", script, 0)
	got, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"python3 <-m> <pip> <install> <--break-system-packages> <--> <requests==2.32.3>",
		"npm <install> <--> <@types/node@22.1.0> " + vm.root + "/w/web",
		"apt-get <install> <-y> <--> <jq=1.6-2.1>", "go <install> <--> <golang.org/x/tools/gopls@v0.16.0>",
		"cargo <install> <--version> <14.1.0> <--> <ripgrep>",
		"brew <install> <--> <tmux>", "<x; touch pwned==$(touch pwned)>"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("not run: %s\n%s", want, got)
		}
	}
	if len(r.Lost) != 2 || !strings.Contains(script, "# Homebrew installs the newest version") {
		t.Errorf("lost: %v", r.Lost)
	}
	noPwned(t, vm)
	os.Remove(log)
	vm.run("r.sh", script, 0, "--no-packages")
	if _, err := os.Stat(log); err == nil {
		t.Error("--no-packages installs")
	}
}

// On the host only the session's own storage folder is ever cleaned.
func TestCleanupOnTheHost(t *testing.T) {
	m := Manifest{Session: "local_x", Machine: Host, Start: noon, End: noon,
		Outputs: []Made{{Path: "/Users/ann/app/a.go", Machine: Host}}}
	if _, _, err := Cleanup([]Stay{{m, nil, nil}}); err == nil {
		t.Error("a person's own file may be cleaned")
	}
	if _, _, err := Cleanup([]Stay{{m, nil, []string{"/Users/ann/Claude/local_x"}}}); err == nil {
		t.Error("a file outside the storage folder may be cleaned")
	}
	m.Outputs = append(m.Outputs, Made{Path: "/Users/ann/Claude/local_x/outputs/tmp.csv", Machine: Host})
	script, c, err := Cleanup([]Stay{{m, nil, []string{"/Users/ann/Claude/local_x"}}})
	if err != nil || c.Keep != 1 || c.Left != 1 || strings.Contains(script, "unique '/Users/ann/app") {
		t.Errorf("%+v, %v", c, err)
	}
}

// One script for several sessions: each copies beside its own name. What nobody named is counted and never
// deleted, copied if asked; what the host shares, other sessions' homes and what lies behind links isn't even that.
func TestCleanupOfAMachine(t *testing.T) {
	t.Parallel()
	vm := newMachine(t, aShell(t))
	stay := func(id, process string) Stay {
		home := "/sessions/" + process
		return Stay{Manifest: Manifest{Session: ingest.SessionID("local_" + id), Task: process, Machine: VM, Start: noon,
			End: noon, Packages: []trace.Package{{Manager: "npm", Name: "left-pad", Version: "1.0.0"}},
			Inputs:       []Input{{Path: home + "/report.docx", Machine: VM}, {Path: home + "/folder", Machine: VM}},
			Intermediate: []Made{{Path: home + "/lost", Machine: VM, Reason: "fetched\nrm -rf /"}},
		}, Folders: []string{home}}
	}
	for _, process := range []string{"calm", "odd", "other"} {
		home := "/sessions/" + process
		for _, name := range []string{"/report.docx", "/folder/x", "/lost", "/mnt/Sales/own.csv", "/by-hand.bi" +
			"n", "/sub/it's $(touch pwned)",
			"/new\nline", "/.cache/pip/x", "/sub/node_modules/y/z"} {
			vm.write(home+name, name)
		}
	}
	vm.write("/outside/precious", "precious")
	if err := os.Symlink("../../outside", vm.root+"/sessions/calm/away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../outside", vm.root+"/sessions/linked"); err != nil {
		t.Fatal(err)
	}
	linked := stay("cccc", "linked")
	linked.Inputs, linked.Intermediate = nil, nil
	script, c, err := Cleanup([]Stay{stay("aaaa", "calm"), stay("bbbb", "odd"), linked})
	if err != nil || c != (Cleaned{Keep: 6}) {
		t.Fatalf("%+v, %v", c, err)
	}
	head, _, _ := strings.Cut(script, "set -u")
	for _, want := range []string{`"calm" (local_aaaa)`, `"odd" (local_bbbb)`, "/sessions/calm/report.docx: it was in " +
		"the machine before",
		"/sessions/odd/lost: fetched rm -rf /"} {
		if !strings.Contains(head, want) {
			t.Errorf("the first lines lack %q:\n%s", want, head)
		}
	}
	before := tree(t, vm.root)
	out := vm.run("c.sh", script, 0)
	for _, want := range []string{"not known to recall, 12 bytes: /sessions/calm/by-hand.bin", "KB: /sessions/odd/.cache",
		"KB: /sessions/odd/sub/node_modules", "packages installed: 3, " +
			"0 KB and 3 of unknown size", "caches: 4,", "--copy-rest copies"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q isn't said:\n%s", want, out)
		}
	}
	for _, not := range []string{"/mnt/", "precious", "sessions/other", "sessions/linked"} {
		if strings.Contains(out, not) {
			t.Errorf("%q is looked at:\n%s", not, out)
		}
	}
	same(t, "after a look", tree(t, vm.root), before)
	out = vm.run("c.sh", script, 1, "--copy-rest", "--apply") // of a name with a line's end in it
	if !strings.Contains(out, "left alone (it could not be copied): /sessions/odd/new\n") ||
		!strings.Contains(out, "a link, not copied: /sessions/calm/away\n") {
		t.Errorf("what isn't copied isn't said:\n%s", out)
	}
	for _, process := range []string{"calm", "odd"} {
		delete(before, "/sessions/"+process+"/lost")
		delete(before, "/sessions/"+process+"/report.docx")
		kept := tree(t, filepath.Join(vm.mount, "recall-kept-"+map[string]string{"calm": "aaaa", "odd": "bbbb"}[process]))
		home := "/sessions/" + process
		same(t, "kept", kept, map[string]string{home + "/lost": "/lost", home + "/report.docx": "/report.docx",
			home + "/by-hand.bin": "/by-hand.bin", home + "/sub/it's $(touch pwned)": "/sub/it's $(touch pwned)",
			home + "/folder/x": "/folder/x"})
	}
	same(t, "after --apply", tree(t, vm.root), before)
	noPwned(t, vm)
}
