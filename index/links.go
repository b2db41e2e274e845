package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	fastjson "github.com/go-json-experiment/json"

	"recall/payload"
)

// Placed is an item with its place.
type Placed struct {
	Place
	Turn int          `json:"turn,omitempty"` // ordinal of its first evidence turn, 0 if none
	Item payload.Item `json:"item"`
}

// Due lists the sessions that were changed or deleted since the last PutLinks, and the origin passed to that
// call; "" if there was none.
func (x *Index) Due(ctx context.Context) (sessions []string, made string, err error) {
	err = x.db.QueryRowContext(ctx, `SELECT ifnull((SELECT made FROM linked), '')`).Scan(&made)
	if err == nil {
		sessions, err = column[string](ctx, x.db, `SELECT sid FROM due ORDER BY sid`)
	}
	return sessions, made, x.fail("read index", err)
}

// AllDue marks every session as due.
func (x *Index) AllDue(ctx context.Context) error {
	_, err := x.db.ExecContext(ctx, `INSERT OR IGNORE INTO due SELECT sid FROM session`)
	return x.fail("write index", err)
}

// ProjectsOf lists the projects of sessions.
func (x *Index) ProjectsOf(ctx context.Context, sessions []string) ([]string, error) {
	all, err := column[string](ctx, x.db, `SELECT DISTINCT project FROM session
		WHERE sid IN (SELECT value FROM json_each(?)) ORDER BY project`, jsonList(sessions))
	return all, x.fail("read index", err)
}

// SharedProjects lists the projects in which others share something.
func (x *Index) SharedProjects(ctx context.Context) ([]string, error) {
	all, err := column[string](ctx, x.db, `SELECT DISTINCT project FROM session t WHERE `+isShared+` ORDER BY project`)
	return all, x.fail("read index", err)
}

// ItemsIn lists a project's items of some kinds ("" and nil: all), by the time they were said.
func (x *Index) ItemsIn(ctx context.Context, project string, kinds ...payload.Kind) ([]Placed, error) {
	if project == "" {
		return x.itemsWhere(ctx, "?1=''", project, kinds) // an OR would scan all items for one project's
	}
	return x.itemsWhere(ctx, "s.project=?1", project, kinds)
}

// ItemsAmong lists the items of some sessions and kinds (nil: all), by the time they were said.
func (x *Index) ItemsAmong(ctx context.Context, sessions []string, kinds ...payload.Kind) ([]Placed, error) {
	return x.itemsWhere(ctx, "s.sid IN (SELECT value FROM json_each(?1))", jsonList(sessions), kinds)
}

// ItemsNamed lists the items of some ids and kinds (nil: all), by the time they were said.
func (x *Index) ItemsNamed(ctx context.Context, ids []payload.ItemID, kinds ...payload.Kind) ([]Placed, error) {
	return x.itemsWhere(ctx, "i.iid IN (SELECT value FROM json_each(?1))", jsonList(ids), kinds)
}

func (x *Index) itemsWhere(ctx context.Context, where, arg string, kinds []payload.Kind) ([]Placed, error) {
	return readList(ctx, x, func(rows *sql.Rows) (p Placed, err error) {
		err = rows.Scan(packedItem{&p.Item}, &p.Turn, &p.Session, &p.SessionTitle, &p.Project, &p.Source, &p.Author,
			&p.Machine, &p.Archived, written{&p.SessionStart}, &p.SessionN)
		p.named()
		return p, err
	}, `SELECT i.data, i.n, s.sid, s.title, s.project, s.source, s.author, s.machine, s.archived, s.start,
		ifnull(o.n, 0) FROM item i
		JOIN session s ON s.id=i.session LEFT JOIN (SELECT id, row_number()
		OVER (PARTITION BY project ORDER BY start, sid) AS n FROM session t WHERE `+isOwn+`) o ON o.id=s.id
		WHERE `+where+` AND (?2 IN ('null', '[]') OR i.kind IN (SELECT value FROM json_each(?2)))
		ORDER BY i.at, s.start, s.sid, i.n, i.iid`, arg, jsonList(kinds))
}

func linkRow(rows *sql.Rows) (l payload.Link, err error) {
	var data sql.RawBytes
	if err = rows.Scan(&data); err == nil {
		if bad := fastjson.Unmarshal(data, &l); bad != nil {
			err = fmt.Errorf("a link: %v: %w", bad, ErrRebuild)
		}
	}
	return l, err
}

// PutLinks replaces all links by the standing ones, records what they were made from, and removes sessions from
// the list of due ones. Links for which gone returns true are left out: it is called while nobody else can write to the
// index, as by PutPrepared.
func (x *Index) PutLinks(ctx context.Context, standing []payload.Link, made string, done []string,
	gone func(payload.Link) (bool, error)) error {
	return x.fail("write links", inTransaction(ctx, x.db, func(tx transaction) error {
		kept, err := without(standing, gone)
		if err != nil {
			return err
		}
		return putLinks(ctx, tx, kept, made, done)
	}))
}

