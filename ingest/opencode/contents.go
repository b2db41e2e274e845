package opencode

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"

	"recall/ingest"
	"recall/text"
)

// A shelf says what a database holds: which sessions, and how much of each.
type shelf struct {
	Was      string           // version of the database
	Sessions map[string]*kept // by their ids, as are those that only rows name

	found  []ingest.Found // without their root
	files  map[string]ingest.File
	looked time.Time
	until  time.Time // what it says holds, while the database is as it was
	err    error     // it can't be told
}

// kept is what there is of a session: its conversation, and all else.
type kept struct {
	There          bool // in the table of sessions
	Parent         string
	Spoken, Beside stretch
}

// A stretch is some rows as they are in a file: how long that is, when the last one was changed (ms since 1970), and
// a sum that changes when one of them is.
type stretch struct {
	Size, Mod int64
	Sum       uint64
}

func (s *stretch) add(o stretch) {
	s.Size, s.Mod, s.Sum = s.Size+o.Size, max(s.Mod, o.Mod), s.Sum*31+o.Sum
}

var (
	shelves = map[string]*shelf{} // by their databases, as they were last looked into
	looking sync.Mutex
)

// shelfOf says what a database holds, or held at a look that was less than so long ago. Where nothing was done to it
// since the last look, by another process too, it isn't opened.
func shelfOf(path string, ago time.Duration) *shelf {
	looking.Lock()
	defer looking.Unlock()
	was, changed, _ := versionOf(path)
	now, s := time.Now(), shelves[path]
	if s != nil && (s.Was == was && now.Before(s.until) || now.Sub(s.looked) < ago) {
		return s
	}
	cache, err := os.UserCacheDir()
	if err == nil { // the number is that of what lines look like
		cache = filepath.Join(cache, "recall", "opencode-"+text.Hash("1 "+path, 8)+".gob")
	}
	settled := now.Sub(changed) > 2*time.Second // what is written next has another time
	s = &shelf{}
	raw, err := os.ReadFile(cache)
	if err != nil || gob.NewDecoder(bytes.NewReader(raw)).Decode(s) != nil || s.Was != was {
		*s = shelf{Was: was, Sessions: map[string]*kept{}}
		if s.err = s.fill(path); s.err == nil && settled {
			s.save(cache)
		}
	}
	if s.until = now.Add(10 * patience); s.err == nil && settled {
		s.until = now.AddDate(1, 0, 0)
	}
	if s.err == nil {
		s.arrange(path)
	}
	s.looked, shelves[path] = time.Now(), s
	return s
}

// save may fail, or be cut off: then the next one looks for itself.
func (s *shelf) save(cache string) {
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(s) == nil && os.MkdirAll(filepath.Dir(cache), 0o700) == nil {
		_ = os.WriteFile(cache, b.Bytes(), 0o600)
	}
}

// fill counts the rows of each session.
func (s *shelf) fill(path string) error {
	d, err := open(path)
	if err != nil {
		return err
	}
	for _, t := range d.tables {
		changed, parent := "0", "NULL"
		if t.has("time_updated") {
			changed = "time_updated"
		}
		if t.name == sessionTable && t.has("parent_id") {
			parent = "parent_id"
		}
		err = cmp.Or(err, d.each("SELECT "+strings.Join([]string{t.of(), t.lineSize(), changed, "rowid", parent}, ", ")+
			" FROM "+name(t.name), func(row *sqlite3.Stmt) {
			k := s.Sessions[string(row.ColumnRawText(0))]
			if k == nil {
				k = &kept{}
				s.Sessions[row.ColumnText(0)] = k
			}
			of := &k.Beside
			if t.spoken() {
				of = &k.Spoken
			}
			mod := row.ColumnInt64(2)
			of.add(stretch{row.ColumnInt64(1), mod, uint64(mod)*31 + uint64(row.ColumnInt64(3))})
			if t.name == sessionTable {
				k.There, k.Parent = true, row.ColumnText(4)
			}
		}))
	}
	return cmp.Or(d.torn(), err, d.Close())
}

// root is the session that one is a sub-agent's of, itself if it is none's or that isn't there.
func (s *shelf) root(id string) string {
	for range s.Sessions { // no more, should they go in a circle
		up := s.Sessions[id].Parent
		if k := s.Sessions[up]; k == nil || !k.There {
			break
		}
		id = up
	}
	return id
}

// arrange puts the sessions with their sub-agents together, as files below the database. Their names end in ".jsonl"
// and ".record", whatever ids there are.
func (s *shelf) arrange(path string) {
	families := map[string][]string{}
	for id, k := range s.Sessions {
		if k.There {
			families[s.root(id)] = append(families[s.root(id)], id)
		}
	}
	s.files = map[string]ingest.File{}
	for root, family := range families {
		slices.Sort(family)
		if at := slices.Index(family, root); at > 0 {
			family = slices.Insert(slices.Delete(family, at, at+1), 0, root)
		}
		found := ingest.Found{ID: ingest.SessionID(ingest.FolderID(family[0])), Source: ingest.OpenCode}
		add := func(name string, role ingest.FileRole, last string, rows stretch, spoken bool, ids ...string) {
			f := ingest.File{Name: name, Role: role, Path: filepath.Join(path, last), Size: rows.Size,
				Mod: time.UnixMilli(rows.Mod).UTC(), Stamp: strconv.FormatUint(rows.Sum, 36),
				Open: func() (io.ReadCloser, error) { return openRows(path, spoken, ids...) }}
			found.Files, s.files[f.Path] = append(found.Files, f), f
		}
		var beside stretch
		for i, id := range family {
			name, role, last := mainName, ingest.Transcript, ingest.FolderID(id)+".jsonl"
			if i > 0 {
				name, role = "subagents/"+last, ingest.SubagentFile
			}
			add(name, role, last, s.Sessions[id].Spoken, true, id)
			beside.add(s.Sessions[id].Beside)
		}
		add(recordName, ingest.Record, string(found.ID)+".record", beside, false, family...)
		s.found = append(s.found, found)
	}
	slices.SortFunc(s.found, func(a, b ingest.Found) int { return cmp.Compare(a.ID, b.ID) })
}

// fileNow is an ingest.Holder. All files may be asked for one after the other, while the client writes all the time: a
// look at the database for each would take hours.
func fileNow(path string) (ingest.File, error) {
	s := shelfOf(filepath.Dir(path), patience)
	f, ok := s.files[path]
	if !ok && s.err == nil {
		return f, &fs.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
	}
	return f, s.err
}
