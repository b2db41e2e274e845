package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	_ "recall/library/ramdisk"
)

// recall runs as a program of its own in the stories of testdata/script: what
// takes several steps. What one command says is recorded (TestRecorded).
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"recall": func() { os.Exit(Main()) },
	})
}

func TestScript(t *testing.T) {
	dir := filepath.Join("testdata", "script")
	var files []string
	if testing.Short() { // two that go through everything, for the slow race detector
		files = []string{filepath.Join(dir, "demo.txtar"), filepath.Join(dir, "sync.txtar")}
		dir = ""
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Files:               files,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		Cmds:                storyCmds(),
		Condition: func(name string) (bool, error) {
			if name == "root" { // for whom permissions are no obstacle
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			for _, v := range [][2]string{
				{"HOME", home}, {"USERPROFILE", home}, {"XDG_CACHE_HOME", filepath.Join(home, "cache")},
				{"LocalAppData", filepath.Join(home, "cache")},
				{"XDG_CONFIG_HOME", filepath.Join(home, "config")}, {"AppData", filepath.Join(home, "config")},
				{"TZ", "UTC"}, {"NO_COLOR", "1"}, {"EDITOR", ""}, {"VISUAL", ""},
			} {
				env.Setenv(v[0], v[1])
			}
			return os.MkdirAll(home, 0o700)
		},
	})
}
