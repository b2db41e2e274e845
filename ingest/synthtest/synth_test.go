package synthtest_test

import (
	"context"
	"testing"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/synthtest"
)

// Sessions parse without a skipped line or an unknown record, and are about as long as they were to be.
func TestSessionsParseCleanly(t *testing.T) {
	for _, o := range []synthtest.Options{{Sessions: 8, BytesEach: 300 << 10, Seed: 1},
		{Sessions: 20, BytesEach: 2 << 10, Seed: 3}} {
		dir := t.TempDir()
		made, err := synthtest.Write(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		found, problems := claudecode.Reader{}.Find(context.Background(), dir, nil)
		if len(found) != o.Sessions || len(problems) > 0 {
			t.Fatalf("found %d sessions with problems %v, want %d", len(found), problems, o.Sessions)
		}
		byID := map[ingest.SessionID]ingest.Found{}
		for _, f := range found {
			byID[f.ID] = f
		}
		for _, m := range made {
			f := byID[ingest.SessionID(m.ID)]
			s, err := claudecode.Reader{}.Parse(context.Background(), f)
			if err != nil {
				t.Fatal(err)
			}
			calls := 0
			for _, turn := range s.Turns {
				for _, c := range turn.Calls {
					if calls++; !c.Done {
						t.Errorf("%s: call %s of %s has no result", m.Path, c.ID, c.Name)
					}
				}
			}
			if s.Report.SkippedTotal > 0 || len(s.Report.Unknown) > 0 || len(s.Turns) < 2 || len(s.Where.Cwds) != 1 {
				t.Errorf("%s: skipped %v, unknown %v, %d turns in %v", m.Path, s.Report.Skipped, s.Report.Unknown,
					len(s.Turns), s.Where.Cwds)
			}
			if f.Files[0].Size != m.Bytes || m.Bytes > 2*o.BytesEach+64<<10 || calls == 0 && o.BytesEach > 9<<10 {
				t.Errorf("%s: %d bytes, %d calls; want %d bytes, told about %d", m.Path, f.Files[0].Size, calls,
					m.Bytes, o.BytesEach)
			}
		}
	}
}
