package config

import (
	"errors"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/internal/hint"
	"recall/internal/llm"
)

// Each bad file is refused with file, line, key and what is allowed.
func TestBadFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unknown section", "libary:\n  dir: x\n", ":2: unknown key libary.dir"},
		{"unknown key", "query:\n  limit: 5\n  limitt: 6\n",
			":3: unknown key query.limitt"},
		{"bare number for a time", "query:\n  budget: 30\n",
			":2: query.budget: \"30\" isn't allowed; allowed: a time with its unit from 10ms to 10m, " +
				"such as 1s or 500ms"},
		{"bare number, quoted", "query:\n  budget: '1.5'\n", ":2: query.budget: \"1.5\" isn't allowed"},
		{"zero time", "query:\n  budget: 0s\n", ":2: query.budget: \"0s\" isn't allowed; allowed: a time"},
		{"negative time", "query:\n  budget: -1s\n", ":2: query.budget:"},
		{"word for a number", "payload:\n  budget: lots\n",
			":2: payload.budget: \"lots\" isn't allowed; allowed: a number from 200 to 8000"},
		{"truth for a number", "payload:\n  budget: true\n", ":2: payload.budget: \"true\" isn't allowed"},
		{"too large", "payload:\n  budget: 99999999999999999999\n", ":2: payload.budget:"},
		{"too small", "query:\n  limit: 0\n", ":2: query.limit: \"0\" isn't allowed; allowed: a number from 1 to 100"},
		{"yes for true", "query:\n  sync: yes\n", ":2: query.sync: \"yes\" isn't allowed; allowed: true or false"},
		{"unknown word", "payload:\n  variant: short\n",
			":2: payload.variant: \"short\" isn't allowed; allowed: coding, debug, handoff"},
		{"other distiller", "distill:\n  distiller: magic\n",
			":2: distill.distiller: \"magic\" isn't allowed; allowed: offline, model"},
		{"a model without one", "distill:\n  distiller: model\n",
			":2: distill.distiller is model, but llm.provider isn't set"},
		{"unknown provider", "llm:\n  provider: gpt\n",
			":2: llm.provider: \"gpt\" isn't allowed; allowed: none, anthropic, openai"},
		{"a key in the file", "llm:\n  api_key: sk-1\n", ":2: unknown key llm.api_key"},
		{"unknown key two levels down", "distill:\n  budget:\n    night: 1\n",
			":3: unknown key distill.budget.night"},
		{"number for the budget", "distill:\n  budget: 5\n",
			":2: unknown key distill.budget"},
		{"money with its sign", "distill:\n  budget:\n    night_cost: $1\n",
			":3: distill.budget.night_cost: \"$1\" isn't allowed; allowed: an amount in USD from 0 to 1000000, such as 0.50"},
		{"no amount", "distill:\n  budget: {month_cost: .nan}\n", ":2: distill.budget.month_cost:"},
		{"a price that isn't in the list", "llm:\n  prices: {model: x}\n",
			":2: llm.prices: \"map[model:x]\" isn't allowed; allowed: a list such as [{model:"},
		{"a price of something else", "llm:\n  prices: [{model: x, input: 1}]\n", ":2: llm.prices: "},
		{"a price without a model", "llm:\n  prices: [{in: 1}]\n", ":2: llm.prices: a price without a model"},
		{"list for a text", "library:\n  dir: [a]\n", ":2: library.dir: \"[a]\" isn't allowed; allowed: a folder"},
		{"nothing in a list", "sources:\n  cowork: [~]\n", ":2: sources.cowork: an empty name isn't a folder"},
		{"text for a section", "query: 5\n",
			":1: unknown key query"},
		{"no address, with a password", "llm:\n  url: me:hidden@llm.example.com\n",
			":2: llm.url: \"xxxxx@llm.example.com\" isn't allowed"},
		{"no address", "embed:\n  url: localhost:11434\n",
			":2: embed.url: \"localhost:11434\" isn't allowed; allowed: an address that begins with http:// or https://"},
		{"another protocol", "llm:\n  url: ftp://x/v1\n", ":2: llm.url: \"ftp://x/v1\" isn't allowed"},
		{"variable", "library:\n  dir: $HOME/x\n", ":2: library.dir: \"$HOME/x\": variables aren't expanded"},
		{"somebody's home", "library:\n  dir: ~bob/x\n", ":2: library.dir: \"~bob/x\": only ~ on its own"},
		{"empty folder", "library:\n  dir: ''\n", ":2: library.dir: an empty name"},
		{"key twice", "query:\n  limit: 1\n  limit: 2\n", "line 3: mapping key \"limit\" already defined at line 2"},
		{"section twice", "query:\n  limit: 1\nquery:\n  sync: true\n",
			"line 3: mapping key \"query\" already defined at line 1"},
		{"no YAML", "query: [1\n", "config.yaml:"},
		{"escape", "library:\n  dir: \"C:\\Users\\ann\"\n", "line 2:"},
		{"tab", "query:\n\tlimit: 1\n", "line 2:"},
		{"a list", "- a\n", "line 1: "},
		{"binary", "\x00\x01\xff", "config.yaml"},
	} {
		at := standIn(t)
		p := put(t, c.text, at.Home, "config.yaml")
		got, err := load(t, nil, p, nil, at)
		if err == nil {
			t.Errorf("%s: got %+v, want an error", c.name, got)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), p) {
			t.Errorf("%s:\n got %v\nwant %s%s", c.name, err, p, c.want)
		}
	}
}

