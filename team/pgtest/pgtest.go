// Package pgtest runs a real PostgreSQL for tests: one server per test process, in a temporary folder, and one
// database per test. If none is installed, the tests are skipped.
package pgtest

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a running PostgreSQL, with a socket in Dir and a port on 127.0.0.1. It trusts connections over the
// socket or without encryption, and requires a password over TLS.
type Server struct {
	Dir  string // data and socket; its certificate's CA is in ca.pem
	Port int

	bin string
	run *exec.Cmd
}

var (
	server    *Server
	starting  sync.Mutex
	databases int
)

// Main is called by TestMain: it runs the tests and stops the server.
func Main(m *testing.M) int {
	code := m.Run()
	if server != nil {
		server.end(os.Interrupt)
		os.RemoveAll(server.Dir)
	}
	return code
}

// Database creates a database whose owner is a login with CREATEROLE.
func Database(t testing.TB) *DB {
	t.Helper()
	starting.Lock()
	defer starting.Unlock()
	if server == nil {
		server = start(t)
	}
	databases++
	d := &DB{t: t, Server: server, Name: fmt.Sprintf("db%d", databases)}
	d.Owner = d.Login("owner", "CREATEROLE")
	d.admin("postgres", "CREATE DATABASE "+d.Name+" OWNER "+d.Role("owner"))
	d.Exec("REVOKE CONNECT, TEMP ON DATABASE " + d.Name + " FROM PUBLIC")
	t.Cleanup(func() { d.admin("postgres", "DROP DATABASE "+d.Name+" WITH (FORCE)") })
	return d
}

// Another creates an empty database with the same logins; how is appended to CREATE DATABASE.
func (d *DB) Another(name, how string) *DB {
	d.t.Helper()
	other := &DB{t: d.t, Server: d.Server, Name: d.Name + name, of: d.Name}
	other.Owner = other.Address("owner")
	d.admin("postgres", "CREATE DATABASE "+other.Name+" OWNER "+d.Role("owner")+" "+how)
	other.Exec("REVOKE CONNECT, TEMP ON DATABASE " + other.Name + " FROM PUBLIC")
	d.t.Cleanup(func() { d.admin("postgres", "DROP DATABASE "+other.Name+" WITH (FORCE)") })
	return other
}

// DB is a test's database.
type DB struct {
	*Server
	Owner string // its owner's address

	Name string

	of string // database whose logins it uses, "" for its own
	t  testing.TB
}

// Login creates a login, such as "ana", and returns its address. Logins are global to the server: Role returns
// its name there.
func (d *DB) Login(who string, options ...string) (address string) {
	d.t.Helper()
	d.admin("postgres", "CREATE ROLE "+d.Role(who)+" LOGIN PASSWORD 'open sesame' "+strings.Join(options, " "))
	return d.Address(who)
}

// Role returns the role name of a login.
func (d *DB) Role(who string) string { return cmp.Or(d.of, d.Name) + "_" + who }

// Address is a login's address of the database over the socket.
func (d *DB) Address(who string) string { return d.AddressAt(who, d.Dir, d.Port) }

// AddressAt is the same at another host and port, unencrypted.
func (d *DB) AddressAt(who, host string, port int) string {
	return fmt.Sprintf("postgres://%s@/%s?host=%s&port=%d&sslmode=disable", d.Role(who), d.Name, url.QueryEscape(host),
		port)
}

// Exec runs statements as superuser.
func (d *DB) Exec(sql string) { d.t.Helper(); d.admin(d.Name, sql) }

// Query returns the first column of a query's result, as superuser.
func (d *DB) Query(sql string) ([]string, error) {
	ctx := context.Background()
	c, err := pgx.Connect(ctx, d.Super())
	if err != nil {
		return nil, err
	}
	defer c.Close(ctx)
	rows, err := c.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Super is the superuser's address.
func (d *DB) Super() string { return d.super(d.Name) }

func (s *Server) super(database string) string {
	return fmt.Sprintf("postgres://postgres@/%s?host=%s&port=%d", database, url.QueryEscape(s.Dir), s.Port)
}

func (d *DB) admin(database, sql string) {
	d.t.Helper()
	ctx := context.Background()
	c, err := pgx.Connect(ctx, d.super(database))
	if err != nil {
		d.t.Fatal(err)
	}
	defer c.Close(ctx)
	if _, err := c.Exec(ctx, sql); err != nil {
		d.t.Fatalf("%s: %v", sql, err)
	}
}

// nobody is the user, and group, that PostgreSQL runs as if the tests run as root, which it refuses.
const nobody = 65534

// giveToServer makes the server's user the owner of a file.
func giveToServer(path string) error {
	if os.Getuid() != 0 {
		return nil
	}
	return os.Chown(path, nobody, nobody)
}

// Command returns a program that runs as the server's user and, on Linux, ends with this process, however that ends.
func (s *Server) Command(name string, args ...string) *exec.Cmd {
	args = append([]string{name}, args...)
	if runtime.GOOS == "linux" {
		with := []string{"setpriv", "--pdeathsig=QUIT"}
		if os.Getuid() == 0 {
			with = append(with, fmt.Sprintf("--reuid=%d", nobody), fmt.Sprintf("--regid=%d", nobody), "--clear-groups")
		}
		args = append(with, args...)
	}
	c := exec.Command(args[0], args[1:]...)
	c.Dir = s.Dir
	c.Env = []string{"PATH=" + s.bin, "LC_ALL=C", "TZ=UTC"}
	return c
}

// Restart kills the server as in a crash, and starts it again.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.end(os.Kill)
	s.serve(t)
}

