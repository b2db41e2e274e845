package review

import (
	"testing"

	"recall/library"
	"recall/library/received"
	"recall/payload"
)

// A word on what somebody handed over is kept with it.
func TestSayOfHandoff(t *testing.T) {
	for word, want := range map[payload.Op]bool{payload.OpKeep: true, payload.OpPin: true, payload.OpDrop: true,
		payload.OpUnpin: true} {
		l, err := library.Create(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		was := received.Stamp(l)
		u := Unseen{Item: payload.Item{ID: "i"}, Handoff: "h"}
		if err := Say(l, u, word, "", "ann"); (err == nil) != want {
			t.Errorf("%s: %v", word, err)
		}
		if now := received.Stamp(l); (now != was) != want {
			t.Errorf("%s: the log changed: %v", word, now != was)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