// All that is wrong is said at once.
func TestAllProblemsAtOnce(t *testing.T) {
	at := standIn(t)
	p := put(t, "query:\n  limit: 0\n  bad: 1\n", at.Home, "c.yaml")
	_, err := load(t, flagsOf(t, "--limit", "900"), p, []string{"RECALL_QUERY_SYNC=perhaps"}, at)
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("got %v, want three problems: what a flag overrides doesn't matter", err)
	}
}

func TestGoodFiles(t *testing.T) {
	at := standIn(t)
	for _, c := range []struct {
		name, text string
		want       func(*Config) any
		value      any
	}{
		{"empty", "", func(c *Config) any { return c.Query.Limit }, 3},
		{"comments only", "# nothing\n", func(c *Config) any { return c.Query.Limit }, 3},
		{"empty section", "query:\nlibrary:\n", func(c *Config) any { return c.Query.Limit }, 3},
		{"key without value", "query:\n  limit:\n", func(c *Config) any { return c.Query.Limit }, 3},
		{"byte order mark, CRLF", "\uFEFFquery:\r\n  limit: 9\r\n", func(c *Config) any { return c.Query.Limit }, 9},
		{"quoted number", "query:\n  limit: '9'\n", func(c *Config) any { return c.Query.Limit }, 9},
		{"alias", "query:\n  limit: &n 9\npayload:\n  budget: 900\n", func(c *Config) any { return c.Query.Limit }, 9},
		{"time", "query:\n  budget: 1m30s\n", func(c *Config) any { return c.Query.Budget }, 90 * time.Second},
		{"home", "library:\n  dir: ~/Kept here\n", func(c *Config) any { return c.Library.Dir },
			filepath.Join(at.Home, "Kept here")},
		{"home, quoted", "library:\n  dir: \"~\"\n", func(c *Config) any { return c.Library.Dir }, at.Home},
		{"home with backslash", "library:\n  dir: ~\\Recall\n", func(c *Config) any { return c.Library.Dir },
			filepath.Join(at.Home, "Recall")},
		{"relative to the file", "library:\n  dir: lib\n", func(c *Config) any { return c.Library.Dir },
			filepath.Join(at.User, "lib")},
		{"case and dots kept", "sources:\n  cowork: [~/My.Repo, ~/UPPER]\n", func(c *Config) any { return c.Sources.Cowork },
			[]string{filepath.Join(at.Home, "My.Repo"), filepath.Join(at.Home, "UPPER")}},
		{"one line for a model", "llm: {provider: anthropic}\n", func(c *Config) any { return c.Distill.Distiller }, "model"},
		{"a model, but not to distill", "llm: {provider: anthropic}\ndistill: {distiller: offline}\n",
			func(c *Config) any { return c.Distill.Distiller }, "offline"},
		{"money", "distill:\n  budget:\n    night_cost: 0.50\n", func(c *Config) any { return c.Distill.Budget.NightCost },
			0.5},
		{"prices", "llm:\n  prices:\n    - {model: a.B, in: 1, out: 2.5}\n    - model: c\n",
			func(c *Config) any { return c.LLM.Prices },
			[]llm.Price{{Model: "a.B", In: 1, Out: 2.5}, {Model: "c"}}},
		{"source off", "sources:\n  cowork: []\n", func(c *Config) any { return c.Auto("sources.cowork") }, false},
	} {
		p := put(t, c.text, at.User, "c.yaml")
		got, err := load(t, nil, p, nil, at)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if v := c.want(got); !reflect.DeepEqual(v, c.value) {
			t.Errorf("%s: got %v, want %v", c.name, v, c.value)
		}
	}
}

