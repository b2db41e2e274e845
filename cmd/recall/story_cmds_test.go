package main

import (
	"bytes"
	"database/sql"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"recall/cmd/recall/demo"
	"recall/ingest/opencode/opencodetest"
	"recall/pipeline/guard"
)

// storyCmds are what the stories need beside recall.
func storyCmds() map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	return map[string]func(ts *testscript.TestScript, neg bool, args []string){
		"spoil-index":      spoilIndex,
		"newer-format":     newerFormat,
		"swap-byte":        swapByte,
		"damage-segments":  damageSegments,
		"held-by":          heldBy,
		"write-transcript": writeTranscript,
		"append-now":       appendNow,
		"commit-hash":      commitHash,
		"exits-with":       exitsWith,
		"model-answers":    modelAnswers,
		"mcp-asks":         mcpAsks,
		"opencode":         openCode,
		"samples":          samples,
	}
}

// samples DIR writes recall demo's sessions to DIR/sources; samples DIR taken-in makes its library by rules, too,
// without the half of a demo that asks a recorded model.
func samples(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: samples DIR [taken-in]")
	}
	dir := ts.MkAbs(args[0])
	claude, cowork, err := demo.Write(filepath.Join(dir, guard.DemoSources))
	ts.Check(err)
	if len(args) == 2 {
		made := filepath.Join(dir, guard.DemoByRules)
		ts.Check(ts.Exec("recall", "--library", made, "sync", "--from", claude, "--from", cowork))
	}
}

// openCode DB SQL makes or changes a database of OpenCode's by statements, or by those of a file.
func openCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: opencode DB SQL")
	}
	if strings.HasSuffix(args[1], ".sql") {
		args[1] = ts.ReadFile(args[1])
	}
	ts.Check(opencodetest.Exec(ts.MkAbs(args[0]), args[1]))
}

// appendNow FILE OUT adds the lines of FILE to OUT, with the time as it is for NOW.
func appendNow(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: append-now FILE OUT")
	}
	out, err := os.OpenFile(ts.MkAbs(args[1]), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	ts.Check(err)
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	_, err = out.WriteString(strings.ReplaceAll(ts.ReadFile(args[0]), "NOW", now))
	ts.Check(errors.Join(err, out.Close()))
}

// spoilIndex HOME FILE puts FILE in the place of every index of that home.
func spoilIndex(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: spoil-index HOME FILE|counts")
	}
	spoilt := 0
	err := filepath.WalkDir(args[0], func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Name() != "index.db" {
			return err
		}
		if args[1] == "counts" {
			db, err := sql.Open("sqlite3", path)
			if err != nil {
				return err
			}
			defer db.Close()
			var page int64
			if db.QueryRow(`SELECT rootpage FROM sqlite_schema WHERE name='due'`).Scan(&page) != nil {
				return nil // another library's was spoilt before
			}
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte{0xee}, (page-1)*4096) // of no kind
			spoilt++
			return errors.Join(err, f.Close())
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

// heldBy HOME TEXT looks for a text in every byte under a home's library and
// caches, in files' names too, with zstd undone. What the index packs holds a text as
// it is where it stands first.
func heldBy(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: held-by HOME TEXT")
	}
	held, files, err := holds(ts.MkAbs(args[0]), args[1])
	for range 1200 { // a process of its own may be removing it
		if !neg || err == nil && held == "" {
			break
		}
		time.Sleep(50 * time.Millisecond)
		held, files, err = holds(ts.MkAbs(args[0]), args[1])
	}
	ts.Check(err)
	switch {
	case files == 0:
		ts.Fatalf("no files under %s", args[0])
	case neg && held != "":
		ts.Fatalf("%q stands in %s", args[1], held)
	case !neg && held == "":
		ts.Fatalf("%q stands nowhere", args[1])
	}
}

// holds says in which file of a home a text stands, "" if in none, and how many there are.
func holds(home, text string) (held string, files int, err error) {
	for _, dir := range []string{"Recall", "cache"} {
		at := filepath.Join(home, dir)
		err = errors.Join(err, filepath.WalkDir(at, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if strings.Contains(path, text) {
				held = path
			}
			if d.IsDir() {
				return nil
			}
			files++
			data, err := os.ReadFile(path)
			if err == nil && anywhereIn(data, []byte(text)) {
				held = path
			}
			return err
		}))
	}
	return held, files, err
}

// anywhereIn looks for text in data as it is, and behind every place where
// something compressed may begin.
func anywhereIn(data, text []byte) bool {
	if bytes.Contains(data, text) {
		return true
	}
	zstdMark := []byte{0x28, 0xb5, 0x2f, 0xfd}
	for i := range data {
		if !bytes.HasPrefix(data[i:], zstdMark) {
			continue
		}
		dec, err := zstd.NewReader(bytes.NewReader(data[i:]))
		if err != nil {
			continue
		}
		defer dec.Close()
		plain, _ := io.ReadAll(io.LimitReader(dec, 1<<20)) // what isn't compressed gives an error soon
		if bytes.Contains(plain, text) {
			return true
		}
	}
	return false
}

// commitHash WORD puts the short hash of the repository's last commit in the
// place of WORD in every *.story beside the repository.
func commitHash(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: commit-hash WORD")
	}
	ts.Check(ts.Exec("git", "rev-parse", "--short", "HEAD"))
	hash := strings.TrimSpace(ts.ReadFile("stdout"))
	stories, err := filepath.Glob(filepath.Join(ts.Getenv("WORK"), "*.story"))
	ts.Check(err)
	for _, path := range stories {
		text, err := os.ReadFile(path)
		ts.Check(err)
		ts.Check(os.WriteFile(path, []byte(strings.ReplaceAll(string(text), args[0], hash)), 0o600))
	}
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
