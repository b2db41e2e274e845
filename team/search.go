package team

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"recall/distill"
	"recall/distill/relate"
	"recall/index"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// maxRanked is how many items with the question's words are ranked; the second look takes a quarter of these. With
// 100, a tenth more of what ranking all items would put first is missing.
const maxRanked = 200

// Candidates finds what answers a question, in the projects that the member can read; q.Project is a remote or a name.
// They are then ranked, by themselves or together with an index's results.
func (t *Team) Candidates(ctx context.Context, q index.Query) (*index.ForeignResults, error) {
	asked := index.Ask(q)
	found, err := t.find(ctx, q, asked)
	if err != nil {
		return nil, explain(err)
	}
	doubled := map[[3]string]bool{} // one person may share an item from two devices
	found.Items = slices.DeleteFunc(found.Items, func(s index.ForeignItem) bool {
		key := [3]string{s.Author, s.Session, string(s.ID)}
		was := doubled[key]
		doubled[key] = true
		return was
	})
	found.Asked = asked
	return &found, nil
}

// find returns the items with the stems, and how many items contain each.
func (t *Team) find(ctx context.Context, q index.Query, asked *index.Asking) (found index.ForeignResults, err error) {
	before := q.Until
	if before.IsZero() || !q.AsOf.IsZero() && q.AsOf.Before(before) {
		before = q.AsOf
	}
	kinds := append([]string(nil), text.Strings(q.Kinds)...) // NULL for all
	rows, err := t.pool.Query(ctx, `SELECT held, searched, sid, project, author, device, title, started, put, data
		FROM recall.search($1, $2, $3, $4, $5, $6, $7, $8)`, asked.Stems, asked.Own, asked.Weights,
		zeronull.Text(q.Project), kinds, zeronull.Timestamptz(q.Since), zeronull.Timestamptz(before), maxRanked)
	if err != nil {
		return found, err
	}
	var data, sid, project, author, device, title zeronull.Text // "" if nothing was found
	var started, put zeronull.Timestamptz
	_, err = pgx.ForEachRow(rows, []any{&found.Holding, &found.Searched, &sid, &project, &author, &device, &title,
		&started, &put, &data}, func() error {
		var it payload.Item
		if sid == "" || json.Unmarshal([]byte(data), &it) != nil {
			return nil // a forged item is skipped
		}
		at := index.Place{Project: string(project), Session: string(sid), SessionTitle: string(title),
			Author: string(author), Machine: string(device), Source: index.HandoffSource,
			SessionStart: time.Time(started).UTC()}
		if onTime(time.Time(put), &it.At, &at.SessionStart) {
			at.Machine += wrongClock
		}
		found.Items = append(found.Items, index.ForeignItem{Place: at, Item: asIndexed(it)})
		return nil
	})
	return found, err
}

// receive makes an item from the database safe to show, and holds it to the contract that every item must satisfy, as
// far as its quotes alone can say: their turns aren't here. A claim that they don't bear out stays as what was quoted,
// and one without any is a mere passage. It reports whether anything is left.
func receive(it *payload.Item) bool {
	if it.Receive() != nil {
		return false
	}
	if len(it.Evidence) > 0 {
		if kept, _ := distill.Contract(quoted(it), []payload.Item{*it}); len(kept) == 1 {
			*it = kept[0]
			return true
		}
		it.Text = strings.Join(it.Quotes(), " … ")
	}
	it.Kind, it.Why, it.Scope, it.Alternatives, it.Path, it.Status = payload.Lead, "", "", nil, "", ""
	return it.Text != ""
}

// Receive is receive for what was found for a question.
func Receive(found *index.ForeignResults) {
	kept := found.Items[:0]
	for _, f := range found.Items {
		if receive(&f.Item.Item) {
			kept = append(kept, f)
		}
	}
	found.Items = kept
}

