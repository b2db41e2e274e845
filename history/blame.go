package history

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"recall/text"
)

// Commit is what git says of a commit.
type Commit struct {
	Hash      string    `json:"hash"`
	Subject   string    `json:"subject"`
	Author    string    `json:"author"`
	At        time.Time `json:"at,omitzero"` // authored: stays when the commit is rebased
	committed time.Time
}

// Blamed is what git says of one line.
type Blamed struct {
	Commit        // whose hash is "" while the line isn't committed
	Text   string // the line
}

// Blame asks git who wrote a line of a file as it is now.
func Blame(ctx context.Context, file string, line int) (Blamed, error) {
	repo, err := openRepository(ctx, filepath.Dir(file))
	if err != nil {
		return Blamed{}, err
	}
	defer repo.close()
	name, err := repo.name(file)
	if err != nil {
		return Blamed{}, err
	}
	content, err := os.Open(file)
	if err != nil {
		return Blamed{}, err
	}
	defer content.Close()
	n := strconv.Itoa(line)
	out, err := repo.git(ctx, content, "blame", "--porcelain", "-L", n+","+n, "--contents", "-", "--", name)
	if err != nil {
		return Blamed{}, err
	}
	return readBlame(out)
}

// readBlame reads one line's answer in git's porcelain form, git-blame(1).
func readBlame(out []byte) (Blamed, error) {
	var b Blamed
	for i, row := range strings.Split(string(out), "\n") {
		if i == 0 {
			b.Hash, _, _ = strings.Cut(row, " ")
			continue
		}
		if after, ok := strings.CutPrefix(row, "\t"); ok {
			b.Text = after
			break
		}
		key, value, _ := strings.Cut(row, " ")
		switch key {
		case "summary":
			b.Subject = value
		case "author":
			b.Author = value
		case "author-time":
			b.At = unixText(value)
		case "committer-time":
			b.committed = unixText(value)
		}
	}
	if len(b.Hash) < 40 {
		return Blamed{}, fmt.Errorf("git blame answers %q", text.Clip(line(string(out)), 80))
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
