package library

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	fastjson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recall/ingest"
	"recall/library/disk"
)

// The list of sessions is remembered between runs, in the folder that
// KeepListIn names: a head, then a line a session, each with its checksum. An
// entry counts only while its session.json has the same size and time; a line
// that can't be read doesn't.

type listHead struct {
	Form    int    `json:"form"`
	Library string `json:"library"`
	Dir     string `json:"dir"`
}

// listForm is another number whenever Entry gets another field.
const listForm = 1

type listLine struct {
	Folder string `json:"folder"` // relative to the library
	*known
}

func (l *Library) listFile() string { return filepath.Join(l.listDir, "sessions-"+l.id+".list") }

// loadList takes over the remembered list. The caller holds l.mu.
func (l *Library) loadList() {
	if l.listDir == "" {
		return
	}
	text, err := disk.ReadPlain(l.listFile())
	if head, ok := readListHead(text); err != nil || !ok || head != (listHead{listForm, l.id, l.dir}) {
		return
	}
	lines := disk.SplitLines(text)[1:]
	all := make([]*known, len(lines))
	inParallel(len(lines), func(i int) {
		line := listLine{known: &known{}}
		err := fastjson.Unmarshal(lines[i], &line, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if disk.SealOf(lines[i]) == disk.SealGood && err == nil && line.Entry.ID != "" {
			all[i], line.Entry.Folder = line.known, l.dir+string(filepath.Separator)+line.Folder
		}
	})
	l.sessions = make(map[ingest.SessionID]*known, len(all))
	for _, k := range all {
		if k != nil {
			l.sessions[k.Entry.ID] = k
		}
	}
}

func readListHead(text []byte) (head listHead, ok bool) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return head, disk.SealOf(line) == disk.SealGood && fastjson.Unmarshal(line, &head) == nil
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
	lines := [][]byte{nil}
	var err error
	lines[0], err = fastjson.Marshal(listHead{listForm, l.id, l.dir})
	for _, e := range l.sorted() {
		k := l.sessions[e.ID]
		folder, outside := filepath.Rel(l.dir, e.Folder)
		if outside != nil || k.Stamp.Mod >= recent {
			continue
		}
		line, bad := fastjson.Marshal(listLine{folder, k})
		lines, err = append(lines, line), errors.Join(err, bad)
	}
	if err == nil {
		err = l.writeList(disk.SealLines(bytes.Join(append(lines, nil), []byte("\n"))))
	}
	if err != nil {
		return fmt.Errorf("list of sessions: %w", err)
	}
	return nil
}

func (l *Library) writeList(text []byte) error {
	if err := os.MkdirAll(l.listDir, 0o700); err != nil {
		return err
	}
	temp := fmt.Sprintf("%s.%d.tmp", l.listFile(), os.Getpid())
	err := disk.WritePlain(temp, text)
	if err == nil {
		err = os.Rename(temp, l.listFile())
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}
