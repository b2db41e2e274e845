package team

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"recall/internal/hint"
)

// format is the version of schema.sql. A release that changes what an earlier one made has to bring the upgrade.
const format = 1

//go:embed schema.sql
var schema string // {role} stands for the group of the members' logins

// checkFormat returns an error unless this recall supports a version of the format.
func checkFormat(version int) error {
	if version != format {
		return hint.With(fmt.Errorf("%w: its format is %d, this one's %d", ErrNewer, version, format),
			"install a newer recall; your own library works with this one too")
	}
	return nil
}

// Plan is what Create would do.
type Plan struct {
	Server string // its address without password
	Role   string // group role to create
	Adds   string // what the schema is for

	address, name, id string
}

// PlanCreate returns what creating a team would do, without doing it. The error is ErrHasTeam if there is one.
func PlanCreate(ctx context.Context, address, name string) (Plan, error) {
	pool, err := connect(address, nil)
	if err != nil {
		return Plan{}, err
	}
	defer pool.Close()
	var is string
	switch err := explain(pool.QueryRow(ctx, `SELECT name FROM recall.team`).Scan(&is)); {
	case err == nil:
		return Plan{}, hint.With(fmt.Errorf("%w: %s", ErrHasTeam, is), "recall team join ADDRESS joins it")
	case !errors.Is(err, ErrNoTeam):
		return Plan{}, err
	}
	var random [8]byte
	_, _ = rand.Read(random[:]) // it never fails
	id := hex.EncodeToString(random[:])
	adds, _, _ := strings.Cut(strings.TrimPrefix(schema, "-- "), "\n")
	return Plan{Server: WithoutPassword(address), Role: "recall_" + id[:8], Adds: adds, address: address, name: name,
		id: id}, nil
}

// Do executes the plan, all of it or nothing. Of several concurrent calls one does it, the error of the others is
// ErrHasTeam.
func (p Plan) Do(ctx context.Context) error {
	pool, err := connect(p.address, nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	return explain(pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('recall format', 0))`)
		var there bool
		if err == nil {
			err = tx.QueryRow(ctx, `SELECT EXISTS(SELECT FROM pg_namespace WHERE nspname = 'recall')`).Scan(&there)
		}
		if there {
			err = fmt.Errorf("%w: a schema recall", ErrHasTeam)
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `CREATE ROLE `+p.Role+` NOLOGIN`); err != nil {
			return hint.With(err, "the login needs CREATEROLE, and CREATE in the database: ALTER ROLE NAME CREATEROLE")
		}
		if _, err := tx.Conn().PgConn().Exec(ctx, strings.ReplaceAll(schema, "{role}", p.Role)).ReadAll(); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `WITH m AS (INSERT INTO recall.member(login, name, owner) VALUES(session_user, session_user, true))
			INSERT INTO recall.team(id, name, role, format) VALUES($1, $2, $3, $4)`, p.id, p.name, p.Role, format)
		if err == nil {
			_, err = tx.Exec(ctx, `GRANT `+p.Role+` TO CURRENT_USER`)
		}
		return err
	}))
}
