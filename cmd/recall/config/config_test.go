package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"

	"recall/internal/llm"
)

// standIn gives a home, a configuration folder and a working directory of a
// test's own.
func standIn(t *testing.T) Surroundings {
	t.Helper()
	dir := t.TempDir()
	at := Surroundings{Home: filepath.Join(dir, "home"), User: filepath.Join(dir, "conf"),
		Working: filepath.Join(dir, "work")}
	for _, d := range []string{at.Home, filepath.Join(at.User, "recall"), at.Working} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return at
}

func put(t *testing.T, text string, elem ...string) string {
	t.Helper()
	p := filepath.Join(elem...)
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestMain takes away the variables that steer other packages' tests.
func TestMain(m *testing.M) {
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); strings.HasPrefix(name, "RECALL_") {
			os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

// load is Load with these variables set, and no others.
func load(t *testing.T, flags *pflag.FlagSet, explicit string, env []string, at Surroundings) (*Config, error) {
	t.Helper()
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		old, had := os.LookupEnv(name)
		if err := os.Setenv(name, value); err != nil {
			t.Fatal(err)
		}
		defer func() {
			os.Unsetenv(name)
			if had {
				os.Setenv(name, old)
			}
		}()
	}
	return Load(flags, explicit, at)
}

func flagsOf(t *testing.T, args ...string) *pflag.FlagSet {
	t.Helper()
	f := pflag.NewFlagSet("query", pflag.ContinueOnError)
	f.Int("limit", 7, "") // its own default must not count
	f.Bool("no-sync", false, "")
	f.String("library", "", "")
	f.String("other", "", "")
	SetsKey(f, "limit", "query.limit")
	SetsKey(f, "no-sync", "!query.sync")
	SetsKey(f, "library", "library.dir")
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestDefaultsWithoutAnyFile(t *testing.T) {
	at := standIn(t)
	c, err := load(t, flagsOf(t), "", nil, at)
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{}
	want.Library.Dir = filepath.Join(at.Home, "Recall")
	want.Sources.ClaudeCode, want.Sources.Cowork, want.Sources.Codex = []string{}, []string{}, []string{}
	want.Sources.Gemini = []string{}
	want.Sources.OpenCode = []string{}
	want.Distill.Distiller = "offline"
	want.Payload.Budget, want.Payload.Variant = 1000, "coding"
	want.Query.Limit, want.Query.Sync, want.Query.Budget = 3, true, time.Second
	want.Hooks.Notes = true
	want.Hooks.Nudge = 150_000
	want.Embed.Provider = "builtin"
	want.Query.Rerank, want.Query.Patience = "auto", 20*time.Second
	want.Distill.Window, want.Distill.Quiet = 24000, 30*time.Minute
	b := &want.Distill.Budget
	b.SessionTokens, b.NightTokens, b.MonthTokens = 1_000_000, 10_000_000, 100_000_000
	b.SessionCost, b.NightCost, b.MonthCost = 0.25, 1, 10
	want.LLM.Prices, want.Sources.Exclude = []llm.Price{}, []string{}
	want.Team.Told = true
	want.LLM.Provider, want.LLM.Timeout, want.LLM.Concurrency = "none", 3*time.Minute, 4
	if diff := cmp.Diff(want, c, cmpopts.IgnoreUnexported(Config{})); diff != "" {
		t.Errorf("defaults differ (-want +got):\n%s", diff)
	}
	for _, k := range Keys {
		if !c.Auto(k.Name) {
			t.Errorf("%s comes from %v, want default", k.Name, c.origins[k.Name])
		}
	}
}

// Without a home folder there is no default library, and no error before one
// is needed.
func TestNoHome(t *testing.T) {
	c, err := load(t, nil, "", nil, Surroundings{})
	if err != nil || c.Library.Dir != "" {
		t.Errorf("got %v, %v; want no library and no error", c, err)
	}
}

func TestPrecedence(t *testing.T) {
	type given struct{ file, env, flag bool }
	for _, g := range []given{{}, {file: true}, {env: true}, {flag: true}, {file: true, env: true},
		{file: true, flag: true}, {env: true, flag: true}, {file: true, env: true, flag: true}} {
		at := standIn(t)
		want, from := 3, origin{layer: fromDefault}
		if g.file {
			p := put(t, "query:\n  limit: 10\n", at.User, "recall", "config.yaml")
			want, from = 10, origin{fromFile, p}
		}
		var env, args []string
		if g.env {
			env = []string{"RECALL_QUERY_LIMIT=20"}
			want, from = 20, origin{fromEnv, "RECALL_QUERY_LIMIT"}
		}
		if g.flag {
			args = []string{"--limit", "30"}
			want, from = 30, origin{fromFlag, "--limit"}
		}
		c, err := load(t, flagsOf(t, args...), "", env, at)
		if err != nil {
			t.Fatal(err)
		}
		if c.Query.Limit != want || c.origins["query.limit"] != from {
			t.Errorf("%+v: got %d from %v, want %d from %v", g, c.Query.Limit, c.origins["query.limit"], want, from)
		}
	}
}

// A switch that turns something off is the key's opposite; a flag given with
// its default value still beats what is weaker.
func TestSwitchAndGivenDefault(t *testing.T) {
	c, err := load(t, flagsOf(t, "--no-sync", "--limit", "7", "--other", "x"), "", []string{"RECALL_QUERY_LIMIT=20"},
		standIn(t))
	if err != nil {
		t.Fatal(err)
	}
	if c.Query.Sync || c.Query.Limit != 7 {
		t.Errorf("got sync %v, limit %d; want false, 7", c.Query.Sync, c.Query.Limit)
	}
}

// Which of several files is read: --config, $RECALL_CONFIG, the user's; never the
// working directory's, which may be a cloned repository's.
func TestWhereTheFileIs(t *testing.T) {
	at := standIn(t)
	limit := func(n string) string { return "query: {limit: " + n + "}\n" }
	put(t, limit("14"), at.Working, "config.yaml")
	explicit, env := "", []string{}
	check := func(want int) {
		t.Helper()
		c, err := load(t, nil, explicit, env, at)
		if err != nil {
			t.Fatal(err)
		}
		if c.Query.Limit != want {
			t.Errorf("got %d from %s, want %d", c.Query.Limit, c.File, want)
		}
	}
	check(3)
	put(t, limit("13"), at.User, "recall", "config.yaml")
	check(13)
	env = []string{"RECALL_CONFIG=" + put(t, limit("12"), at.Home, "mine.yaml")}
	check(12)
	put(t, limit("11"), at.Working, "other.yaml")
	explicit = "other.yaml" // relative to the working directory
	check(11)
}

func TestNamedFileMustBeThere(t *testing.T) {
	at := standIn(t)
	for by, call := range map[string]func() (*Config, error){
		"--config":       func() (*Config, error) { return load(t, nil, "gone.yaml", nil, at) },
		"$RECALL_CONFIG": func() (*Config, error) { return load(t, nil, "", []string{"RECALL_CONFIG=gone.yaml"}, at) },
	} {
		_, err := call()
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), by) ||
			!strings.Contains(err.Error(), "gone.yaml") {
			t.Errorf("%s: got %v, want one that names it and the file", by, err)
		}
	}
	if _, err := load(t, nil, at.Home, nil, at); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder as --config: got %v", err)
	}
}

// The shipped config.yaml has every key, commented out, at its default.
func TestShippedFile(t *testing.T) {
	const shipped = "../../../config.yaml"
	at := standIn(t)
	c, err := load(t, nil, shipped, nil, Surroundings{Home: at.Home, Working: mustGetwd(t)})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range Keys {
		if !c.Auto(k.Name) {
			t.Errorf("%s is set as shipped", k.Name)
		}
	}
	text, err := os.ReadFile(shipped)
	if err != nil {
		t.Fatal(err)
	}
	open := put(t, strings.ReplaceAll(string(text), "\n#  ", "\n  "), at.Working, "open.yaml")
	if c, err = load(t, nil, open, nil, at); err != nil {
		t.Fatal(err)
	}
	plain, err := load(t, nil, "", nil, Surroundings{Home: at.Home})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range Keys {
		if c.Auto(k.Name) {
			t.Errorf("%s isn't in config.yaml", k.Name)
		}
		if k.Preset == "" {
			continue // what stands there is an example
		}
		if got, want := k.in(c).Interface(), k.in(plain).Interface(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: config.yaml says %v, the default is %v", k.Name, got, want)
		}
	}
}

func mustGetwd(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
