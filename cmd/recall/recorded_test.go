package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/demo"
	"recall/library"
)

var update = flag.Bool("update", false, "write testdata/recorded anew: what recall says now is what it is to say")

// What every command says, with --json too, on the sample sessions and where
// something is amiss: testdata/recorded/*.txtar. A line "$ recall …" there is run
// in the program itself; beneath it stand what it printed, "! " before what went
// to standard error, and "= " before an exit code that isn't 0. "<name" gives it a
// file of the archive to read. The commands of one file are run one after the
// other, on a library of its own, all in the same second.
//
// A change that is wanted: write the command line (for a new one) and run
//
//	go test ./cmd/recall -run TestRecorded -update
func TestRecorded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what is recorded was said on Linux: paths, schedulers and folders differ elsewhere")
	}
	if apart(t, fmt.Sprintf("-update=%v", *update)) { // what a bubble makes and keeps, as decoders, is of no use outside
		return
	}
	files, err := filepath.Glob(filepath.Join("testdata", "recorded", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("nothing recorded", err)
	}
	var commands []string
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)))
		r := newRecorder(t)
		for _, file := range files {
			commands = append(commands, r.file(file)...)
		}
		r.tree(filepath.Join("testdata", "recorded", "tree.sum"))
	})
	everyCommand(t, commands)
}

// apart runs a test in a process of its own, whose environment and folder it may change while others run, and reports
// whether it did: in that process it doesn't.
func apart(t *testing.T, flags ...string) bool {
	const alone = "RECALL_TEST_ALONE"
	if os.Getenv(alone) != "" {
		return false
	}
	t.Parallel()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self, append(flags, "-test.run=^"+t.Name()+"$")...)
	cmd.Env = append(os.Environ(), alone+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return true
}

// recorder runs commands in a home of its own.
type recorder struct {
	t           *testing.T
	here        string // the package's folder
	home        string // what commands see as the home folder
	bare, taken string // what it holds to begin with: the sample sessions; and their library, too
	hidden      []string
}

// newRecorder makes a home with the sample sessions and their library. Its path
// is as long as on any other machine, so that lines break at the same words.
func newRecorder(t *testing.T) *recorder {
	dir := fmt.Sprintf("/tmp/recall-%08x", os.Getpid())
	if fi, err := os.Stat("/dev/shm"); err == nil && fi.IsDir() {
		dir = fmt.Sprintf("/dev/shm/r-%09x", os.Getpid()) // in memory, which is quicker
	}
	must(t, os.Mkdir(dir, 0o700))
	t.Cleanup(func() { os.RemoveAll(dir) })
	r := &recorder{t: t, home: filepath.Join(dir, "home"), bare: filepath.Join(dir, "bare"),
		taken: filepath.Join(dir, "taken")}
	var err error
	r.here, err = os.Getwd()
	must(t, err)
	r.environment()
	t.Chdir(dir)

	claude, cowork, err := demo.Write(filepath.Join(dir, "sources"))
	must(t, err)
	must(t, os.Mkdir(r.bare, 0o700))
	must(t, os.Rename(claude, filepath.Join(r.bare, ".claude")))
	must(t, os.Rename(cowork, filepath.Join(r.bare, "Claude")))
	r.fill(r.bare)
	if out, errOut, code := r.run([]string{"init"}, ""); code != app.ExitOK {
		t.Fatalf("recall init: exit code %d\n%s%s", code, out, errOut)
	}
	must(t, copyTree(r.taken, r.home))
	l, err := library.Open(filepath.Join(r.home, "Recall"))
	must(t, err)
	defer l.Close()
	exe, err := os.Executable()
	must(t, err)
	r.hidden = []string{dir, "", l.ID(), "LIBRARY", exe, "recall", versionLine(), "recall VERSION\n"}
	return r
}

