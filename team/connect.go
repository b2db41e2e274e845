package team

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"recall/internal/hint"
)

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
func connect(address string, heard func()) (*pgxpool.Pool, error) {
	c, err := settings(address)
	if err != nil {
		return nil, err
	}
	dial, once := c.ConnConfig.DialFunc, sync.Once{}
	if heard == nil {
		heard = func() {}
	}
	c.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &line{conn, func() { once.Do(heard) }}, nil
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), c)
	return pool, explain(err)
}

// line is a connection that calls heard when data arrives: an open port, or a proxy in between, proves nothing.
type line struct {
	net.Conn
	heard func()
}

func (l *line) Read(p []byte) (n int, err error) {
	if n, err = l.Conn.Read(p); n > 0 {
		l.heard()
	}
	return n, err
}

func settings(address string) (*pgxpool.Config, error) {
	c, err := pgxpool.ParseConfig(address)
	if err == nil && safe(c.ConnConfig) != nil && !setsMode(address) {
		c, err = pgxpool.ParseConfig(withSetting(address, "sslmode", "verify-full")) // libpq's default would accept anything
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

// setsMode reports whether the user set an sslmode.
func setsMode(address string) bool {
	return os.Getenv("PGSSLMODE") != "" || strings.Contains(address, "sslmode")
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
