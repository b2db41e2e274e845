package manifest

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"recall/ingest"
	"recall/ingest/trace"
)

// worked is what one session left in its home.
func worked(process string, packages ...trace.Package) Stay {
	home := "/sessions/" + process
	return Stay{Manifest: Manifest{Session: ingest.SessionID("local_" + process), Task: process, Machine: VM, Start: noon,
		End: noon, Packages: packages, Intermediate: []Made{{Path: home + "/fetched.json", Machine: VM, Reason: "fetched"},
			{Path: home + "/a.py", Machine: VM, Rebuildable: true, Calls: []string{"c"}}}},
		Contents: map[string][]byte{home + "/a.py": []byte("a")}, Folders: []string{home}}
}

func (m *machine) work(s Stay) {
	for name, text := range map[string]string{"/fetched.json": "fetched", "/a.py": "a", "/.cache/pip/http/x": "x",
		"/.npm/_cacache/x": "x", "/sub/__pycache__/a.cpython-312.pyc": "x"} {
		m.write(s.Folders[0]+name, text)
	}
}

// fakes are a package manager's programs, which note what they are asked to change in a file, and answer as if this was
// installed: name, version, what its index has, what was changed, what goes with it.
func fakes(t *testing.T, installed ...[5]string) (log string) {
	t.Helper()
	bin := t.TempDir()
	log = filepath.Join(bin, "log")
	script := "#!/bin/sh\nfor name; do :; done\ncase ${0##*/}:$1:$name in\n"
	for _, p := range installed {
		gone := fmt.Sprintf("grep -q '^remove .* %s$' %s 2>/dev/null", p[0], quote(log))
		script += fmt.Sprintf("dpkg-query:*Status*:%[1]s) %[2]s || echo 'installed %[3]s' ;;\n"+
			"dpkg-query:*:%[1]s) case $* in *Status*) %[2]s || echo 'installed %[3]s' ;; *) echo 7 ;; esac ;;\n"+
			"dpkg:*:%[1]s) printf '%%s' '%[5]s' ;;\napt-cache:*:%[1]s) echo ' %[1]s | %[4]s | http://deb.example all' ;;\n"+
			"apt-get:-s:%[1]s) printf 'Remv %%s\\n' %[1]s %[6]s ;;\n", p[0], gone, p[1], p[2], p[3], p[4])
	}
	script += fmt.Sprintf("apt-get:*) echo \"$*\" >>%s ;;\nsudo:*) exec \"$@\" ;;\n*) exit 1 ;;\nesac\n", quote(log))
	for _, name := range []string{"dpkg-query", "dpkg", "apt-cache", "apt-get", "sudo", "python3"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return log
}

// However many sessions did the same work in a machine, it holds what it held before.
func TestReleaseKeepsAMachinesSize(t *testing.T) {
	fakes(t, [5]string{"jq", "1.6-2", "1.6-2", "", ""})
	vm := newMachine(t, aShell(t))
	vm.write("/usr/bin/own", "the machine's")
	before := tree(t, vm.root)
	for i := range 3 {
		s := worked(fmt.Sprint("s", i), trace.Package{Manager: "apt", Name: "jq", Version: "1.6-2"})
		vm.work(s)
		script, _, err := Cleanup([]Stay{s})
		if err != nil {
			t.Fatal(err)
		}
		if out := vm.run("c.sh", script, 0, "--apply", "--release"); !strings.Contains(out, "released, ") {
			t.Errorf("nothing is released:\n%s", out)
		}
		same(t, fmt.Sprint("after session ", i), tree(t, vm.root), before)
	}
}

// What might not come back isn't released: that its index lacks in this version, that was changed, that others need.
func TestReleaseLeaves(t *testing.T) {
	log := fakes(t, [5]string{"jq", "1.6-2", "1.6-2", "??5?????? c /etc/jqrc", ""},
		[5]string{"old", "1.0", "1.1", "", ""}, [5]string{"newer", "2.0", "2.0", "", ""},
		[5]string{"edited", "1.0", "1.0", "??5??????   /usr/bin/edited", ""})
	vm := newMachine(t, aShell(t))
	var all []trace.Package
	for _, name := range []string{"jq", "old", "edited", "newer", "absent", "--reinstall", "x; touch pwned"} {
		all = append(all, trace.Package{Manager: "apt", Name: name, Version: map[string]string{"jq": "1.6-2"}[name] +
			map[bool]string{true: "1.0"}[name != "jq"]})
	}
	s := worked("calm", all...)
	vm.work(s)
	for _, own := range []string{"/.cache/mine/x", "/.cache/x", "/sub/__pycache__/notes.txt", "/node_modules/x/y",
		"/.npm/x", "/.local/x", "/venv/lib/x"} {
		vm.write("/sessions/calm"+own, "own")
	}
	vm.write("/outside/x", "precious")
	for _, link := range []string{"/.cache/torch", "/.cache/pip/away"} {
		if err := os.Symlink("../../../outside", vm.root+"/sessions/calm"+link); err != nil {
			t.Fatal(err)
		}
	}
	before := tree(t, vm.root)
	script, _, err := Cleanup([]Stay{s})
	if err != nil {
		t.Fatal(err)
	}
	if out := vm.run("c.sh", script, 0); strings.Contains(out, "would release") ||
		!strings.Contains(out, "--release frees") {
		t.Errorf("without --release:\n%s", out)
	}
	out := vm.run("c.sh", script, 0, "--release")
	same(t, "after a look", tree(t, vm.root), before)
	if strings.Count(out, "would release, ") != 3 || !strings.Contains(out, "would release, 7 KB: jq\n") {
		t.Errorf("got\n%s", out)
	}
	vm.run("c.sh", script, 0, "--apply", "--release")
	got, err := os.ReadFile(log)
	if string(got) != "remove -y -- jq\n" {
		t.Errorf("%v; done:\n%s", err, got)
	}
	for _, p := range []string{"/fetched.json", "/a.py", "/.cache/pip/http/x", "/.cache/pip/away", "/.npm/_cacache/x"} {
		delete(before, "/sessions/calm"+p)
	}
	same(t, "after --apply", tree(t, vm.root), before)
	noPwned(t, vm)

	// Nothing goes while something had to be left alone, or in another machine.
	vm.write("/sessions/calm/.cache/pip/x", "x")
	if err := os.Symlink("../../outside/x", vm.root+"/sessions/calm/a.py"); err != nil {
		t.Fatal(err)
	}
	if out := vm.run("c.sh", script, 1, "--apply", "--release"); !strings.Contains(out, "nothing is released while") {
		t.Errorf("got\n%s", out)
	}
	os.Remove(log)
	newMachine(t, aShell(t)).run("c.sh", script, 0, "--apply", "--release")
	if _, err := os.Stat(log); err == nil || tree(t, vm.root)["/sessions/calm/.cache/pip/x"] != "x" {
		t.Error("it was released all the same")
	}
	// Nor does a package that takes another with it.
	fakes(t, [5]string{"jq", "1.6-2", "1.6-2", "", "needs-jq"})
	if err := os.Remove(vm.root + "/sessions/calm/a.py"); err != nil {
		t.Fatal(err)
	}
	if out := vm.run("c.sh", script, 1, "--apply", "--release"); !strings.Contains(out,
		"left alone (it could not be released): jq\n") {
		t.Errorf("got\n%s", out)
	}
}

// What is mounted in the place of a cache, or in one, isn't the machine's own.
func TestReleaseStaysOnItsDisk(t *testing.T) {
	vm := newMachine(t, []string{"unshare", "-m", "sh", "-c", `for name in pip/http uv; do
		mount --bind "$SCRIPT_ROOT/shared" "$SCRIPT_ROOT/sessions/calm/.cache/$name" || exit
		done; sh "$@"`, "sh"})
	if err := exec.Command("unshare", "-m", "mount", "--bind", vm.root, vm.root).Run(); err != nil {
		t.Skipf("needs mounts: %v", err)
	}
	s := worked("calm")
	vm.work(s)
	vm.write("/shared/precious", "precious")
	for _, dir := range []string{"/.cache/uv", "/.cache/pip/http"} {
		if err := os.MkdirAll(vm.root+"/sessions/calm"+dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script, _, err := Cleanup([]Stay{s})
	if err != nil {
		t.Fatal(err)
	}
	out := vm.run("c.sh", script, 0, "--apply", "--release")
	if tree(t, vm.root)["/shared/precious"] != "precious" || strings.Count(out, "released, ") != 2 {
		t.Errorf("got\n%s", out)
	}
}

// All that cleanup kept is put back: what was in the machine before, and what recall knew nothing of.
func TestRebuildPutsBackWhatWasKept(t *testing.T) {
	t.Parallel()
	vm := newMachine(t, aShell(t))
	s := worked("calm")
	s.Inputs = []Input{{Path: "/sessions/calm/report.docx", Machine: VM}, {Path: "/sessions/calm/folder", Machine: VM}}
	for _, name := range []string{"/fetched.json", "/report.docx", "/folder/x", "/film.part", "/data",
		"/data.0123456789ab"} {
		vm.write("/sessions/calm"+name, name)
	}
	script, _, err := Cleanup([]Stay{s})
	if err != nil {
		t.Fatal(err)
	}
	vm.run("c.sh", script, 0, "--copy-rest")
	vm.write("/sessions/calm/data", "newer")
	before := tree(t, vm.root)
	vm.run("c.sh", script, 0, "--copy-rest", "--apply")
	if err := os.RemoveAll(vm.root + "/sessions/calm"); err != nil {
		t.Fatal(err)
	}
	rebuild, _ := Stay{s.Manifest, nil, s.Folders}.Rebuild(nil)
	for range 2 {
		vm.run("r.sh", rebuild, 0)
		same(t, "after rebuild", tree(t, vm.root), before)
	}
}

// With Python itself: packages and a virtual environment go, and rebuild brings them back.
func TestReleasePython(t *testing.T) {
	if os.Getenv("RECALL_LONG") == "" {
		t.Skip("starts Python 30 times: runs with RECALL_LONG")
	}
	index, system := t.TempDir(), filepath.Join(t.TempDir(), "system")
	python := func(name string, args ...string) string {
		t.Helper()
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if err := exec.Command("python3", "-c", "import pip, venv, ensurepip").Run(); err != nil {
		t.Skip("needs Python with pip and venv")
	}
	wheel(t, index, "recall_sample", "1.0")
	wheel(t, index, "recall_other", "2.0")
	for name, value := range map[string]string{"NO_INDEX": "1", "FIND_LINKS": index, "CONFIG_FILE": os.DevNull,
		"DISABLE_PIP_VERSION_CHECK": "1"} {
		t.Setenv("PIP_"+name, value)
	}
	python("python3", "-m", "venv", "--without-pip", "--system-site-packages", system)
	t.Setenv("PATH", filepath.Join(system, "bin")+":"+os.Getenv("PATH"))
	vm := newMachine(t, aShell(t))
	env := vm.root + "/sessions/calm/.venv"
	pip := func(in string, args ...string) {
		t.Helper()
		python(filepath.Join(in, "bin/python3"), append([]string{"-m", "pip", "-q"}, args...)...)
	}
	source := func(in, module string) string { // "" if it isn't there
		out, _ := exec.Command(filepath.Join(in, "bin/python3"), "-c", "import "+module+" as m; print(m.__file__)").Output()
		return strings.TrimSpace(string(out))
	}
	pip(system, "install", "recall-sample==1.0", "recall-other==2.0")
	python("python3", "-m", "venv", "--without-pip", "--system-site-packages", env)
	pip(env, "install", "--ignore-installed", "recall-sample==1.0")
	s := worked("calm", trace.Package{Manager: "pip", Name: "recall-sample", Version: "1.0"},
		trace.Package{Manager: "uv", Name: "recall-other", Version: "2.0"})
	vm.work(s)
	vm.write("/sessions/calm/.venv/notes.txt", "own")
	script, _, err := Cleanup([]Stay{s})
	if err != nil {
		t.Fatal(err)
	}
	// An edited file is no package's any more.
	writeFile(t, source(system, "recall_other"), []byte("mine = 1\n"))
	if out := vm.run("c.sh", script, 0, "--apply", "--release"); !strings.Contains(out, " KB: recall-sample\n") ||
		strings.Contains(out, " KB: recall-other\n") {
		t.Errorf("got\n%s", out)
	}
	if _, err := os.Stat(env); err == nil || source(system, "recall_sample") != "" ||
		source(system, "recall_other") == "" {
		t.Error("not what could be released is gone")
	}
	kept := tree(t, filepath.Join(vm.mount, s.KeptName()))
	if kept["/sessions/calm/.venv/recall-packages.txt"] != "recall-sample==1.0\n" ||
		kept["/sessions/calm/.venv/notes.txt"] != "own" {
		t.Errorf("kept: %q", kept)
	}
	rebuild, r := s.Rebuild(nil)
	for _, f := range r.Files {
		writeFile(t, filepath.Join(vm.mount, s.FilesName(), f.Name), f.Content)
	}
	rebuild = strings.ReplaceAll(rebuild, "uv pip install --system", "python3 -m pip install")
	vm.run("r.sh", rebuild, 0)
	if !strings.HasPrefix(source(env, "recall_sample"), env) || source(system, "recall_sample") == "" ||
		tree(t, vm.root)["/sessions/calm/.venv/notes.txt"] != "own" {
		t.Error("it isn't all back")
	}
	// An environment with an edited file can't be made again, nor one of what the index lacks.
	if script, _, err = Cleanup([]Stay{worked("calm")}); err != nil {
		t.Fatal(err)
	}
	pip(env, "uninstall", "-y", "pip", "setuptools") // this index lacks them
	pip(env, "install", "--ignore-installed", "recall-other==2.0")
	for want, spoil := range []func() error{
		func() error { return os.Remove(filepath.Join(index, "recall_other-2.0-py3-none-any.whl")) },
		func() error { wheel(t, index, "recall_other", "2.0"); return nil },
		func() error { return os.WriteFile(source(env, "recall_other"), nil, 0o600) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if out := vm.run("c.sh", script, 0, "--release"); strings.Count(out, " KB: /sessions/calm/.venv\n") != 1+want%2 {
			t.Errorf("%d: got\n%s", want, out)
		}
	}
}

// wheel writes a package that pip can install.
func wheel(t *testing.T, dir, name, version string) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	info, record := name+"-"+version+".dist-info/", ""
	for _, f := range [][2]string{{name + "/__init__.py", "sample = 1\n"},
		{info + "METADATA", fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\n", strings.ReplaceAll(name, "_", "-"),
			version)},
		{info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{info + "RECORD", ""}} {
		if f[0] == info+"RECORD" {
			f[1] = record + f[0] + ",,\n"
		}
		sum := sha256.Sum256([]byte(f[1]))
		record += fmt.Sprintf("%s,sha256=%s,%d\n", f[0], base64.RawURLEncoding.EncodeToString(sum[:]), len(f[1]))
		w, err := z.Create(f[0])
		if err == nil {
			_, err = w.Write([]byte(f[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, name+"-"+version+"-py3-none-any.whl"), b.Bytes())
}
