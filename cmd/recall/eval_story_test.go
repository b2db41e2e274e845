package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"recall/eval"
	"recall/payload"
)

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
