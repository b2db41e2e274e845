package manifest

import (
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"recall/ingest"
)

// hostile are file names that a careless script trips over.
var hostile = []string{
	"plain.txt", "with space.txt", "it's.txt", `quo"te.txt`, "new\nline.txt", "-rf", "--apply", "$(touch pwned)",
	"`touch pwned`", "*", "?.txt", "[a].txt",
	"semi;colon", "back\\slash", "a&b", "#hash", "~", "!bang", "tab\there", "ünï.txt", " lead", "trail ", "${HOME}",
	"\x01ctl", "'; touch pwned; '", ">out", "-", "a\n", "%s%n",
}

// shells are those of this machine that the scripts must run in.
func shells(t *testing.T) [][]string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are for machines that run Linux; their file names aren't Windows'")
	}
	var all [][]string
	seen := map[string]bool{} // sh is one of the others
	for _, c := range [][]string{{"dash"}, {"busybox", "sh"}, {"bash", "--posix"}, {"sh"}} {
		p, err := exec.LookPath(c[0])
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(p); err == nil && !seen[real] {
			seen[real] = true
			all = append(all, append([]string{p}, c[1:]...))
		}
	}
	if len(all) == 0 {
		t.Skip("no POSIX shell here")
	}
	return all
}

// aShell is one of them, another for each test: every file takes the scripts their time.
func aShell(t *testing.T) []string {
	all := shells(t)
	return all[len(t.Name())%len(all)]
}

// machine is a folder that stands for a machine's root, and a mount.
type machine struct {
	t           *testing.T
	root, mount string
	sh          []string
}

func newMachine(t *testing.T, sh []string) *machine {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t, filepath.Join(dir, "root"), filepath.Join(dir, "mo unt"), sh}
	for _, d := range []string{m.root, m.mount} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *machine) write(path, content string) {
	m.t.Helper()
	full := m.root + path
	if err := os.MkdirAll(full[:strings.LastIndexByte(full, '/')], 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		m.t.Fatal(err)
	}
	old := noon.Add(-time.Hour)
	if err := os.Chtimes(full, old, old); err != nil {
		m.t.Fatal(err)
	}
}

// run runs a script from the mount; it must end with the given code.
func (m *machine) run(name, script string, code int, args ...string) string {
	m.t.Helper()
	path := filepath.Join(m.mount, name)
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		m.t.Fatal(err)
	}
	cmd := exec.Command(m.sh[0], slices.Concat(m.sh[1:], []string{path}, args)...)
	cmd.Env = append(os.Environ(), "SCRIPT_ROOT="+m.root, "HOME=/nowhere")
	cmd.Dir = m.mount
	out, err := cmd.CombinedOutput()
	got := 0
	if e, ok := err.(*exec.ExitError); ok {
		got = e.ExitCode()
	} else if err != nil {
		m.t.Fatal(err)
	}
	if got != code {
		m.t.Fatalf("%v %s %v: exit code %d, want %d\n%s", m.sh, name, args, got, code, out)
	}
	return string(out)
}

// tree lists files with their contents.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		if d.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(p)
			text = []byte("-> " + to)
			all[p[len(dir):]] = string(text)
			return err
		}
		all[p[len(dir):]] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A cast is which files bear hostile names: those that are lost with the machine, that the session wrote, and
// that a command made.
type cast struct{ lost, written, made []string }

// castOf gives each name to a file of each kind at length, else to one of them, another in each turn: a script takes
// its time for every file.
func castOf(names []string, turn int) (c cast) {
	if os.Getenv("RECALL_LONG") != "" {
		return cast{names, names, names}
	}
	for i, name := range names {
		list := []*[]string{&c.lost, &c.written, &c.made}[(i+turn)%3]
		*list = append(*list, name)
	}
	return c
}

func (c cast) files() int { return len(c.lost) + len(c.written) + len(c.made) }

