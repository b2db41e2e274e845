package library

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"recall/ingest"
	"recall/library/disk"
)

// .locks/changes holds two texts of fixed length: one that changes whenever anybody makes or moves a folder, and one
// that changes with each session.json written.

// changes returns its content, and the text about folders alone.
func (l *Library) changes() (all, folders string) {
	text, _ := disk.ReadPlain(filepath.Join(l.dir, changesName))
	return string(text), string(text[:min(len(text), len(nextChange()))])
}

const changesName = ".locks/changes"

func (l *Library) openChanges() (*os.File, error) {
	return disk.OpenPlain(filepath.Join(l.dir, changesName), os.O_WRONLY|os.O_CREATE, 0o600)
}

// refresh scans the folders again if another process has made or moved one. The caller holds the folders lock.
func (l *Library) refresh() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, now := l.changes(); l.loaded && now == l.seen {
		return nil
	}
	return l.scan()
}

// relocate renames a session's folder to e.Folder. The caller holds the folders lock and has called refresh.
func (l *Library) relocate(from string, e Entry) error {
	return l.rearrange(func() error {
		err := disk.Rename(from, e.Folder)
		if err == nil {
			err = l.setKnown(e)
		}
		return err
	})
}

// rearrange changes the folders, under l.mu, and informs other processes: before, too, as it may be killed in between.
// The caller holds the folders lock and has called refresh.
func (l *Library) rearrange(change func() error) error {
	f, err := l.openChanges()
	if err != nil {
		return err
	}
	defer f.Close()
	if err := writeOver(f, nextChange()); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	err = change()
	l.seen = nextChange()
	return errors.Join(err, writeOver(f, l.seen))
}

// nextChange returns a text of fixed length that never repeats.
func nextChange() string { return fmt.Sprintf("%019d %010d", time.Now().UnixNano(), os.Getpid()) }

// writeOver overwrites the content of a file that isn't longer than text. Truncating it first would take a hundred
// times as long.
func writeOver(f *os.File, text string) error {
	return disk.Do(disk.OpWrite, f.Name(), "", func() error {
		_, err := f.WriteAt([]byte(text), 0)
		return err
	})
}

// scan looks at every session's folder, again if one was moved meanwhile and so may have been missed. The caller holds
// l.mu.
func (l *Library) scan() error {
	if !l.loaded && len(l.sessions) == 0 {
		for _, k := range l.readList() {
			l.sessions[k.Entry.ID] = k
		}
	}
	for try := 0; ; try++ {
		_, seen := l.changes()
		folders, broken, err := l.folders()
		if err != nil {
			return fmt.Errorf("library: %w", err)
		}
		l.broken = broken
		l.look(folders)
		if now, _, err := l.folders(); err == nil && slices.Equal(now, folders) || try == 20 {
			l.seen, l.loaded = seen, true
			return nil
		}
	}
}

// look reads what is new or changed in the folders, which become all that is known.
func (l *Library) look(folders []string) {
	old := map[string]*known{} // by folder
	for _, k := range l.sessions {
		old[k.Entry.Folder] = k
	}
	seen, faults := make([]*known, len(folders)), make([]error, len(folders))
	inParallel(len(folders), 256, func(i int) { seen[i], faults[i] = readKnown(folders[i], old[folders[i]]) })
	l.sessions = make(map[ingest.SessionID]*known, len(folders))
	for i, k := range seen {
		l.addScanned(folders[i], k, faults[i])
		l.listStale = l.listStale || k != old[folders[i]]
	}
	l.listStale = l.listStale || len(l.sessions) != len(old)
}

