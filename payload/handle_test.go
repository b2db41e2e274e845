package payload

import "testing"

func TestHandle(t *testing.T) {
	for project, want := range map[string]string{"git-sync": "git-sync#5", "git-sync (devenv)": "git-sync-devenv#5",
		"Kayak tides": "Kayak-tides#5", "$(rm -rf ~)": "rm-rf#5", "büro.io": "büro.io#5", "a\x1b[31mb": "a-31mb#5"} {
		if got := Handle(project, 5); got != want {
			t.Errorf("%q: got %q, want %q", project, got, want)
		}
	}
}

func TestCutTurns(t *testing.T) {
	type cut struct {
		session  string
		from, to int
	}
	for name, want := range map[string]cut{"billing#2": {"billing#2", 0, 0}, "billing#2:31": {"billing#2", 31, 31},
		"7f3c1a2b:31-35": {"7f3c1a2b", 31, 35}, "billing#2:35-31": {"billing#2", 35, 35}, "billing#2:": {"billing#2:", 0, 0},
		":31": {":31", 0, 0}, "Roll out: 9:30": {"Roll out: 9", 30, 30}, "a:1234567": {"a:1234567", 0, 0}} {
		session, from, to := CutTurns(name)
		if got := (cut{session, from, to}); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
}
