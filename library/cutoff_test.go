package library_test

import (
	"errors"
	"testing"

	. "recall/library"
	"recall/library/check"
	"recall/library/disk"
	"recall/payload"
)

// A save that is killed before any of its changes of the disk, then a reader
// that finishes or undoes it and is killed as well: nothing is ever taken for
// damaged, whether or not the payload itself is another one.
func TestSaveCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	killed := errors.New("killed")
	// from has every change from the nth on fail, as for a process that is no more.
	from := func(l *Library, at int) *int {
		n := new(int)
		disk.Through(l.Dir(), func(op disk.Op, do func() error) error {
			if *n++; *n >= at {
				return killed
			}
			return calmly(op, do)
		})
		return n
	}
	for _, markdown := range []string{"# One\n", "# Two\n"} {
		for save := 1; ; save++ {
			ended := false
			for heal := 1; ; heal++ {
				l := newLib(t)
				s := newStory(t)
				if err := errors.Join(s.archive(0)(l), s.place(l)); err != nil {
					t.Fatal(err)
				}
				e, err := l.Session(id)
				if err != nil {
					t.Fatal(err)
				}
				made := &payload.Payload{Session: id, Made: payload.Provenance{Distiller: "test/1", Input: e.Input}}
				derived := func(md, transcript string, seen []byte) Derived {
					return Derived{Payload: made, Markdown: []byte(md), Transcript: []byte(transcript), Seen: seen}
				}
				if err := l.SavePayload(id, derived("# One\n", "as it was", nil)); err != nil {
					t.Fatal(err)
				}
				look := func(when string) {
					for _, f := range verify(t, again(t, l)).Findings {
						if f.State == check.Damaged {
							t.Errorf("%q, save killed at %d, %s at %d: %+v", markdown, save, when, heal, f)
						}
					}
				}
				n := from(l, save)
				l.SavePayload(id, derived(markdown, "as it is now", []byte("# One\n")))
				ended = *n < save
				disk.Through(l.Dir(), calmly)
				look("saved")
				l = again(t, l)
				n = from(l, heal)
				l.Saved(id)
				healed := *n < heal
				disk.Through(l.Dir(), calmly)
				look("healed")
				l = again(t, l)
				_, seen, err := l.Saved(id)
				if err == nil {
					err = l.SavePayload(id, derived(markdown, "as it is now", seen))
				}
				if v := verify(t, again(t, l)); err != nil || len(v.Findings) > 0 {
					t.Errorf("%q, save killed at %d, heal at %d: the next save: %v, %s", markdown, save, heal, err, said(v))
				}
				if healed {
					break
				}
			}
			if ended {
				break
			}
		}
	}
}
