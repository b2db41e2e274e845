package library_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"recall/ingest"
	. "recall/library"
	_ "recall/library/ramdisk"
	"recall/payload"
)

// syncAll does what a sync does with every session under src/<project>/<id>:
// archive, place, save what is derived.
func syncAll(src, dir string) error {
	l, err := Create(dir)
	if err != nil {
		return err
	}
	defer l.Close()
	dirs, err := filepath.Glob(filepath.Join(src, "*", "*", "*"))
	if err != nil {
		return err
	}
	return syncDirs(l, dirs)
}

func syncDirs(l *Library, dirs []string) error {
	for _, d := range dirs {
		if err := syncOne(l, d); err != nil {
			return err
		}
	}
	return l.Settle()
}

func syncOne(l *Library, dir string) error {
	id := ingest.SessionID(filepath.Base(dir))
	found := find(panicker{}, string(id), dir)
	if _, err := l.Archive(context.Background(), found); err != nil {
		return err
	}
	e, err := l.Session(id)
	if err != nil {
		return err
	}
	root := filepath.Dir(dir)
	p, err := l.ProjectFor(ingest.Project{Root: root, Name: filepath.Base(root)})
	if err != nil {
		return err
	}
	start := time.Date(2026, 4, 17, 14, 32, 0, 0, time.UTC)
	if err := l.Place(id, Meta{Project: p.ID, Title: "Session of " + filepath.Base(root), Start: start, End: start,
		Settled: true}); err != nil {
		return err
	}
	seen, err := l.Markdown(id)
	if err != nil {
		seen = nil
	}
	made := &payload.Payload{Session: string(id), Made: payload.Provenance{Distiller: "test/1", Input: e.Input}}
	text := []byte(e.Input + "\n")
	transcript := fmt.Appendf(nil, "# T\n\nSession `%s` · claude-code · project billing\n\n%s", id, text)
	return l.SavePayload(id, Derived{Payload: made, Markdown: text, Transcript: transcript, Seen: seen})
}

// panicker lets a helper of tests run outside of one.
type panicker struct{ testing.TB }

func (panicker) Helper()           {}
func (panicker) Fatal(args ...any) { panic(fmt.Sprint(args...)) }
