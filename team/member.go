package team

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"recall/internal/hint"
)

// Member is a person in the team. Their login is a role of the database, managed by whoever runs it.
type Member struct {
	ID    int    `json:"-"`
	Name  string `json:"name"`
	Login string `json:"login"`
	Owner bool   `json:"owner,omitempty"` // can admit members and correct projects
	Left  bool   `json:"left,omitempty"`
}

// Device is a machine of a member.
type Device struct {
	ID     string // UUID
	Member int
	Name   string
	Left   bool
}

// Admit lets a login of the database into the team under a person's name. Only an owner can.
func (t *Team) Admit(ctx context.Context, login, name string) error {
	return explain(pgx.BeginFunc(ctx, t.pool, func(tx pgx.Tx) error {
		var database string
		if err := tx.QueryRow(ctx, `INSERT INTO recall.member(login, name) VALUES($1, $2)
			ON CONFLICT (login) DO UPDATE SET name = excluded.name, left_at = NULL
			RETURNING current_database()`, login, name).Scan(&database); err != nil {
			return explainName(name, err)
		}
		to := pgx.Identifier{login}.Sanitize()
		for _, grant := range []string{
			`GRANT CONNECT ON DATABASE ` + pgx.Identifier{database}.Sanitize() + ` TO ` + to,
			`GRANT ` + pgx.Identifier{t.role}.Sanitize() + ` TO ` + to,
		} {
			if _, err := tx.Exec(ctx, grant); err != nil {
				return hint.With(fmt.Errorf("%s: %w", grant, err),
					"create the login first: CREATE ROLE NAME LOGIN; the person who created the team admits members")
			}
		}
		return nil
	}))
}

// explainName explains an error caused by an invalid name, or one that somebody else has.
func explainName(name string, err error) error {
	pg, _ := errors.AsType[*pgconn.PgError](err)
	switch {
	case pg == nil:
	case pg.ConstraintName == "member_name":
		return hint.With(fmt.Errorf("somebody else in the team is or was called %s", name), "give them another name, "+
			"since their decisions are shown under it")
	case pg.ConstraintName == "member_name_check":
		return fmt.Errorf("%q isn't a name: it needs 1 to 100 letters", name)
	}
	return err
}

// Members lists everybody who is or was in the team. A member whose login was dropped has left.
func (t *Team) Members(ctx context.Context) ([]Member, error) {
	return list(ctx, t, pgx.RowToStructByPos[Member],
		`SELECT id, name, login, owner, `+hasLeft+` FROM recall.member m ORDER BY id`)
}

// hasLeft is true of a member m who is no longer in the team.
const hasLeft = `(m.left_at IS NOT NULL OR to_regrole(quote_ident(m.login)) IS NULL)`

// Join registers a machine as this member's; repeating it has no effect. The error is ErrRefused if the id is
// somebody else's, or of a machine that left.
func (t *Team) Join(ctx context.Context, id, name string) error {
	var is string
	err := t.pool.QueryRow(ctx, `WITH new AS (INSERT INTO recall.device(id, member, name) VALUES($1, $2, $3)
			ON CONFLICT (id) DO NOTHING RETURNING name)
		SELECT name FROM new UNION ALL SELECT name FROM recall.device WHERE id = $1 AND member = $2
			AND left_at IS NULL`, id, t.Member.ID, name).Scan(&is)
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrRefused
	}
	return explain(err)
}

// Devices lists the team's machines, including those that left.
func (t *Team) Devices(ctx context.Context) ([]Device, error) {
	return list(ctx, t, pgx.RowToStructByPos[Device],
		`SELECT id::text, member, name, left_at IS NOT NULL FROM recall.device ORDER BY at, id`)
}

// DeviceNamed finds a machine of this member that is in the team, by its name or UUID.
func (t *Team) DeviceNamed(ctx context.Context, name string) (Device, error) {
	all, err := t.Devices(ctx)
	var found []Device
	var ids []string
	for _, d := range all {
		if d.Member == t.Member.ID && !d.Left && (strings.EqualFold(d.Name, name) || d.ID == name) {
			found, ids = append(found, d), append(ids, d.ID)
		}
	}
	switch {
	case err != nil:
		return Device{}, err
	case len(found) == 0:
		return Device{}, hint.With(fmt.Errorf("no machine of yours in the team is called %s", name),
			"recall team status names them")
	case len(found) > 1:
		return Device{}, hint.With(fmt.Errorf("%d machines of yours are called %s", len(found), name),
			"name one by its id, the last to join last (recall team status --json shows this machine's): %s",
			strings.Join(ids, ", "))
	}
	return found[0], nil
}

// LeaveDevice removes a machine from the team; what it shared stays.
func (t *Team) LeaveDevice(ctx context.Context, device string) error {
	return t.updateOne(ctx, `UPDATE recall.device SET left_at = now() WHERE id = $1`, device)
}

// Erase removes a member with everything that they shared; projects that they kept go to an owner of the team. Their
// login, now in no team, and their own library stay. The member and an owner can do this, but not the only owner to
// themselves.
func (t *Team) Erase(ctx context.Context, member int) error {
	_, err := t.pool.Exec(ctx, `SELECT recall.erase($1)`, member)
	return explain(err)
}

// updateOne changes exactly one row; if no row may be changed, the error is ErrRefused.
func (t *Team) updateOne(ctx context.Context, sql string, args ...any) error {
	tag, err := t.pool.Exec(ctx, sql, args...)
	if err == nil && tag.RowsAffected() != 1 {
		return ErrRefused
	}
	return explain(err)
}

func list[T any](ctx context.Context, t *Team, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	rows, err := t.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, explain(err)
	}
	all, err := pgx.CollectRows(rows, scan)
	return all, explain(err)
}

// MemberNamed finds a member by name, login or number.
func (t *Team) MemberNamed(ctx context.Context, name string) (Member, error) {
	all, err := t.Members(ctx)
	if err != nil {
		return Member{}, err
	}
	var names []string
	for _, m := range all {
		if strings.EqualFold(m.Name, name) || m.Login == name || strconv.Itoa(m.ID) == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Member{}, hint.With(fmt.Errorf("%w %s", ErrNobody, name), "there are %s", strings.Join(names, ", "))
}

// ErrNobody means that no member has that name.
var ErrNobody = errors.New("nobody in the team is called")
