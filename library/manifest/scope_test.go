package manifest

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recall/ingest"
	"recall/ingest/trace"
)

// What a transcript says that its session wrote is never deleted or put back outside
// the session's own folders, unless a person allows it.
func TestScriptsStayInTheFolders(t *testing.T) {
	t.Parallel()
	foreign := []string{"/etc/passwd", "/root/.ssh/authorized_keys", "/sessions/calmer/file", "/sessions/other/file",
		"/tmp/scratch", "/home/ann/.bashrc"}
	vm := newMachine(t, aShell(t))
	m := Manifest{Session: "local_x", Machine: VM, Start: noon, End: noon,
		Packages: []trace.Package{{Manager: "npm", Name: "left-pad", Version: "1.0.0", Dir: "/root"}}}
	contents := map[string][]byte{}
	for _, p := range append([]string{"/sessions/calm/own", "/tmp/work/own"}, foreign...) {
		m.Outputs = append(m.Outputs, Made{Path: p, Machine: VM, Rebuildable: true, Calls: []string{"c"}})
		m.Intermediate = append(m.Intermediate, Made{Path: p + ".lost", Machine: VM})
		m.Intermediate = append(m.Intermediate, Made{Path: p + ".run", Machine: VM, Rebuildable: true,
			Command: "touch pwned", Dir: filepath.ToSlash(filepath.Dir(p))})
		contents[p] = []byte("the transcript's")
		vm.write(p, "the transcript's")
		vm.write(p+".lost", "the machine's")
		vm.write(p+".run", "the machine's")
	}
	before := tree(t, vm.root)
	folders := append(Folders(&ingest.Session{ID: "local_x", Source: ingest.Cowork,
		Where: ingest.Where{Process: "calm"}}), "/tmp/work")
	script, c, err := Cleanup([]Stay{{m, contents, folders}})
	if err != nil || c.Again+c.Keep != 6 || c.Left != 3*len(foreign) {
		t.Fatalf("%+v, %v", c, err)
	}
	vm.run("c.sh", script, 0, "--apply")
	for _, own := range []string{"/sessions/calm/own", "/tmp/work/own"} {
		for _, end := range []string{"", ".lost", ".run"} {
			delete(before, own+end)
		}
	}
	same(t, "after cleanup", tree(t, vm.root), before)

	empty := newMachine(t, aShell(t))
	script, r := Stay{m, contents, folders}.Rebuild(nil)
	for _, f := range r.Files {
		writeFile(t, filepath.Join(empty.mount, m.FilesName(), f.Name), f.Content)
	}
	for _, p := range foreign {
		writeFile(t, filepath.Join(empty.mount, m.KeptName(), p+".lost"), []byte("planted"))
	}
	empty.run("r.sh", script, 0, "--no-packages")
	same(t, "after rebuild", tree(t, empty.root), map[string]string{"/sessions/calm/own": "the transcript's",
		"/tmp/work/own": "the transcript's"})
	if strings.Contains(script, "left-pad 1.0.0' \"$root\"") || r.Packages > 0 {
		t.Error("a package is installed into a folder outside")
	}
}

func TestFolders(t *testing.T) {
	for _, tt := range []struct {
		process, storage string
		want             []string
	}{
		{"calm", "/Users/ann/Claude/local_x", []string{"/sessions/calm", "/Users/ann/Claude/local_x"}},
		{"../etc", "/etc", nil},
		{"..", "/", nil},
		{".", "/etc/", nil},
		{"", "relative/local_x", nil},
		{"a/b", `C:\Users\ann\local_x`, nil},
		{"", "/a/../etc/local_x", nil},
	} {
		s := &ingest.Session{ID: "local_x", Source: ingest.Cowork, Where: ingest.Where{Process: tt.process,
			Storage: tt.storage}}
		if got := Folders(s); !slices.Equal(got, tt.want) {
			t.Errorf("%q, %q: got %q, want %q", tt.process, tt.storage, got, tt.want)
		}
	}
	if got := Folders(&ingest.Session{ID: "x", Source: ingest.ClaudeCode,
		Where: ingest.Where{Process: "calm", Storage: "/x"}}); got != nil {
		t.Errorf("a session of Claude Code: %q", got)
	}
	for _, dir := range []string{"/", "//", "/a/../..", "tmp", "", "./x"} {
		if f, ok := AsFolder(dir); ok {
			t.Errorf("%q is taken as %q", dir, f)
		}
	}
}
