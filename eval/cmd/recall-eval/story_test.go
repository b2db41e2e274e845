package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"recall/eval"
	_ "recall/library/ramdisk"
	"recall/payload"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"recall-eval": main})
}

// The stories of testdata/script, each on a fresh machine.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: filepath.Join("testdata", "script"), RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"better-baseline": betterBaseline,
			"exits-with": exitsWith, "relay-answers": relayAnswers, "micro-over": microOver},
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			for name, dir := range map[string]string{"HOME": home, "USERPROFILE": home,
				"XDG_CACHE_HOME": filepath.Join(home, "cache"), "LocalAppData": filepath.Join(home, "cache"),
				"XDG_CONFIG_HOME": filepath.Join(home, "config"), "AppData": filepath.Join(home, "config"),
				"TZ": "UTC", "NO_COLOR": "1"} {
				env.Setenv(name, dir)
			}
			return os.MkdirAll(home, 0o700)
		}})
}

// betterBaseline FILE makes a baseline of payloads one in which every item that
// must be found was found, and nothing else.
func betterBaseline(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: better-baseline FILE")
	}
	file := ts.MkAbs(args[0])
	r, err := eval.ReadRun(file)
	ts.Check(err)
	for i := range r.Systems[0].Payloads.Sessions {
		s := &r.Systems[0].Payloads.Sessions[i]
		s.Predicted, s.Pairs, s.Lenient = nil, nil, nil
		for j, g := range s.Gold {
			if !g.Must {
				continue
			}
			id := payload.ItemID(fmt.Sprintf("better%04d", j))
			s.Predicted = append(s.Predicted, eval.Predicted{ID: id, Claim: eval.Claim{Kind: g.Kind}, Grounded: true})
			s.Pairs = append(s.Pairs, eval.MatchedPair{Predicted: id, Gold: g.ID, Similarity: 1})
		}
		s.Lenient = s.Pairs
	}
	data, err := eval.EncodeBaseline(r)
	ts.Check(err)
	ts.Check(os.WriteFile(file, data, 0o600))
}

// exitsWith CODE COMMAND… runs a command that must end with that exit code.
func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits-with CODE COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var ended *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &ended) {
		got = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%v: exit code %d, want %d", args[1:], got, want)
	}
}
