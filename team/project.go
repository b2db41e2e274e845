package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"recall/ingest"
	"recall/internal/hint"
)

// Project is a project as the team knows it, regardless of machines and local names.
type Project struct {
	ID     int
	Name   string
	Remote string // of its repository, in the form of ingest.Repository; "" if it has none
	Root   string // hash of its first commit; "" if unknown
	Into   int    // the project that it was merged into, 0 if none
	Keeper string // the name of the member who shared it first, and manages it
	Own    bool   // that is this member
}

// ErrNotIn means that the project exists but the member has no access to it.
var ErrNotIn = errors.New("somebody else shares that project, and you aren't in it")

// ProjectOf finds the project of a repository by its remote, otherwise by its first commit; a folder with
// neither is the member's own project of that name. A missing project is created, with this member as its
// keeper. The error is ErrNotIn.
func (t *Team) ProjectOf(ctx context.Context, p Project) (int, error) {
	id, err := t.projectOf(ctx, p)
	if errors.Is(err, pgx.ErrNoRows) {
		// Of two concurrent calls, one finds the other's project.
		err = t.pool.QueryRow(ctx, `INSERT INTO recall.project(name, remote, root, keeper) VALUES($1, $2, $3, $4)
			RETURNING id`, p.Name, zeronull.Text(p.Remote), zeronull.Text(p.Root), t.Member.ID).Scan(&id)
		if exists(err) {
			id, err = t.projectOf(ctx, p)
		}
	}
	return id, explain(err)
}

// Readers returns the other members who can read a repository's project; none if the team doesn't have it. The
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
	return list(ctx, t, pgx.RowTo[string], `WITH RECURSIVE p(id, keeper, into_) AS (
			SELECT id, keeper, merged_into FROM recall.project WHERE id = $1
			UNION SELECT q.id, q.keeper, q.merged_into FROM recall.project q JOIN p ON q.id = p.into_)
		SELECT name FROM recall.member m WHERE NOT `+hasLeft+` AND id <> $2 AND (id IN (SELECT keeper FROM p)
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
	err = t.pool.QueryRow(ctx, `SELECT id, readable FROM recall.project_of($1, $2)`, zeronull.Text(p.Remote),
		zeronull.Text(p.Root)).Scan(&id, &readable)
	if err == nil && !readable {
		err = hint.With(fmt.Errorf("%s: %w", p.Name, ErrNotIn),
			"the member who shared it first or an owner of the team can let you in")
	}
	return id, err
}

// Projects lists the projects that the member can read.
func (t *Team) Projects(ctx context.Context) ([]Project, error) {
	return list(ctx, t, pgx.RowToStructByPos[Project], `SELECT p.id, p.name, coalesce(remote, ''),
		coalesce(root, ''), coalesce(merged_into, 0),
		m.name, m.id = $1 FROM recall.project p JOIN recall.member m ON m.id = p.keeper
		WHERE p.id = ANY((SELECT recall.mine())::int[]) ORDER BY p.id`, t.Member.ID)
}

// Correct changes how a project is identified, or the project that it is merged into, whose readers can then
// read it too. Its keeper and an owner of the team can do this.
func (t *Team) Correct(ctx context.Context, p Project) error {
	if p.Into == p.ID {
		return fmt.Errorf("%s can't be a part of itself", p.Name)
	}
	return t.updateOne(ctx, `UPDATE recall.project SET name = $2, remote = $3, root = $4, merged_into = $5 WHERE id = $1`,
		p.ID, p.Name, zeronull.Text(ingest.CleanRemote(p.Remote)), zeronull.Text(p.Root), zeronull.Int8(p.Into))
}

// LetIn lets a member read a project and share in it. Its keeper and an owner of the team can do this.
func (t *Team) LetIn(ctx context.Context, project, member int) error {
	_, err := t.pool.Exec(ctx, `INSERT INTO recall.access(project, member) VALUES($1, $2) ON CONFLICT DO NOTHING`,
		project, member)
	return explain(err)
}

// LetOut revokes a member's access to a project; what they shared in it stays. The error is ErrRefused if they had
// none, or it isn't this member's to revoke.
func (t *Team) LetOut(ctx context.Context, project, member int) error {
	return t.updateOne(ctx, `DELETE FROM recall.access WHERE project = $1 AND member = $2`, project, member)
}

// ProjectNamed finds a project that the member can read, by its remote, number or name. A name that several have means
// the member's own; otherwise it is refused, since what is done to a project shows it to others or removes it.
func (t *Team) ProjectNamed(ctx context.Context, name string) (Project, error) {
	all, err := t.Projects(ctx)
	if err != nil {
		return Project{}, err
	}
	var names []string
	var called, own []Project
	for _, p := range all {
		switch {
		case p.Remote == name || strconv.Itoa(p.ID) == name:
			return p, nil
		case strings.EqualFold(p.Name, name) && p.Own:
			own = append(own, p)
			fallthrough
		case strings.EqualFold(p.Name, name):
			called = append(called, p)
		}
		names = append(names, p.Name)
	}
	if len(own) == 1 {
		called = own
	}
	switch len(called) {
	case 1:
		return called[0], nil
	case 0:
		return Project{}, hint.With(fmt.Errorf("no project that you can read is called %s", name), "there are %s",
			cmp.Or(strings.Join(names, ", "), "none yet: recall team share PROJECT makes the first"))
	}
	names = nil
	for _, p := range called {
		names = append(names, fmt.Sprintf("%d (%s, managed by %s)", p.ID, cmp.Or(p.Remote, "no remote"), p.Keeper))
	}
	return Project{}, hint.With(fmt.Errorf("%d projects that you can read are called %s", len(called), name),
		"name one by its remote or number: %s", strings.Join(names, ", "))
}