// folders lists the folders that may be sessions', and those that can't be used. It never follows links.
func (l *Library) folders() (all []string, broken []ingest.Problem, err error) {
	groups, err := disk.ReadDir(l.dir)
	if err != nil {
		return nil, nil, err
	}
	isLink := func(path string, d fs.DirEntry) bool {
		if d.Type()&(fs.ModeSymlink|fs.ModeIrregular) == 0 {
			return false
		}
		broken = append(broken, ingest.Problem{Path: path, Err: disk.ErrNotPlain})
		return true
	}
	for _, g := range groups {
		dir := l.dir + string(filepath.Separator) + g.Name() // filepath.Join would take longer than the rest
		if isLink(dir, g) || !g.IsDir() || IsOwn(g.Name()) {
			continue
		}
		inside, err := disk.ReadDir(dir)
		if err != nil {
			broken = append(broken, ingest.Problem{Path: dir, Err: err})
			continue
		}
		for _, f := range inside {
			if at := dir + string(filepath.Separator) + f.Name(); !isLink(at, f) && f.IsDir() {
				all = append(all, at)
			}
		}
	}
	return all, broken, nil
}

// Unusable lists folders that can't be read, and links in place of folders.
func (l *Library) Unusable() []ingest.Problem {
	_, broken, err := l.folders()
	if err != nil {
		broken = append(broken, ingest.Problem{Path: l.dir, Err: err})
	}
	return broken
}

// addScanned records what was found in one folder. The caller holds l.mu.
func (l *Library) addScanned(folder string, k *known, fault error) {
	if k != nil {
		if twin, ok := l.sessions[k.Entry.ID]; !ok {
			l.sessions[k.Entry.ID] = k
		} else {
			fault = errors.New("the same session as in " + twin.Entry.Folder)
		}
	}
	if fault != nil {
		l.broken = append(l.broken, ingest.Problem{Path: folder, Err: fault})
	}
}

// readKnown reads a folder's session.json, unless it hasn't changed since was. It returns nil for a folder that isn't a
// session's.
func readKnown(folder string, was *known) (*known, error) {
	fi, err := os.Stat(sessionFile(folder))
	if errors.Is(err, fs.ErrNotExist) {
		if disk.Exists(filepath.Join(folder, "raw")) {
			return nil, errors.New("no session.json")
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if was != nil && was.Stamp == stampOf(fi) {
		return was, nil
	}
	e, err := ReadEntry(folder)
	if err != nil {
		return nil, fmt.Errorf("session.json: %w", err)
	}
	return &known{Entry: e, Stamp: stampOf(fi)}, nil
}

// inParallel calls do for 0 to n-1, in blocks, on a few goroutines.
func inParallel(n, block int, do func(i int)) {
	var g errgroup.Group
	g.SetLimit(min(runtime.GOMAXPROCS(0), 8))
	for from := 0; from < n; from += block {
		g.Go(func() error {
			for i := from; i < min(from+block, n); i++ {
				do(i)
			}
			return nil
		})
	}
	_ = g.Wait() // they return none
}

// IsOwn reports whether a name at the top of the library is not a project's.
func IsOwn(name string) bool {
	return strings.HasPrefix(name, ".") || name == CacheName || name == "inbox"
}

// Stamp returns a text that differs after anything recall writes about sessions, and after a change of the given files.
// It is "" if a file at the top changed within the last two seconds, as the coarsest file system clocks can't tell two
// such changes apart.
func (l *Library) Stamp(files ...string) string {
	var b strings.Builder
	recent := time.Now().Add(-2 * time.Second)
	for _, name := range slices.Sorted(maps.Keys(topFiles)) {
		files = append(files, filepath.Join(l.dir, name))
	}
	for _, path := range files {
		fi, err := os.Stat(path)
		switch {
		case err != nil:
			b.WriteString("-\n")
		case fi.ModTime().After(recent):
			return ""
		default:
			fmt.Fprintln(&b, stampOf(fi))
		}
	}
	changes, _ := l.changes()
	return b.String() + changes
}

// IsTop reports whether recall has a file of that name at the top of a library.
func IsTop(name string) bool { return topFiles[name] }

// topFiles are the files at the top of a library.
var topFiles = map[string]bool{"README.md": true, "library.toml": true, "projects.toml": true, "tombstones.jsonl": true,
	"threads.jsonl": true, "habits.jsonl": true, "journal.jsonl": true, UsageName: true, TriesName: true,
	ReceivedName: true, LinksName: true}
