package main

import (
	"os"
	"path/filepath"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

// storyCmds are what the stories need beside recall.
func storyCmds() map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	return map[string]func(ts *testscript.TestScript, neg bool, args []string){
		"spoil-index":     spoilIndex,
		"newer-format":    newerFormat,
		"swap-byte":       swapByte,
		"damage-segments": damageSegments,
	}
}

// spoilIndex HOME FILE puts FILE in the place of every index of that home.
func spoilIndex(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: spoil-index HOME FILE")
	}
	spoilt := 0
	err := filepath.WalkDir(args[0], func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Name() != "index.db" {
			return err
		}
		spoilt++
		return os.WriteFile(path, []byte(ts.ReadFile(args[1])), 0o600)
	})
	ts.Check(err)
	if spoilt == 0 {
		ts.Fatalf("no index.db under %s", args[0])
	}
}

// newerFormat FILE makes a library.toml that of a recall to come.
func newerFormat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: newer-format FILE")
	}
	old := ts.ReadFile(args[0])
	text := regexp.MustCompile(`(?m)^format = \d+$`).ReplaceAllString(old, "format = 99")
	if text == old {
		ts.Fatalf("%s has no format", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// swapByte FILE changes a letter of a file and leaves its size and time.
func swapByte(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: swap-byte FILE")
	}
	path := ts.MkAbs(args[0])
	fi, err := os.Stat(path)
	ts.Check(err)
	text := []byte(ts.ReadFile(args[0]))
	text[len(text)/2] ^= 1
	ts.Check(os.WriteFile(path, text, 0o600))
	ts.Check(os.Chtimes(path, fi.ModTime(), fi.ModTime()))
}

// damageSegments LIBRARY flips a bit in every segment of a library.
func damageSegments(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage-segments LIBRARY")
	}
	n := 0
	err := filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".zst" {
			return err
		}
		n++
		data, err := os.ReadFile(path)
		ts.Check(err)
		data[len(data)/2] ^= 4
		return os.WriteFile(path, data, 0o600)
	})
	ts.Check(err)
	if n == 0 {
		ts.Fatalf("no segments in %s", args[0])
	}
}
