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
