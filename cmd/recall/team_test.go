package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"

	"recall/library"
	"recall/payload"
	"recall/team"
	"recall/team/pgtest"
)

// withServer ends the PostgreSQL that tests ask for behind the last. It has go keep no list of the many files that
// tests open: reading that takes ten seconds, and results hold only until any package changes. Twice as many run at
// once as there are processors: one half waits, for what it has started.
type withServer struct {
	*testing.M
	tmp string // where tests have their folders
}

func (m withServer) Run() int {
	os.Setenv("TMPDIR", m.tmp)
	flag.Parse()
	flag.Set("test.testlogfile", "")
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		f.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0)))
	}
	return pgtest.Main(m.M)
}

// A team's stories, each in a database of its own: $OWNER, $ANA and $BEN are the addresses of logins, whose names
// are $OWNER_LOGIN and so on. "as ana" goes on as another person, with a home and a library of their own.
// "hold-sync LIBRARY" keeps syncs with the team waiting, also those that commands start beside them, until
// "! hold-sync LIBRARY".
func TestTeam(t *testing.T) {
	t.Parallel()
	stories, err := filepath.Glob(filepath.Join("testdata", "team", "*.txtar"))
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, story := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(story), ".txtar"), func(t *testing.T) {
			t.Parallel()
			d := pgtest.Database(t)
			cmds := storyCmds()
			cmds["as"] = func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(atHome(filepath.Join(ts.Getenv("WORK"), args[0]), ts.Setenv))
			}
			cmds["repo"], cmds["team-holds"] = repo, func(ts *testscript.TestScript, neg bool, args []string) {
				all, err := allOf(d)
				ts.Check(err)
				nothing := args[0] == "nothing" && all == ""
				if has := nothing || strings.Contains(all, args[0]); has == neg {
					ts.Fatalf("the team holds %q, of\n%s", args[0], all)
				}
			}
			cmds["team-sql"] = func(_ *testscript.TestScript, _ bool, args []string) { d.Exec(args[0]) } // as a superuser
			held := map[string]*flock.Flock{}                                                            // by library
			cmds["hold-sync"] = func(ts *testscript.TestScript, neg bool, args []string) {
				if lock := held[args[0]]; neg && lock != nil {
					ts.Check(lock.Unlock())
					return
				}
				dir := ts.MkAbs(filepath.Join(args[0], ".team"))
				ts.Check(os.MkdirAll(dir, 0o700))
				lock := flock.New(filepath.Join(dir, "sync.lock"), flock.SetPermissions(0o600))
				ts.Check(lock.Lock())
				ts.Defer(func() { lock.Unlock() }) // should the story end before
				held[args[0]] = lock
			}
			testscript.Run(t, testscript.Params{Files: []string{story}, Cmds: cmds, RequireExplicitExec: true,
				Setup: func(env *testscript.Env) error {
					env.Setenv("OWNER", d.Owner)
					env.Setenv("OWNER_LOGIN", d.Role("owner"))
					for _, who := range []string{"ana", "ben"} {
						env.Setenv(strings.ToUpper(who), d.Login(who))
						env.Setenv(strings.ToUpper(who)+"_LOGIN", d.Role(who))
					}
					return atHome(env.WorkDir, env.Setenv)
				}})
		})
	}
}

