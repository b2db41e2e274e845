package cowork

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMounts(t *testing.T) {
	mac := NewMounts([]string{"p", "p"}, "/h/local_1", []string{"/Users/ann/Vendors", "/Users/ann/a/Docs",
		"/Users/bob/Docs"})
	win := NewMounts([]string{"p"}, `C:\d\local_1`, []string{`C:\Users\Ann\Vendors\`, `D:\`})
	for _, tt := range []struct {
		m        Mounts
		vm, want string
	}{
		{mac, "/sessions/p/mnt/Vendors/offer b.md", "/Users/ann/Vendors/offer b.md"},
		{mac, "/sessions/p/mnt/Vendors", "/Users/ann/Vendors"},
		{mac, "/sessions/p/mnt/Vendors/x/../y", "/Users/ann/Vendors/y"},
		{mac, "/sessions/p/mnt/Vendors/../../../../etc/passwd", ""},
		{mac, "/sessions/p/mnt/Vendors2/x", ""},
		{mac, "/sessions/p/mnt/Docs/x", ""}, // two of this name
		{mac, "/sessions/p/mnt/outputs/x", "/h/local_1/outputs/x"},
		{mac, "/sessions/p/mnt/uploads/x", "/h/local_1/uploads/x"},
		{mac, "/sessions/p/mnt/.claude/projects/s/x", "/h/local_1/.claude/projects/s/x"},
		{mac, "/sessions/p/mnt/.claude/.credentials.json", ""},
		{mac, "/sessions/p/tmp/x", ""},
		{mac, "/sessions/p/mnt", ""},
		{mac, "/sessions/q/mnt/Vendors/x", ""},
		{mac, "/Users/ann/Vendors/x", ""},
		{mac, "", ""},
		{win, "/sessions/p/mnt/Vendors/a/b", `C:\Users\Ann\Vendors\a\b`},
		{win, "/sessions/p/mnt/outputs/a", `C:\d\local_1\outputs\a`},
		{NewMounts([]string{""}, "", nil), "/sessions//mnt/outputs/x", ""},
		{NewMounts([]string{"p"}, "", nil), "/sessions/p/mnt/outputs/x", ""},
	} {
		got, ok := tt.m.Host(tt.vm)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Host(%q) = %q, %v; want %q", tt.vm, got, ok, tt.want)
		}
	}
}

func TestGrants(t *testing.T) {
	m := NewMounts([]string{"p"}, "", []string{"/Users/bob/Docs"})
	hosts := m.Grants("Connected.\nHost path: /Users/ann/My Docs → VM path: /sessions/p/mnt/My Docs\n" +
		"Host path: `/w/Docs` -> VM path: `/sessions/p/mnt/Docs`\n")
	if diff := cmp.Diff([]string{"/Users/ann/My Docs", "/w/Docs"}, hosts); diff != "" {
		t.Errorf("hosts, -want +got:\n%s", diff)
	}
	for vm, want := range map[string]string{
		"/sessions/p/mnt/My Docs/x": "/Users/ann/My Docs/x",
		"/sessions/p/mnt/Docs/y":    "/w/Docs/y",
	} {
		if got, _ := m.Host(vm); got != want {
			t.Errorf("Host(%q) = %q, want %q", vm, got, want)
		}
	}
}

func TestGrantedFolderBelongsToTheSession(t *testing.T) {
	d := newDisk(t)
	d.record(`,"cliSessionId":"c1"`)
	d.transcript("c1", lineUser(0, "u1", "", "Look into my notes."),
		lineCall(1, "u2", "u1", "m1", "t1", "mcp__cowork__request_cowork_directory", `{}`),
		lineResult(2, "u3", "u2", "t1", "Host path: /Users/ann/Notes → VM path: /sessions/p/mnt/Notes"),
		lineCall(3, "u4", "u3", "m2", "t2", "Read", `{"file_path":"/sessions/p/mnt/Notes/a.md"}`),
		lineCall(4, "u5", "u4", "m3", "t3", "Read", `{"file_path":"/Users/ann/Notes/b.md"}`))
	s := d.parseSession()
	if !cmp.Equal(s.Where.Folders, []string{"/Users/ann/Notes"}) {
		t.Errorf("folders %v", s.Where.Folders)
	}
	if got := s.Turns[2].Calls[0].HostPath; got != "/Users/ann/Notes/a.md" {
		t.Errorf("host path %q", got)
	}
	if got := s.Turns[3].Calls[0].HostPath; got != "" {
		t.Errorf("a host path was mapped to %q", got)
	}
}

func TestHostLoopStorage(t *testing.T) {
	r := record{hostLoop: true, cwd: `C:\Users\A\local_1\outputs`}
	if got := storageOf(nil, r); got != `C:\Users\A\local_1` {
		t.Errorf("storage %q", got)
	}
}

func TestSpaceName(t *testing.T) {
	for name, content := range map[string]string{
		"object":  `{"spaces":[{"id":"x","name":"X"},{"id":"s1","name":"Procurement","folders":[{"path":"/a"}]}]}`,
		"list":    `[{"uuid":"s1","name":"Procurement"}]`,
		"by id":   `{"spaces":{"s1":{"name":"Procurement"}}}`,
		"by id 2": `{"s1":{"name":"Procurement"}}`,
	} {
		d := newDisk(t)
		d.record(`,"spaceId":"s1"`)
		d.put(testID+"/outputs/x", "")
		d.put("spaces.json", content)
		if got := d.parseSession().Where.Space; got != "Procurement" {
			t.Errorf("%s: space %q, want Procurement", name, got)
		}
		d.put("spaces.json", content[:len(content)/2])
		d.parseSession() // half-written costs at most the name
	}
}

func TestRoots(t *testing.T) {
	home := t.TempDir()
	mk := func(elem ...string) string {
		dir := filepath.Join(append([]string{home}, elem...)...)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	linux := mk(".config", "Claude", sessionsFolder)
	linux3p := mk(".config", "Claude-3p", sessionsFolder)
	xdg := mk("xdg", "Claude", sessionsFolder)
	store := mk("Local", "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude", sessionsFolder)
	want := []string{filepath.Dir(store), filepath.Dir(store) + "-3p"}
	if diff := cmp.Diff(want, storeFolders(filepath.Join(home, "Local"))); diff != "" {
		t.Errorf("of the store, -want +got:\n%s", diff)
	}
	if runtime.GOOS != "linux" {
		t.Skip("the other systems' places are the standard library's")
	}
	t.Setenv("HOME", home)
	for _, tt := range []struct {
		env, value string
		want       []string
	}{
		{"XDG_CONFIG_HOME", "", []string{linux, linux3p}},
		{"XDG_CONFIG_HOME", filepath.Join(home, "xdg"), []string{xdg}},
	} {
		t.Setenv(tt.env, tt.value)
		if diff := cmp.Diff(tt.want, Reader{}.Roots()); diff != "" {
			t.Errorf("%s=%s, -want +got:\n%s", tt.env, tt.value, diff)
		}
	}
}
