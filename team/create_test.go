package team

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

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
	if !strings.HasPrefix(plan.Role, "recall_") || !strings.HasPrefix(plan.Adds, "schema recall: ") {
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

// Who has another recall than the team is told.
func TestFormat(t *testing.T) {
	c := newCrew(t)
	c.Exec(`UPDATE recall.team SET format = 1`)
	if _, err := Open(t.Context(), c.Owner); !errors.Is(err, ErrNewer) {
		t.Errorf("format 1: %v", err)
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
	c := &crew{DB: d, t: t}
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