// environment is the same for everybody.
func (r *recorder) environment() {
	for _, v := range os.Environ() {
		k, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(k, "RECALL_") || strings.HasPrefix(k, "CLAUDE") || strings.HasPrefix(k, "XDG_") ||
			strings.HasSuffix(k, "_API_KEY") {
			r.t.Setenv(k, "") // so that it comes back
			os.Unsetenv(k)
		}
	}
	for k, v := range map[string]string{
		"HOME": r.home, "XDG_CACHE_HOME": filepath.Join(r.home, "cache"), "XDG_CONFIG_HOME": filepath.Join(r.home, "config"),
		"RECALL_SOURCES_COWORK": filepath.Join(r.home, "Claude"), "PATH": filepath.Join(r.home, "bin"),
		"NO_COLOR": "1", "EDITOR": "", "VISUAL": "", embedProvider: config.EmbedOff,
	} {
		r.t.Setenv(k, v)
	}
	local, args := time.Local, os.Args
	time.Local = time.UTC
	r.t.Cleanup(func() { time.Local, os.Args = local, args })
}

// fill puts a copy of a folder in the place of the home.
func (r *recorder) fill(from string) {
	must(r.t, os.RemoveAll(r.home))
	must(r.t, copyTree(r.home, from))
}

// lastWritten is when all files of the home were last written.
var lastWritten = time.Date(2026, 10, 9, 0, 0, 0, 0, time.UTC)

// copyTree copies a folder as it was on that day.
func copyTree(to, from string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(to, func(path string, _ fs.DirEntry, err error) error {
		return cmp.Or(err, os.Chtimes(path, lastWritten, lastWritten))
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// file runs the commands of one file and compares or writes what they say. It
// returns the command lines.
func (r *recorder) file(path string) (commands []string) {
	archive, err := txtar.ParseFile(filepath.Join(r.here, path))
	must(r.t, err)
	from := r.taken
	if strings.HasPrefix(filepath.Base(path), "bare") {
		from = r.bare
	}
	r.fill(from)
	must(r.t, os.Chdir(r.home))
	for _, f := range archive.Files {
		must(r.t, os.MkdirAll(filepath.Dir(f.Name), 0o700))
		must(r.t, os.WriteFile(f.Name, f.Data, 0o600))
		must(r.t, os.Chtimes(f.Name, lastWritten, lastWritten))
	}
	var said strings.Builder
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimRight(line, "\n")
		command, isCommand := strings.CutPrefix(line, "$ recall")
		switch {
		case strings.HasPrefix(line, "#"):
			fmt.Fprintf(&said, "%s\n", line)
		case isCommand:
			commands = append(commands, strings.TrimSpace(command))
			fmt.Fprintf(&said, "%s\n%s\n", line, r.answer(command))
		}
	}
	want := string(archive.Comment)
	archive.Comment = []byte(said.String())
	r.compare(path, want, said.String(), txtar.Format(archive))
	return commands
}

// compare writes a recorded file anew, if that is asked for, or says what differs.
func (r *recorder) compare(path, want, got string, file []byte) {
	path = filepath.Join(r.here, path)
	if *update {
		must(r.t, os.WriteFile(path, file, 0o644))
	} else if diff := gocmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		if lines := strings.SplitAfter(diff, "\n"); len(lines) > most {
			diff = strings.Join(lines[:most], "") + "…\n"
		}
		r.t.Errorf("%s: recall says something else (-recorded +now); if that is wanted: go test ./cmd/recall -run "+
			"TestRecorded -update\n%s", path, diff)
	}
}

// answer runs a command line and writes down what it says.
func (r *recorder) answer(line string) string {
	args, input := commandLine(line)
	if input != "" {
		data, err := os.ReadFile(input)
		must(r.t, err)
		input = string(data)
	}
	out, errOut, code := r.run(args, input)
	var b strings.Builder
	r.lines(&b, "  ", out)
	r.lines(&b, "! ", errOut)
	if code != app.ExitOK {
		fmt.Fprintf(&b, "= %d\n", code)
	}
	return b.String()
}

// most lines of an output are written down; of a longer one as many, and the
// checksum of all.
const most = 80

func (r *recorder) lines(b *strings.Builder, mark, text string) {
	if text == "" {
		return
	}
	text = r.steady(text)
	lines := strings.Split(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	} else {
		lines[last] += "⏎̸"
	}
	for _, line := range lines[:min(len(lines), most)] {
		fmt.Fprintln(b, strings.TrimRight(mark+line, " "))
	}
	if n := len(lines); n > most {
		fmt.Fprintf(b, "%s… %d lines, %x\n", mark, n, sha256.Sum256([]byte(text)))
	}
}

// steady is a text without what differs from run to run.
func (r *recorder) steady(text string) string {
	text = strings.NewReplacer(r.hidden...).Replace(text)
	for _, p := range passing {
		text = p.ReplaceAllString(text, "${1}…")
	}
	return text
}

// passing are the parts of what is printed or kept that differ on every machine.
var passing = []*regexp.Regexp{
	// the last digits of a score
	regexp.MustCompile(`(\d\.\d{4})\d+`),
	// the id of what a client remembers, made of the path of its folder
	regexp.MustCompile(`(memory-)[0-9a-f]{8}`),
	// room on the disk
	regexp.MustCompile(`()[\d.]+ [KMGT]B free`),
	// the same, and pages of the index
	regexp.MustCompile(`("free": |"index_bytes": |index {6})\d+`),
	// of what hides secrets; of a file with its times, or the home's path
	regexp.MustCompile(`("(?:rules|redaction|stamp|check)": "|# check |<!-- check )[0-9a-z]+`),
}

func (r *recorder) run(args []string, input string) (out, errOut string, code int) {
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute) // for what follows a log until it is stopped
	defer cancel()
	os.Args = append([]string{"recall"}, args...) // a measurement writes them down
	var o, e bytes.Buffer
	code = run(ctx, args, strings.NewReader(input), &o, &e)
	return o.String(), e.String(), code
}

