package team

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"recall/internal/hint"
)

// Off this machine the server must prove who it is; what isn't said is asked for, what is said otherwise is refused.
func TestSafe(t *testing.T) {
	t.Setenv("PGSERVICEFILE", filepath.Join(t.TempDir(), "none"))
	for address, ok := range map[string]bool{
		"postgres://db.example.org/team":                                                 true,
		"host=db.example.org dbname=team":                                                true,
		"postgres://db.example.org/team?sslmode=verify-full":                             true,
		"postgres://db.example.org/team?sslmode=require":                                 false,
		"postgres://db.example.org/team?sslmode=verify-ca":                               false,
		"postgres://db.example.org/team?sslmode=prefer":                                  false,
		"host=db.example.org sslmode=disable":                                            false,
		"host=127.0.0.1,db.example.org sslmode=disable":                                  false,
		"postgres://10.0.0.1/team?sslmode=disable":                                       false,
		"postgres:///team?host=/var/run/postgresql":                                      true,
		"postgres://127.0.0.1/team":                                                      true,
		"postgres://[::1]/team":                                                          true,
		"postgres://localhost/team?sslmode=disable":                                      true,
		"postgres://localhost.example.org/team?sslmode=disable":                          false,
		"postgres://127.0.0.1.example.org/team?sslmode=disable":                          false,
		"postgres://a.example.org,b.example.org/team":                                    true,
		"postgres://a.example.org:5432,127.0.0.1:5433/team?sslmode=require&sslrootcert=": false,
	} {
		c, err := settings(address)
		if ok != (err == nil) || !ok && (!errors.Is(err, ErrUnsafe) || hint.Of(err) == "") {
			t.Errorf("%s: %v", address, err)
		}
		if err == nil && strings.Contains(address, "example.org") && c.ConnConfig.TLSConfig.ServerName == "" {
			t.Errorf("%s: whoever answers is believed", address)
		}
	}
	t.Setenv("PGSSLMODE", "require")
	if _, err := settings("postgres://db.example.org/team"); !errors.Is(err, ErrUnsafe) {
		t.Errorf("PGSSLMODE=require: %v", err)
	}
}

func TestWithoutPassword(t *testing.T) {
	for address, want := range map[string]string{
		"postgres://ana:pa55@db.example.org/team?password=pa55&sslpassword=pa55&a=b": "postgres://ana@db.example.org/team?a=b",
		"postgres://ana@db.example.org/team":                                         "postgres://ana@db.example.org/team",
		"host=db.example.org password=pa55 dbname=team":                              "host=db.example.org dbname=team",
		`password = 'pa 55\'s' sslpassword=pa55 service=team`:                        "service=team",
	} {
		if got := WithoutPassword(address); got != want {
			t.Errorf("%s is shown as %s", address, got)
		}
	}
}

// A server is believed by its certificate alone; passwords come by libpq's ways and are never told.
func TestLibpqsWays(t *testing.T) {
	c := newCrew(t)
	base := fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=verify-full&sslrootcert=", c.Role("owner"), c.Port, c.Name)
	ca := filepath.Join(c.Dir, "ca.pem")
	none := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	open := func(address string) error {
		m, err := Open(t.Context(), address)
		if err == nil {
			m.Close()
		} else if strings.Contains(err.Error()+hint.Of(err), "pa55word") {
			t.Errorf("a password is told: %v", err)
		}
		return err
	}
	t.Setenv("PGPASSFILE", filepath.Join(t.TempDir(), "pgpass"))
	if err := open(base + ca); err == nil || !strings.Contains(hint.Of(err), "pgpass") {
		t.Errorf("without a password: %v (%s)", err, hint.Of(err))
	}
	t.Run("environment", func(t *testing.T) {
		t.Setenv("PGPASSWORD", "open sesame")
		none(t, open(base+ca))
		if err := open(base + "/etc/ssl/certs/ca-certificates.crt"); err == nil {
			t.Error("another authority's server is believed")
		} else if !errors.Is(err, ErrUnsafe) || !strings.Contains(hint.Of(err), "sslrootcert=") {
			t.Errorf("another authority's server: %v (%s)", err, hint.Of(err))
		}
		if err := open(strings.Replace(base, "127.0.0.1", "localhost", 1) + ca); err == nil {
			t.Error("a server of another name is believed")
		}
		t.Setenv("PGPASSWORD", "pa55word")
		if err := open(base + ca); err == nil || !strings.Contains(hint.Of(err), "pgpass") {
			t.Errorf("a wrong password: %v", err)
		}
	})
	t.Run("pgpass", func(t *testing.T) {
		none(t, os.WriteFile(os.Getenv("PGPASSFILE"), []byte("127.0.0.1:*:*:*:open sesame\n"), 0o600))
		none(t, open(base+ca))
		none(t, os.Remove(os.Getenv("PGPASSFILE")))
	})
	t.Run("service", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "services")
		none(t, os.WriteFile(path, fmt.Appendf(nil, "[team]\nhost=127.0.0.1\nport=%d\ndbname=%s\nuser=%s\npassword=open sesame\n"+
			"sslmode=verify-full\nsslrootcert=%s\n", c.Port, c.Name, c.Role("owner"), ca), 0o600))
		t.Setenv("PGSERVICEFILE", path)
		none(t, open("service=team"))
	})
	if err := open(fmt.Sprintf("postgres://ana:pa55word@127.0.0.1:%d/none?sslmode=disable", c.Port)); err == nil {
		t.Error("no such database, and it was opened")
	}
	if err := open("postgres://ana:pa55word@127.0.0.1:1/none"); !errors.Is(err, ErrUnreachable) || hint.Of(err) == "" {
		t.Errorf("nobody is there: %v", err)
	}
	if err := open("postgres://ana:pa55word@127.0.0.1:x/none"); err == nil || hint.Of(err) == "" {
		t.Errorf("no address: %v", err)
	}
}

