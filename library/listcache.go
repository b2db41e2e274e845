package library

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	json "github.com/go-json-experiment/json"

	"recall/ingest"
)

// The list of sessions is remembered between runs, in the folder that
// KeepListIn names: a line about the list, then a line a session. An entry
// counts only while its session.json has the same size and time; a list that
// can't be read counts as empty.

type listHead struct {
	Version  int
	Library  string
	Dir      string
	Sessions int // lines that follow
}

type listLine struct {
	Folder string // relative to the library
	Stamp  stamp
	Entry  Entry
}

const listVersion = 2

func (l *Library) listFile() string { return filepath.Join(l.listDir, "sessions-"+l.id+".jsonl") }

// loadList takes over the remembered list. The caller holds l.mu.
func (l *Library) loadList() {
	if l.listDir == "" {
		return
	}
	text, err := os.ReadFile(l.listFile())
	if err != nil {
		return
	}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	var head listHead
	if json.Unmarshal(lines[0], &head) != nil || head != (listHead{listVersion, l.id, l.dir, len(lines) - 1}) {
		return
	}
	lines = lines[1:]
	all := make([]known, len(lines))
	inParallel(len(lines), func(i int) {
		var line listLine
		if json.Unmarshal(lines[i], &line) == nil {
			line.Entry.Folder = filepath.Join(l.dir, line.Folder)
			all[i] = known{Entry: line.Entry, Stamp: line.Stamp}
		}
	})
	l.sessions = make(map[ingest.SessionID]known, len(all))
	for _, k := range all {
		if k.Entry.ID != "" {
			l.sessions[k.Entry.ID] = k
		}
	}
}

// saveList remembers the list if it has changed. What was written within the last two seconds
// is left out: changed again within one tick of the clock, it would look the
// same.
func (l *Library) saveList() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listDir == "" || !l.loaded || !l.listStale {
		return nil
	}
	recent := time.Now().Add(-2 * time.Second).UnixNano()
	var lines [][]byte
	for _, e := range l.sorted() {
		k := l.sessions[e.ID]
		folder, err := filepath.Rel(l.dir, e.Folder)
		if err != nil || k.Stamp.Mod >= recent {
			continue
		}
		line, err := json.Marshal(listLine{folder, k.Stamp, e})
		if err != nil {
			return fmt.Errorf("list of sessions: %w", err)
		}
		lines = append(lines, line)
	}
	head, err := json.Marshal(listHead{listVersion, l.id, l.dir, len(lines)})
	if err != nil {
		return fmt.Errorf("list of sessions: %w", err)
	}
	if err := l.writeList(append([][]byte{head}, lines...)); err != nil {
		return fmt.Errorf("list of sessions: %w", err)
	}
	return nil
}

func (l *Library) writeList(lines [][]byte) error {
	if err := os.MkdirAll(l.listDir, 0o700); err != nil {
		return err
	}
	temp := fmt.Sprintf("%s.%d.tmp", l.listFile(), os.Getpid())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, line := range lines {
		w.Write(line)
		w.WriteByte('\n')
	}
	err = w.Flush()
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(temp, l.listFile())
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}
