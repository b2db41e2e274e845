package team

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"recall/library/disk"
	"recall/payload"
)

// A member who writes SQL by hand reads and changes nothing that isn't theirs: the database refuses, or finds no row.
func TestMalice(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob, mal := c.admit(ana, "bob"), c.admit(ana, "mal")
	secret, shared, own := bob.project(t, "secret"), bob.project(t, "shared"), mal.project(t, "own")
	if err := bob.LetIn(t.Context(), shared, mal.Member.ID); err != nil {
		t.Fatal(err)
	}
	b := said("b1", secret, "We buy them in May")
	b.Transcript = "We buy them in May, said Bob"
	c.put(bob, 3, b)
	c.put(bob, 3, said("b2", shared, "Retry five times", "Retry six times"))
	c.put(mal, 1, said("m1", own, "Mine"))
	if err := errors.Join(bob.LetIn(t.Context(), secret, ana.Member.ID), bob.LetIn(t.Context(), shared, ana.Member.ID),
		bob.Forget(t.Context(), bob.Member.ID, "b0")); err != nil {
		t.Fatal(err)
	}
	before := c.dump()
	c.Exec(`GRANT TEMPORARY ON DATABASE ` + c.Name + ` TO PUBLIC`) // as it is where nobody took that away

	login := c.Address("mal")
	n := strings.NewReplacer("$bob", bob.device, "$mal", mal.device, "$secret", itoa(secret), "$shared", itoa(shared),
		"$owner", c.Role("owner"), "$own", itoa(own), "$Bob", itoa(bob.Member.ID), "$Mal", itoa(mal.Member.ID),
		"$group", mal.role)
	b1 := `(SELECT id FROM recall.session WHERE sid = 'b1')`
	b2 := `(SELECT id FROM recall.session WHERE sid = 'b2')`
	m1 := `(SELECT id FROM recall.session WHERE sid = 'm1')`
	putting := `UPDATE recall.session SET generation = generation + 1; ` // rows are taken beside their session's alone
	item := func(session, generation, project string) string {
		return putting + `INSERT INTO recall.item(session, generation, project, iid, kind, hash, rules, data, words)
			SELECT s, ` + generation + `, ` + project + `, 'x', 'decision', 'x', 'x', '{}', '' FROM (SELECT ` + session + `) v(s)`
	}
	content := func(session, generation, project string) string {
		return putting + `INSERT INTO recall.content(session, generation, project, hash, data)
			SELECT s, ` + generation + `, ` + project + `, 'x', 'x' FROM (SELECT ` + session + `) v(s)`
	}
	put := func(device, project string) string {
		return `INSERT INTO recall.session(device, sid, project, generation, hash, rules, title, items) VALUES('` + device +
			`', 'b1', ` + project + `, 9, 'x', 'x', 'x', 0)`
	}
	for name, sql := range map[string]string{
		"reads another project's items":     `SELECT FROM recall.item WHERE project = $secret`,
		"reads another project's sessions":  `SELECT FROM recall.session WHERE project = $secret`,
		"reads another project":             `SELECT FROM recall.project WHERE id = $secret`,
		"reads who is in another project":   `SELECT FROM recall.access WHERE project = $secret`,
		"reads tombstones of others":        `SELECT FROM recall.tombstone`,
		"learns rows by a cast that fails":  `SELECT FROM recall.item WHERE project = $secret AND data::int = 1`,
		"learns words by the statistics":    `SELECT FROM pg_stats WHERE schemaname = 'recall' AND tablename = 'item'`,
		"learns a project by its remote":    `SELECT FROM recall.project_of('example.org/secret', NULL) WHERE readable`,
		"puts as another's device":          put("$bob", "$shared"),
		"puts in another project":           put("$mal", "$secret"),
		"changes another's session":         `UPDATE recall.session SET generation = 99, title = 'x' WHERE sid = 'b2'`,
		"puts an item into another's":       item(b2, "3", "$shared"),
		"puts an item where it can't read":  item(b1, "3", "$secret"),
		"puts an item into another project": item(m1, "2", "$secret"),
		"puts an item of an old generation": item(m1, "1", "$own"),
		"puts an item of a later one":       item(m1, "3", "$own"),
		"puts an item without its session":  strings.TrimPrefix(item(m1, "1", "$own"), putting),
		"deletes another's items":           `DELETE FROM recall.item WHERE session = ` + b2,
		"deletes a session":                 `DELETE FROM recall.session WHERE sid = 'm1'`,
		"changes an item in place":          `UPDATE recall.item SET data = '{}'`,
		"goes back a generation":            `UPDATE recall.session SET generation = 1 WHERE sid = 'm1'`,
		"takes a device":                    `UPDATE recall.device SET member = $Mal WHERE id = '$bob'`,
		"renames another's device":          `UPDATE recall.device SET name = 'x' WHERE id = '$bob'`,
		"enters a device for another":       `INSERT INTO recall.device(id, member, name) VALUES(gen_random_uuid(), $Bob, 'x')`,
		"enters a device of another's id":   `INSERT INTO recall.device(id, member, name) VALUES('$bob', $Mal, 'x') ON CONFLICT (id) DO UPDATE SET name = 'x'`,
		"takes another name":                `UPDATE recall.member SET name = 'Bobby' WHERE id = $Mal`,
		"admits a member":                   `INSERT INTO recall.member(login, name) VALUES('x', 'x')`,
		"becomes an owner":                  `UPDATE recall.member SET owner = true`,
		"becomes another":                   `UPDATE recall.member SET login = '$owner' WHERE id = $Mal`,
		"makes another leave":               `UPDATE recall.member SET left_at = now() WHERE id = $Bob`,
		"lets itself in":                    `INSERT INTO recall.access VALUES($secret, $Mal)`,
		"lets others in":                    `INSERT INTO recall.access VALUES($shared, $Mal)`,
		"puts another out":                  `DELETE FROM recall.access WHERE member <> $Mal`,
		"keeps a project as another":        `INSERT INTO recall.project(name, keeper) VALUES('x', $Bob)`,
		"takes a project over":              `UPDATE recall.project SET keeper = $Mal WHERE id = $shared`,
		"renames another's project":         `UPDATE recall.project SET name = 'x' WHERE id IN ($secret, $shared)`,
		"merges another's into its own":     `UPDATE recall.project SET merged_into = $own WHERE id IN ($secret, $shared)`,
		"merges its own into another's":     `UPDATE recall.project SET merged_into = $secret WHERE id = $own`,
		"forgets another's session":         `INSERT INTO recall.tombstone(member, sid) VALUES($Bob, 'b2')`,
		"borrows what buries": `CREATE TEMP TABLE x(member int, sid text);
			CREATE TRIGGER y AFTER INSERT ON x FOR EACH ROW EXECUTE FUNCTION recall.bury();
			INSERT INTO x VALUES($Bob, 'b2')`,
		"has the owner use a type of its own": `CREATE FUNCTION pg_temp.e(pg_catalog.text) RETURNS bool LANGUAGE plpgsql AS
			$$ BEGIN UPDATE recall.member SET owner = true WHERE id = $Mal; RETURN true; END $$;
			CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (pg_temp.e(VALUE));
			SELECT FROM recall.project_of('example.org/secret', NULL) WHERE readable`,
		"puts an item that is none":  strings.Replace(item(m1, "2", "$own"), "'{}'", "'no item'", 1),
		"keeps a project beyond all": `UPDATE recall.project SET retain = 2147483647 WHERE id = $own`,
		"has items by the million":   `UPDATE recall.session SET generation = 99, items = 2147483647 WHERE sid = 'm1'`,
		"leaves nothing in another project": `UPDATE recall.session SET generation = 99, items = 0, title = '', project = $secret
			WHERE sid = 'm1'`,
		"begins with nothing in another project": `INSERT INTO recall.session(device, sid, project, generation, hash, rules,
			title, items) VALUES('$mal', 'm9', $secret, 9, 'x', 'x', '', 0)`,
		"says it was for ever":               `UPDATE recall.session SET generation = 99, started = 'infinity' WHERE sid = 'm1'`,
		"reads another project's transcript": `SELECT FROM recall.content WHERE project = $secret`,
		"puts content into another's":        content(b2, "3", "$shared"),
		"puts content where it can't read":   content(m1, "2", "$secret"),
		"puts content of an old generation":  content(m1, "1", "$own"),
		"puts content into another project":  content(m1, "2", "$shared"),
		"takes another's content away":       `DELETE FROM recall.content`,
		"signs a tombstone as another":       `INSERT INTO recall.tombstone(member, sid, by) VALUES($Mal, 'x', $Bob)`,
		"erases another":                     `SELECT recall.erase($Bob)`,
		"acts as the group":                  `SET ROLE $group; INSERT INTO recall.access VALUES($secret, $Mal)`,
		"acts as the owner":                  `SET ROLE $owner`,
		"is somebody else":                   `SET SESSION AUTHORIZATION $owner`,
		"switches policies off":              `ALTER TABLE recall.item DISABLE ROW LEVEL SECURITY`,
		"reads without policies":             `SET row_security = off; DELETE FROM recall.item`,
		"changes a function":                 `CREATE OR REPLACE FUNCTION recall.me() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
		"puts a function before another":     `SET search_path = public, recall; CREATE FUNCTION recall.mine(int) RETURNS int LANGUAGE sql AS 'SELECT 1'`,
		"puts a trigger on":                  `CREATE TRIGGER x BEFORE INSERT ON recall.item EXECUTE FUNCTION recall.bury()`,
		"fires a trigger's function":         `SELECT recall.bury()`,
		"changes the format":                 `UPDATE recall.team SET format = 99`,
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := c.sql(login, n.Replace(sql))
			if err == nil && rows > 0 {
				t.Errorf("%d rows", rows)
			}
			if after := c.dump(); after != before {
				t.Fatalf("it changed something:\n%s\nwas\n%s", after, before)
			}
			if err != nil && strings.Contains(err.Error(), "42601") /* syntax */ {
				t.Errorf("the test says nothing: %v", err)
			}
		})
	}
}

// Who left reads and writes nothing, whatever their login may still do; so does who never was in.
func TestLeft(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob := c.admit(ana, "bob")
	app := bob.project(t, "app")
	c.put(bob, 1, said("b1", app, "Retry five times"))
	if err := bob.Leave(t.Context(), bob.Member.ID); err != nil {
		t.Fatal(err)
	}
	before := c.dump()
	for _, sql := range []string{`SELECT FROM recall.item`, `SELECT FROM recall.session`, `SELECT FROM recall.member`,
		`SELECT FROM recall.content`,
		`UPDATE recall.member SET left_at = NULL`, `DELETE FROM recall.item`} {
		if rows, err := c.sql(c.Address("bob"), sql); rows > 0 || err != nil {
			t.Errorf("%s: %d rows, %v", sql, rows, err)
		}
	}
	if err := bob.Put(t.Context(), bob.device, c.ready(said("b1", app, "again")), 2); err == nil {
		t.Error("put after leaving")
	}
	c.Login("eve")
	c.Exec("GRANT CONNECT ON DATABASE " + c.Name + " TO " + c.Role("eve"))
	for _, table := range []string{"item", "session", "member", "team"} {
		if _, err := c.sql(c.Address("eve"), `SELECT FROM recall.`+table); err == nil {
			t.Errorf("a stranger reads %s", table)
		}
	}
	if after := c.dump(); after != before {
		t.Errorf("something changed:\n%s\nwas\n%s", after, before)
	}
}

// Joining that was broken off goes on with its device, but not with one that left since, or that another member made.
func TestEnterAfterItsDeviceLeft(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob := c.admit(ana, "bob")
	library := t.TempDir()
	inTheWay := filepath.Join(library, ".team", membershipFile)
	if err := os.MkdirAll(filepath.Join(inTheWay, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	enter := func(as mate) (device string) {
		t.Helper()
		if m, err := as.Enter(t.Context(), library, "x", "elm"); err == nil || !m.read(joiningFile, &device) {
			t.Fatal(err)
		}
		return device
	}
	first := enter(ana)
	if again := enter(ana); again != first {
		t.Errorf("device %s, then %s", first, again)
	}
	if err := ana.LeaveDevice(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if err := ana.Join(t.Context(), first, "elm"); !errors.Is(err, ErrRefused) {
		t.Errorf("a device that left joins: %v", err)
	}
	second := enter(ana)
	if third := enter(bob); first == second || second == third {
		t.Errorf("%s left, then %s, and for Bob %s", first, second, third)
	}
	if err := os.RemoveAll(inTheWay); err != nil {
		t.Fatal(err)
	}
	m, err := ana.Enter(t.Context(), library, "x", "elm")
	if err != nil {
		t.Fatal(err)
	}
	d, err := ana.DeviceNamed(t.Context(), m.Device)
	if err != nil || d.Left || disk.Exists(m.Path(joiningFile)) {
		t.Errorf("%+v, %v", d, err)
	}
}

// dump is all that the tables hold.
func (c *crew) dump() string {
	var all []string
	for _, table := range []string{"member", "device", "project", "access", "session", "item", "content",
		"tombstone", "team"} {
		all = append(all, `(SELECT '`+table+` ' || t::text FROM recall.`+table+` t ORDER BY 1)`)
	}
	return strings.Join(c.column(strings.Join(all, " UNION ALL ")), "\n")
}

// What a search finds, which no policy holds back, is what the policies let its member read: whoever is let in where,
// whatever was merged into what.
func TestSearchReadsWhatPoliciesLet(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	mates := []mate{ana}
	for _, who := range []string{"bob", "cem", "dee"} {
		mates = append(mates, c.admit(ana, who))
	}
	var all []int
	for i := range 6 {
		p := ana.project(t, fmt.Sprint("p", i))
		all = append(all, p)
		c.put(ana, 1, said(fmt.Sprint("s", i), p, fmt.Sprint("Retry ", i)))
	}
	checks(t, 10, 100)
	rapid.Check(t, func(r *rapid.T) {
		c.Exec(`DELETE FROM recall.access; UPDATE recall.project SET merged_into = NULL`)
		for _, m := range mates[1:] {
			for _, p := range rapid.SliceOfDistinct(rapid.SampledFrom(all), rapid.ID[int]).Draw(r, m.Member.Name) {
				if err := ana.LetIn(t.Context(), p, m.Member.ID); err != nil {
					r.Fatal(err)
				}
			}
		}
		for _, p := range all[1:] { // into an earlier one, so that none goes round
			if into := rapid.SampledFrom(all[:slices.Index(all, p)]).Draw(r, "into"); into%2 == 0 {
				c.Exec(fmt.Sprintf(`UPDATE recall.project SET merged_into = %d WHERE id = %d`, into, p))
			}
		}
		for _, m := range mates[1:] {
			rows, err := m.pool.Query(t.Context(), `SELECT iid FROM recall.item ORDER BY 1`)
			if err != nil {
				r.Fatal(err)
			}
			want, err := pgx.CollectRows(rows, pgx.RowTo[payload.ItemID])
			if err != nil {
				r.Fatal(err)
			}
			got := search(t, m, "retry")
			slices.Sort(got)
			if !slices.Equal(got, want) {
				r.Fatalf("%s finds %q, and reads %q", m.Member.Name, got, want)
			}
		}
	})
}
