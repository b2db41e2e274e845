package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A configKey is one setting: its place in config.yaml, its default and what
// it may be.
type configKey struct {
	Name string // "query.limit"; the variable is RECALL_QUERY_LIMIT
	kind
	Preset string // the default, as one would write it
	About  string

	taste bool // nothing is read, written, sent or kept back by it: a file in the working directory may set it
}

// Keys are all settings, in the order of config.yaml.
var Keys = []configKey{
	{Name: "library.dir", kind: folder, Preset: "~/Recall", About: "where the library is"},
	{Name: "sources.claude_code", kind: folders,
		About: "where Claude Code keeps its sessions; not set: its own places are searched"},
	{Name: "sources.cowork", kind: folders,
		About: "where Cowork keeps its sessions; not set: its own places are searched"},
	{Name: "sources.file_history", kind: truth, Preset: "false",
		About: "archive Claude Code's copies of edited files too"},
	{Name: "distill.distiller", kind: oneOf(ByRules, ByModel), Preset: ByRules,
		About: "what makes payloads; not set: model if llm.provider is set"},
	{Name: "distill.batch", kind: truth, Preset: "false",
		About: "hand requests in as a batch, collected by a later run at half the price"},
	{Name: "distill.links", kind: oneOf(linksShown, LinksHide), Preset: linksShown,
		About: "what a decision that the model says is superseded becomes: shown beside the later one, or hidden " +
			"behind it; see recall eval relations"},
	{Name: "distill.window", kind: number(1000, 1_000_000), Preset: "24000",
		About: "tokens of a session shown to the model at a time"},
	{Name: "distill.quiet", kind: duration(0, 30*24*time.Hour), Preset: "30m",
		About: "how long a session must have been quiet before a model is shown it"},
	{Name: "distill.budget.session_tokens", kind: number(0, 1_000_000_000), Preset: "1000000",
		About: "most tokens for one session; 0: no cap"},
	{Name: "distill.budget.night_tokens", kind: number(0, 1_000_000_000), Preset: "10000000",
		About: "most tokens in one night, from noon to noon; 0: no cap"},
	{Name: "distill.budget.month_tokens", kind: number(0, 1_000_000_000), Preset: "100000000",
		About: "most tokens in a calendar month; 0: no cap"},
	{Name: "distill.budget.session_cost", kind: money(1_000_000), Preset: "0.25",
		About: "most USD for one session; 0: no cap"},
	{Name: "distill.budget.night_cost", kind: money(1_000_000), Preset: "1",
		About: "most USD in one night, from noon to noon; 0: no cap"},
	{Name: "distill.budget.month_cost", kind: money(1_000_000), Preset: "10",
		About: "most USD in a calendar month; 0: no cap"},
	{Name: "payload.budget", taste: true, kind: number(200, 8000), Preset: "1000",
		About: "most tokens of a payload"},
	{Name: "payload.variant", taste: true, kind: oneOf("coding", "debug", "handoff"), Preset: "coding",
		About: "which form of a payload is written"},
	{Name: "hooks.confirm", taste: true, kind: truth, Preset: "false",
		About: "have a new session say how it understands its payload"},
	{Name: "hooks.notes", kind: truth, Preset: "true", About: "tell a session when it goes against what was settled"},
	{Name: "query.limit", taste: true, kind: number(1, 100), Preset: "5", About: "most answers printed"},
	{Name: "query.sync", kind: truth, Preset: "true", About: "take in what is new before answering"},
	{Name: "query.vectors", kind: oneOf("off", "static", "service"), Preset: "off",
		About: "vectors that are fused with the word search"},
	{Name: "query.vector_weight", taste: true, kind: number(0, 100), Preset: "10",
		About: "how much they count beside the words, in hundredths; recall calibrate finds it"},
	{Name: "query.budget", taste: true, kind: duration(10*time.Millisecond, 10*time.Minute), Preset: "1s",
		About: "longest time that taking in may delay an answer"},
	{Name: "query.rerank", kind: oneOf(RerankAuto, RerankModel, rerankOff), Preset: RerankAuto,
		About: "whether the model of llm.provider says which of what was found answers; auto: one that distills, where the first answer isn't sure, and in scripts and agents if it is quick"},
	{Name: "query.model_timeout", kind: duration(100*time.Millisecond, 24*time.Hour), Preset: "20s",
		About: "longest time a model may delay an answer; not set: 2m of one on this machine, 10m of relay"},
	{Name: "embed.dir", kind: folder, About: "folder of a static model, for query.vectors: static"},
	{Name: "embed.url", kind: address, About: "address of an embedding service, for query.vectors: service"},
	{Name: "embed.model", kind: text, About: "the service's name for the model"},
	{Name: "embed.dims", kind: number(0, 8192), Preset: "0",
		About: "dimensions to ask the service for; 0 for what the model gives"},
	{Name: "llm.provider", kind: oneOf(Providers...), Preset: NoProvider,
		About: "the model that may be asked; none: nothing leaves this machine"},
	{Name: "llm.model", kind: text, About: "the provider's name for the model; not set: a small one that does"},
	{Name: "llm.url", kind: address,
		About: "address of the service, for openai, anthropic and ollama; not set: the provider's own"},
	{Name: "llm.dir", kind: folder, About: "folder of requests and answers, for relay and replay"},
	{Name: "llm.timeout", kind: duration(time.Second, 24*time.Hour), Preset: "3m",
		About: "longest time for one answer; not set: 15m of a model on this machine, none of relay"},
	{Name: "llm.concurrency", kind: number(1, 64), Preset: "4",
		About: "most requests at once; not set: 1 of a model on this machine, 64 of relay; always 1 of claude-cli"},
	{Name: "llm.context", kind: number(0, 10_000_000), Preset: "0",
		About: "the model's window in tokens; 0: as known of the model"},
	{Name: "llm.max_output", kind: number(0, 1_000_000), Preset: "0",
		About: "most tokens of an answer; 0: what the task needs"},
	{Name: "llm.prices", kind: prices,
		About: "prices that the built-in ones lack or have wrong, in USD for a million tokens"},
}

func keyNamed(name string) (configKey, bool) {
	i := slices.IndexFunc(Keys, func(k configKey) bool { return k.Name == name })
	if i < 0 {
		return configKey{}, false
	}
	return Keys[i], true
}

// Variable is the environment variable that sets the key.
func (k configKey) Variable() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(k.Name, ".", "_"))
}

// read reads a value as written in one word. Relative folders start at at.Working.
func (k configKey) read(s string, at Surroundings) (any, error) {
	v, err := k.parse(s, at)
	if errors.Is(err, errNot) {
		err = fmt.Errorf("%q isn't allowed; allowed is %s", masked(k.Name, s), k.Allowed)
	}
	return v, err
}

// of reads a value of the file.
func (k configKey) of(n *yaml.Node, at Surroundings) (any, error) {
	switch {
	case k.list != nil && n.Kind == yaml.SequenceNode:
		return k.list(n, at)
	case k.list != nil || n.Kind != yaml.ScalarNode:
		return nil, fmt.Errorf("wrong form; allowed is %s", k.Allowed)
	}
	return k.read(n.Value, at)
}