// hostileManifest is that of a session with these files.
func hostileManifest(c cast) (Manifest, map[string][]byte) {
	m := Manifest{Schema: 1, Session: "local_0a1b2c3d-0000", Source: ingest.Cowork, Task: "a\n# task\nrm -rf /",
		Machine: VM, Start: noon, End: noon.Add(time.Hour)}
	contents := map[string][]byte{}
	for i, name := range c.lost {
		m.Outputs = append(m.Outputs, Made{Path: "/w/lost/" + name, Machine: VM, Reason: "why\nrm -rf /", Turn: i})
	}
	for i, name := range c.written {
		path := "/w/written/" + name
		m.Intermediate = append(m.Intermediate, Made{Path: path, Machine: VM, Rebuildable: true,
			Reason: "its content is in the transcript", Calls: []string{"c"}, Turn: i})
		contents[path] = []byte("written " + name)
	}
	for i, name := range c.made {
		m.Intermediate = append(m.Intermediate, Made{Path: "/w/made/" + name, Machine: VM, Rebuildable: true,
			Reason: "made", Command: "touch pwned\n" + name, Dir: "/w", Turn: i})
	}
	return m, contents
}

func fillMachine(m *machine, c cast) {
	for kind, names := range map[string][]string{"lost": c.lost, "written": c.written, "made": c.made} {
		for _, name := range names {
			m.write("/w/"+kind+"/"+name, kind+" "+name)
		}
	}
	m.write("/w/other.txt", "nobody's business")
	m.write("/other/lost/plain.txt", "elsewhere")
}

func writeFile(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for p, text := range want {
		if got[p] != text {
			t.Errorf("%s: %q holds %q, want %q", what, p, got[p], text)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			t.Errorf("%s: %q is there", what, p)
		}
	}
}

func noPwned(t *testing.T, m *machine) {
	t.Helper()
	for p := range tree(t, filepath.Dir(m.root)) {
		if strings.HasSuffix(p, "/pwned") {
			t.Errorf("a name was run as a command: %s", p)
		}
	}
}

// For real: as root of a container of its own, where there is a static shell.
func TestInChroot(t *testing.T) {
	busybox, err := exec.LookPath("busybox")
	if err != nil || os.Geteuid() != 0 {
		t.Skip("needs root and a static busybox")
	}
	vm := newMachine(t, []string{"sh"})
	for _, d := range []string{"/bin", "/dev", "/mnt"} {
		if err := os.MkdirAll(vm.root+d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	copyFile(t, busybox, vm.root+"/bin/busybox")
	inside := func(args ...string) (string, error) {
		out, err := exec.Command("chroot", append([]string{vm.root, "/bin/busybox"}, args...)...).CombinedOutput()
		return string(out), err
	}
	if out, err := inside("true"); err != nil {
		t.Skipf("chroot: %v %s", err, out)
	}
	if out, err := inside("--install", "-s", "/bin"); err != nil {
		t.Fatal(out)
	}
	names := hostile[:8]
	fillMachine(vm, cast{names, names, names})
	m, contents := hostileManifest(cast{names, names, names})
	script, _, err := Cleanup([]Stay{{m, contents, []string{"/w"}}})
	if err != nil {
		t.Fatal(err)
	}
	rebuild, r := Stay{m, contents, []string{"/w"}}.Rebuild(nil)
	writeFile(t, vm.root+"/mnt/c.sh", []byte(script))
	writeFile(t, vm.root+"/mnt/r.sh", []byte(rebuild))
	for _, f := range r.Files {
		writeFile(t, filepath.Join(vm.root, "mnt", m.FilesName(), f.Name), f.Content)
	}
	if out, err := inside("sh", "/mnt/c.sh", "--apply"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := os.Stat(vm.root + "/w/lost/plain.txt"); err == nil {
		t.Error("nothing was deleted")
	}
	if out, err := inside("sh", "/mnt/r.sh"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := tree(t, vm.root+"/w")
	for _, name := range names {
		if got["/lost/"+name] != "lost "+name || got["/written/"+name] != "written "+name {
			t.Errorf("%q isn't back", name)
		}
	}
	if got["/other.txt"] != "nobody's business" {
		t.Error("another file was touched")
	}
	noPwned(t, vm)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	r, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, r); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
