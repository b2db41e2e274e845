package team

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"recall/internal/hint"
	"recall/team/pgtest"
)

// A team is made once, by a plan that tells it all, whoever tries at once.
func TestCreate(t *testing.T) {
	d := pgtest.Database(t)
	if _, err := Open(t.Context(), d.Owner); !errors.Is(err, ErrNoTeam) || hint.Of(err) == "" {
		t.Errorf("no team yet: %v", err)
	}
	plan, err := PlanCreate(t.Context(), d.Owner, "crew")
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Steps) != len(shipped()) || !strings.HasPrefix(plan.Role, "recall_") || plan.Steps[0].Title == "" {
		t.Errorf("the plan is %+v", plan)
	}
	if _, err := Open(t.Context(), d.Owner); !errors.Is(err, ErrNoTeam) {
		t.Errorf("a plan alone did something: %v", err)
	}
	other, err := PlanCreate(t.Context(), d.Owner, "crew")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for _, p := range []Plan{plan, other} {
		go func() { done <- p.Do(t.Context()) }()
	}
	errs := []error{<-done, <-done}
	if slices.ContainsFunc(errs, func(err error) bool { return err != nil && !errors.Is(err, ErrHasTeam) }) ||
		(errs[0] == nil) == (errs[1] == nil) {
		t.Errorf("two at once: %v", errs)
	}
	if _, err := PlanCreate(t.Context(), d.Owner, "crew"); !errors.Is(err, ErrHasTeam) {
		t.Errorf("once more: %v", err)
	}
	m, err := Open(t.Context(), d.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if m.Name != "crew" || !m.Member.Owner {
		t.Errorf("it is %+v", m)
	}

	address := d.Login("ana")
	d.Exec("GRANT CONNECT ON DATABASE " + d.Name + " TO " + d.Role("ana"))
	if _, err := Open(t.Context(), address); !errors.Is(err, ErrNotMember) || hint.Of(err) == "" {
		t.Errorf("who isn't in: %v", err)
	}
	if err := m.Admit(t.Context(), d.Role("nobody"), strings.ToUpper(m.Member.Name)); err == nil ||
		!strings.Contains(err.Error(), "is or was called") {
		t.Errorf("another of the same name: %v", err)
	}
	if err := m.Admit(t.Context(), d.Role("nobody"), "n"); err == nil || hint.Of(err) == "" {
		t.Errorf("no such login: %v", err)
	}
	all, err := m.Members(t.Context())
	if err != nil || len(all) != 1 {
		t.Errorf("%v are in, %v", all, err)
	}
}

// Who may not make roles is told so, and nothing is left of the attempt.
func TestCreateWithoutRights(t *testing.T) {
	d := pgtest.Database(t)
	d.Exec("ALTER ROLE " + d.Role("owner") + " NOCREATEROLE")
	p, err := PlanCreate(t.Context(), d.Owner, "crew")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Do(t.Context()); !errors.Is(err, ErrRefused) || !strings.Contains(hint.Of(err), "CREATEROLE") {
		t.Errorf("%v (%s)", err, hint.Of(err))
	}
	if _, err := Open(t.Context(), d.Owner); !errors.Is(err, ErrNoTeam) {
		t.Errorf("something was left: %v", err)
	}
}

// From every version there ever was a team comes forward with all that it holds; a step that fails leaves it as it
// was; and who has an older recall is told.
func TestUpgrade(t *testing.T) {
	invented := func(sql string) []Migration {
		n := len(shipped()) + 1
		return append(shipped(), Migration{n, "an invented column", sql})
	}
	for from := 1; from <= len(shipped()); from++ {
		d := pgtest.Database(t)
		p, err := PlanCreate(t.Context(), d.Owner, "crew")
		if err != nil {
			t.Fatal(err)
		}
		p.Steps = p.Steps[:from]
		if err := p.Do(t.Context()); err != nil {
			t.Fatal(err)
		}
		upgrade := func(all []Migration) error {
			p, err := planUpgrade(t.Context(), d.Owner, all)
			if err == nil {
				err = p.Do(t.Context())
			}
			return err
		}
		if err := upgrade(shipped()); err != nil {
			t.Fatalf("from %d: %v", from, err)
		}
		c := &crew{DB: d, t: t}
		c.rules = rules()
		ana := c.owner()
		c.put(ana, 1, said("s1", ana.project(t, "app"), "Retry"))
		if err := upgrade(invented(`ALTER TABLE recall.item ADD x int; SELECT 1/0`)); err == nil {
			t.Error("a step that fails did not")
		}
		c.put(ana, 2, said("s1", ana.project(t, "app"), "Retry more"))
		for range 2 {
			if err := upgrade(invented(`ALTER TABLE recall.item ADD x int; GRANT SELECT ON recall.item TO {role}`)); err != nil {
				t.Fatal(err)
			}
		}
		c.holds("s1 s1000 Retry more")
		if _, err := Open(t.Context(), d.Owner); !errors.Is(err, ErrNewer) || !strings.Contains(hint.Of(err), "install") {
			t.Errorf("a newer format: %v", err)
		}
		if _, err := PlanUpgrade(t.Context(), d.Owner); !errors.Is(err, ErrNewer) {
			t.Errorf("a newer format is upgraded: %v", err)
		}
		d.Exec(`DELETE FROM recall.migration`)
		d.Exec(`INSERT INTO recall.migration VALUES(0)`)
		if _, err := Open(t.Context(), d.Owner); !errors.Is(err, ErrOlder) || hint.Of(err) == "" {
			t.Errorf("an older format: %v", err)
		}
	}
}

