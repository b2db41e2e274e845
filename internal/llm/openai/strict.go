package openai

import (
	"encoding/json"
	"slices"

	"github.com/tailscale/hujson"
)

// strict converts a schema to strict mode, which requires every key of an object: optional
// values become nullable instead. The order of keys is kept, because models answer in that
// order.
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
