package openai

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	api "github.com/sashabaranov/go-openai"
	"github.com/tailscale/hujson"

	"recall/internal/llm"
	"recall/internal/text"
)

// dialect is the form in which a service accepts requests.
type dialect struct {
	format         format
	oldMax         bool // max_tokens, rejected by reasoning models, not max_completion_tokens, unknown to older servers
	ownTemperature bool // leave the temperature to the model
	ownEffort      bool // leave the reasoning effort to the model
	switchedMax    bool // oldMax has been switched for this request
}

// format is how a model is made to follow a schema.
type format int

const (
	bySchema format = iota // response_format json_schema, strict
	byMode                 // json_object, with the schema in the prompt
	byWords                // only the schema in the prompt
)

// without returns the dialect without what the service has just rejected; ok is false if there is nothing left to
// omit. If the service only says that the request is bad, the format is assumed to be the cause.
func (h dialect) without(err error, hasSchema bool) (next dialect, ok bool) {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Fault != llm.Rejected && !(e.Status == http.StatusNotFound &&
		strings.Contains(e.Text, "support")) {
		return h, false // as in OpenRouter's 404: No endpoints found that support …
	}
	about := func(words ...string) bool { return text.AnyOf(strings.ToLower(e.Text), strings.Contains, words...) }
	next = h
	switch {
	case errors.Is(err, api.ErrReasoningModelMaxTokensDeprecated):
		next.oldMax, next.switchedMax = false, h.switchedMax || h.oldMax
	case errors.Is(err, api.ErrReasoningEffortUnsupported), about("reasoning_effort"):
		next.ownEffort = true
	case errors.Is(err, api.ErrReasoningModelLimitationsOther), errors.Is(err, api.ErrReasoningSamplingUnsupported),
		about("temperature") && !about("response_format"):
		next.ownTemperature = true
	case about("max_completion_tokens", "max_tokens") && !about("response_format"):
		if !h.switchedMax { // otherwise it accepts neither, or not the number
			next.oldMax, next.switchedMax = !h.oldMax, true
		}
	case hasSchema && h.format < byWords:
		next.format++
	}
	return next, next != h
}

// strict converts a schema to strict mode, which requires every key of an object: optional values become nullable
// instead. The order of keys is kept, because models answer in that order.
func strict(schema json.RawMessage) json.RawMessage {
	v, err := hujson.Parse(schema)
	if err != nil {
		return schema
	}
	makeStrict(&v)
	v.Minimize()
	return v.Pack()
}

func makeStrict(schema *hujson.Value) {
	if items := schema.Find("/items"); items != nil {
		makeStrict(items)
	}
	properties, required := schema.Find("/properties"), schema.Find("/required")
	if properties == nil || required == nil {
		return
	}
	of := properties.Value.(*hujson.Object)
	var had []string
	json.Unmarshal(required.Pack(), &had)
	all := &hujson.Array{}
	for i := range of.Members {
		name, one := of.Members[i].Name.Value.(hujson.Literal), &of.Members[i].Value
		all.Elements = append(all.Elements, hujson.Value{Value: name})
		if makeStrict(one); !slices.Contains(had, name.String()) {
			allowNull(one)
		}
	}
	required.Value = all
}

func allowNull(schema *hujson.Value) {
	null := hujson.Value{Value: hujson.Literal("null")}
	if is := schema.Find("/type"); is != nil {
		is.Value = &hujson.Array{Elements: []hujson.Value{{Value: is.Value}, {Value: hujson.String("null")}}}
	}
	if words := schema.Find("/enum"); words != nil {
		list := words.Value.(*hujson.Array)
		list.Elements = append(list.Elements, null)
	}
}
