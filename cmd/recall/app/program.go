package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"

	"github.com/gofrs/flock"

	"recall/internal/hint"
	"recall/library/disk"
	"recall/pipeline/review"
	"recall/serve/hooks/clients"
)

// Self returns the most durable path of this program: the one on the PATH, or the one it was called by, if it leads
// here. A package manager's link outlives the version it points to.
func Self() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	for _, name := range []string{"recall", os.Args[0]} {
		found, err := exec.LookPath(name)
		if err == nil {
			found, err = filepath.Abs(found)
		}
		if err == nil && sameFile(found, self) {
			return found, nil
		}
	}
	return self, nil
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// Program is what clients start: this program by a path that survives an upgrade if there is one, with the flags and
// the library given here, as the client's environment might lack that.
func (a *App) Program() (clients.Program, error) {
	exe, err := Self()
	if err != nil {
		return clients.Program{}, err
	}
	p := clients.Program{Path: exe, Args: a.GlobalFlags()}
	for i := 1; i < len(p.Args) && err == nil; i += 2 {
		p.Args[i], err = filepath.Abs(p.Args[i])
	}
	if err != nil {
		return p, err
	}
	c, err := a.LoadConfig()
	if err == nil && c.Environment("library.dir") {
		p.Args = append(p.Args, "--library", c.Library.Dir)
	}
	return p, err
}

// version is set at release by -ldflags "-X recall/cmd/recall/app.version=…".
var version = ""

// VersionText returns the release's version, else the revision it was built from and its day.
func VersionText() string {
	info, built := BuildInfo()
	switch rev, day := built["vcs.revision"], built["vcs.time"]; {
	case version != "":
		return version
	case info == nil:
		return "(unknown)"
	case len(rev) >= 12 && len(day) >= 10:
		return fmt.Sprintf("(devel) %s of %s", rev[:12], day[:10])
	}
	return info.Main.Version
}

// BuildInfo returns what the program was built from, with its settings; nil if that isn't known.
func BuildInfo() (info *debug.BuildInfo, built map[string]string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil, nil
	}
	built = map[string]string{}
	for _, s := range info.Settings {
		built[s.Key] = s.Value
	}
	return info, built
}

// Exit codes, like grep's; documented in the help of the root command.
const (
	ExitOK      = 0
	ExitNothing = 1 // nothing that answers the question; nothing found; not done
	ExitError   = 2
	ExitPartial = 3 // done, with sessions skipped
)

// ExitCode is the error of a command that has already printed everything.
type ExitCode int

func (c ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// RunsDir is the folder for runs of recall-eval (eval/cmd) without --out: here, so that forget can empty it.
func RunsDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", hint.With(err, "name a file with --out")
	}
	return filepath.Join(base, "recall", "eval"), nil
}

// WithLock runs do unless another recall holds the lock, and reports whether it ran.
func WithLock(lock string, do func() error) (done bool, err error) {
	l := flock.New(lock, flock.SetPermissions(0o600))
	if done, err = l.TryLock(); err != nil || !done {
		return false, err
	}
	defer l.Unlock()
	return true, do()
}

// WriteNew writes a file for this user only, whole or not at all. It replaces an existing one only with force.
func WriteNew(path, text string, force bool) error {
	have, err := disk.ReadRegular(path, 1<<40)
	switch {
	case err == nil && string(have) == text:
		return nil
	case err == nil && !force:
		return hint.With(fmt.Errorf("%s already exists", path), "--force replaces it, or name another file")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if force {
		if real, err := filepath.EvalSymlinks(path); err == nil { // keep a symbolic link
			path = real
		}
		return disk.Replace(path, []byte(text), 0o600)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // one might have been created meanwhile
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(path)
	}
	return err
}

// FreeName returns the first of NAME.md, NAME-2.md, … that doesn't exist or already holds the text.
func FreeName(name, ext, text string) string {
	path := name + ext
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path
		}
		if old, err := disk.ReadRegular(path, review.MostHandoff); err == nil && string(old) == text {
			return path
		}
		path = fmt.Sprintf("%s-%d%s", name, n, ext)
	}
}
