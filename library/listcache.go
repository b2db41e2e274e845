package library

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"time"

	"recall/ingest"
	"recall/library/disk"
)

// The list of sessions is remembered between runs, in the folder that
// KeepListIn names: the CRC of all that follows, a head, then a record a
// session, each after its length. An entry counts only while its session.json
// has the same size and time; a list that can't be read counts as empty.

type listHead struct {
	Layout   string // of listLine: another recall's may differ
	Library  string
	Dir      string
	Sessions int // records that follow
}

type listLine struct {
	Folder string // relative to the library
	known
}

// listForms are the forms of both, made when first asked for.
var listForms = sync.OnceValue(func() (f struct{ head, line form }) {
	f.head, f.line = formOf(reflect.TypeFor[listHead]()), formOf(reflect.TypeFor[listLine]())
	return f
})

func (l *Library) listFile() string { return filepath.Join(l.listDir, "sessions-"+l.id+".list") }

// loadList takes over the remembered list. The caller holds l.mu.
func (l *Library) loadList() {
	if l.listDir == "" {
		return
	}
	text, ok := readSummed(l.listFile())
	if !ok {
		return
	}
	forms := listForms()
	r := &formReader{text: text}
	var head listHead
	forms.head.get(&formReader{text: r.string()}, reflect.ValueOf(&head).Elem())
	if r.err != nil || head != (listHead{forms.line.layout, l.id, l.dir, head.Sessions}) {
		return
	}
	records := make([]formReader, 0, min(head.Sessions, len(r.text)))
	for len(r.text) > 0 {
		records = append(records, formReader{text: r.string()})
	}
	all := make([]listLine, len(records))
	inParallel(len(records), func(i int) {
		forms.line.get(&records[i], reflect.ValueOf(&all[i]).Elem())
		all[i].Entry.Folder = l.dir + string(filepath.Separator) + all[i].Folder
	})
	l.sessions = make(map[ingest.SessionID]*known, len(all))
	for i := range all {
		if id := all[i].Entry.ID; id != "" && records[i].err == nil {
			l.sessions[id] = &all[i].known
		}
	}
}

// readSummed reads a file that begins with the CRC of the rest, and gives the rest.
func readSummed(path string) (string, bool) {
	f, err := disk.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return "", false
	}
	var b strings.Builder // what is read from it shares its memory
	b.Grow(int(fi.Size()))
	sum := crc32.New(disk.Castagnoli)
	var head [4]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return "", false
	}
	if _, err := io.CopyBuffer(io.MultiWriter(&b, sum), struct{ io.Reader }{f}, make([]byte, 256<<10)); err != nil {
		return "", false
	}
	return b.String(), sum.Sum32() == binary.BigEndian.Uint32(head[:])
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
	forms := listForms()
	var records []byte
	n := 0
	for _, e := range l.sorted() {
		k := l.sessions[e.ID]
		folder, err := filepath.Rel(l.dir, e.Folder)
		if err != nil || k.Stamp.Mod >= recent {
			continue
		}
		line := listLine{folder, *k}
		records = appendSized(records, forms.line.put(nil, reflect.ValueOf(&line).Elem()))
		n++
	}
	head := listHead{forms.line.layout, l.id, l.dir, n}
	text := appendSized(make([]byte, 4, len(records)+4096), forms.head.put(nil, reflect.ValueOf(&head).Elem()))
	text = append(text, records...)
	binary.BigEndian.PutUint32(text, crc32.Checksum(text[4:], disk.Castagnoli))
	if err := l.writeList(text); err != nil {
		return fmt.Errorf("list of sessions: %w", err)
	}
	return nil
}

func appendSized(b, record []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(record))), record...)
}

func (l *Library) writeList(text []byte) error {
	if err := os.MkdirAll(l.listDir, 0o700); err != nil {
		return err
	}
	os.Remove(filepath.Join(l.listDir, "sessions-"+l.id+".jsonl")) // an earlier recall's
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
