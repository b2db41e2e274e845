package openai

import (
	"encoding/json"
	"slices"

	"github.com/tailscale/hujson"
)

// strict is a schema as strict mode takes it, where every key of an object is
// required: one that may be left out may be null instead. The order of keys stays, as
// models answer in it.
func strict(schema json.RawMessage) json.RawMessage {
	v, err := hujson.Parse(schema)
	if err != nil {
		return schema
	}
	beStrict(&v)
	v.Minimize()
	return v.Pack()
}

func beStrict(schema *hujson.Value) {
	if items := schema.Find("/items"); items != nil {
		beStrict(items)
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
		if beStrict(one); !slices.Contains(had, name.String()) {
			orNull(one)
		}
	}
	required.Value = all
}

// orNull makes a schema take null, too.
func orNull(schema *hujson.Value) {
	null := hujson.Value{Value: hujson.Literal("null")}
	if is := schema.Find("/type"); is != nil {
		is.Value = &hujson.Array{Elements: []hujson.Value{{Value: is.Value}, {Value: hujson.String("null")}}}
	}
	if words := schema.Find("/enum"); words != nil {
		list := words.Value.(*hujson.Array)
		list.Elements = append(list.Elements, null)
	}
}
