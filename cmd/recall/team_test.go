package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"recall/team/pgtest"
)

// withServer ends the PostgreSQL that tests ask for behind the last.
type withServer struct{ *testing.M }

func (m withServer) Run() int { return pgtest.Main(m.M) }

// A team's stories, each in a database of its own: $OWNER, $ANA and $BEN are the addresses of logins, whose names
// are $OWNER_LOGIN and so on. "as ana" goes on as another person, with a home and a library of their own.
func TestTeam(t *testing.T) {
	stories, err := filepath.Glob(filepath.Join("testdata", "team", "*.txtar"))
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, story := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(story), ".txtar"), func(t *testing.T) {
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
			testscript.Run(t, testscript.Params{Files: []string{story}, Cmds: cmds, RequireExplicitExec: true,
				Setup: func(env *testscript.Env) error {
					env.Setenv("RECALL_TEAM_WAIT", "10s") // however busy the machine is
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
