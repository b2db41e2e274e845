package team

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The docs' way of backup and restore: what was in the backup is back, with who may what; what was put since is put
// again by each machine's next sync, and what one forgot since in one's own library goes again.
func TestBackupAndRestore(t *testing.T) {
	c := newCrew(t)
	dump := c.Program("pg_dump")
	if _, err := os.Stat(dump.Args[len(dump.Args)-1]); err != nil {
		t.Skip("this PostgreSQL comes without pg_dump: ", err)
	}
	ana := c.owner()
	bob, eve := c.admit(ana, "bob"), c.admit(ana, "eve")
	app := bob.project(t, "app")
	if err := bob.LetIn(t.Context(), app, ana.Member.ID); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"s1": "Retry five times", "s2": "Never retry", "s3": "Retry in the queue"}
	sync := func(m mate) {
		t.Helper()
		last, err := m.Sent(t.Context(), m.device)
		for id, text := range texts {
			if err == nil {
				s := said(id, app, text)
				s.Transcript = "Bob said: " + text
				_, err = m.Send(t.Context(), m.device, last[id], func() (Shared, error) { return Ready(s) })
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s3 := texts["s3"]
	delete(texts, "s3")
	sync(bob)
	c.put(eve, 1, said("e1", eve.project(t, "hers"), "Eve's alone"))
	file := filepath.Join(c.Dir, c.Name+".dump")
	if out, err := c.Program("pg_dump", "-Fc", "-f", file, c.Owner).CombinedOutput(); err != nil {
		t.Fatalf("pg_dump: %v\n%s", err, out)
	}
	texts["s1"], texts["s3"] = "Retry six times", s3
	sync(bob)
	if _, err := bob.ForgetAll(t.Context(), []string{"s2"}); err != nil {
		t.Fatal(err)
	}
	delete(texts, "s2")
	want := []string{"e1 e1000 Eve's alone", "s1 s1000 Retry six times", "s3 s3000 Retry in the queue"}
	c.holds(want...)

	back := &crew{DB: c.Another("restored", ""), t: t}
	if out, err := c.Program("pg_restore", "--exit-on-error", "-d", back.Owner, file).CombinedOutput(); err != nil {
		t.Fatalf("pg_restore: %v\n%s", err, out)
	}
	back.holds("e1 e1000 Eve's alone", "s1 s1000 Retry five times", "s2 s2000 Never retry")
	if _, err := Open(t.Context(), back.Address("bob")); !errors.Is(err, ErrNotMember) {
		t.Errorf("before the owner let him: %v", err)
	}
	owner, err := Open(t.Context(), back.Owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(owner.Close)
	open := func(who string, m mate) mate {
		if err := owner.Admit(t.Context(), c.Role(who), who); err != nil {
			t.Fatal(err)
		}
		again, err := Open(t.Context(), back.Address(who))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(again.Close)
		return mate{again, m.device}
	}
	bob, eve = open("bob", bob), open("eve", eve)
	if n, err := bob.ForgetAll(t.Context(), []string{"s2"}); n != 1 || err != nil { // each sync does
		t.Errorf("%d forgotten again, %v", n, err)
	}
	sync(bob)
	back.holds(want...)
	for who, m := range map[string]mate{"Eve": eve, "Bob": bob} {
		got := fmt.Sprint(search(t, m, "retry six"))
		if found := strings.Contains(got, "s1000"); found != (who == "Bob") {
			t.Errorf("%s finds %s", who, got)
		}
	}
	hers, err := c.sql(back.Address("eve"), `SELECT FROM recall.item WHERE project = `+itoa(app))
	if hers > 0 || err != nil {
		t.Errorf("Eve reads %d, %v", hers, err)
	}
}
