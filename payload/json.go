package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	fastjson "github.com/go-json-experiment/json"
)

// ErrDecode is in the error of Decode.
var ErrDecode = errors.New("decode payload")

// ErrNewer is in the error for a payload.json that a newer recall wrote.
var ErrNewer = errors.New("written by a newer recall")

// Encode returns the payload as payload.json holds it: indented, ending in a newline, always the same bytes.
func Encode(p *Payload) ([]byte, error) {
	out := *p
	out.Schema = Schema
	if out.Items == nil {
		out.Items = []Item{} // a list for every program, if an empty one
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(&out); err != nil {
		return nil, fmt.Errorf("encode payload of %s: %w", p.Session, err)
	}
	return buf.Bytes(), nil
}

// Decode reads what Encode wrote, also in earlier versions. A newer schema is ErrNewer: guessing could lose what it
// added.
func Decode(data []byte) (*Payload, error) {
	var head struct {
		Schema int `json:"schema"`
	}
	if err := fastjson.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDecode, err)
	}
	if head.Schema > Schema {
		return nil, fmt.Errorf("%w: schema %d, this recall knows %d: %w", ErrDecode, head.Schema, Schema, ErrNewer)
	}
	if head.Schema < 1 {
		return nil, fmt.Errorf("%w: no schema version, so this is not a payload.json", ErrDecode)
	}
	p := new(Payload)
	if err := fastjson.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDecode, err)
	}
	p.Schema = Schema
	return p, nil
}
