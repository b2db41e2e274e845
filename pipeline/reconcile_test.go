package pipeline_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"recall/distill/model"
	"recall/ingest"
	"recall/internal/llm"
	"recall/library/calls"
	"recall/payload"
)

// judge says of pairs that speak of Redis what it is told to.
type judge struct {
	relation payload.Relation
	err      error
	asked    int
}

func (j *judge) Reconcile(_ context.Context, pairs []model.Pair) ([]model.Verdict, error) {
	out := make([]model.Verdict, len(pairs))
	j.asked += len(pairs)
	for i, p := range pairs {
		out[i] = model.Verdict{Known: j.err == nil, Later: p.Later.Evidence[0], Earlier: p.Earlier.Evidence[0]}
		if strings.Contains(p.Later.Text, "Redis") && strings.Contains(p.Earlier.Text, "Redis") {
			out[i].Relation = j.relation
		}
	}
	return out, j.err
}

func (j *judge) Link(p model.Pair, v model.Verdict) (payload.Link, bool) {
	return payload.Link{Op: payload.OpLink, Relation: v.Relation, From: p.Later.ID, To: p.Earlier.ID,
		FromSession: p.Later.Session, ToSession: p.Earlier.Session,
		FromEvidence: &v.Later, ToEvidence: &v.Earlier, Maker: payload.ByModel, Rule: "judge",
		At: p.Later.At}, v.Relation != ""
}

// What a model says of two decisions of a project is kept as a link from the
// later to the earlier that hides nothing; the rules don't take it back, the model
// does; where it fails it is asked the next night.
func TestReconcile(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	now := day.AddDate(0, 1, 0)
	p.Now = func() time.Time { return now }
	asker(p).Improver = &script{}
	j := &judge{relation: payload.Contradicts, err: &llm.Error{Fault: llm.Overloaded}}
	asker(p).Reconciler = j
	all := []talk{
		{id: "aaaaaaaa-0000-4000-8000-000000000001", start: day,
			said: []string{"Let's go with Redis for the session cache instead of Memcached.", "Done.", "Ship it.", "Shipped."}},
		{id: "bbbbbbbb-0000-4000-8000-000000000001", start: day.AddDate(0, 0, 3),
			said: []string{"The session cache must not use Redis, the ops team refuses to run it.", "Noted.", "Merge it.",
				"Merged."}},
	}
	for _, k := range all {
		k.write(t, root)
	}
	models := func() (list []payload.Link) {
		t.Helper()
		lines, err := p.Library.Links()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range payload.StandingLinks(lines) {
			if l.Maker == payload.ByModel {
				list = append(list, l)
			}
		}
		return list
	}
	if r := improved(t, p, root); r.Improved != 2 || r.Links != 0 || j.asked == 0 {
		t.Fatalf("the model fails: %+v, asked %d", r, j.asked)
	}
	j.err = nil
	now = now.AddDate(0, 0, 1)
	if r := improved(t, p, root); r.Asked != 0 || r.Links != 1 {
		t.Fatalf("the night after: %+v, want one link", r)
	}
	got := models()
	if len(got) != 1 || got[0].FromSession != all[1].id || got[0].ToSession != all[0].id || got[0].Hides() ||
		got[0].FromEvidence.Quote == "" {
		t.Fatalf("links %+v, want one from the later to the earlier", got)
	}
	if err := p.Index.AllDue(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Relate(context.Background()); err != nil || len(models()) != 1 {
		t.Errorf("the rules left %+v of it (%v)", models(), err)
	}
	if hit := asked(t, p, "redis for the session cache"); len(hit.Conflict) != 1 {
		t.Errorf("an answer shows %+v as its conflict", hit.Conflict)
	}
	n := j.asked
	if improved(t, p, root); j.asked != n {
		t.Error("asked again for nothing")
	}
	again := func(relation payload.Relation) []payload.Link {
		t.Helper()
		j.relation = relation
		if err := calls.NoteTry(p.Library, calls.Try{Session: ingest.SessionID(all[1].id), At: now.Add(time.Hour),
			Unlinked: true}); err != nil {
			t.Fatal(err)
		}
		improved(t, p, root)
		return models()
	}
	if got := again(payload.Supersedes); len(got) != 1 || got[0].Hides() {
		t.Errorf("a model's word: %+v, want a link that hides nothing", got)
	}
	if got := again(payload.Same); len(got) != 1 || got[0].Hides() {
		t.Errorf("said to be the same: %+v, want a link that hides nothing", got)
	}
	if got := again(""); len(got) != 0 {
		t.Errorf("it takes back what it said: %+v left", got)
	}
}