// without removes in place the links for which gone, unless it is nil, returns true.
func without(links []payload.Link, gone func(payload.Link) (bool, error)) (kept []payload.Link, err error) {
	return slices.DeleteFunc(links, func(l payload.Link) bool {
		if gone == nil || err != nil {
			return false
		}
		is := false
		is, err = gone(l)
		return is
	}), err
}

func putLinks(ctx context.Context, tx transaction, standing []payload.Link, made string, done []string) error {
	old, err := columnSet[string](ctx, tx, `SELECT data FROM link`)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)    // see rewrite
	order := make([]int, len(standing)) // that of the table, so that its pages fill up one after the other
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		l, k := &standing[a], &standing[b]
		return cmp.Or(strings.Compare(string(l.From), string(k.From)), strings.Compare(string(l.To), string(k.To)))
	})
	do, fault := statements(ctx, tx)
	for _, i := range order {
		l := &standing[i]
		data, err := json.Marshal(l)
		if err != nil {
			return err
		}
		if text := string(data); old[text] {
			delete(old, text)
		} else {
			do(`INSERT OR REPLACE INTO link(later, earlier, at, data) VALUES(?,?,?,?)`, string(l.From), string(l.To),
				millis(l.At), text)
		}
	}
	for text := range old { // links that no longer stand
		do(`DELETE FROM link WHERE data=?1 AND later=json_extract(?1,'$.from') AND earlier=json_extract(?1,'$.to')`, text)
	}
	return cmp.Or(fault(), putMade(ctx, tx, made, done))
}

func putMade(ctx context.Context, tx transaction, made string, done []string) error {
	do, fault := statements(ctx, tx)
	do(`DELETE FROM due WHERE sid IN (SELECT value FROM json_each(?))`, jsonList(done))
	do(`DELETE FROM linked`)
	do(`INSERT INTO linked(made) VALUES(?)`, made)
	return fault()
}

// ErrNoItem means that an id matches no item, or several.
var ErrNoItem = errors.New("no such item")

// ItemByID finds an item by its id or by an unambiguous prefix of at least four characters. The error is ErrNoItem.
func (x *Index) ItemByID(ctx context.Context, id payload.ItemID) (Placed, error) {
	tx, err := x.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return Placed{}, x.fail("read index", err)
	}
	defer tx.Rollback()
	r := &reader{tx: transaction{tx, map[string]*sql.Stmt{}}}
	ids, err := column[string](ctx, tx, `SELECT DISTINCT iid FROM item
		WHERE iid=?1 OR length(?1)>=4 AND substr(iid, 1, length(?1))=?1 ORDER BY iid=?1 DESC LIMIT 2`, string(id))
	switch {
	case err != nil:
		return Placed{}, x.fail("read index", err)
	case len(ids) == 0:
		return Placed{}, fmt.Errorf("%s: %w", id, ErrNoItem)
	case len(ids) > 1 && ids[0] != string(id):
		return Placed{}, fmt.Errorf("%s: several items begin with it: %s, %s, …: %w", id, ids[0], ids[1], ErrNoItem)
	}
	m, err := r.placed(ctx, payload.ItemID(ids[0]))
	return m.Placed, x.fail("read index", err)
}

func (r *reader) placed(ctx context.Context, id payload.ItemID) (m member, err error) {
	err = r.tx.QueryRowContext(ctx, `SELECT i.session, i.n, `+exchangeOf+`, i.data FROM item i JOIN session s `+
		`ON s.id=i.session WHERE i.iid=? ORDER BY s.author<>'', i.id LIMIT 1`, string(id)).
		Scan(&m.session, &m.Turn, &m.x, packedItem{&m.Item})
	if err != nil {
		return member{}, err
	}
	m.Place, err = r.place(ctx, m.session)
	return m, err
}

// LinksOf lists the links of items with later and earlier ones, in the order of payload.StandingLinks.
func (x *Index) LinksOf(ctx context.Context, items ...payload.ItemID) ([]payload.Link, error) {
	links, err := linksAround(ctx, x.db, items, time.Time{})
	return links, x.fail("read index", err)
}

// linksAround returns the links with one of the items at an end, and if before is set, only those whose later
// item was said before it.
func linksAround(ctx context.Context, q querier, ids []payload.ItemID, before time.Time) ([]payload.Link, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	until := int64(1) << 62
	if !before.IsZero() {
		until = before.UnixMilli()
	}
	return list(ctx, q, linkRow, linksOf, jsonList(ids), until)
}

const linksOf = `SELECT data FROM (SELECT data, at, later, earlier FROM link WHERE later IN (SELECT value FROM ` +
	`json_each(?1))
	UNION SELECT data, at, later, earlier FROM link WHERE earlier IN (SELECT value FROM json_each(?1))) WHERE at<?2 ` +
	`ORDER BY at, later, earlier`
