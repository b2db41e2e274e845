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
	"strings"
	"time"

	fastjson "github.com/go-json-experiment/json"

	"recall/library/disk"
)

// The list of sessions is remembered between runs, in the folder given to KeepListIn: a header line of JSON, then
// blocks of sessions in gob, which decodes many at once in less than half the time of JSON (starting a block costs as
// much as thirty sessions). A damaged block ends the list. An entry is used only while its session.json has the same
// size and time.

type listHead struct {
	Form    int    `json:"form"`
	Library string `json:"library"`
	Dir     string `json:"dir"`
}

// listForm must change whenever Entry gets another field.
const listForm = 5

// listBlock is the largest number of sessions in a block; each block is decoded by one core.
const listBlock = 256

// mostUnlisted is how many folders missing from the list are read to list some projects' sessions; with more, the
// list is rebuilt.
const mostUnlisted = 32

// blockHead is the header of a block, which is always decoded; the sessions follow.
type blockHead struct {
	Projects []string // of some of its sessions
	Folders  []string // relative to the library
}

func (l *Library) listFile() string { return filepath.Join(l.listDir, "sessions-"+l.id+".list") }

// readList reads the remembered list, nil if there is none. With a filter it decodes only blocks that have sessions
// of such projects, and returns the folders of the rest in others.
func (l *Library) readList(project func(id string) bool) (all []*known, others map[string]bool) {
	if l.listDir == "" {
		return nil, nil
	}
	text, err := disk.ReadPlain(l.listFile())
	if head, ok := readListHead(text); err != nil || !ok || head != (listHead{listForm, l.id, l.dir}) {
		return nil, nil
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
	heads, within := make([]blockHead, len(blocks)), make([][]*known, len(blocks))
	inParallel(len(blocks), 1, func(i int) {
		in := gob.NewDecoder(bytes.NewReader(blocks[i]))
		if in.Decode(&heads[i]) != nil || project != nil && !slices.ContainsFunc(heads[i].Projects, project) {
			return
		}
		if in.Decode(&within[i]) != nil || len(within[i]) != len(heads[i].Folders) {
			heads[i], within[i] = blockHead{}, nil
		}
	})
	others = map[string]bool{}
	for i, head := range heads {
		for n, name := range head.Folders {
			folder := l.dir + string(filepath.Separator) + name
			if within[i] == nil {
				others[folder] = true
				continue
			}
			within[i][n].Entry.Folder = folder
			all = append(all, within[i][n])
		}
	}
	return all, others
}

func readListHead(text []byte) (head listHead, ok bool) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return head, disk.SealOf(line) == disk.SealGood && fastjson.Unmarshal(line, &head) == nil
}

// saveList writes the list if it has changed. It omits sessions written within the last two seconds, because after
// another change within the same clock tick they would look unchanged.
func (l *Library) saveList() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listDir == "" || !l.loaded || !l.listStale {
		return nil
	}
	recent := time.Now().Add(-2 * time.Second).UnixNano()
	var all []*known
	for _, e := range sorted(l.sessions) {
		if k := l.sessions[e.ID]; k.Stamp.Mod < recent {
			all = append(all, k)
		}
	}
	slices.SortStableFunc(all, func(a, b *known) int { return strings.Compare(a.Entry.Project, b.Entry.Project) })
	head, err := fastjson.Marshal(listHead{listForm, l.id, l.dir})
	text := append(disk.SealLine(head), '\n')
	for block := range slices.Chunk(all, listBlock) {
		var head blockHead
		for _, k := range block {
			folder, bad := filepath.Rel(l.dir, k.Entry.Folder)
			head.Folders, err = append(head.Folders, folder), errors.Join(err, bad)
			head.Projects = append(head.Projects, k.Entry.Project)
		}
		head.Projects = slices.Compact(head.Projects)
		var b bytes.Buffer
		out := gob.NewEncoder(&b)
		err = errors.Join(err, out.Encode(head), out.Encode(block))
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
