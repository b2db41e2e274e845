// Package team is what several people share through a PostgreSQL that they run. Each person's library stays complete
// and their own; what they share is stored in the database, redacted, where other members' questions find it.
//
// A team is the schema recall of one database. The database itself enforces who can read and write each row: see
// schema.sql and docs/internals/team.md.
package team

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"recall/internal/hint"
)

// Team is an open connection to a team's database, as one of its members. It is safe for concurrent use.
type Team struct {
	ID, Name string
	Member   Member // the connected member

	pool *pgxpool.Pool
	role string // group role of the members' logins
}

// Open connects to a team as the member whose login the address or its environment names. The error is
// ErrNoTeam, ErrNotMember, ErrNewer or ErrUnreachable.
func Open(ctx context.Context, address string) (*Team, error) {
	pool, err := connect(address)
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

// enter checks the format and identifies the member.
func (t *Team) enter(ctx context.Context) error {
	var version int
	if err := t.pool.QueryRow(ctx, `SELECT format FROM recall.team`).Scan(&version); err != nil {
		return err
	}
	if err := checkFormat(version); err != nil {
		return err
	}
	err := t.pool.QueryRow(ctx, `SELECT t.id, t.name, t.role, m.id, m.login, m.name, m.owner
		FROM recall.team t, recall.member m WHERE m.id = recall.me()`).
		Scan(&t.ID, &t.Name, &t.role, &t.Member.ID, &t.Member.Login, &t.Member.Name, &t.Member.Owner)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrNotMember
	}
	asked := t.pool.Config().ConnConfig.User // NAME.TENANT at some poolers for many databases
	if err == nil && asked != t.Member.Login && !strings.HasPrefix(asked, t.Member.Login+".") {
		err = hint.With(fmt.Errorf("%w: connected as %s, but the server sees %s", ErrUnsafe, asked, t.Member.Login),
			"a pooler in between must log in as each person, not as one user for all")
	}
	return err
}

// Close ends the connection.
func (t *Team) Close() { t.pool.Close() }

var (
	// ErrHasTeam means that the database has a team already.
	ErrHasTeam = errors.New("this database has a team already")
	// ErrNoTeam means that the database has no team.
	ErrNoTeam = errors.New("no team in this database")
	// ErrNotMember means that the login isn't a member's, or the member left.
	ErrNotMember = errors.New("this login isn't a member of the team")
	// ErrNewer means that a newer recall changed the team's format.
	ErrNewer = errors.New("the team's database was changed by a newer recall")
	// ErrUnreachable means that the connection failed or broke. Nothing is lost; the request may have been carried out.
	ErrUnreachable = errors.New("the team's database can't be reached")
	// ErrRefused means that the database doesn't allow this to the member.
	ErrRefused = errors.New("not allowed in this team")
	// ErrForgotten means that a session was forgotten for everybody and isn't accepted again.
	ErrForgotten = errors.New("the session was forgotten")
)

// explain translates a database error, with the way out.
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
	case "23514": // a check, as of what is too large
		return fmt.Errorf("%w: %s", ErrRefused, pg.Message)
	case "42P01", "3F000": // no such table, no such schema
		return hint.With(ErrNoTeam, "recall team create ADDRESS makes one; check that the address names the right "+
			"database")
	case "42501":
		if pg.Message == "permission denied for schema recall" || strings.HasPrefix(pg.Message,
			"permission denied for database") {
			return explain(ErrNotMember)
		}
		refused := ErrRefused // a policy gives no details
		if !strings.Contains(pg.Message, "row-level security policy") {
			refused = fmt.Errorf("%w: %s", ErrRefused, pg.Message)
		}
		return hint.With(refused, "%s", cmp.Or(hint.Of(err), "an owner of the team can"))
	case "28P01", "28000": // wrong password, no such login, or not allowed by pg_hba.conf
		way := "recall keeps no password: put it into ~/.pgpass, name a service of pg_service.conf, or set PGPASSWORD"
		if strings.HasPrefix(pg.Message, "no pg_hba.conf entry") {
			way = "check that the address has the login, database and sslmode that the server's administrator requires"
		}
		return hint.With(errors.New(pg.Message), "%s", way)
	case "3D000":
		return hint.With(err, "check that the address names the right database; createdb creates one; recall doesn't")
	case "57P01", "57P02", "57P03", "25006": // shut down, crashed, starting up, or read-only after a failover
		return unreachable(err)
	}
	if pg.Code == "55P03" {
		return hint.With(fmt.Errorf("%w: somebody in the team holds it", err), "it goes with a later sync; whoever runs the "+
			"database ends such a connection with pg_terminate_backend")
	}
	if strings.HasPrefix(pg.Code, "53") || strings.HasPrefix(pg.Code, "40") {
		return unreachable(err) // out of disk space or connections; a deadlock
	}
	return err
}

// broken reports whether an error is one of the connection.
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
	said := strings.Split(err.Error(), "\n\t") // one attempt per line, possibly repeated without encryption
	told := fmt.Sprintf("%v: %s", ErrUnreachable, strings.Join(slices.Compact(said), " "))
	return hint.With(&unreachableError{told, err},
		"psql with the same address shows more; what is waiting goes with a later sync")
}