// quoted is a session of the turns that an item quotes; where it names the question that was answered, that comes
// first.
func quoted(it *payload.Item) *ingest.Session {
	s := &ingest.Session{}
	if asked, _, ok := strings.Cut(it.Text, " → "); ok {
		s.Turns = append(s.Turns, ingest.Turn{ID: "question", Role: ingest.Assistant, Kind: ingest.Message, Text: asked})
	}
	for _, e := range it.Evidence {
		t := ingest.Turn{ID: ingest.TurnID(e.Turn), N: e.N, Role: ingest.User, Kind: ingest.Prompt, Text: e.Quote}
		if it.By == payload.ByAssistant {
			t.Role, t.Kind = ingest.Assistant, ingest.Message
		}
		s.Turns = append(s.Turns, t)
	}
	return s
}

// skewed is how far a clock may be ahead.
const skewed = 24 * time.Hour

// onTime corrects what a clock ahead of the database's says: nothing was said after it was put. It reports whether it
// had to.
func onTime(put time.Time, of ...*time.Time) (wrong bool) {
	for _, at := range of {
		if at.Sub(put) > skewed {
			*at, wrong = put.UTC(), true
		}
	}
	return wrong
}

// wrongClock marks a machine whose clock is ahead, where its name is shown.
const wrongClock = " (its clock is ahead)"

// Tie adds to each result how it bears on other results, and on the team's other items that were found for the
// question. Decisions of two people that can't both hold are a conflict. Whether a rule applies to two items depends on
// these alone, so nothing in the database is believed for it.
func Tie(results []*index.Result, found []index.ForeignItem) {
	ends := map[payload.ItemID]index.Placed{}
	at := map[payload.ItemID]*index.Result{}
	var items []relate.Item
	take := func(p index.Placed) {
		if _, twice := ends[p.Item.ID]; !twice && p.Item.Kind != payload.Lead {
			ends[p.Item.ID] = p
			items = append(items, relate.Item{Item: p.Item, Session: p.Session, Start: p.SessionStart})
		}
	}
	for _, r := range results {
		if r.Item != nil {
			at[r.Item.ID] = r
			take(r.Placed())
		}
	}
	for _, f := range found {
		take(index.Placed{Place: f.Place, Turn: f.First().N, Item: f.Item.Item})
	}
	for _, l := range append(relate.Links(items), differentChoices(items)...) {
		later, earlier := ends[l.From], ends[l.To]
		if later.Project == earlier.Project && later.Session != earlier.Session {
			tie(at[l.From], l, later, earlier)
			tie(at[l.To], l, earlier, later)
		}
	}
}

// tie adds a link with another item to a result, if that end of it is one.
func tie(r *index.Result, l payload.Link, own, other index.Placed) {
	if r == nil || own.Author == "" && other.Author == "" { // one's own index has linked these
		return
	}
	to := &r.Related
	if l.Relation == payload.Contradicts || l.Relation == payload.Supersedes && own.Author != other.Author {
		to = &r.Conflict
	}
	same := func(o index.Linked) bool { return o.Item.ID == other.Item.ID }
	if !slices.ContainsFunc(r.Conflict, same) && !slices.ContainsFunc(*to, same) {
		*to = append(*to, index.LinkedBy(l, other))
	}
}

// differentChoices returns links between items that answer the same question differently.
func differentChoices(items []relate.Item) (links []payload.Link) {
	slices.SortFunc(items, relate.InTime)
	for i, later := range items {
		asked, choice, ok := strings.Cut(strings.ToLower(later.Text), " → ")
		for _, earlier := range items[:i] {
			was, other, _ := strings.Cut(strings.ToLower(earlier.Text), " → ")
			if ok && was == asked && other != choice && other != "" {
				links = append(links, payload.Link{Op: payload.OpLink, Relation: payload.Contradicts, From: later.ID,
					To: earlier.ID, FromSession: later.Session, ToSession: earlier.Session, Maker: payload.ByRule,
					At: later.At})
			}
		}
	}
	return links
}
