package disk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
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

// Append-only files hold one JSON object per line, with its checksum. A last line without a line end was left by a
// crash, and the next write cuts it off, unless its checksum shows that it is complete.

// AppendLines appends whole lines in one write, after cutting off what a crash may have left. The caller holds the
// file's lock.
func AppendLines(path string, lines []byte) error {
	lines = SealLines(lines)
	f, err := OpenPlain(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	err = func() error {
		end, closed, err := lastLineEnd(f)
		if err != nil {
			return err
		}
		if !closed {
			lines = append([]byte("\n"), lines...)
		}
		err = Do(OpAppend, path, "", func() error {
			if err := f.Truncate(end); err != nil {
				return err
			}
			if _, err := f.WriteAt(lines, end); err != nil {
				f.Truncate(end) // a half line on a full disk
				return err
			}
			return nil
		})
		if err != nil {
			return err
		}
		return SyncFile(f)
	}()
	return errors.Join(err, f.Close())
}

// lastLineEnd returns the length of f without a torn last line, and whether it ends in a line end.
func lastLineEnd(f *os.File) (end int64, closed bool, err error) {
	fi, err := f.Stat()
	if err != nil {
		return 0, false, err
	}
	for look := int64(4096); ; look *= 4 {
		from := max(0, fi.Size()-look)
		tail := make([]byte, fi.Size()-from)
		if _, err := f.ReadAt(tail, from); err != nil {
			return 0, false, err
		}
		if i := bytes.LastIndexByte(tail, '\n'); i >= 0 || from == 0 {
			whole := Unended(tail[i+1:])
			return from + int64(i+1+len(whole)), whole == nil, nil
		}
	}
}

// Unended returns the part of tail, which follows the last line end, that is a complete line by its checksum, lacking
// only an intact line end; else nil.
func Unended(tail []byte) []byte {
	if SealOf(tail) == SealGood {
		return tail
	}
	if n := len(tail) - 1; n > 0 && SealOf(tail[:n]) == SealGood {
		return tail[:n]
	}
	return nil
}

// AppendShared appends whole lines, in one O_APPEND write, to a file that several may append to at once.
func AppendShared(path string, lines []byte) error {
	return Do(OpAppend, path, "", func() error {
		f, err := OpenPlain(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		_, err = f.Write(append(endOfTorn(f), SealLines(lines)...))
		return errors.Join(err, f.Close())
	})
}

// endOfTorn returns a line end if the last line lacks one, because its process was killed while writing.
func endOfTorn(f *os.File) []byte {
	var last [1]byte
	fi, err := f.Stat()
	if err != nil || fi.Size() == 0 {
		return nil
	}
	if _, err := f.ReadAt(last[:], fi.Size()-1); err != nil || last[0] == '\n' {
		return nil
	}
	return []byte("\n")
}

// SplitLines returns the lines of data that are complete and not blank.
func SplitLines(data []byte) [][]byte {
	end := bytes.LastIndexByte(data, '\n') + 1
	var lines [][]byte
	for line := range bytes.Lines(data[:end]) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	if last := Unended(data[end:]); last != nil {
		lines = append(lines, last)
	}
	return lines
}

// Unseal removes the checksum from a line that has one.
func Unseal(line []byte) []byte {
	return append(bytes.Clone(line[:bytes.LastIndex(line, []byte(LineCheck))]), '}')
}

// Lacking returns the lines of b that a lacks, sealed, except damaged ones.
func Lacking(a, b []byte) [][]byte {
	have := map[string]bool{}
	for _, line := range SplitLines(a) {
		have[string(SealLine(line))] = true
	}
	var out [][]byte
	for _, line := range SplitLines(b) {
		if SealOf(line) == SealBad {
			continue
		}
		if line = SealLine(line); !have[string(line)] {
			have[string(line)] = true
			out = append(out, line)
		}
	}
	return out
}

// ReadList reads a list from a JSON file of at most so many bytes; it is empty if there is no file.
func ReadList[T any](path string, most int64) (list []T, err error) {
	said, err := ReadRegular(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		if err = json.Unmarshal(said, &list); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	return list, err
}

// WriteList replaces the file of a list; an empty one has none.
func WriteList[T any](path string, list []T) error {
	if len(list) == 0 {
		return RemoveIfThere(path)
	}
	said, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return Replace(path, append(said, '\n'), 0o600)
}