// programs returns the folder of PostgreSQL's programs, "" if it isn't installed.
func programs() string {
	if p, err := exec.LookPath("initdb"); err == nil {
		if p, err = filepath.EvalSymlinks(p); err == nil {
			return filepath.Dir(p)
		}
	}
	all, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // Debian's aren't on PATH
	slices.Sort(all)
	if len(all) == 0 {
		return ""
	}
	return filepath.Dir(all[len(all)-1])
}

// start creates and starts a server in a temporary folder.
func start(t testing.TB) *Server {
	t.Helper()
	s := &Server{bin: programs()}
	if s.bin == "" {
		t.Skip("no PostgreSQL is installed (Debian: apt-get install postgresql)")
	}
	var err error
	if s.Dir, err = os.MkdirTemp("", "pg"); err != nil {
		t.Fatal(err)
	}
	if err := giveToServer(s.Dir); err != nil {
		t.Fatal(err)
	}
	initdb := s.Command(s.bin+"/initdb", "-D", s.Dir, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
		"--no-sync", "--no-instructions")
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	err = write(s.Dir, "pg_hba.conf", []byte("local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n"+
		"hostnossl all all 127.0.0.1/32 trust\n"))
	if err == nil {
		err = write(s.Dir, "postgresql.conf", []byte("fsync = off\nfull_page_writes = off\n"+
			"ssl = on\nautovacuum = off\nmax_wal_size = 8GB\nshared_buffers = 512MB\nmax_connections = 200\n"+
			"listen_addresses = '127.0.0.1'\ntimezone = UTC\n"))
	}
	if err == nil {
		err = s.certify()
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Port = l.Addr().(*net.TCPAddr).Port
	l.Close()
	s.serve(t)
	return s
}

// serve starts the server and waits until it answers.
func (s *Server) serve(t testing.TB) {
	t.Helper()
	s.run = s.Command(s.bin+"/postgres", "-D", s.Dir, "-k", s.Dir, "-p", strconv.Itoa(s.Port))
	log, err := os.OpenFile(filepath.Join(s.Dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s.run.Stdout, s.run.Stderr = log, log
	if err := s.run.Start(); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := pgx.Connect(ctx, s.super("postgres"))
		if err == nil {
			c.Close(ctx)
			return
		}
		if time.Now().After(until) {
			said, _ := os.ReadFile(filepath.Join(s.Dir, "log"))
			t.Fatalf("PostgreSQL doesn't answer: %v\n%s", err, said)
		}
	}
}

// Program returns one of PostgreSQL's own programs, such as pg_dump, run as the server's user.
func (s *Server) Program(name string, args ...string) *exec.Cmd {
	return s.Command(filepath.Join(s.bin, name), args...)
}

// end shuts the server down on an interrupt; on a kill it ends all its processes at once.
func (s *Server) end(by os.Signal) {
	if by == os.Kill {
		by = syscall.SIGQUIT // PostgreSQL exits at once with its children
	}
	_ = s.run.Process.Signal(by)
	_, _ = s.run.Process.Wait()
}

// certify writes the certificate that net/http tests with, for 127.0.0.1.
func (s *Server) certify() error {
	web := httptest.NewTLSServer(nil)
	defer web.Close()
	c := web.TLS.Certificates[0]
	secret, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]})
	return errors.Join(err, write(s.Dir, "ca.pem", public), write(s.Dir, "server.crt", public),
		write(s.Dir, "server.key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
}

func write(dir, name string, data []byte) error {
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return err
	}
	return giveToServer(path)
}

// Write writes a file beside the server's, as the server's user.
func (d *DB) Write(name, text string) {
	d.t.Helper()
	if err := write(d.Dir, name, []byte(text)); err != nil {
		d.t.Fatal(err)
	}
}