// repo FOLDER makes a repository whose remote has the folder's name.
func repo(ts *testscript.TestScript, _ bool, args []string) {
	git := filepath.Join(ts.MkAbs(args[0]), ".git")
	ts.Check(os.MkdirAll(filepath.Join(git, "objects"), 0o700))
	ts.Check(os.MkdirAll(filepath.Join(git, "refs"), 0o700))
	ts.Check(os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	ts.Check(os.WriteFile(filepath.Join(git, "config"), []byte("[remote \"origin\"]\n\turl = https://git.example.org/grain/"+
		filepath.Base(args[0])+".git\n"), 0o600))
}

// allOf is every text that sessions and items in a database hold, as its superuser sees it.
func allOf(d *pgtest.DB) (string, error) {
	out, err := d.Query(`SELECT title || E'\n' || coalesce(string_agg(i.data, E'\n'), '') FROM recall.session s
		LEFT JOIN recall.item i ON i.session = s.id GROUP BY s.id`)
	return strings.TrimSpace(strings.Join(out, "\n")), err
}

// What others decided in a project is on its page, the newest ten, and a session that starts there is told three; what
// is of other projects, or was looked at, neither.
func TestTeamNewsOfOthers(t *testing.T) {
	home, recall := asProgram(t)
	tell(t, home, 1, "Let's use Memcached for the session cache, files are slow.", "The sessions are in Memcached now.")
	dir := filepath.Join(home, "Recall")
	recall(nil, "sync")
	l, err := library.Open(dir)
	must(t, err)
	projects, err := l.Projects()
	if err != nil || len(projects) != 1 {
		t.Fatalf("%v, %v", projects, err)
	}
	now := time.Now().UTC()
	m := &team.Membership{Address: "postgres://ana@127.0.0.1:1/x?sslmode=disable", Team: "t", Name: "Grain", Device: "d"}
	must(t, errors.Join(m.Keep(dir), m.KeepSynced(&team.Synced{At: now}), // so that nothing is synced beside
		m.Say(team.Share{Project: projects[0].ID, Name: "app", Level: team.LevelItems, As: 7}),
		os.Mkdir(m.Path("copy"), 0o700)))
	copied := func(name string, in int, texts ...string) {
		s := team.Copied{Session: name, Member: 2, Author: "Olga", Machine: "oak", Project: "app", In: in, Put: now}
		for n, said := range texts {
			s.Items = append(s.Items, team.CopiedItem{Came: now, Item: payload.Item{ID: payload.ItemID(name + said),
				Kind: payload.Decision, Text: said, At: now.Add(-time.Duration(n) * time.Minute)}})
		}
		data, err := json.Marshal(s)
		must(t, errors.Join(err, os.WriteFile(filepath.Join(m.Path("copy"), name+".json"), data, 0o600)))
	}
	var numbers []string
	for n := range 12 {
		numbers = append(numbers, fmt.Sprintf("Number %d holds", n))
	}
	copied("1-a", 7, numbers...)
	copied("2-a", 8, "Elsewhere") // of another project
	starts := func() string {
		cmd := exec.Command("recall", "hook", "session-start")
		cmd.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "XDG_CACHE_HOME="+home+"/cache",
			"LocalAppData="+home+"/cache", "XDG_CONFIG_HOME="+home+"/config", "AppData="+home+"/config",
			"RECALL_LIBRARY_DIR="+dir)
		cmd.Stdin = strings.NewReader(`{"session_id": "44440000-0000-4000-8000-000000000000", "cwd": "/home/ann/app",
			"hook_event_name": "SessionStart", "source": "startup"}`)
		out, err := cmd.Output()
		must(t, err)
		return string(out)
	}
	said := func(text string) (all []string) {
		for _, n := range regexp.MustCompile(`Olga decided (?:today|yesterday): (Number \d+|Elsewhere)`).
			FindAllStringSubmatch(text, -1) {
			all = append(all, strings.TrimPrefix(n[1], "Number "))
		}
		return all
	}
	if got := said(starts()); !slices.Equal(got, []string{"0", "1", "2"}) {
		t.Errorf("a session is told %q", got)
	}
	page := enter(t, startWeb(t, home, dir))("/now?project=app", nil)
	if got := said(page); !strings.Contains(page, "From your team") || len(got) != 10 || got[0] != "0" || got[9] != "9" {
		t.Errorf("the page has %q", got)
	}
	m.LookedNow()
	if got := said(starts()); len(got) > 0 {
		t.Errorf("a session is told %q, after they were looked at", got)
	}
}
