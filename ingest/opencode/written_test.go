package opencode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recall/ingest"
	"recall/ingest/ingesttest"
	"recall/ingest/opencode/opencodetest"
)

// What goes on grows, and keeps its beginning; what changes says so; a look at what is as it was opens nothing.
func TestGrowth(t *testing.T) {
	dir := home(t)
	before, _ := find(t, dir)
	was := bytesOf(t, file(t, before[main], ingest.MainName))
	sql(t, dir, says(main, "msg_9000", "user", "Go on."))
	after, _ := find(t, dir)
	if now := bytesOf(t, file(t, after[main], ingest.MainName)); !bytes.HasPrefix(now, was) || len(now) == len(was) {
		t.Errorf("it doesn't go on: %s", now)
	}
	if file(t, before[main], ingest.MainName).Stamp == file(t, after[main], ingest.MainName).Stamp ||
		file(t, before[back], ingest.MainName).Stamp != file(t, after[back], ingest.MainName).Stamp {
		t.Error("the stamps don't say which of them went on")
	}
	sql(t, dir, `UPDATE part SET data = replace(data, 'Go on.', 'No on.'), time_updated = 1789390000001
		WHERE id = 'prt_msg_9000'`)
	again, _ := find(t, dir)
	a, b := file(t, after[main], ingest.MainName), file(t, again[main], ingest.MainName)
	if a.Size != b.Size || a.Stamp == b.Stamp {
		t.Errorf("a changed row isn't told: %v, %v", a, b)
	}
	for _, f := range again {
		for _, file := range f.Files {
			now, err := ingest.FileNow(file.Name, file.Role, file.Path)
			if err != nil || now.Size != file.Size || now.Stamp != file.Stamp || !now.Mod.Equal(file.Mod) {
				t.Errorf("%s is %v now, %v", file.Path, now, err)
			}
			places, err := ingest.PlacesOf(Reader{}, f, "")
			if err != nil || filepath.Join(ingest.BaseOf(Reader{}, f), places[file.Name]) != file.Path {
				t.Errorf("%s goes to %s, was at %s: %v", file.Name, places[file.Name], file.Path, err)
			}
		}
	}
	sql(t, dir, "DELETE FROM session WHERE id = '"+back+"'; DELETE FROM message WHERE session_id = '"+back+
		"'; DELETE FROM part WHERE session_id = '"+back+"'")
	find(t, dir)
	if _, err := ingest.FileNow("", "", file(t, again[back], ingest.MainName).Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a session that was deleted: got %v", err)
	}
	path := filepath.Join(dir, dataName)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	left, _ := find(t, dir)
	info, err := os.Stat(path)
	err = errors.Join(err, os.WriteFile(path, make([]byte, info.Size()), 0o600), os.Chtimes(path, old, old))
	if err != nil {
		t.Fatal(err)
	}
	if ingest.Stamp(path, info) == "" { // else the system tells that it was written to
		same, _ := find(t, dir)
		ingesttest.Equal(t, "sessions", len(same), len(left))
	}
}

// A client that runs is neither waited for nor disturbed, and what it hasn't put into the file yet is there.
func TestWhileItRuns(t *testing.T) {
	dir := home(t)
	c, err := opencodetest.Open(filepath.Join(dir, dataName))
	if err := errors.Join(err, c.Exec("PRAGMA wal_autocheckpoint = 0"),
		c.Exec(says(back, "msg_b010", "user", "Is it there?"))); err != nil {
		t.Fatal(err)
	}
	if err := c.Exec("BEGIN IMMEDIATE"); err != nil { // it is about to write
		t.Fatal(err)
	}
	was := listing(t, dir)
	s := ingesttest.All(t, Reader{}, dir)[back]
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, true), []string{"Use tabs.", "Is it there?"})
	ingesttest.Equal(t, "folder", listing(t, dir), was)
	if err := errors.Join(c.Exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")); err != nil {
		t.Fatalf("the client can't go on: %v", err)
	}
	// It dies, and leaves a log without its index.
	if err := c.Exec(says(back, "msg_b011", "user", "And this?")); err != nil {
		t.Fatal(err)
	}
	died := filepath.Join(t.TempDir(), "opencode")
	if err := os.CopyFS(died, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Close(), os.Remove(filepath.Join(died, dataName+"-shm"))); err != nil {
		t.Fatal(err)
	}
	was = listing(t, died)
	s = ingesttest.All(t, Reader{}, died)[back]
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, true), []string{"Use tabs.", "Is it there?",
		"And this?"})
	ingesttest.Equal(t, "folder", listing(t, died), was)
	was = listing(t, dir)
	ingesttest.All(t, Reader{}, dir)
	ingesttest.Equal(t, "folder of a client that doesn't run", listing(t, dir), was)
}

// A client that goes on writing isn't looked at again for each of its files, one after the other.
func TestWhileItWrites(t *testing.T) {
	dir := home(t)
	found, _ := find(t, dir)
	was := file(t, found[main], ingest.MainName)
	looked := func(at time.Time) {
		cacheMu.Lock()
		defer cacheMu.Unlock()
		for _, s := range cached {
			s.looked = at
		}
	}
	sql(t, dir, says(main, "msg_9000", "user", "Go on."))
	looked(time.Now().Add(time.Hour)) // however long that took
	if now, err := ingest.FileNow(was.Name, was.Role, was.Path); err != nil || now.Stamp != was.Stamp {
		t.Errorf("it was looked at again at once: %v", err)
	}
	looked(time.Now().Add(-busyTimeout))
	if now, err := ingest.FileNow(was.Name, was.Role, was.Path); err != nil || now.Stamp == was.Stamp {
		t.Errorf("it isn't looked at again: %v", err)
	}
}

// What was read while a client began to write isn't taken for a state of its database.
func TestTorn(t *testing.T) {
	dir := home(t)
	found, _ := find(t, dir)
	in, err := file(t, found[main], ingest.MainName).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	sql(t, dir, says(main, "msg_9000", "user", "Go on."))
	if _, err := io.ReadAll(in); err == nil || !strings.Contains(err.Error(), "read again next time") {
		t.Errorf("got %v, want that the client wrote", err)
	}
}

// listing is what lies in a folder, as it is: but for the index of a log, in which readers leave their marks, and which
// they make where a client that died left none.
func listing(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(e.Name(), "-shm") {
			continue
		}
		all = append(all, e.Name()+" "+fmt.Sprint(len(raw))+" "+string(raw[:min(len(raw), 100)]))
	}
	return all
}
