package disk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// How a flipped bit is found:
//
//   - a line of an append-only file ends in a checksum of what stands before
//     it, {…,"check":"1f2e3d4c"}: CRC-32C, of which one flip never goes unseen;
//   - a JSON file that is replaced whole ends in the SHA-256 of what stands
//     before that, …,\n  "check": "…"\n}\n, a TOML file in a comment # check …;
//   - sums of files that are for people stand in session.json, a README's in
//     library.toml, payload.md's whole text in payload.json;
//   - a segment's name has the SHA-256 of the bytes that are in it, and
//     versions.jsonl the CRC-32C of the file as stored.
//
// What was written by format 1, which had none of this, is named with size and
// SHA-256 where it ends: see inherited.

// ErrDamaged: what is there isn't what was written.
var ErrDamaged = errors.New("archived bytes are damaged")

var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

func crcOf(data []byte) string { return CRCText(crc32.Checksum(data, Castagnoli)) }

func CRCText(sum uint32) string { return fmt.Sprintf("%08x", sum) }

// CRCWriter sums what passes.
type CRCWriter struct {
	W   io.Writer
	Sum uint32
}

func (c *CRCWriter) Write(p []byte) (int, error) {
	n, err := c.W.Write(p)
	c.Sum = crc32.Update(c.Sum, Castagnoli, p[:n])
	return n, err
}

const LineCheck = `,"check":"`

// SealLine ends a JSON object on one line in its checksum.
func SealLine(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if len(line) < 3 || line[len(line)-1] != '}' || SealOf(line) == SealGood {
		return line // {} says nothing, another value can't carry one
	}
	body := line[:len(line)-1]
	return append(append([]byte{}, body...), LineCheck+crcOf(body)+`"}`...)
}

// SealLines does that for each line of text.
func SealLines(text []byte) []byte {
	var b bytes.Buffer
	for _, line := range SplitLines(text) {
		b.Write(SealLine(line))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

type seal int

const (
	SealNone seal = iota
	SealGood
	SealBad
)

// SealOf says what a line's checksum says of it.
func SealOf(line []byte) seal {
	const tail = len(LineCheck) + 8 + len(`"}`)
	if len(line) <= tail || string(line[len(line)-tail:][:len(LineCheck)]) != LineCheck {
		return SealNone
	}
	body := line[:len(line)-tail]
	if want := LineCheck + crcOf(body) + `"}`; string(line[len(body):]) == want {
		return SealGood
	}
	return SealBad
}

const docCheck = ",\n  \"check\": \""

// SealJSON ends an indented JSON object in the sum of its text.
func SealJSON(text []byte) []byte {
	body, ok := bytes.CutSuffix(text, []byte("\n}\n"))
	if !ok {
		return text
	}
	sum := sha256.Sum256(text)
	return append(append([]byte{}, body...), docCheck+hex.EncodeToString(sum[:])+"\"\n}\n"...)
}

// SealOfJSON says what such a sum says of a file.
func SealOfJSON(text []byte) seal {
	const tail = len(docCheck) + 2*sha256.Size + len("\"\n}\n")
	if len(text) <= tail || string(text[len(text)-tail:][:len(docCheck)]) != docCheck {
		return SealNone
	}
	body := text[:len(text)-tail]
	h := sha256.New()
	h.Write(body)
	h.Write([]byte("\n}\n"))
	if want := docCheck + hex.EncodeToString(h.Sum(nil)) + "\"\n}\n"; string(text[len(body):]) == want {
		return SealGood
	}
	return SealBad
}

const tomlCheck = "# check "

// SealTOML ends a TOML file in a comment with the sum of its text.
func SealTOML(text []byte) []byte {
	sum := sha256.Sum256(text)
	return append(append([]byte{}, text...), tomlCheck+hex.EncodeToString(sum[:])+"\n"...)
}

// SealOfTOML says what it says of a file.
func SealOfTOML(text []byte) seal {
	i := bytes.LastIndex(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	body, last := text[:i+1], text[i+1:]
	if !bytes.HasPrefix(last, []byte(tomlCheck)) {
		return SealNone
	}
	if bytes.Equal(SealTOML(body), text) {
		return SealGood
	}
	return SealBad
}

func HexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
