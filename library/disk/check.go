package disk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// How a flipped bit is found:
//
//   - a line of an append-only file ends in a CRC-32C of what precedes it, {…,"check":"1f2e3d4c"};
//   - a JSON file that is replaced whole ends in the SHA-256 of what precedes that,
//     …,\n  "check": "…"\n}\n, a TOML file in a comment # check …;
//   - a transcript.md ends in such a comment, <!-- check … -->; session.json has the text of payload.md and the sums of
//     outputs, library.toml that of the README;
//   - a segment's name has the SHA-256 of its bytes, and versions.jsonl the CRC-32C of the file as stored.

// ErrDamaged means that the bytes differ from what was written.
var ErrDamaged = errors.New("archived bytes are damaged")

var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

func crcOf(data []byte) string { return CRCText(crc32.Checksum(data, Castagnoli)) }

func CRCText(sum uint32) string { return fmt.Sprintf("%08x", sum) }

// CRCWriter computes the checksum of what is written through it.
type CRCWriter struct {
	W    io.Writer
	Sum  uint32
	Size int64
}

func (c *CRCWriter) Write(p []byte) (int, error) {
	n, err := c.W.Write(p)
	c.Sum, c.Size = crc32.Update(c.Sum, Castagnoli, p[:n]), c.Size+int64(n)
	return n, err
}

const LineCheck = `,"check":"`

// SealLine adds its checksum to a JSON object on one line.
func SealLine(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if len(line) < 3 || line[len(line)-1] != '}' || SealOf(line) == SealGood {
		return line // {} has no content, and other values can't carry one
	}
	body := line[:len(line)-1]
	return append(append([]byte{}, body...), LineCheck+crcOf(body)+`"}`...)
}

// SealLines seals each line of text.
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

// SealOf checks the checksum of a line.
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

// SealJSON adds the sum of its text to an indented JSON object.
func SealJSON(text []byte) []byte {
	body, ok := bytes.CutSuffix(text, []byte("\n}\n"))
	if !ok {
		return text
	}
	return slices.Concat(body, []byte(docCheck+HexSum(text)+"\"\n}\n"))
}

// SealOfJSON checks the sum of such a file.
func SealOfJSON(text []byte) seal {
	const tail = len(docCheck) + 2*sha256.Size + len("\"\n}\n")
	if len(text) <= tail || string(text[len(text)-tail:][:len(docCheck)]) != docCheck {
		return SealNone
	}
	if bytes.Equal(SealJSON(append(bytes.Clone(text[:len(text)-tail]), "\n}\n"...)), text) {
		return SealGood
	}
	return SealBad
}

// A Comment is how a file's last line holds the sum of the others.
type Comment struct{ before, after string }

// TOML and Markdown are the comments of such files.
var (
	TOML     = Comment{"# check ", "\n"}
	Markdown = Comment{"<!-- check ", " -->\n"}
)

// Seal adds the sum of a file's text to it.
func (c Comment) Seal(text []byte) []byte {
	return append(bytes.Clone(text), c.before+HexSum(text)+c.after...)
}

// SealOf checks the sum of such a file.
func (c Comment) SealOf(text []byte) seal {
	i := len(c.Text(text))
	if i == len(text) {
		return SealNone
	}
	if bytes.Equal(c.Seal(text[:i]), text) {
		return SealGood
	}
	return SealBad
}

// Text returns a file's text without its sum.
func (c Comment) Text(text []byte) []byte {
	i := len(text) - len(c.before) - 2*sha256.Size - len(c.after)
	if i < 0 || !bytes.HasPrefix(text[i:], []byte(c.before)) {
		return text
	}
	return text[:i]
}

// Sums identify a content.
type Sums struct {
	Size   int64
	SHA256 string // hex
	CRC    string // CRC-32C, as formatted by CRCText
}

// Sum reads r to its end.
func Sum(r io.Reader) (Sums, error) {
	h := sha256.New()
	crc := &CRCWriter{W: h}
	_, err := io.Copy(crc, r)
	return Sums{crc.Size, hex.EncodeToString(h.Sum(nil)), CRCText(crc.Sum)}, err
}

// SumFile is Sum for a plain file.
func SumFile(path string) (Sums, error) {
	f, err := Open(path)
	if err != nil {
		return Sums{}, err
	}
	defer f.Close()
	return Sum(f)
}

// Until returns a reader that stops when a context is done.
func Until(ctx context.Context, r io.Reader) io.Reader { return ctxReader{ctx, r} }

type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

func HexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// CheckFile reads a file and compares it with what it should contain.
func CheckFile(path string, want Sums) error {
	got, err := SumFile(path)
	if err == nil && (got.Size != want.Size || got.SHA256 != want.SHA256) {
		err = fmt.Errorf("what was written reads back as %d bytes with SHA-256 %s, not %d with %s", got.Size, got.SHA256,
			want.Size, want.SHA256)
	}
	return err
}
