package ask

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	txt "recall/text"
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

// Blame asks git who wrote a line of a file as it is now.
func Blame(ctx context.Context, file string, line int) (blamed, error) {
	repo, err := app.OpenHistory(ctx, filepath.Dir(file))
	if err != nil {
		return blamed{}, err
	}
	defer repo.Close()
	name, err := repo.Name(file)
	if err != nil {
		return blamed{}, err
	}
	content, err := os.Open(file)
	if err != nil {
		return blamed{}, err
	}
	defer content.Close()
	n := strconv.Itoa(line)
	out, err := repo.Git(ctx, content, "blame", "--porcelain", "-L", n+","+n, "--contents", "-", "--", name)
	if err != nil {
		return blamed{}, err
	}
	return readBlame(out)
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
		return blamed{}, fmt.Errorf("git blame answers %q", txt.Clip(terminal.Line(string(out)), 80))
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