// Migrations are numbered without a gap and say what they do.
func TestMigrations(t *testing.T) {
	if _, err := migrations(fstest.MapFS{"migrations/0002.sql": {Data: []byte("-- x\n")}}); err == nil {
		t.Error("the first one may be missing")
	}
	for _, m := range shipped() {
		if m.Title == "" || strings.HasPrefix(m.Title, "CREATE") {
			t.Errorf("%d doesn't say what it does: %q", m.Version, m.Title)
		}
	}
}

// What the docs have whoever keeps a server do, by a login as managed ones give it, which isn't a superuser's; and whom
// that makes the owner makes a team, and lets people in.
func TestSetUpByTheDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/team.md")
	if err != nil {
		t.Fatal(err)
	}
	d := pgtest.Database(t)
	d.Login("admin", "CREATEDB CREATEROLE")
	d.Exec("GRANT CONNECT ON DATABASE " + d.Name + " TO " + d.Role("admin"))
	c := &crew{DB: d, t: t, rules: rules()}
	olga, database := d.Role("olga"), d.Name+"_recall"
	t.Cleanup(func() { d.Exec("DROP DATABASE IF EXISTS " + database + " WITH (FORCE)") })
	names := strings.NewReplacer("olga", olga, "DATABASE recall", "DATABASE "+database)
	n := 0
	for line := range strings.Lines(string(text)) {
		line, indented := strings.CutPrefix(line, "    ")
		if !indented || !strings.HasSuffix(line, ";\n") {
			continue
		}
		for sql := range strings.SplitSeq(names.Replace(strings.TrimSpace(line)), "; ") {
			n++
			if _, err := c.sql(d.Address("admin"), sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
	}
	if n < 3 {
		t.Fatalf("the docs have %d statements", n)
	}
	address := strings.Replace(d.Address("olga"), "/"+d.Name+"?", "/"+database+"?", 1)
	p, err := PlanCreate(t.Context(), address, "crew")
	if err == nil {
		err = p.Do(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := c.sql(address, "CREATE ROLE "+d.Role("ana")+" LOGIN"); err != nil { // createuser does
		t.Fatal(err)
	}
	if err := m.Admit(t.Context(), d.Role("ana"), "Ana"); err != nil {
		t.Fatal(err)
	}
	ana, err := Open(t.Context(), strings.Replace(address, olga, d.Role("ana"), 1))
	if err != nil {
		t.Fatal(err)
	}
	defer ana.Close()
	if d.Login("eve"); err == nil {
		_, err = Open(t.Context(), strings.Replace(address, olga, d.Role("eve"), 1))
	}
	if !errors.Is(err, ErrNotMember) {
		t.Errorf("who wasn't admitted: %v", err)
	}
}

// A migration that was released is never changed: databases were made by it.
func TestReleasedMigrations(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	git := func(dir string, args ...string) string {
		as := []string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.org"}
		out, err := exec.Command("git", append(as, args...)...).Output()
		if err != nil {
			t.Fatalf("git %q: %v", args, err)
		}
		return string(out)
	}
	changed := func(dir string) (names []string) {
		for _, release := range strings.Fields(git(dir, "tag", "--list", "v*")) {
			for _, name := range strings.Fields(git(dir, "ls-tree", "--name-only", release, "team/migrations/")) {
				now, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil || string(now) != git(dir, "show", release+":"+name) {
					names = append(names, release+" "+name)
				}
			}
		}
		return names
	}
	if _, err := os.Stat("../.git"); err == nil {
		for _, name := range changed("..") {
			t.Errorf("%s was released, and is another now: what is to change is a migration of its own", name)
		}
	}
	dir := t.TempDir()
	write := func(text string) {
		path := filepath.Join(dir, "team", "migrations", "0001.sql")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("-- x")
	git(dir, "init", "-q")
	git(dir, "add", ".")
	git(dir, "commit", "-qm", "x")
	git(dir, "tag", "v1.0.0")
	if got := changed(dir); len(got) > 0 {
		t.Errorf("nothing changed, and %q did", got)
	}
	write("-- y")
	if got := changed(dir); len(got) != 1 || got[0] != "v1.0.0 team/migrations/0001.sql" {
		t.Errorf("%q changed", got)
	}
}
