package cowork

import (
	"strconv"
	"strings"

	"recall/ingest"
	"recall/ingest/jsonl"
)

// noted is what an entry of an audit log says that no transcript does.
type noted struct {
	tool, call string
	input      map[string]string
	granted    bool
	terminal   string
	cost       float64
	usage      ingest.Usage
}

func readNoted(raw []byte) (n noted) {
	var decision, allowed, cost string
	c := jsonl.NewCursor(raw)
	c.Fields(jsonl.Fields{
		"tool_name": &n.tool, "tool_use_id": &n.call, "granted": &allowed, "decision": &decision,
		"terminal_reason": &n.terminal, "total_cost_usd": &cost,
		"tool_input": func() { n.input = ingest.Input(c, jsonl.Unquote) },
		"modelUsage": func() { n.usage = modelUsage(c) },
	})
	n.granted = allowed == "true" || allowed == "1" || allowed == "" && strings.HasPrefix(decision, "allow")
	if v, err := strconv.ParseFloat(cost, 64); err == nil && v > 0 && v < 1e6 {
		n.cost = v
	}
	return n
}

// modelUsage sums the tokens that a result states for each model.
func modelUsage(c *jsonl.Cursor) (all ingest.Usage) {
	c.Object(func([]byte) {
		var u ingest.Usage
		c.Fields(jsonl.Fields{"inputTokens": &u.Input, "outputTokens": &u.Output,
			"cacheCreationInputTokens": &u.CacheWrite, "cacheReadInputTokens": &u.CacheRead})
		all.Add(u)
	})
	return all
}
