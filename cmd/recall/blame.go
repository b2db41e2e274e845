package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// blamed is what git says of one line.
type blamed struct {
	Hash    string // "" while the line isn't committed
	Subject string
	Author  string
	At      time.Time // authored: stays when the commit is rebased
	Commit  time.Time // committed
	Text    string    // the line
	Was     string    // the file's name in that commit, below the repository's root
	Before  string    // the line that it replaced stood in this commit, "" if unknown
}

// Why git has no answer.
var (
	errNoGit  = errors.New("git isn't installed")
	errNoRepo = errors.New("it lies in no git repository")
	errNoLine = errors.New("no such line")
	errNoFile = errors.New("git doesn't know this file")
)

// gitWait is how long git may take: blame reads a file's whole history.
const gitWait = 30 * time.Second

// blame asks git who wrote a line. Git is run by its name, without a shell, and
// with everything switched off by which a repository's configuration could make
// it run something.
func blame(ctx context.Context, file string, line int) (blamed, error) {
	dir, base := filepath.Split(file)
	n := strconv.Itoa(line)
	out, err := git(ctx, dir, "blame", "--no-textconv", "--porcelain", "-L", n+","+n, "--", base)
	if err != nil {
		return blamed{}, err
	}
	return readBlame(out)
}

func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return nil, errNoGit
	}
	ctx, cancel := context.WithTimeout(ctx, gitWait)
	defer cancel()
	safe := []string{"--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "log.showSignature=false", "-c", "core.quotePath=false"}
	cmd := exec.CommandContext(ctx, path, append(safe, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat")
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	switch said := stderr.String(); {
	case err == nil:
		return stdout.Bytes(), nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s took longer than %v", args[0], gitWait)
	case strings.Contains(said, "dubious ownership"):
		return nil, withHint(errors.New("git doesn't trust this repository: it belongs to another user"), "if you do: git config --global --add safe.directory %s", strings.TrimRight(dir, `/\`))
	case strings.Contains(said, "not a git repository"):
		return nil, errNoRepo
	case strings.Contains(said, "no such path"), strings.Contains(said, "is outside repository"):
		return nil, errNoFile
	case strings.Contains(said, "has only"):
		return nil, fmt.Errorf("%w: %s", errNoLine, strings.TrimPrefix(oneLine(said), "fatal: "))
	default:
		return nil, fmt.Errorf("git %s: %s", args[0], clip(oneLine(said), 200))
	}
}

// readBlame reads one line's answer in git's porcelain form, git-blame(1).
func readBlame(out []byte) (blamed, error) {
	var b blamed
	for i, line := range strings.Split(string(out), "\n") {
		if i == 0 {
			b.Hash, _, _ = strings.Cut(line, " ")
			continue
		}
		if text, ok := strings.CutPrefix(line, "\t"); ok {
			b.Text = text
			break
		}
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "summary":
			b.Subject = value
		case "author":
			b.Author = value
		case "author-time":
			b.At = unixText(value)
		case "committer-time":
			b.Commit = unixText(value)
		case "filename":
			b.Was = value
		case "previous":
			b.Before, _, _ = strings.Cut(value, " ")
		}
	}
	if len(b.Hash) < 40 {
		return blamed{}, fmt.Errorf("git blame answers %q", clip(oneLine(string(out)), 80))
	}
	if strings.Trim(b.Hash, "0") == "" {
		b.Hash = ""
	}
	return b, nil
}

func unixText(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}
