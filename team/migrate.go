package team

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"recall/internal/hint"
)

//go:embed migrations
var embedded embed.FS

// Migration upgrades a team's format by one version.
type Migration struct {
	Version int
	Title   string // what it adds
	SQL     string // {role} stands for the group of the members' logins
}

// migrations lists the files of a folder in order: NNNN.sql, with "-- " and the title in the first line. A
// released one is never changed.
func migrations(of fs.FS) ([]Migration, error) {
	names, err := fs.Glob(of, "migrations/*.sql")
	slices.Sort(names)
	var list []Migration
	for i, name := range names {
		text, err := fs.ReadFile(of, name)
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, "migrations/"), ".sql"))
		title, _, _ := strings.Cut(string(text), "\n")
		if err != nil || n != i+1 {
			return nil, fmt.Errorf("%s isn't number %d", name, i+1)
		}
		list = append(list, Migration{n, strings.TrimPrefix(title, "-- "), string(text)})
	}
	return list, err
}

// shipped returns the migrations that this recall knows.
func shipped() []Migration {
	list, err := migrations(embedded)
	if err != nil {
		panic(err) // can't happen: they are embedded
	}
	return list
}

// checkFormat returns an error unless this recall supports a version of the format.
func checkFormat(version int) error {
	switch newest := len(shipped()); {
	case version > newest:
		return hint.With(fmt.Errorf("%w: its format is %d, this one's %d", ErrNewer, version, newest),
			"install a newer recall; your own library works with this one too")
	case version < newest:
		return hint.With(fmt.Errorf("%w: its format is %d, this one's %d", ErrOlder, version, newest),
			"an owner of the team brings it up to date: recall team create ADDRESS --upgrade")
	}
	return nil
}

// Plan is what Create or Upgrade would do.
type Plan struct {
	Server string // its address without password
	Role   string // group role to create, "" if it exists
	Steps  []Migration

	address string
	name    string
	id      string
}

// PlanCreate returns what creating a team would do, without doing it. The error is ErrHasTeam if there is one.
func PlanCreate(ctx context.Context, address, name string) (Plan, error) {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return Plan{}, err
	}
	id := hex.EncodeToString(random[:])
	p := Plan{Server: WithoutPassword(address), Role: "recall_" + id[:8], Steps: shipped(), address: address, name: name,
		id: id}
	version, _, err := formatAt(ctx, address)
	switch {
	case errors.Is(err, ErrNoTeam):
		return p, nil
	case err == nil:
		err = hint.With(fmt.Errorf("%w, of format %d", ErrHasTeam, version),
			"recall team join ADDRESS joins it")
	}
	return Plan{}, err
}

// PlanUpgrade returns what upgrading a team's format would do: nothing if Steps is empty.
func PlanUpgrade(ctx context.Context, address string) (Plan, error) {
	return planUpgrade(ctx, address, shipped())
}

func planUpgrade(ctx context.Context, address string, all []Migration) (Plan, error) {
	version, _, err := formatAt(ctx, address)
	if err == nil && version > len(all) {
		err = checkFormat(version)
	}
	if err != nil {
		return Plan{}, err
	}
	return Plan{Server: WithoutPassword(address), Steps: all[version:], address: address}, nil
}

// formatAt reads a database's format version and its members' group role.
func formatAt(ctx context.Context, address string) (version int, role string, err error) {
	pool, err := connect(address)
	if err != nil {
		return 0, "", err
	}
	defer pool.Close()
	err = pool.QueryRow(ctx, formatOf).Scan(&version, &role)
	return version, role, explain(err)
}

const formatOf = `SELECT (SELECT max(version) FROM recall.migration), role FROM recall.team`

// Do executes the plan, all of it or nothing. Of several concurrent calls one does it, and the others find it
// done.
func (p Plan) Do(ctx context.Context) error {
	pool, err := connect(p.address)
	if err != nil {
		return err
	}
	defer pool.Close()
	return explain(pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return p.do(ctx, tx) }))
}

func (p Plan) do(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('recall format', 0))`)
	if err != nil {
		return err
	}
	role, from := p.Role, 0
	if role == "" {
		if err := tx.QueryRow(ctx, formatOf).Scan(&from, &role); err != nil {
			return err
		}
	} else {
		var there bool
		err := tx.QueryRow(ctx, `SELECT EXISTS(SELECT FROM pg_namespace WHERE nspname = 'recall')`).Scan(&there)
		if err != nil {
			return err
		}
		if there {
			return fmt.Errorf("%w: a schema recall", ErrHasTeam)
		}
		if _, err := tx.Exec(ctx, `CREATE ROLE `+role+` NOLOGIN`); err != nil {
			return hint.With(err, "the login needs CREATEROLE, and CREATE in the database: ALTER ROLE NAME CREATEROLE")
		}
	}
	for _, m := range p.Steps {
		if m.Version <= from {
			continue
		}
		sql := strings.ReplaceAll(m.SQL, "{role}", role)
		if _, err := tx.Conn().PgConn().Exec(ctx, sql).ReadAll(); err != nil {
			return fmt.Errorf("format %d: %w", m.Version, err)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO recall.migration(version) VALUES($1)`, m.Version); err != nil {
			return err
		}
	}
	if p.Role == "" {
		return nil
	}
	for _, do := range []string{
		`INSERT INTO recall.member(login, name, owner) VALUES(session_user, session_user, true)`,
		`GRANT ` + role + ` TO ` + `CURRENT_USER`,
	} {
		if _, err := tx.Exec(ctx, do); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `INSERT INTO recall.team(id, name, role) VALUES($1, $2, $3)`, p.id, p.name, role)
	return err
}
