package payload

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func linkAt(op LinkOp, rel Relation, maker Maker, day int) Link {
	at := time.Date(2026, 3, day, 9, 0, 0, 0, time.UTC)
	return Link{Op: op, Relation: rel, From: "bbbbbbbbbb", To: "aaaaaaaaaa", FromSession: "s2", ToSession: "s1",
		Maker: maker, At: at, Said: at}
}

func turned(l Link) Link {
	l.From, l.To = l.To, l.From
	return l
}

func TestStandingLinks(t *testing.T) {
	rule, model := linkAt(OpLink, Supersedes, ByRule, 1), linkAt(OpLink, Refines, ByModel, 1)
	human := linkAt(OpLink, Contradicts, ByHuman, 2)
	for _, c := range []struct {
		name  string
		lines []Link
		want  []Relation
	}{
		{"none", nil, nil},
		{"one", []Link{rule}, []Relation{Supersedes}},
		{"taken back by its maker", []Link{rule, linkAt(OpRetract, "", ByRule, 2)}, nil},
		{"made again", []Link{rule, linkAt(OpRetract, "", ByRule, 2), rule}, []Relation{Supersedes}},
		{"a model before a rule", []Link{model, rule}, []Relation{Refines}},
		{"a model's taken back leaves the rule's", []Link{rule, model, linkAt(OpRetract, "", ByModel, 2)},
			[]Relation{Supersedes}},
		{"a person before all", []Link{human, rule, model}, []Relation{Contradicts}},
		{"a person takes back what others say", []Link{linkAt(OpRetract, "", ByHuman, 2), rule, model}, nil},
		{"a person's later word", []Link{human, linkAt(OpRetract, "", ByHuman, 3), rule}, nil},
		{"a person unsays it", []Link{rule, human, linkAt(OpUnsay, "", ByHuman, 3)}, []Relation{Supersedes}},
		{"a person unsays it the other way round", []Link{rule, turned(human), turned(linkAt(OpUnsay, "", ByHuman, 3))},
			[]Relation{Supersedes}},
		{"a person's link the other way round", []Link{rule, turned(human)}, []Relation{Contradicts}},
		{"a person's words out of order", []Link{linkAt(OpRetract, "", ByHuman, 3), human, rule}, nil},
	} {
		var got []Relation
		for _, l := range StandingLinks(c.lines) {
			got = append(got, l.Relation)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
	}
}

func TestLinksRoundTrip(t *testing.T) {
	want := []Link{linkAt(OpLink, Supersedes, ByRule, 1), linkAt(OpRetract, "", ByHuman, 2)}
	want[0].FromEvidence = &Evidence{Turn: "t", N: 4, Quote: "drop <b>redis</b>"}
	var got []Link
	text, err := json.Marshal(want)
	if err := errors.Join(err, json.Unmarshal(text, &got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, l := range want {
		if err := l.Check(); err != nil {
			t.Error(err)
		}
	}
	if (Link{Op: OpLink, Relation: Same, From: "a", To: "a", Maker: ByRule}).Check() == nil {
		t.Error("an item was linked to itself")
	}
}
