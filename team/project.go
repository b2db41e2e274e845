package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"recall/hint"
	"recall/ingest"
)

// Project is a project as the team knows it, on whatever machine and by whatever name.
type Project struct {
	ID     int
	Name   string
	Remote string // of its repository, as ingest.Repository has it; "" if it has none
	Root   string // hash of its first commit; "" if that isn't known
	Into   int    // the project that it was merged into, 0 if it wasn't
	Days   int    // for which its sessions are kept; 0 for good
}

// Expired reports whether a session that ended then is no longer kept in the project, nor taken.
func (p Project) Expired(ended time.Time) bool {
	return p.Days > 0 && !ended.IsZero() && ended.Before(time.Now().AddDate(0, 0, -p.Days))
}

// ErrNotIn: the project is there, and the member isn't in it.
var ErrNotIn = errors.New("somebody else shares that project, and you aren't in it")

// ProjectOf finds the project of a repository, by its remote, else by its first commit; of a folder that has neither,
// the member's own of that name. Where there is none it is made, with this member as its keeper. The error is ErrNotIn.
func (t *Team) ProjectOf(ctx context.Context, p Project) (int, error) {
	id, err := t.projectOf(ctx, p)
	if errors.Is(err, pgx.ErrNoRows) {
		// Of two who make it at once, one finds the other's.
		err = t.pool.QueryRow(ctx, `INSERT INTO recall.project(name, remote, root, keeper) VALUES($1, $2, $3, $4)
			RETURNING id`, p.Name, null(p.Remote), null(p.Root), t.Member.ID).Scan(&id)
		if violates(err, twice) {
			id, err = t.projectOf(ctx, p)
		}
	}
	return id, explain(err)
}

// Readers are the other members who read what is shared in a repository's project; none if the team has none of it. The
// error may be ErrNotIn.
func (t *Team) Readers(ctx context.Context, p Project) ([]string, error) {
	id, err := t.projectOf(ctx, p)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(err)
	}
	return t.readers(ctx, id)
}

func (t *Team) readers(ctx context.Context, project int) ([]string, error) {
	return list(ctx, t, func(row pgx.CollectableRow) (name string, err error) { return name, row.Scan(&name) },
		`WITH RECURSIVE p(id, keeper, into_) AS (
			SELECT id, keeper, merged_into FROM recall.project WHERE id = $1
			UNION SELECT q.id, q.keeper, q.merged_into FROM recall.project q JOIN p ON q.id = p.into_)
		SELECT name FROM recall.member m WHERE NOT `+left+` AND id <> $2 AND (id IN (SELECT keeper FROM p)
			OR id IN (SELECT member FROM recall.access a WHERE a.project IN (SELECT p.id FROM p)))
			ORDER BY name`, project, t.Member.ID)
}

func (t *Team) projectOf(ctx context.Context, p Project) (id int, err error) {
	var readable bool
	if p.Remote+p.Root == "" {
		err = t.pool.QueryRow(ctx, `SELECT min(id) FROM recall.project WHERE keeper = $1 AND name = $2 AND remote IS NULL
			AND root IS NULL HAVING count(*) > 0`, t.Member.ID, p.Name).Scan(&id)
		return id, err
	}
	err = t.pool.QueryRow(ctx, `SELECT id, readable FROM recall.project_of($1, $2)`, null(p.Remote), null(p.Root)).
		Scan(&id, &readable)
	if err == nil && !readable {
		err = hint.With(fmt.Errorf("%s: %w", p.Name, ErrNotIn), "its keeper or an owner of the team lets you in")
	}
	return id, err
}

// Projects lists those that the member may read.
func (t *Team) Projects(ctx context.Context) ([]Project, error) {
	return list(ctx, t, func(row pgx.CollectableRow) (p Project, err error) {
		return p, row.Scan(&p.ID, &p.Name, &p.Remote, &p.Root, &p.Into, &p.Days)
	}, `SELECT id, name, coalesce(remote, ''), coalesce(root, ''), coalesce(merged_into, 0), coalesce(recall.days(id), 0)
		FROM recall.project WHERE id = ANY((SELECT recall.mine())::int[]) ORDER BY id`)
}

// Correct changes what a project is known by, or into which it was merged: then whoever reads that one reads it too.
// Its keeper may, and an owner of the team.
func (t *Team) Correct(ctx context.Context, p Project) error {
	var into any
	switch p.Into {
	case 0:
	case p.ID:
		return fmt.Errorf("%s can't be a part of itself", p.Name)
	default:
		into = p.Into
	}
	return t.one(ctx, `UPDATE recall.project SET name = $2, remote = $3, root = $4, merged_into = $5 WHERE id = $1`,
		p.ID, p.Name, null(ingest.CleanRemote(p.Remote)), null(p.Root), into)
}

// Keep says for how many days a project's sessions are kept, 0 for good. Its keeper may, and an owner of the team.
func (t *Team) Keep(ctx context.Context, project, days int) error {
	return t.one(ctx, `UPDATE recall.project SET retain = nullif($2, 0) WHERE id = $1`, project, days)
}

// Older is how many sessions of a project ended longer ago than so many days; none of 0.
func (t *Team) Older(ctx context.Context, project, days int) (n int, err error) {
	err = t.pool.QueryRow(ctx, `SELECT count(*) FROM recall.session WHERE project = $1 AND $2 > 0
		AND least(coalesce(ended, at), at) < now() - make_interval(days => $2)`, project, days).Scan(&n)
	return n, explain(err)
}

// Retain removes what is older than its project is kept, and says how many sessions. Any member may: it does what the
// projects' keepers said.
func (t *Team) Retain(ctx context.Context) (gone int64, err error) {
	err = t.pool.QueryRow(ctx, `SELECT recall.retain()`).Scan(&gone)
	return gone, explain(err)
}

// LetIn gives a member a project to read and to share in. Its keeper may, and an owner of the team.
func (t *Team) LetIn(ctx context.Context, project, member int) error {
	_, err := t.pool.Exec(ctx, `INSERT INTO recall.access(project, member) VALUES($1, $2) ON CONFLICT DO NOTHING`,
		project, member)
	return explain(err)
}

// LetOut takes a project from a member; what they shared in it stays. The error is ErrNotLetIn if it wasn't given.
func (t *Team) LetOut(ctx context.Context, project, member int) error {
	const of = ` FROM recall.access WHERE project = $1 AND member = $2`
	err := t.one(ctx, `DELETE`+of, project, member)
	var in int
	if errors.Is(err, ErrRefused) && t.pool.QueryRow(ctx, `SELECT count(*)`+of, project, member).Scan(&in) == nil &&
		in == 0 {
		return ErrNotLetIn
	}
	return err
}

// ErrNotLetIn: nobody let the member into the project. Its keeper reads it without that.
var ErrNotLetIn = errors.New("nobody let them into that project")

func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// ProjectNamed finds a project of those that the member may read by its name, remote or number.
func (t *Team) ProjectNamed(ctx context.Context, name string) (Project, error) {
	all, err := t.Projects(ctx)
	if err != nil {
		return Project{}, err
	}
	var names []string
	for _, p := range all {
		if strings.EqualFold(p.Name, name) || p.Remote == name || strconv.Itoa(p.ID) == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Project{}, hint.With(fmt.Errorf("no project that you may read is called %s", name), "there are %s",
		cmp.Or(strings.Join(names, ", "), "none yet: recall team share PROJECT makes the first"))
}
