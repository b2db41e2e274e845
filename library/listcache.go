package library

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"time"

	fastjson "github.com/go-json-experiment/json"

	"recall/ingest"
	"recall/library/disk"
)

// The list of sessions is remembered between runs, in the folder that
// KeepListIn names: a head as a line of JSON, then blocks of sessions in gob, which
// reads them in less than half of JSON's time. A block that isn't as it was written ends
// the list; an entry counts only while its session.json has the same size and time.

type listHead struct {
	Form    int    `json:"form"`
	Library string `json:"library"`
	Dir     string `json:"dir"`
}

// listForm is another number whenever Entry gets another field.
const listForm = 3

// listBlock is how many sessions are in a block: each is read by one core.
const listBlock = 256

// listed is one of a block's sessions.
type listed struct {
	Folder string // relative to the library
	Known  known
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
	_, text, _ = bytes.Cut(text, []byte("\n"))
	var blocks [][]byte
	for len(text) >= 8 {
		size, sum := binary.BigEndian.Uint32(text), binary.BigEndian.Uint32(text[4:])
		if text = text[8:]; int64(size) > int64(len(text)) || crc32.Checksum(text[:size], disk.Castagnoli) != sum {
			break
		}
		blocks, text = append(blocks, text[:size]), text[size:]
	}
	all := make([][]listed, len(blocks))
	inParallel(len(blocks), 1, func(i int) {
		if gob.NewDecoder(bytes.NewReader(blocks[i])).Decode(&all[i]) != nil {
			all[i] = nil
		}
	})
	l.sessions = make(map[ingest.SessionID]*known, len(blocks)*listBlock)
	for _, block := range all {
		for i := range block {
			k := &block[i].Known
			k.Entry.Folder = l.dir + string(filepath.Separator) + block[i].Folder
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
	var all []listed
	for _, e := range l.sorted() {
		k := l.sessions[e.ID]
		folder, err := filepath.Rel(l.dir, e.Folder)
		if err != nil || k.Stamp.Mod >= recent {
			continue
		}
		all = append(all, listed{folder, *k})
	}
	head, err := fastjson.Marshal(listHead{listForm, l.id, l.dir})
	text := append(disk.SealLine(head), '\n')
	for block := range slices.Chunk(all, listBlock) {
		var b bytes.Buffer
		err = errors.Join(err, gob.NewEncoder(&b).Encode(block))
		text = binary.BigEndian.AppendUint32(text, uint32(b.Len()))
		text = binary.BigEndian.AppendUint32(text, crc32.Checksum(b.Bytes(), disk.Castagnoli))
		text = append(text, b.Bytes()...)
	}
	if err == nil {
		err = disk.Replace(l.listFile(), text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("list of sessions: %w", err)
	}
	return nil
}
