package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ErrNoRange is the cause where there is no range, or nothing in it.
var ErrNoRange = errors.New("no range of commits")

// commits is a range of commits.
type commits struct {
	top        string    // the repository's work tree
	base, head string    // hashes; base isn't in it, "" where history begins
	from, last time.Time // of the commit that both have in common, zero if they have none; of the newest
	list       []Commit  // the newest first
	older      bool      // there are more
}

// mostCommits is how many of a range are looked at, the newest.
const mostCommits = 1000

// trunks are what a branch is taken to come from, the first that there is.
var trunks = []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master",
	"refs/heads/main", "refs/heads/master", "refs/heads/trunk"}

// commitsOf reads a range of a folder's repository: A..B, A...B, or A for A..HEAD; "" is what HEAD has beyond the
// default branch. Names are looked up in the repository, which runs nothing; the rest is as in openRepository.
func commitsOf(ctx context.Context, folder, spec string) (*commits, error) {
	repo, err := openRepository(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer repo.close()
	from, to, fork := spec, "HEAD", spec == ""
	if a, b, ok := strings.Cut(spec, ".."); ok {
		from, to, fork = cmp.Or(a, "HEAD"), cmp.Or(strings.TrimPrefix(b, "."), "HEAD"), strings.HasPrefix(b, ".")
	}
	names := []string{from}
	if spec == "" {
		names = trunks
	}
	c := &commits{top: repo.top}
	for _, name := range names {
		if c.base = commitNamed(ctx, folder, name); c.base != "" {
			break
		}
	}
	c.head = commitNamed(ctx, folder, to)
	switch {
	case c.base == "" && spec == "":
		return nil, fmt.Errorf("%w: no default branch is known that this one may come from", ErrNoRange)
	case c.base == "":
		return nil, fmt.Errorf("%w: git knows no commit %q", ErrNoRange, line(from))
	case c.head == "":
		return nil, fmt.Errorf("%w: git knows no commit %q", ErrNoRange, line(to))
	}
	out, err := repo.git(ctx, nil, "merge-base", c.base, c.head)
	switch common := strings.TrimSpace(string(out)); {
	case err == nil:
		if c.from, err = repo.committed(ctx, common); err != nil {
			return nil, err
		}
		if fork {
			c.base = common
		}
	case fork:
		return nil, fmt.Errorf("%w: the two have no commit in common", ErrNoRange)
	}
	return c, c.read(ctx, repo)
}

// commitNamed is the hash of the commit that a name stands for, "" if it stands for none.
func commitNamed(ctx context.Context, folder, name string) string {
	out, err := runGit(ctx, folder, nil, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func (r *repository) committed(ctx context.Context, hash string) (time.Time, error) {
	out, err := r.git(ctx, nil, "log", "-1", "--format=%ct", hash)
	return unixText(strings.TrimSpace(string(out))), err
}

func (c *commits) read(ctx context.Context, r *repository) error {
	out, err := r.git(ctx, nil, "log", fmt.Sprintf("--max-count=%d", mostCommits+1), "--no-renames", "--name-only",
		"--format=%x00%H%n%s%n%an%n%at%n%ct", c.base+".."+c.head)
	if err != nil {
		return err
	}
	for i, one := range strings.Split(string(out), "\x00")[1:] {
		if c.older = i == mostCommits; c.older {
			break
		}
		rows := strings.Split(strings.TrimRight(one, "\n"), "\n")
		if len(rows) < 5 {
			return fmt.Errorf("git log answers %q", line(one))
		}
		files := slices.DeleteFunc(rows[5:], func(name string) bool { return name == "" })
		at := unixText(rows[4])
		if c.last.Before(at) {
			c.last = at
		}
		c.list = append(c.list, Commit{Hash: rows[0], Subject: rows[1], Author: rows[2], At: unixText(rows[3]),
			committed: at, files: files})
	}
	if len(c.list) == 0 {
		return fmt.Errorf("%w: nothing between %.10s and %.10s", ErrNoRange, c.base, c.head)
	}
	return nil
}
