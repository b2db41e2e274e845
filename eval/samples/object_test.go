package samples

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// object is a JSON object that keeps the order of its fields, as transcripts do.
type object []field

type field struct {
	name  string
	value any
}

// obj takes names and values in turn.
func obj(pairs ...any) object {
	o := make(object, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		o = append(o, field{pairs[i].(string), pairs[i+1]})
	}
	return o
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:", f.name)
		v, err := encode(f.value)
		if err != nil {
			return nil, err
		}
		b.Write(v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode is json.Marshal without HTML escapes: JavaScript doesn't write them.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// digest hashes parts, each with its length.
func digest(parts ...string) [32]byte {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return [32]byte(h.Sum(nil))
}

// uuid makes a version 4 UUID out of what identifies a record.
func uuid(parts ...string) string {
	d := digest(parts...)
	d[6], d[8] = d[6]&0x0f|0x40, d[8]&0x3f|0x80
	x := hex.EncodeToString(d[:16])
	return x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:]
}

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// apiID makes an id such as the API's "msg_01…".
func apiID(prefix string, parts ...string) string {
	d := digest(parts...)
	id := []byte(prefix)
	for _, c := range d[:22] {
		id = append(id, base58[int(c)%len(base58)])
	}
	return string(id)
}

// between picks a number in [lo, hi) by hash.
func between(lo, hi int, parts ...string) int {
	d := digest(parts...)
	return lo + (int(d[0])<<16|int(d[1])<<8|int(d[2]))%(hi-lo)
}
