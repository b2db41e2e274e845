package openai

import (
	"encoding/json"
	"testing"
)

func TestStrict(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","required":["b"],"properties":{"b":{"type":"string"},"a":{"type":"string","enum":["x"]}},"additionalProperties":false}`: `{"type":"object","required":["b","a"],` +
			`"properties":{"b":{"type":"string"},"a":{"type":["string","null"],"enum":["x",null]}},"additionalProperties":false}`,
		`{"type":"array","items":{"type":"object","required":[],"properties":{"z":{"type":"integer"}}}}`: `{"type":"array","items":{"type":"object","required":["z"],"properties":{"z":{"type":["integer","null"]}}}}`,
		`true`: `true`,
	} {
		got := strict(json.RawMessage(schema))
		if string(got) != want {
			t.Errorf("%s\ngot  %s\nwant %s", schema, got, want)
		}
		if !json.Valid(got) {
			t.Errorf("not JSON: %s", got)
		}
	}
}
