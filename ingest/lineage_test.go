package ingest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var day = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// said makes a turn; copies of it share its keys.
func said(id string, minute int, keys ...string) Turn {
	return Turn{ID: TurnID(id), Role: User, Kind: Prompt, Text: id, At: day.Add(time.Duration(minute) * time.Minute),
		Keys: append([]string{"u:" + id}, keys...), Usage: Usage{Output: 1}}
}

func session(id string, born int, turns ...Turn) *Session {
	s := &Session{ID: SessionID(id), Turns: slices.Clone(turns)}
	if born >= 0 {
		s.Born = day.Add(time.Duration(born) * time.Minute)
	}
	for i := range s.Turns {
		s.Turns[i].N = i + 1
	}
	return s
}

// owned lists the turns that each session owns.
func owned(family []*Session) map[string]string {
	out := map[string]string{}
	for _, s := range family {
		list := ""
		for _, t := range s.Turns {
			if !t.Copied {
				list += string(t.ID) + " "
			}
		}
		if s.Parent != nil {
			list += fmt.Sprintf("< %s %s %d", s.Parent.Session, s.Parent.How, s.Parent.Turns)
		}
		out[string(s.ID)] = list
	}
	return out
}

func TestOwn(t *testing.T) {
	a, b, c, d, e, f := said("a", 1), said("b", 2), said("c", 3), said("d", 4), said("e", 5), said("f", 6)
	remapped := b
	remapped.ID, remapped.Keys = "b2", []string{"u:b2", "m:msg"}
	withMessage := b
	withMessage.Keys = []string{"u:b", "m:msg"}
	tests := []struct {
		name   string
		family []*Session
		want   map[string]string
	}{
		{"a fork, both going on", []*Session{session("P", 0, a, b, e), session("F", 3, a, b, d)},
			map[string]string{"P": "a b e ", "F": "d < P fork 2"}},
		{"a fork of an interactive session, which is older by its turns",
			[]*Session{session("P", -1, a, b, c), session("F", -1, a, b, d)},
			map[string]string{"P": "a b c ", "F": "d < P fork 2"}},
		{"a fork that is told by its beginning", []*Session{session("P", -1, a, b, e), session("F", 3, a, b, d)},
			map[string]string{"P": "a b e ", "F": "d < P fork 2"}},
		{"the parent stopped where the fork began", []*Session{session("P", -1, a, b), session("F", -1, a, b, d)},
			map[string]string{"P": "a b ", "F": "d < P fork 2"}},
		{"a fork of a fork", []*Session{session("P", 0, a, b), session("F", 3, a, b, c), session("G", 5, a, b, c, e)},
			map[string]string{"P": "a b ", "F": "c < P fork 2", "G": "e < F fork 3"}},
		{"two forks of one", []*Session{session("P", 0, a, b, f), session("F", 3, a, b, d), session("G", 4, a, b, e)},
			map[string]string{"P": "a b f ", "F": "d < P fork 2", "G": "e < P fork 2"}},
		{"new uuids, one message id", []*Session{session("P", 0, a, withMessage), session("F", 3, a, remapped, d)},
			map[string]string{"P": "a b ", "F": "d < P fork 2"}},
		{"strangers", []*Session{session("P", 0, a, b), session("Q", 1, c, d)},
			map[string]string{"P": "a b ", "Q": "c d "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			Own(tt.family)
			if d := cmp.Diff(tt.want, owned(tt.family)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestOwnSaidOutright(t *testing.T) {
	a, b, c, d := said("a", 1), said("b", 2), said("c", 3), said("d", 4)
	p, f := session("P", -1, a, b, d), session("F", -1, a, b, c)
	f.Parent = &Parent{Session: "P", How: HowBranch}
	Own([]*Session{f, p})
	want := map[string]string{"P": "a b d ", "F": "c < P branch 2"}
	if d := cmp.Diff(want, owned([]*Session{f, p})); d != "" {
		t.Errorf("branch (-want +got):\n%s", d)
	}
	p, f = session("P", -1, a, b, d), session("F", -1, a, b, c)
	p.ContinuedIn = "F"
	Own([]*Session{f, p})
	want["F"] = "c < P continued 2"
	if d := cmp.Diff(want, owned([]*Session{f, p})); d != "" {
		t.Errorf("continued (-want +got):\n%s", d)
	}
}

func TestOwnUsage(t *testing.T) {
	p := session("P", 0, said("a", 1), said("b", 2))
	f := session("F", 3, said("a", 1), said("b", 2), said("c", 4))
	p.Usage, f.Usage = Usage{Output: 2}, Usage{Output: 3}
	Own([]*Session{p, f})
	if got := []int64{p.Usage.Output, f.Usage.Output}; !slices.Equal(got, []int64{2, 1}) {
		t.Errorf("output tokens of parent and fork: got %v, want [2 1]", got)
	}
}

// world makes a random family of forks.
func world(t *rapid.T) []*Session {
	n, minute := 0, 0
	turn := func() Turn {
		n, minute = n+1, minute+1
		id := fmt.Sprintf("t%d", n)
		return said(id, minute, "m:"+id)
	}
	family := []*Session{session("s0", 0)}
	for range rapid.IntRange(1, 12).Draw(t, "steps") {
		s := family[rapid.IntRange(0, len(family)-1).Draw(t, "session")]
		if len(s.Turns) > 0 && rapid.Bool().Draw(t, "fork") {
			minute++
			cut := rapid.IntRange(1, len(s.Turns)).Draw(t, "cut")
			f := session(fmt.Sprintf("s%d", len(family)), -1, s.Turns[:cut]...)
			switch rapid.SampledFrom([]string{"born", "branch", "remapped", "bare"}).Draw(t, "how") {
			case "born":
				f.Born = day.Add(time.Duration(minute) * time.Minute)
			case "branch":
				f.Parent = &Parent{Session: s.ID, How: HowBranch}
			case "remapped":
				for i := range f.Turns {
					n++
					f.Turns[i].Keys = []string{fmt.Sprintf("u:r%d", n), f.Turns[i].Keys[1]}
				}
			}
			family = append(family, f)
			continue
		}
		s.Turns = append(s.Turns, turn())
	}
	return family
}

func shuffled(t *rapid.T, family []*Session) []*Session {
	out := make([]*Session, 0, len(family))
	places := make([]int, len(family))
	for i := range places {
		places[i] = i
	}
	for _, i := range rapid.Permutation(places).Draw(t, "order") {
		out = append(out, family[i])
	}
	return out
}

func clone(family []*Session) []*Session {
	out := make([]*Session, len(family))
	for i, s := range family {
		c := *s
		c.Turns = slices.Clone(s.Turns)
		if s.Parent != nil {
			p := *s.Parent
			c.Parent = &p
		}
		out[i] = &c
	}
	return out
}

func TestOwnAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		family := world(t)
		first := clone(family)
		Own(first)
		want := owned(first)
		other := shuffled(t, clone(family))
		Own(other[:rapid.IntRange(1, len(other)).Draw(t, "arrived first")])
		Own(other)
		if d := cmp.Diff(want, owned(other)); d != "" {
			t.Fatalf("another order of arrival (-first +other):\n%s", d)
		}
		held := map[string]int{}
		for _, s := range first {
			for _, turn := range s.Turns {
				held[turn.Text] += 0
				if !turn.Copied {
					held[turn.Text]++
				}
			}
		}
		for text, owners := range held {
			if owners != 1 {
				t.Fatalf("turn %s: got %d owners, want 1", text, owners)
			}
		}
	})
}

// TestOwnTruth holds that each turn goes to the session that it was spoken
// in, where every fork's file tells when it was begun.
func TestOwnTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		family := world(t)
		spoken := map[string]SessionID{} // in the first session that holds it
		for i, s := range family {
			if i > 0 && s.Parent == nil {
				s.Born = day.Add(time.Duration(1000+i) * time.Minute)
			}
			for _, turn := range s.Turns {
				if _, ok := spoken[turn.Text]; !ok {
					spoken[turn.Text] = s.ID
				}
			}
		}
		family = shuffled(t, family)
		Own(family)
		for _, s := range family {
			for _, turn := range s.Turns {
				if got, want := !turn.Copied, spoken[turn.Text] == s.ID; got != want {
					t.Fatalf("turn %s in %s: got owned %t, want %t", turn.Text, s.ID, got, want)
				}
			}
		}
	})
}