// commandLine gives the words of a command line, where '…' and "…" hold words together, and
// the file that "<" names.
func commandLine(line string) (words []string, input string) {
	var quote rune
	word, in := "", false
	end := func() {
		if name, ok := strings.CutPrefix(word, "<"); ok && in {
			input = name
		} else if in {
			words = append(words, word)
		}
		word, in = "", false
	}
	for _, c := range line {
		switch {
		case quote == 0 && c == ' ':
			end()
		case quote == 0 && (c == '\'' || c == '"'):
			quote, in = c, true
		case c == quote:
			quote = 0
		default:
			word, in = word+string(c), true
		}
	}
	end()
	return words, input
}

// everyCommand holds that each command is recorded: what its --help says, what it
// does, and its --json.
func everyCommand(t *testing.T, recorded []string) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		path := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "recall"), " ")
		has := func(flag string) bool {
			return slices.ContainsFunc(recorded, func(line string) bool {
				return (line == path || strings.HasPrefix(line, path+" ") || path == "") && strings.Contains(line, flag)
			})
		}
		for _, flag := range []string{"", "--help", "--json"} {
			if flag == "--json" && c.Flags().Lookup("json") == nil {
				continue
			}
			if !has(flag) {
				t.Errorf("recall %s %s is recorded nowhere: write \"$ recall %[1]s %[2]s\" into a file of testdata/recorded", path,
					flag)
			}
		}
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				walk(sub)
			}
		}
	}
	walk(rootCmd(&app.App{}))
}

// tree compares the bytes of the library that the sample sessions give: what is
// derived of them must not change unnoticed.
func (r *recorder) tree(path string) {
	r.fill(r.taken)
	var b strings.Builder
	root := filepath.Join(r.home, "Recall")
	must(r.t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == ".locks" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256([]byte(r.steady(string(data)))), r.steady(filepath.ToSlash(rel)))
		return err
	}))
	want, err := os.ReadFile(filepath.Join(r.here, path))
	if err != nil && !*update {
		r.t.Fatal(err)
	}
	r.compare(path, string(want), b.String(), []byte(b.String()))
}
