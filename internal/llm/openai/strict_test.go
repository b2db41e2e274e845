package openai

import (
	"encoding/json"
	"testing"

	"recall/internal/llm"
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

// A service elsewhere is held to all keys, as strict modes ask; a server on this machine, which makes a grammar of
// a schema, may leave out what is optional.
func TestOptionalKeys(t *testing.T) {
	form := `{"type":"object","required":["b"],"properties":{"b":{"type":"string"},"a":{"type":"string"}}}`
	for url, want := range map[string]string{
		"http://127.0.0.1:8080/v1": form,
		"https://example.com/v1": `{"type":"object","required":["b","a"],"properties":{"b":{"type":"string"},` +
			`"a":{"type":["string","null"]}}}`,
	} {
		m, err := NewChat(llm.Options{URL: url, Model: "tiny"})
		if err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(m.request(llm.Request{Schema: &llm.Schema{Name: "x", JSON: json.RawMessage(form)}},
			dialect{}).ResponseFormat.JSONSchema.Schema)
		if err != nil || string(body) != want {
			t.Errorf("%s: got %s, %v, want %s", url, body, err, want)
		}
	}
}
