// Command release builds what people install: archives for six targets with
// man pages and completions in them, their checksums, and, where they are to be
// offered, a Homebrew formula and a Scoop manifest. The same source gives the
// same bytes.
//
//	go -C tools run ./release 1.2.0
//	go -C tools run ./release 1.2.0 BASE_URL
//	go -C tools run ./release -only linux/amd64 1.2.0     to try it
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	only := flag.String("only", "", "build this target alone, such as linux/amd64")
	flag.Parse()
	if err := release(flag.Args(), *only); err != nil {
		fmt.Fprintln(os.Stderr, "release: error:", err)
		os.Exit(2)
	}
}

// targets are what is built: system and processor as Go names them.
var targets = [][2]string{{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"}}

// A build is one release on its way.
type build struct {
	root    string    // of the repository
	out     string    // where the archives go
	scratch string    // what is made on the way
	version string    // without "v"
	baseURL string    // the archives will lie below it, "" if that isn't known
	day     time.Time // of the commit: all times in the archives
	targets [][2]string
	sums    map[string]string
}

var versionForm = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

func release(args []string, only string) error {
	if len(args) < 1 || len(args) > 2 {
		return errors.New("want VERSION and, for the formula and the manifest, BASE_URL: " +
			"go -C tools run ./release 1.2.0 [BASE_URL]")
	}
	b := &build{version: strings.TrimPrefix(args[0], "v"), sums: map[string]string{}}
	if !versionForm.MatchString(b.version) {
		return fmt.Errorf("%q is no version such as 1.2.0", args[0])
	}
	for _, t := range targets {
		if only == "" || only == t[0]+"/"+t[1] {
			b.targets = append(b.targets, t)
		}
	}
	if len(b.targets) == 0 {
		return fmt.Errorf("-only %s: targets are %v", only, targets)
	}
	if len(args) == 2 {
		b.baseURL = strings.TrimRight(args[1], "/")
	}
	root, err := output("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	b.root = root
	seconds, err := output(b.root, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	b.day = time.Unix(at, 0).UTC()
	b.out = filepath.Join(b.root, "dist")
	if b.scratch, err = os.MkdirTemp("", "recall-release-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.scratch)
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return err
	}
	beside, err := b.documents()
	if err != nil {
		return err
	}
	for _, t := range b.targets {
		if err := b.target(t[0], t[1], beside); err != nil {
			return err
		}
	}
	return b.finish()
}

// goEnv builds without C, so that one machine builds for all.
func goEnv(system, processor string) []string {
	return append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor, "GOFLAGS=", "GOAMD64=v1",
		"GOARM64=v8.0")
}

// compile builds recall; nothing of this machine or of the time is in it.
func (b *build) compile(path, system, processor string, tags ...string) error {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags",
		"-s -w -buildid= -X recall/cmd/recall/app.version=" + b.version, "-o", path}
	if len(tags) > 0 {
		args = append(args, "-tags", strings.Join(tags, ","))
	}
	c := exec.Command("go", append(args, "./cmd/recall")...)
	c.Dir, c.Env = b.root, goEnv(system, processor)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}

// documents makes what every archive has beside the program: by a recall for
// this machine that can write man pages.
func (b *build) documents() ([]member, error) {
	tool := filepath.Join(b.scratch, "recall-man.exe")
	fmt.Println("man pages and completions")
	if err := b.compile(tool, runtime.GOOS, runtime.GOARCH, "man"); err != nil {
		return nil, err
	}
	pages := filepath.Join(b.scratch, "man1")
	run := func(args ...string) ([]byte, error) {
		c := exec.Command(tool, args...)
		c.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", b.day.Unix()), "HOME="+b.scratch)
		c.Stderr = os.Stderr
		return c.Output()
	}
	if _, err := run("man", pages); err != nil {
		return nil, fmt.Errorf("man pages: %w", err)
	}
	var all []member
	names, err := os.ReadDir(pages)
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		text, err := os.ReadFile(filepath.Join(pages, n.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, member{"man/man1/" + n.Name(), text, 0o644})
	}
	for shell, name := range map[string]string{"bash": "recall.bash", "zsh": "_recall", "fish": "recall.fish",
		"powershell": "recall.ps1"} {
		text, err := run("completion", shell)
		if err != nil {
			return nil, fmt.Errorf("completion of %s: %w", shell, err)
		}
		all = append(all, member{"completions/" + name, text, 0o644})
	}
	for _, name := range []string{"README.md", "config.yaml", "docs/install.md"} {
		text, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		all = append(all, member{name, text, 0o644})
	}
	slices.SortFunc(all, func(x, y member) int { return strings.Compare(x.name, y.name) })
	return all, nil
}

// target builds and packs one archive.
func (b *build) target(system, processor string, beside []member) error {
	program := "recall"
	if system == "windows" {
		program += ".exe"
	}
	path := filepath.Join(b.scratch, system+"-"+processor, program)
	fmt.Println(system, processor)
	if err := b.compile(path, system, processor); err != nil {
		return fmt.Errorf("%s/%s: %w", system, processor, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	name := b.archive(system, processor)
	members := append([]member{{program, text, 0o755}}, beside...)
	pack := tarball
	if system == "windows" {
		pack = zipped
	}
	data, err := pack(b.folder(system, processor), members, b.day)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	sum := sha256.Sum256(data)
	b.sums[name] = hex.EncodeToString(sum[:])
	return os.WriteFile(filepath.Join(b.out, name), data, 0o644)
}

// folder is what one target's archive holds, archive its file.
func (b *build) folder(system, processor string) string {
	return fmt.Sprintf("recall-%s-%s-%s", b.version, system, processor)
}

func (b *build) archive(system, processor string) string {
	if system == "windows" {
		return b.folder(system, processor) + ".zip"
	}
	return b.folder(system, processor) + ".tar.gz"
}

// finish writes the checksums, and what package managers want.
func (b *build) finish() error {
	var lines strings.Builder
	for _, t := range b.targets {
		name := b.archive(t[0], t[1])
		fmt.Fprintf(&lines, "%s  %s\n", b.sums[name], name)
	}
	files := map[string]string{"SHA256SUMS": lines.String()}
	if b.baseURL != "" && len(b.targets) == len(targets) {
		for _, name := range []string{"recall.rb", "recall.json"} {
			text, err := b.offer(name)
			if err != nil {
				return err
			}
			files[name] = text
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(b.out, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	fmt.Print(lines.String())
	if b.baseURL == "" {
		fmt.Println("no formula and no manifest: say where the archives will lie, as the second argument")
	}
	return nil
}

func output(dir, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
