package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	fastjson "github.com/go-json-experiment/json"
)

// ErrDecode is wrapped by all errors of Decode.
var ErrDecode = errors.New("decode payload")

// ErrNewer means that a newer recall wrote the payload.
var ErrNewer = errors.New("written by a newer recall")

// Encode returns the payload in the form in which it is kept: indented, ending in a newline, always the same bytes.
func Encode(p *Payload) ([]byte, error) {
	out := *p
	out.Schema = Schema
	if out.Items == nil {
		out.Items = []Item{} // [] rather than null for other programs
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

// Decode reads what Encode wrote, including earlier versions. A newer schema is ErrNewer: guessing might lose what it
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
		return nil, fmt.Errorf("%w: no schema version, so this is not a payload", ErrDecode)
	}
	p := new(Payload)
	if err := fastjson.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDecode, err)
	}
	p.Schema = Schema
	return p, nil
}
