package opencode

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

// Sessions of versions before 1.2, which were JSON files, are read as if a newer client had moved them into a database:
// what was said, sub-agents apart, what goes on, and what can't be read.
func TestFormerVersions(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	at := func(path string) string { return filepath.Join(dir, storageName, filepath.FromSlash(path)) }
	write(t, at("session/p1/ses_1.json"), `{
  "id": "ses_1", "projectID": "p1", "directory": "/home/ann/app", "title": "The wire", "version": "1.1.0",
  "time": {"created": 1794300000000, "updated": 1794300060000}
}`)
	write(t, at("session/p1/ses_2.json"), `{"id": "ses_2", "parentID": "ses_1", "directory": "/home/ann/app",
		"title": "Look for the schema", "time": {"created": 1794300020000, "updated": 1794300030000}}`)
	say := func(session, message, role, text string) {
		write(t, at("message/"+session+"/"+message+".json"), `{"id": "`+message+`", "sessionID": "`+session+
			`", "role": "`+role+`", "time": {"created": 17943000`+message[4:]+`000}}`)
		write(t, at("part/"+message+"/prt_1.json"), `{"id": "prt_1", "messageID": "`+message+`", "sessionID": "`+
			session+"\",\n\"type\": \"text\", \"text\": \""+text+`"}`)
	}
	say("ses_1", "msg_10", "user", "Use protobuf for the wire.")
	say("ses_1", "msg_11", "assistant", "The wire is protobuf.")
	say("ses_2", "msg_25", "user", "Where is the schema?")
	one := func() *ingest.Session {
		t.Helper()
		found, problems := find(t, dir)
		if len(found) != 1 || len(problems) > 0 {
			t.Fatalf("found %v, %v", found, problems)
		}
		for _, f := range found {
			for _, file := range f.Files {
				if got := bytesOf(t, file); int64(len(got)) != file.Size {
					t.Errorf("%s has %d bytes, not %d", file.Name, len(got), file.Size)
				}
				now, err := ingest.FileNow(file.Name, file.Role, file.Path)
				if err != nil || now.Stamp != file.Stamp || !ingest.IsFile(ingest.OnDisk(file.Path)) {
					t.Errorf("%s is %v now, %v", file.Path, now, err)
				}
				places, err := ingest.PlacesOf(Reader{}, f, "")
				if err != nil || !strings.HasPrefix(filepath.ToSlash(places[file.Name]), "storage/session/p1/") {
					t.Errorf("%s goes to %s, %v", file.Name, places[file.Name], err)
				}
			}
			s, err := Reader{}.Parse(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		return nil
	}
	s := one()
	ingesttest.Equal(t, "title and turns", s.Title+": "+said(s),
		"The wire: Use protobuf for the wire. The wire is protobuf.")
	ingesttest.Equal(t, "folder", s.Turns[0].Dir, "/home/ann/app")
	ingesttest.Equal(t, "sub-agents", len(s.Subagents), 1)
	ingesttest.Equal(t, "begun", s.Turns[0].At, time.UnixMilli(1794300010000).UTC())

	say("ses_1", "msg_40", "user", "Keep JSON for the logs.")
	write(t, at("part/msg_40/prt_2.json"), "{\"type\": \"te\n")
	s = one()
	if !strings.HasSuffix(said(s), "protobuf. Keep JSON for the logs.") || len(s.Report.Skipped) != 1 {
		t.Errorf("it went on: %q, %v", said(s), s.Report.Skipped)
	}

	// What can't be read costs no other session, and is told.
	write(t, at("session/p2/ses_8.json"), "{}")
	write(t, at("message/ses_8"), "no folder")
	found, problems := find(t, dir)
	ingesttest.Equal(t, "beside a folder that is none", fmt.Sprint(len(found), " ", len(problems)), "2 1")
}

// said is what a session's turns say.
func said(s *ingest.Session) string {
	var all []string
	for _, turn := range s.Turns {
		all = append(all, turn.Text)
	}
	return strings.Join(all, " ")
}
