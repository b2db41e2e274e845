package team

import (
	"errors"
	"strings"
	"testing"
)

// What newer rules find in what was shared by who left is taken out by the owner's next sync.
func TestRenew(t *testing.T) {
	for name, leave := range map[string]func(c *crew, bob mate) error{
		"left": func(_ *crew, bob mate) error { return bob.Leave(t.Context(), bob.Member.ID) },
		"dropped": func(c *crew, _ mate) error {
			c.Exec(`REVOKE CONNECT ON DATABASE ` + c.Name + ` FROM ` + c.Role("bob") + `; DROP ROLE ` + c.Role("bob"))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrew(t)
			ana := c.owner()
			bob := c.admit(ana, "bob")
			c.put(ana, 1, said("s1", ana.project(t, "oats"), "We decided to use Redis"))
			c.put(bob, 1, said("s2", bob.project(t, "app"), "We decided to use Memcached"))
			if err := errors.Join(leave(c, bob)); err != nil {
				t.Fatal(err)
			}
			secret := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
			c.Exec(`UPDATE recall.session SET rules = 'old', generation = generation + 1;
				UPDATE recall.item SET data = replace(data, 'Memcached', '` + secret + `'), rules = 'old'`)
			if err := ana.Renew(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := len(c.column(`SELECT iid FROM recall.item WHERE data LIKE '%` + secret + `%'`)); n != 0 {
				t.Error("it still has the secret")
			}
			if n := len(c.column(`SELECT sid FROM recall.session WHERE rules = 'old'`)); n != 1 {
				t.Errorf("%d sessions are by old rules, want Ana's own", n)
			}
		})
	}
}
