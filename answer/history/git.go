package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"recall/index"
	"recall/internal/hint"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/payload"
)

// Why git has no answer.
var (
	ErrNoGit  = errors.New("git isn't installed")
	ErrNoRepo = errors.New("it isn't in a git repository")
	ErrNoLine = errors.New("no such line")
	ErrNoFile = errors.New("git doesn't know this file")
	ErrEmpty  = errors.New("the repository has no commits yet")
	ErrOwner  = errors.New("git doesn't trust this repository: it belongs to another user")
)

// A repository may be untrusted, and git obeys its configuration: it runs filters, hooks and pagers, and fetches
// missing objects. So git gets a temporary bare repository with the original's objects and no configuration,
// attributes, remotes or hooks. All of recall's git goes through here; a test enforces that.

// gitWait is how long git may take: blame reads a file's whole history. Reading a setting is quick unless git blocks,
// for instance on a pipe in place of HEAD.
const (
	gitWait    = 30 * time.Second
	configWait = 3 * time.Second
)

// repository gives access to a repository's history.
type repository struct {
	top     string // its work tree
	dir     string // the bare one
	objects string
}

// openRepository opens the history of the repository that contains a folder. The caller closes it.
func openRepository(ctx context.Context, folder string) (*repository, error) {
	// Looking these up runs and fetches nothing, whatever is configured. Since a folder's name may
	// contain a line break, HEAD's hash separates the answers.
	out, err := runGit(ctx, folder, nil, nil, "rev-parse", "--path-format=absolute", "HEAD", "--show-toplevel", "HEAD",
		"--git-path", "objects", "HEAD", "--git-path", "shallow", "HEAD", "--show-object-format")
	if err != nil {
		return nil, err
	}
	head, rest, _ := strings.Cut(strings.TrimRight(string(out), "\r\n"), "\n")
	found := strings.Split(rest, "\n"+head+"\n")
	if len(found) != 4 {
		return nil, fmt.Errorf("git rev-parse answers %q", text.Clip(line(string(out)), 80))
	}
	top, objects, shallow, format := found[0], found[1], found[2], found[3]
	dir, err := os.MkdirTemp("", "recall-git-")
	if err != nil {
		return nil, err
	}
	r := &repository{top: filepath.FromSlash(top), dir: dir, objects: objects}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if format != "sha1" {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = " + format + "\n"
	}
	err = errors.Join(os.Mkdir(filepath.Join(dir, "objects"), 0o700), os.Mkdir(filepath.Join(dir, "refs"), 0o700),
		os.Mkdir(filepath.Join(dir, "tree"), 0o700), os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600),
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte(head+"\n"), 0o600))
	if data, rerr := disk.ReadRegular(shallow, 64<<20); rerr == nil { // where a shallow clone's history ends
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, "shallow"), data, 0o600))
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *repository) close() { os.RemoveAll(r.dir) }

// name returns a file's name in the repository: below its work tree, with slashes.
func (r *repository) name(file string) (string, error) {
	top, err := filepath.EvalSymlinks(r.top)
	if err != nil {
		return "", err
	}
	name, err := filepath.Rel(top, file)
	if err != nil || !filepath.IsLocal(name) {
		return "", ErrNoFile
	}
	return filepath.ToSlash(name), nil
}

