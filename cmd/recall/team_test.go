package main

import (
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
