package eval

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"recall/distill/relate"
	"recall/payload"
)

//go:embed testdata/relations.jsonl
var relations []byte

// Unrelated is what two items are labelled that have nothing to do with each
// other, however alike they look.
const Unrelated payload.Relation = "unrelated"

// LabelledRelation is an earlier and a later item, and how a person says that the
// later bears on the earlier.
type LabelledRelation struct {
	ID       string           `json:"id"`
	Half     string           `json:"half"` // "tune" if rules were made by looking at it, else "report"
	Domain   string           `json:"domain"`
	Relation payload.Relation `json:"relation"` // or Unrelated
	Near     bool             `json:"near"`     // it looks like another relation than it is
	Later    GoldItem         `json:"later"`
	Earlier  GoldItem         `json:"earlier"`
}

// InventedRelations are the bundled pairs that nothing was tuned on, all made up.
func InventedRelations() ([]LabelledRelation, error) { return reported(relations) }

// reported reads lines of pairs, of any length, for those of the half that is
// reported on.
func reported(lines []byte) ([]LabelledRelation, error) {
	all, err := jsonLines[LabelledRelation](lines)
	if err != nil {
		return nil, fmt.Errorf("invented relations: %w", err)
	}
	return slices.DeleteFunc(all, func(l LabelledRelation) bool { return l.Half != "report" }), nil
}

// SampleRelations takes n of the pairs, always the same ones: half of them are
// labelled supersedes, whose precision decides whether one item may hide another,
// the others are as frequent as they are.
func SampleRelations(all []LabelledRelation, n int) []LabelledRelation {
	mixed := slices.Clone(all)
	slices.SortFunc(mixed, func(a, b LabelledRelation) int {
		return cmp.Or(cmp.Compare(scatter(a.ID), scatter(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	left := map[bool]int{true: n / 2, false: n - n/2}
	return slices.DeleteFunc(mixed, func(l LabelledRelation) bool {
		over := l.Relation == payload.Supersedes
		left[over]--
		return left[over] < 0
	})
}

func scatter(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64() * 0x9E3779B97F4A7C15 >> 16 // ids that differ in a digit lie far apart
}

// Items are the pair as of two sessions a month apart.
func (l *LabelledRelation) Items() (later, earlier relate.Item) {
	day := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	item := func(side GoldItem, name string, at time.Time) relate.Item {
		return relate.Item{Session: name, Start: at, Item: payload.Item{ID: payload.ItemID(l.ID + "-" + name),
			Kind: side.Kind, Text: side.Text, Why: side.Why,
			At: at, State: payload.Stands, Maker: payload.ByModel, Evidence: []payload.Evidence{{Turn: name, N: 1,
				Quote: side.Quote}}}}
	}
	return item(l.Later, "later", day.AddDate(0, 1, 0)), item(l.Earlier, "earlier", day)
}

// RelatedBy says of each pair how the later item bears on the earlier, "" if it
// doesn't.
type RelatedBy func(ctx context.Context, pairs []LabelledRelation) ([]payload.Relation, error)

// ByRules is what recall says of pairs without a model.
func ByRules(_ context.Context, pairs []LabelledRelation) ([]payload.Relation, error) {
	out := make([]payload.Relation, len(pairs))
	for i := range pairs {
		later, earlier := pairs[i].Items()
		for _, l := range relate.Links([]relate.Item{later, earlier}) {
			if l.From == later.ID {
				out[i] = l.Relation
			}
		}
	}
	return out, nil
}

// RelationAgreement is how far somebody agrees with people on how items bear on
// one another.
type RelationAgreement struct {
	By        string                            `json:"by"` // rules, or the model's name
	Pairs     int                               `json:"pairs"`
	Agree     int                               `json:"agree"`
	Relations map[payload.Relation]RelationRate `json:"relations"`
	Wrong     []DisagreedOnRelation             `json:"wrong,omitempty"`
}

// RelationRate is one relation's part.
type RelationRate struct {
	Precision KofN `json:"precision"` // of those said to be so, those labelled so
	Recall    KofN `json:"recall"`    // of those labelled so, those said to be so
}

// DisagreedOnRelation is a pair of which somebody says something else than people.
type DisagreedOnRelation struct {
	ID      string           `json:"id"`
	Earlier string           `json:"earlier"`
	Later   string           `json:"later"`
	People  payload.Relation `json:"people"`
	Said    payload.Relation `json:"said"`
}

// AgreeOnRelations has somebody say how the items of labelled pairs bear on one
// another.
func AgreeOnRelations(ctx context.Context, name string, by RelatedBy, pairs []LabelledRelation) (RelationAgreement,
	error) {
	a := RelationAgreement{By: name, Pairs: len(pairs), Relations: map[payload.Relation]RelationRate{}}
	said, err := by(ctx, pairs)
	if err != nil {
		return a, err
	}
	type counts struct{ said, labelled, right int }
	of := map[payload.Relation]*counts{}
	for _, r := range append(slices.Clone(payload.Relations), Unrelated) {
		of[r] = &counts{}
	}
	for i, l := range pairs {
		r := cmp.Or(said[i], Unrelated)
		if of[r] == nil || of[l.Relation] == nil {
			return a, fmt.Errorf("pair %s: %q is no relation", l.ID, cmp.Or(r, l.Relation))
		}
		of[r].said++
		of[l.Relation].labelled++
		if r == l.Relation {
			of[r].right++
			a.Agree++
		} else {
			a.Wrong = append(a.Wrong, DisagreedOnRelation{l.ID, l.Earlier.Text, l.Later.Text, l.Relation, r})
		}
	}
	for r, c := range of {
		a.Relations[r] = RelationRate{wilson(c.right, c.said), wilson(c.right, c.labelled)}
	}
	return a, nil
}