func TestEnvironment(t *testing.T) {
	at := standIn(t)
	list := strings.Join([]string{"~/a", "b"}, string(filepath.ListSeparator))
	c, err := load(t, nil, "", []string{
		"RECALL_SOURCES_CLAUDE_CODE=" + list, "RECALL_QUERY_SYNC=false", "RECALL_QUERY_BUDGET=500ms",
		"RECALL_LIBRARY_DIR=lib=x",
		"RECALL_PAYLOAD_VARIANT=", "RECALL_SHARED=/nowhere", "RECALLING=x", "PATH=/bin",
	}, at)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{filepath.Join(at.Home, "a"), filepath.Join(at.Working, "b")}; !cmp.Equal(c.Sources.ClaudeCode,
		want) {
		t.Errorf("sources.claude_code: got %v, want %v", c.Sources.ClaudeCode, want)
	}
	if c.Query.Sync || c.Query.Budget != 500*time.Millisecond || c.Library.Dir != filepath.Join(at.Working, "lib=x") {
		t.Errorf("got %+v", c)
	}
	if off, err := load(t, nil, "", []string{"RECALL_SOURCES_COWORK=[]"}, at); err != nil ||
		off.Auto("sources.cowork") || len(off.Sources.Cowork) != 0 {
		t.Errorf("a source turned off by a variable: got %+v, %v", off, err)
	}
	if !c.Auto("payload.variant") {
		t.Error("an empty variable counts as set")
	}
	c, err = load(t, nil, "", []string{"RECALL_LLM_PROVIDER=ollama", "RECALL_DISTILL_BUDGET_NIGHT_COST=2.5",
		"RECALL_LLM_PRICES=[{model: m, in: 3}]", "RECALL_LLM_KEY=k"}, at)
	if err != nil {
		t.Fatal(err)
	}
	if c.Distill.Distiller != "model" || c.Distill.Budget.NightCost != 2.5 ||
		!cmp.Equal(c.LLM.Prices, []llm.Price{{Model: "m", In: 3}}) {
		t.Errorf("a model by variables: got %+v, %+v", c.Distill, c.LLM)
	}
}

func TestBadEnvironment(t *testing.T) {
	for _, c := range []struct{ env, want string }{
		{"RECALL_QUERY_LIMITT=3", "environment: unknown variable RECALL_QUERY_LIMITT"},
		{"RECALL_SOURCES_COWORK_0=/x", "unknown variable RECALL_SOURCES_COWORK_0"}, // elements of lists
		{"RECALL_QUERY=5", "unknown variable RECALL_QUERY"},
		{"RECALL_FOO=1", "environment: unknown variable RECALL_FOO"},
		{"RECALL_QUERY_BUDGET=30", "environment: RECALL_QUERY_BUDGET: \"30\" isn't allowed"},
		{"RECALL_QUERY_LIMIT=many", "environment: RECALL_QUERY_LIMIT: \"many\" isn't allowed; " +
			"allowed: a number from 1 to 100"},
	} {
		_, err := load(t, nil, "", []string{c.env}, standIn(t))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.env, err, c.want)
		}
	}
}

func TestWindowsPaths(t *testing.T) {
	at := standIn(t)
	for _, text := range []string{"library:\n  dir: C:\\Users\\ann\\Recall\n",
		"library:\n  dir: 'C:\\Users\\ann\\Recall'\n"} {
		c, err := load(t, nil, put(t, text, at.User, "w.yaml"), nil, at)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		want := `C:\Users\ann\Recall`
		if runtime.GOOS != "windows" { // a relative name there
			want = filepath.Join(at.User, want)
		}
		if c.Library.Dir != want {
			t.Errorf("%q: got %s, want %s", text, c.Library.Dir, want)
		}
	}
	_, err := load(t, nil, put(t, "library:\n  dir: \"C:\\Users\\ann\"\n", at.User, "w.yaml"), nil, at)
	var h *hint.Error
	if !errors.As(err, &h) || !strings.Contains(h.Hint, "single quotes") {
		t.Errorf("backslashes in double quotes: got %v, want a hint at single quotes", err)
	}
}
