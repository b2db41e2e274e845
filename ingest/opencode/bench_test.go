package opencode

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recall/ingest/opencode/opencodetest"
)

// BenchmarkLook looks at a database of 2,000 sessions and 200,000 parts, 400 MB, that was written to, and at one that
// wasn't.
func BenchmarkLook(b *testing.B) {
	b.Setenv("XDG_CACHE_HOME", b.TempDir())
	path := filepath.Join(b.TempDir(), dataName)
	if err := opencodetest.Exec(path, `CREATE INDEX part_session_idx ON part (session_id); BEGIN;
		INSERT INTO session (id) SELECT 'ses_' || value FROM generate_series(1, 2000);
		INSERT INTO part SELECT 'prt_' || value, 'msg_' || value / 4, 'ses_' || (value / 100 + 1), value, value,
			'{"type":"text","text":"' || `+fmt.Sprintf("iif(value %% 5, '%s', '%s')", strings.Repeat("x", 400),
		strings.Repeat("y", 6000))+` || '"}' FROM generate_series(0, 199999); COMMIT`); err != nil {
		b.Fatal(err)
	}
	for _, written := range []bool{true, false} {
		b.Run(fmt.Sprint("written=", written), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				clear(cached)
				if now := time.Now(); written {
					if err := os.Chtimes(path, now, now); err != nil {
						b.Fatal(err)
					}
				}
				b.StartTimer()
				if s := contentsOf(path, 0); s.err != nil || len(s.found) != 2000 {
					b.Fatal(len(s.found), s.err)
				}
			}
		})
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path, old, old); err != nil {
			b.Fatal(err)
		}
		clear(cached)
		contentsOf(path, 0)
	}
}
