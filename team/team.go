// Package team is what several people's recalls share, on a PostgreSQL that they run. Each person's library stays
// whole and theirs; what a person shares is put into the database, redacted, and questions find it there.
//
// A team is the schema recall of one database. Who may read and write which row is held by the database: see
// migrations/ and docs/internals/team.md.
package team

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"recall/hint"
)

// A Team is an open connection to a team's database, as one of its members. It is safe for concurrent use.
type Team struct {
	ID, Name string
	Member   Member // who asks

	pool *pgxpool.Pool
	role string // group of the members' logins
}

// Open connects to a team as the member whose login the address or its environment names. The error is ErrNoTeam,
// ErrNotMember, ErrNewer, ErrOlder or ErrUnreachable.
// there are called once a server said something, before it is known whether it lets anybody in.
func Open(ctx context.Context, address string, there ...func()) (*Team, error) {
	pool, err := connect(ctx, address, there...)
	if err != nil {
		return nil, err
	}
	t := &Team{pool: pool}
	if err := t.enter(ctx); err != nil {
		pool.Close()
		return nil, explain(err)
	}
	return t, nil
}

// enter checks the format and finds out who asks.
func (t *Team) enter(ctx context.Context) error {
	var version int
	if err := t.pool.QueryRow(ctx, `SELECT max(version) FROM recall.migration`).Scan(&version); err != nil {
		return err
	}
	if err := fits(version); err != nil {
		return err
	}
	err := t.pool.QueryRow(ctx, `SELECT t.id, t.name, t.role, m.id, m.login, m.name, m.owner
		FROM recall.team t, recall.member m WHERE m.id = recall.me()`).
		Scan(&t.ID, &t.Name, &t.role, &t.Member.ID, &t.Member.Login, &t.Member.Name, &t.Member.Owner)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrNotMember
	}
	asked := t.pool.Config().ConnConfig.User // NAME.TENANT at some poolers that serve many databases
	if err == nil && asked != t.Member.Login && !strings.HasPrefix(asked, t.Member.Login+".") {
		err = hint.With(fmt.Errorf("%w: asked for %s, the server takes one for %s", ErrUnsafe, asked, t.Member.Login),
			"a pooler in between must log in as each person, not as one user for all")
	}
	return err
}

// Pool is for the team's jobs, see package work.
func (t *Team) Pool() *pgxpool.Pool { return t.pool }

// Close ends the connection.
func (t *Team) Close() { t.pool.Close() }

var (
	// ErrHasTeam: the database has a team already.
	ErrHasTeam = errors.New("this database has a team already")
	// ErrNoTeam: the database has no team.
	ErrNoTeam = errors.New("no team in this database")
	// ErrNotMember: the login isn't a member's, or its member left.
	ErrNotMember = errors.New("this login is no member of the team")
	// ErrNewer: a newer recall changed the team's format.
	ErrNewer = errors.New("the team's database was changed by a newer recall")
	// ErrOlder: the team's format is one that this recall would have to change first.
	ErrOlder = errors.New("the team's database is of an older recall")
	// ErrUnreachable: no connection came about, or it broke. Nothing is lost by that; what was asked for may have
	// been done.
	ErrUnreachable = errors.New("the team's database can't be reached")
	// ErrRefused: the database doesn't let this member do that.
	ErrRefused = errors.New("not allowed in this team")
	// ErrForgotten: a session was forgotten for all, and isn't taken again.
	ErrForgotten = errors.New("the session was forgotten")
	// ErrExpired: the session is older than its project is kept, see Retain.
	ErrExpired = errors.New("the session is older than its project is kept")
)

// explain says what an error of the database means here, with the way out.
func explain(err error) error {
	var pg *pgconn.PgError
	switch {
	case errors.Is(err, ErrNotMember):
		return hint.With(err, "an owner of the team lets you in: recall team admit LOGIN NAME")
	case !errors.As(err, &pg):
		if broken(err) {
			return unreachable(err)
		}
		return err
	}
	switch pg.Code {
	case "RC001":
		return fmt.Errorf("%w: %s", ErrForgotten, pg.Message)
	case "RC003":
		return fmt.Errorf("%w: %s", ErrExpired, pg.Message)
	case "42P01", "3F000": // no such table, no such schema
		return hint.With(ErrNoTeam, "recall team create ADDRESS makes one; see that the address names the right "+
			"database")
	case "42501":
		if pg.Message == "permission denied for schema recall" || strings.HasPrefix(pg.Message,
			"permission denied for database") {
			return explain(ErrNotMember)
		}
		refused := ErrRefused // by a policy, which says no more than that
		if !strings.Contains(pg.Message, "row-level security policy") {
			refused = fmt.Errorf("%w: %s", ErrRefused, pg.Message)
		}
		return hint.With(refused, "%s", cmp.Or(hint.Of(err), "an owner of the team may"))
	case "28P01", "28000": // password, no such login, or none that the server lets in that way
		way := "recall keeps no password: put it into ~/.pgpass, name a service of pg_service.conf, or set PGPASSWORD"
		if strings.HasPrefix(pg.Message, "no pg_hba.conf entry") {
			way = "see that the address names login, database and sslmode as the server's keeper wants them"
		}
		return hint.With(errors.New(pg.Message), "%s", way)
	case "3D000":
		return hint.With(err, "see that the address names the right database; createdb makes one, recall makes none")
	case "57P01", "57P02", "57P03", "25006": // it is ended, crashed, starts, or another takes its place
		return unreachable(err)
	}
	if strings.HasPrefix(pg.Code, "53") || strings.HasPrefix(pg.Code, "40") {
		return unreachable(err) // its disk is full, it has too many connections; two transactions wait for one another
	}
	return err
}

// broken reports whether an error is a connection's.
func broken(err error) bool {
	var connecting *pgconn.ConnectError
	var net net.Error
	return errors.As(err, &connecting) || errors.As(err, &net) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, io.EOF) || pgconn.SafeToRetry(err)
}

func unreachable(err error) error {
	if cert, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return hint.With(fmt.Errorf("%w: %w", ErrUnsafe, cert), "sslrootcert=FILE names its certificate authority, or "+
			"sslrootcert=system where your system knows it")
	}
	said := strings.Split(err.Error(), "\n\t") // one try a line, and without encryption where it isn't needed another
	return hint.With(&gone{fmt.Sprintf("%v: %s", ErrUnreachable, strings.Join(slices.Compact(said), " ")), err},
		"psql with the same address tells more; what waits goes with a later sync")
}

// gone is an error of a connection as it is told.
type gone struct {
	told string
	err  error
}

func (g *gone) Error() string   { return g.told }
func (g *gone) Unwrap() []error { return []error{ErrUnreachable, g.err} }

// timeOf is a time as the database has it: nil where there is none.
func timeOf(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC()
}