// git runs git on the repository's history.
func (r *repository) git(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	env := []string{"GIT_OBJECT_DIRECTORY=" + r.objects, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_COUNT=0", "GIT_ATTR_NOSYSTEM=1"}
	at := []string{"--git-dir=" + r.dir, "--work-tree=" + filepath.Join(r.dir, "tree"), "--literal-pathspecs", "-c",
		"core.quotePath=false"}
	return runGit(ctx, filepath.Join(r.dir, "tree"), env, stdin, append(at, args...)...)
}

// GitConfig returns a git setting as it applies in a folder, "" if there is none. Reading one runs nothing.
func GitConfig(ctx context.Context, folder, key string) string {
	ctx, cancel := context.WithTimeout(ctx, configWait)
	defer cancel()
	out, err := runGit(ctx, folder, nil, nil, "config", "--get", key)
	if err != nil {
		return ""
	}
	return line(string(out))
}

// runGit runs git without a shell, prompts or fetching.
func runGit(ctx context.Context, folder string, env []string, stdin io.Reader, args ...string) ([]byte, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return nil, ErrNoGit
	}
	ctx, cancel := context.WithTimeout(ctx, gitWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append([]string{"--no-pager"}, args...)...)
	cmd.Dir = folder
	cmd.Env = append(gitFreeEnv(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
	cmd.Env = append(cmd.Env, env...)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &stdout, &stderr
	err = cmd.Run()
	switch said := stderr.String(); {
	case err == nil:
		return stdout.Bytes(), nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git took longer than %v", gitWait)
	case strings.Contains(said, "dubious ownership"):
		return nil, hint.With(ErrOwner, "if you do: git config --global --add safe.directory %s", folder)
	case strings.Contains(said, "not a git repository"), strings.Contains(said, "must be run in a work tree"):
		return nil, ErrNoRepo
	case strings.Contains(said, "ambiguous argument 'HEAD'"):
		return nil, ErrEmpty
	case strings.Contains(said, "no such path"), strings.Contains(said, "is outside repository"), strings.Contains(said,
		"unknown revision"):
		return nil, ErrNoFile
	case strings.Contains(said, "has only"):
		return nil, fmt.Errorf("%w: %s", ErrNoLine, strings.TrimPrefix(line(said), "fatal: "))
	default:
		return nil, fmt.Errorf("git: %s", text.Clip(line(said), 200))
	}
}

// gitFreeEnv returns the environment without git's variables, except settings: inside a git hook they point to
// another repository.
func gitFreeEnv() (env []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "GIT_CONFIG_") {
			env = append(env, v)
		}
	}
	return env
}

// Commit is what git says of a commit.
type Commit struct {
	Hash      string    `json:"hash"`
	Subject   string    `json:"subject"`
	Author    string    `json:"author"`
	At        time.Time `json:"at,omitzero"` // author time, which a rebase keeps
	committed time.Time
}

// Blamed is what git says of one line.
type Blamed struct {
	Commit        // its hash is "" while the line isn't committed
	Text   string // the line
}

// Blame asks git who wrote a line of a file in its current state.
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

// readBlame parses the porcelain output for one line, see git-blame(1).
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

// sinceWait is how long an answer waits for git to say what changed.
const sinceWait = 500 * time.Millisecond

// sinceFiles is for how many files to ask.
const sinceFiles = 8

// ChangedSince counts the commits, since an item was said, to the files that it mentions, if the project's
// repository is available. Files without any are left out; all are if git can't tell.
func ChangedSince(ctx context.Context, l *library.Library, p index.Placed) map[string]int {
	if p.Item.Kind != payload.Decision && p.Item.Kind != payload.Eliminated || p.Item.At.IsZero() {
		return nil
	}
	of, err := l.Project(p.Project)
	if err != nil || of.Root == "" {
		return nil
	}
	files := filesOf(of.Root, p.Item)
	if len(files) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sinceWait)
	defer cancel()
	repo, err := openRepository(ctx, of.Root)
	if err != nil {
		return nil
	}
	defer repo.close()
	args := []string{"log", "--no-renames", "--format=%x00", "--name-only",
		"--since=" + p.Item.At.UTC().Format(time.RFC3339), "--"}
	byName := map[string]string{}
	root, err := filepath.EvalSymlinks(of.Root)
	if err != nil {
		return nil
	}
	for _, f := range files {
		name, err := repo.name(filepath.Join(root, filepath.FromSlash(f)))
		if err != nil {
			return nil
		}
		byName[name] = f
		args = append(args, name)
	}
	out, err := repo.git(ctx, nil, args...)
	if err != nil {
		return nil
	}
	return countCommits(string(out), byName)
}

// filesOf lists the paths that an item mentions and that exist below the root.
func filesOf(root string, it payload.Item) []string {
	var files []string
	for _, name := range append([]string{it.Path}, it.About...) {
		name, _ = FileLine(name)
		if filepath.IsAbs(name) {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				continue
			}
			name = rel
		}
		name = filepath.ToSlash(filepath.Clean(name))
		if !filepath.IsLocal(name) || name == "." || !strings.ContainsAny(name, "./") || len(files) == sinceFiles {
			continue
		}
		if fi, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name))); err == nil && fi.Mode().IsRegular() {
			files = append(files, name)
		}
	}
	return files
}

// countCommits counts the commits of files by their names in the repository. Zero bytes separate commits.
func countCommits(out string, files map[string]string) map[string]int {
	counts := map[string]int{}
	for commit := range strings.SplitSeq(out, "\x00") {
		for name := range strings.Lines(commit) {
			if f := files[strings.TrimRight(name, "\r\n")]; f != "" {
				counts[f]++
			}
		}
	}
	return counts
}
