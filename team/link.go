package team

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"recall/distill/relate"
	"recall/index"
	"recall/payload"
)

// Due is a project, with those merged into it, whose items have changed since they were last related.
type Due struct {
	Project int
	Parts   []int // the project and those merged into it, as far as this member can read them

	Stamp string // of its sessions and the rules
}

// Due lists the due projects that this member can read.
func (t *Team) Due(ctx context.Context) ([]Due, error) {
	return list(ctx, t, func(row pgx.CollectableRow) (d Due, err error) {
		return d, row.Scan(&d.Project, &d.Parts, &d.Stamp)
	}, `WITH RECURSIVE readable AS MATERIALIZED (SELECT id, merged_into FROM recall.project
			WHERE id = ANY((SELECT recall.mine())::int[])),
		part(root, id) AS (
			SELECT id, id FROM readable r WHERE merged_into IS NULL OR merged_into NOT IN (SELECT id FROM readable)
			UNION SELECT p.root, r.id FROM readable r JOIN part p ON r.merged_into = p.id),
		now AS (SELECT root, array_agg(DISTINCT part.id) AS parts, $1 || ' ' || count(s) || ' ' ||
				coalesce(sum(hashtextextended(s.id || ' ' || s.generation, 0)::numeric), 0) AS stamp
			FROM part JOIN recall.session s ON s.project = part.id GROUP BY root)
		SELECT root, parts, stamp FROM now
		WHERE NOT EXISTS(SELECT FROM recall.related r WHERE r.project = root AND r.stamp = now.stamp) ORDER BY root`,
		relate.Version())
}