// Behind PgBouncer, which gives each transaction whatever connection is free, everything works.
func TestPgBouncer(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob := c.admit(ana, "bob")
	port := c.bouncer()
	everybody := fmt.Sprintf("postgres://%s@127.0.0.1:%d/as_owner?sslmode=disable", c.Role("bob"), port)
	if _, err := Open(t.Context(), everybody); !errors.Is(err, ErrUnsafe) || hint.Of(err) == "" {
		t.Errorf("a pooler that is Ana for everybody: %v", err)
	}
	c.put(ana, 1, said("s0", ana.project(t, "secret"), "We buy them in May"))
	ana2, bob2 := c.at(c.AddressAt("owner", "127.0.0.1", port)), c.at(c.AddressAt("bob", "127.0.0.1", port))
	app := ana2.project(t, "app")
	if err := ana2.LetIn(t.Context(), app, bob.Member.ID); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	const each = 10
	for i := range 4 {
		go func() {
			m := []mate{ana2, bob2}[i%2]
			var err error
			for n := range each {
				s, _ := Ready(said(fmt.Sprint("s", i, n), app, fmt.Sprint("Retry ", n, " times")))
				_, searched := m.readable(t.Context(), m.device)
				err = errors.Join(err, m.Put(t.Context(), m.device, s, 1), searched)
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(bob2.Forget(t.Context(), bob.Member.ID, "s1 0"),
		second(bob2.TakeBack(t.Context(), []int{app}))); err != nil {
		t.Fatal(err)
	}
	if got := len(c.texts()); got != 4*each {
		t.Errorf("%d items, want %d", got, 4*each)
	}
	if got := [2]int{len(search(t, ana2, "buy")), len(search(t, bob2, "buy"))}; got != [2]int{1, 0} {
		t.Errorf("of what is Ana's alone Ana and Bob find %d", got)
	}
}

// bouncer starts a PgBouncer that gives each transaction any free connection of the owner and Bob, and returns its
// port. Its database as_owner turns everybody into the owner.
func (c *crew) bouncer() (port int) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		c.t.Skip("no PgBouncer is installed (Debian: apt-get install pgbouncer)")
	}
	l := newStand(c.t)
	port = l.Addr().(*net.TCPAddr).Port
	l.Close()
	c.Write("users.txt", fmt.Sprintf("%q \"\"\n%q \"\"\n", c.Role("owner"), c.Role("bob")))
	c.Write("bouncer.ini", fmt.Sprintf("[databases]\n* = host=%[1]s port=%[2]d\n"+
		"as_owner = host=%[1]s port=%[2]d dbname=%[4]s user=%[5]s\n[pgbouncer]\nlisten_addr=127.0.0.1\nlisten_port=%[3]d\n"+
		"auth_type=trust\nauth_file=%[1]s/users.txt\npool_mode=transaction\ndefault_pool_size=2\nunix_socket_dir=\n",
		c.Dir, c.Port, port, c.Name, c.Role("owner")))
	run := c.Command(program, filepath.Join(c.Dir, "bouncer.ini"))
	if err := run.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = run.Process.Kill(); _ = run.Wait() })
	for range 3000 { // a minute, however busy the machine is
		if conn, err := net.Dial("tcp", l.Addr().String()); err == nil {
			conn.Close()
			return port
		}
		time.Sleep(20 * time.Millisecond)
	}
	c.t.Fatal("PgBouncer doesn't listen")
	return 0
}

// Who may not connect to the database any more is told what a member is told who isn't in.
func TestWithoutConnect(t *testing.T) {
	c := newCrew(t)
	bob := c.admit(c.owner(), "bob")
	bob.Close()
	c.Exec("REVOKE CONNECT ON DATABASE " + c.Name + " FROM " + c.Role("bob"))
	_, err := Open(t.Context(), c.Address("bob"))
	if !errors.Is(err, ErrNotMember) || !strings.Contains(hint.Of(err), "admit") {
		t.Errorf("%v (%s)", err, hint.Of(err))
	}
}

// An error of no code, as an odd server sends it, is told as any.
func TestErrorWithoutCode(t *testing.T) {
	for _, code := range []string{"", "4", "XX000"} {
		if err := explain(&pgconn.PgError{Code: code, Message: "odd"}); !strings.Contains(err.Error(), "odd") {
			t.Errorf("%q: %v", code, err)
		}
	}
}

// What a person did wrong is told with what is to be looked at.
func TestWrongAddress(t *testing.T) {
	for message, way := range map[string]string{
		`28000 no pg_hba.conf entry for host "127.0.0.1", user "ana", database "app", no encryption`: "sslmode",
		`28P01 password authentication failed for user "ana"`:                                        ".pgpass",
		`3D000 database "recal" does not exist`:                                                      "the right database",
	} {
		code, said, _ := strings.Cut(message, " ")
		if err := explain(&pgconn.PgError{Code: code, Message: said}); !strings.Contains(hint.Of(err), way) {
			t.Errorf("%s: %s", message, hint.Of(err))
		}
	}
}
