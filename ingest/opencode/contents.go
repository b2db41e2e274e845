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
	"recall/internal/text"
)

// contents says which sessions a database holds, and how much of each.
type contents struct {
	Was      string                  // version of the database
	Sessions map[string]*sessionRows // by id, including ids that only other rows mention

	found  []ingest.Found // without their root
	files  map[string]ingest.File
	looked time.Time
	until  time.Time // valid until then, unless the database changes
	err    error     // why it can't be read
}

// sessionRows describes the rows of a session: its conversation, and everything else.
type sessionRows struct {
	There          bool // in the table of sessions
	Parent         string
	Spoken, Beside extent
}

// An extent describes rows as lines of a file: their size, the time of the last change (ms since 1970), and a checksum
// that changes with any of them.
type extent struct {
	Size, Mod int64
	Sum       uint64
}

func (s *extent) addExtent(o extent) {
	s.Size, s.Mod, s.Sum = s.Size+o.Size, max(s.Mod, o.Mod), s.Sum*31+o.Sum
}

var (
	cached  = map[string]*contents{} // by database, as last read
	cacheMu sync.Mutex
)

// contentsOf returns the contents of a database, possibly as read less than ago before. If the database is unchanged
// since it was last read, even by another process, it isn't opened.
func contentsOf(path string, ago time.Duration) *contents {
	cacheMu.Lock()
	defer cacheMu.Unlock()
	was, changed, _ := versionOf(path)
	now, s := time.Now(), cached[path]
	if s != nil && (s.Was == was && now.Before(s.until) || now.Sub(s.looked) < ago) {
		return s
	}
	cache, err := os.UserCacheDir()
	if err == nil { // the number is the version of the line format
		cache = filepath.Join(cache, "recall", "opencode-"+text.Hash("3 "+path, 8)+".gob")
	}
	settled := now.Sub(changed) > 2*time.Second // later writes get another time
	s = &contents{}
	raw, err := os.ReadFile(cache)
	if err != nil || gob.NewDecoder(bytes.NewReader(raw)).Decode(s) != nil || s.Was != was {
		*s = contents{Was: was, Sessions: map[string]*sessionRows{}}
		if s.err = s.fill(path); s.err == nil && settled {
			s.save(cache)
		}
	}
	if s.until = now.Add(10 * busyTimeout); s.err == nil && settled {
		s.until = now.AddDate(1, 0, 0)
	}
	if s.err == nil {
		s.arrange(path)
	}
	s.looked, cached[path] = time.Now(), s
	return s
}

// save can fail or be interrupted; then the next process reads the database itself.
func (s *contents) save(cache string) {
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(s) == nil && os.MkdirAll(filepath.Dir(cache), 0o700) == nil {
		_ = os.WriteFile(cache, b.Bytes(), 0o600)
	}
}

// fill counts the rows of each session.
func (s *contents) fill(path string) error {
	d, err := open(path)
	if err != nil {
		return err
	}
	for _, t := range d.tables {
		changed, parent := "0", "NULL"
		if t.has("time_updated") {
			changed = "time_updated"
		}
		if t.isSessions() && t.has("parent_id") {
			parent = "parent_id"
		}
		columns := []string{t.sessionColumn(), t.lineSize(), changed, "rowid", parent}
		sql := "SELECT " + strings.Join(columns, ", ") + " FROM " + name(t.name)
		err = cmp.Or(err, d.each(sql, func(row *sqlite3.Stmt) {
			k := s.Sessions[string(row.ColumnRawText(0))]
			if k == nil {
				k = &sessionRows{}
				s.Sessions[row.ColumnText(0)] = k
			}
			of := &k.Beside
			if t.isConversation() {
				of = &k.Spoken
			}
			mod := row.ColumnInt64(2)
			of.addExtent(extent{row.ColumnInt64(1), mod, uint64(mod)*31 + uint64(row.ColumnInt64(3))})
			if t.isSessions() {
				k.There, k.Parent = true, row.ColumnText(4)
			}
		}))
	}
	return cmp.Or(d.checkUnchanged(), err, d.Close())
}

// root returns the session that a sub-agent belongs to; the session itself if it isn't one, or its parent isn't there.
func (s *contents) root(id string) string {
	for range s.Sessions { // bounded, in case of a cycle
		up := s.Sessions[id].Parent
		if k := s.Sessions[up]; k == nil || !k.There {
			break
		}
		id = up
	}
	return id
}

// arrange groups the sessions with their sub-agents, as files below the database. Whatever the ids are, the
// names end in ".jsonl" and ".record".
func (s *contents) arrange(path string) {
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
		add := func(name string, role ingest.FileRole, last string, rows extent, spoken bool, ids ...string) {
			f := ingest.File{Name: name, Role: role, Path: filepath.Join(path, last),
				Size: rows.Size, Mod: time.UnixMilli(rows.Mod).UTC(), Stamp: strconv.FormatUint(rows.Sum, 36),
				Open: func() (io.ReadCloser, error) { return openRows(path, spoken, ids...) }}
			found.Files, s.files[f.Path] = append(found.Files, f), f
		}
		var beside extent
		for i, id := range family {
			name, role, last := ingest.MainName, ingest.Transcript, ingest.FolderID(id)+".jsonl"
			if i > 0 {
				name, role = "subagents/"+last, ingest.SubagentFile
			}
			add(name, role, last, s.Sessions[id].Spoken, true, id)
			beside.addExtent(s.Sessions[id].Beside)
		}
		add(recordName, ingest.Record, string(found.ID)+".record", beside, false, family...)
		s.found = append(s.found, found)
	}
	slices.SortFunc(s.found, func(a, b ingest.Found) int { return cmp.Compare(a.ID, b.ID) })
}

// fileNow is one of ingest.Holders. All files can be requested one after another while the client keeps writing;
// reading the database for each would take hours.
func fileNow(path string) (ingest.File, error) {
	s := contentsOf(filepath.Dir(path), busyTimeout)
	f, ok := s.files[path]
	if !ok && s.err == nil {
		return f, &fs.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
	}
	return f, s.err
}
