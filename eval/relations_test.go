package eval

import (
	"context"
	"strings"
	"testing"

	"recall/payload"
)

// No line is left out for its length, and one that can't be read is an error.
func TestReported(t *testing.T) {
	line := func(id, why string) string {
		return `{"id":"` + id + `","half":"report","relation":"unrelated","later":{"why":"` + why + "\"}}\n"
	}
	all, err := reported([]byte(line("a", strings.Repeat("long ", 20_000)) + line("b", "") + `{"id":"c","half":"tune"}`))
	if err != nil || len(all) != 2 || all[0].ID != "a" || all[1].ID != "b" {
		t.Errorf("got %d pairs, %v, want a and b", len(all), err)
	}
	if _, err := reported([]byte(line("a", "") + `{"id":`)); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v, want an error that names line 2", err)
	}
}

// What rules say of the bundled pairs is counted right; somebody who agrees with
// people is right everywhere.
func TestAgreeOnRelations(t *testing.T) {
	all, err := InventedRelations()
	if err != nil {
		t.Fatal(err)
	}
	pairs := SampleRelations(all, 100)
	over := 0
	for _, l := range pairs {
		if l.Relation == payload.Supersedes {
			over++
		}
	}
	if len(pairs) != 100 || over != 50 {
		t.Fatalf("got %d pairs, %d of them labelled supersedes, want 100 and 50", len(pairs), over)
	}
	rules, err := AgreeOnRelations(context.Background(), "rules", ByRules, pairs)
	if err != nil {
		t.Fatal(err)
	}
	s := rules.Relations[payload.Supersedes]
	if s.Precision.K != s.Recall.K || s.Recall.N != 50 || s.Precision.K == 0 || s.Precision.K*10 < s.Precision.N*9 ||
		rules.Agree+len(rules.Wrong) != 100 {
		t.Errorf("rules: got %+v, %d agreed, %d wrong", s, rules.Agree, len(rules.Wrong))
	}
	people := func(_ context.Context, pairs []LabelledRelation) (out []payload.Relation, err error) {
		for _, l := range pairs {
			if l.Relation == Unrelated {
				l.Relation = ""
			}
			out = append(out, l.Relation)
		}
		return out, nil
	}
	if a, err := AgreeOnRelations(context.Background(), "people", people, all); err != nil || a.Agree != len(all) ||
		len(a.Wrong) > 0 {
		t.Errorf("people: got %d of %d, %v", a.Agree, len(all), err)
	}
	wrong := func(context.Context, []LabelledRelation) ([]payload.Relation, error) {
		return []payload.Relation{"above"}, nil
	}
	if _, err := AgreeOnRelations(context.Background(), "x", wrong, all[:1]); err == nil {
		t.Error("a relation that is none: got no error")
	}
}