// unreachableError is a connection error with a message of its own.
type unreachableError struct {
	told string
	err  error
}

func (g *unreachableError) Error() string   { return g.told }
func (g *unreachableError) Unwrap() []error { return []error{ErrUnreachable, g.err} }

// format is the version of schema.sql. A release that changes what an earlier one made has to bring the upgrade.
const format = 2

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
	pool, err := connect(address)
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
	id := strings.ToLower(rand.Text()[:16])
	adds, _, _ := strings.Cut(strings.TrimPrefix(schema, "-- "), "\n")
	return Plan{Server: WithoutPassword(address), Role: "recall_" + id[:8], Adds: adds, address: address, name: name,
		id: id}, nil
}

// Do executes the plan, all of it or nothing. Of several concurrent calls one does it, the error of the others is
// ErrHasTeam.
func (p Plan) Do(ctx context.Context) error {
	pool, err := connect(p.address)
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
		_, err = tx.Exec(ctx, `WITH m AS (
				INSERT INTO recall.member(login, name, owner) VALUES(session_user, session_user, true))
			INSERT INTO recall.team(id, name, role, format) VALUES($1, $2, $3, $4)`, p.id, p.name, p.Role, format)
		if err == nil {
			_, err = tx.Exec(ctx, `GRANT `+p.Role+` TO CURRENT_USER`)
		}
		return err
	}))
}

// ErrUnsafe means that the connection wouldn't be encrypted, or the server's identity wouldn't be verified.
var ErrUnsafe = errors.New("the connection to the team's database isn't safe")

const (
	connectWait = 5 * time.Second
	atOnce      = 4 // connections per process
)

// connect makes a pool for an address in libpq's format: a URL or keywords, with defaults from the environment,
// the service file and ~/.pgpass. It doesn't connect yet.
//
// Behind a pooler each transaction may use a different server connection, so no state is kept in one: no prepared
// statements, no settings, no locks beyond a transaction.
func connect(address string) (*pgxpool.Pool, error) {
	c, err := settings(address)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), c)
	return pool, explain(err)
}

func settings(address string) (*pgxpool.Config, error) {
	c, err := pgxpool.ParseConfig(address)
	setsMode := os.Getenv("PGSSLMODE") != "" || strings.Contains(address, "sslmode") // the user
	if err == nil && safe(c.ConnConfig) != nil && !setsMode {
		// libpq's default would accept anything.
		c, err = pgxpool.ParseConfig(withSetting(address, "sslmode", "verify-full"))
	}
	if err != nil {
		return nil, hint.With(err, "write it as postgres://NAME@HOST/DATABASE, or service=NAME")
	}
	if err := safe(c.ConnConfig); err != nil {
		return nil, err
	}
	c.MaxConns, c.MinConns = atOnce, 0
	c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	c.ConnConfig.StatementCacheCapacity, c.ConnConfig.DescriptionCacheCapacity = 0, 0
	if c.ConnConfig.ConnectTimeout == 0 || c.ConnConfig.ConnectTimeout > connectWait {
		c.ConnConfig.ConnectTimeout = connectWait
	}
	if c.ConnConfig.RuntimeParams["application_name"] == "" {
		c.ConnConfig.RuntimeParams["application_name"] = "recall"
	}
	return c, nil
}

// safe rejects a remote server if the connection isn't encrypted or the server's identity isn't verified.
func safe(c *pgx.ConnConfig) error {
	check := func(host string, t *tls.Config) error {
		if host == "localhost" || strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@") ||
			net.ParseIP(host).IsLoopback() {
			return nil
		}
		if t == nil || t.InsecureSkipVerify || t.ServerName == "" {
			return hint.With(fmt.Errorf("%w: %s must prove who it is", ErrUnsafe, host),
				"use sslmode=verify-full, with sslrootcert=FILE of its certificate authority, or sslrootcert=system")
		}
		return nil
	}
	err := check(c.Host, c.TLSConfig)
	for _, f := range c.Fallbacks {
		if err == nil {
			err = check(f.Host, f.TLSConfig)
		}
	}
	return err
}

// withSetting adds a setting to an address.
func withSetting(address, key, value string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return address + " " + key + "=" + value
	}
	q := u.Query()
	q.Set(key, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// WithoutPassword returns an address in the form in which it can be stored and shown.
func WithoutPassword(address string) string {
	if u, err := url.Parse(address); err == nil && u.Scheme != "" {
		if u.User != nil {
			u.User = url.User(u.User.Username())
		}
		q := u.Query()
		q.Del("password")
		q.Del("sslpassword")
		u.RawQuery = q.Encode()
		return u.String()
	}
	return strings.TrimSpace(passwords.ReplaceAllString(address, ""))
}

var passwords = regexp.MustCompile(`(?i)\b(?:ssl)?password\s*=\s*(?:'(?:[^'\\]|\\.)*'|(?:[^\s\\]|\\.)*)\s*`)