// Relate finds the links among a project's items, across all authors, and stores them; repeating it changes
// nothing. It deletes links that this member's earlier runs found and that no longer hold.
func (t *Team) Relate(ctx context.Context, d Due) error {
	type row struct {
		id      int64
		project int
		relate.Item
	}
	all, err := list(ctx, t, func(r pgx.CollectableRow) (one row, err error) {
		var data string
		var started *time.Time
		if err := r.Scan(&one.id, &one.project, &one.Session, &started, &data); err != nil {
			return one, err
		}
		if started != nil {
			one.Start = started.UTC()
		}
		if json.Unmarshal([]byte(data), &one.Item.Item) != nil { // a forged item is related to nothing
			one.Item.Item = payload.Item{}
		}
		return one, nil
	}, `SELECT i.id, i.project, s.sid, s.started, i.data FROM recall.session s JOIN recall.item i ON i.session = s.id
		WHERE s.project = ANY($1) AND i.kind = ANY($2) ORDER BY i.id`, d.Parts, names(relate.Kinds))
	if err != nil {
		return err
	}
	known := map[payload.ItemID]row{}
	var items []relate.Item
	for _, r := range all {
		if _, twice := known[r.ID]; !twice && r.ID != "" { // one person may share it from two devices
			known[r.ID] = r
			items = append(items, r.Item)
		}
	}
	links, _, err := relate.LinksOfDue(ctx, items, func(*relate.Item) bool { return true })
	if err != nil {
		return err
	}
	var later, earlier []int64
	var relations []string
	for _, l := range links {
		if l.FromSession == l.ToSession {
			continue
		}
		later, earlier = append(later, known[l.From].id), append(earlier, known[l.To].id)
		relations = append(relations, string(l.Relation))
	}
	err = pgx.BeginFunc(ctx, t.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM recall.link WHERE maker = $1 AND projects <@ $2 AND (later, earlier, relation)
			NOT IN (SELECT * FROM unnest($3::bigint[], $4::bigint[], $5::text[]))`, t.Member.ID, d.Parts, later, earlier,
			relations)
		if err == nil {
			_, err = tx.Exec(ctx, `INSERT INTO recall.link(maker, later, earlier, relation, projects)
				SELECT $1, x.id, y.id, k.relation, ARRAY[x.project, y.project]
				FROM unnest($2::bigint[], $3::bigint[], $4::text[]) k(later, earlier, relation)
				JOIN recall.item x ON x.id = k.later JOIN recall.item y ON y.id = k.earlier ON CONFLICT DO NOTHING`,
				t.Member.ID, later, earlier, relations)
		}
		if err == nil {
			_, err = tx.Exec(ctx, `INSERT INTO recall.related(project, stamp) VALUES($1, $2)
				ON CONFLICT (project) DO UPDATE SET stamp = excluded.stamp`, d.Project, d.Stamp)
		}
		return err
	})
	if violates(err, foreignKeyViolation) {
		return nil // a session was replaced meanwhile: its project is due again
	}
	return explain(err)
}

func names[T ~string](all []T) (out []string) {
	for _, one := range all {
		out = append(out, string(one))
	}
	return out
}

// maxLinked is how many links of one answer's items are read.
const maxLinked = 200

// Link adds to each result the team's items that it is linked to. A database row only says where to look:
// whether a rule applies depends only on the two items, so it is evaluated again, and forged rows have no
// effect.
func (t *Team) Link(ctx context.Context, results []*index.Result) error {
	var sids, iids []string
	at := map[payload.ItemID]*index.Result{}
	for _, r := range results {
		if r.Item != nil {
			sids, iids, at[r.Item.ID] = append(sids, r.Session), append(iids, string(r.Item.ID)), r
		}
	}
	if len(sids) == 0 {
		return nil
	}
	pairs, err := list(ctx, t, func(row pgx.CollectableRow) (ends [2]index.Placed, err error) {
		var data [2]string
		var started [2]*time.Time
		x, y := &ends[0].Place, &ends[1].Place
		err = row.Scan(&data[0], &x.Session, &x.SessionTitle, &started[0], &x.Project, &x.Author, &x.Machine,
			&data[1], &y.Session, &y.SessionTitle, &started[1], &y.Project, &y.Author, &y.Machine)
		for i := range ends {
			if err == nil {
				err = json.Unmarshal([]byte(data[i]), &ends[i].Item)
			}
			if started[i] != nil {
				ends[i].SessionStart = started[i].UTC()
			}
			ends[i].Turn = ends[i].Item.First().N
		}
		return ends, err
	}, fmt.Sprintf(`WITH hit AS MATERIALIZED (
			SELECT i.id FROM unnest($1::text[], $2::text[]) h(sid, iid) JOIN recall.session s ON s.sid = h.sid
			JOIN recall.item i ON i.session = s.id AND i.iid = h.iid),
		pair AS (SELECT DISTINCT later, earlier FROM recall.link l
			WHERE (later IN (SELECT id FROM hit) OR earlier IN (SELECT id FROM hit))
				AND projects <@ (SELECT recall.mine())::int[] LIMIT %d)
		SELECT %s, %s FROM pair %s %s ORDER BY x.id, y.id`, maxLinked, endOf("x"), endOf("y"), joined("x", "later"),
		joined("y", "earlier")), sids, iids)
	if err != nil {
		return err
	}
	for _, ends := range pairs {
		for _, l := range relate.Links([]relate.Item{relateItem(ends[0]), relateItem(ends[1])}) {
			for i, other := range []index.Placed{ends[1], ends[0]} {
				r := at[ends[i].Item.ID]
				if r == nil || !isResult(r, ends[i]) || l.From != ends[0].Item.ID {
					continue
				}
				to := &r.Related
				if l.Relation == payload.Contradicts {
					to = &r.Conflict
				}
				again := slices.ContainsFunc(*to, func(o index.Linked) bool { return o.Item.ID == other.Item.ID })
				if !again {
					*to = append(*to, index.LinkedBy(l, other))
				}
			}
		}
	}
	return nil
}

// Tie makes other people's items safe to show, and adds links to the results: those found by the team's jobs,
// and those among the results themselves. Decisions of two people that can't both hold are a conflict. If the
// team can't be asked, its links are missing.
func (t *Team) Tie(ctx context.Context, results []*index.Result) {
	_ = t.Link(ctx, results)
	var items []relate.Item
	at := map[payload.ItemID]*index.Result{}
	for _, r := range results {
		if r.Item != nil && r.Item.Kind != payload.Lead {
			items, at[r.Item.ID] = append(items, relateItem(r.Placed())), r
		}
	}
	for _, l := range append(relate.Links(items), differentChoices(items)...) {
		x, y := at[l.From], at[l.To]
		otherwise := l.Relation == payload.Supersedes || l.Relation == payload.Contradicts
		if !otherwise || x.Author == y.Author || x.Project != y.Project {
			continue
		}
		for _, ends := range [][2]*index.Result{{x, y}, {y, x}} {
			same := func(o index.Linked) bool { return o.Item.ID == ends[1].Item.ID }
			ends[0].Related = slices.DeleteFunc(ends[0].Related, same)
			if !slices.ContainsFunc(ends[0].Conflict, same) {
				ends[0].Conflict = append(ends[0].Conflict, index.LinkedBy(l, ends[1].Placed()))
			}
		}
	}
	for _, r := range results {
		sanitize(&r.Place, r.Item)
		for _, of := range [][]index.Linked{r.Conflict, r.Related, r.History} {
			for i := range of {
				sanitize(&of[i].Place, &of[i].Item)
			}
		}
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

// sanitize sanitizes an item from another machine.
func sanitize(at *index.Place, it *payload.Item) {
	if at.Author == "" || it == nil {
		return
	}
	at.Source = index.HandoffSource
	if it.Receive() != nil {
		*it = payload.Item{ID: it.ID, Kind: payload.Lead, State: payload.Stands, Rule: payload.ReceivedRule}
	}
}

// isResult reports whether a result is the item at a link's end, rather than another one shared under the same ids.
func isResult(r *index.Result, p index.Placed) bool {
	return r.Session == p.Session && r.Author == p.Author && r.Item.Text == p.Item.Text
}

func relateItem(p index.Placed) relate.Item {
	return relate.Item{Item: p.Item, Session: p.Session, Start: p.SessionStart}
}

// endOf returns the columns of an item at a link's end, and joined the tables that they are from.
func endOf(x string) string {
	return fmt.Sprintf(`%[1]s.data, %[1]ss.sid, %[1]ss.title, %[1]ss.started, %[1]sp.name, %[1]sm.name, %[1]sd.name`, x)
}

func joined(x, id string) string {
	return fmt.Sprintf(`JOIN recall.item %[1]s ON %[1]s.id = pair.%[2]s JOIN recall.session %[1]ss
		ON %[1]ss.id = %[1]s.session JOIN recall.project %[1]sp ON %[1]sp.id = %[1]s.project
		JOIN recall.device %[1]sd ON %[1]sd.id = %[1]ss.device JOIN recall.member %[1]sm ON %[1]sm.id = %[1]sd.member`, x, id)
}
