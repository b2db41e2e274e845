package disk

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"time"
)

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

// AppendShared appends whole lines, in one O_APPEND write, to a file that anybody may append to without a lock. If
// another file took its place meanwhile (see replaceShared) and lacks the lines, they are added there: better twice
// than not at all.
func AppendShared(path string, lines []byte) error {
	lines = SealLines(lines)
	return Do(OpAppend, path, "", func() error {
		for {
			in, err := appendOnce(path, lines)
			if err != nil || in {
				return err
			}
			time.Sleep(LateWrites)
			if text, err := ReadPlain(path); err == nil && bytes.Contains(text, lines) {
				return nil
			}
		}
	})
}

// LateWrites is how long whoever replaces a file waits for late lines.
const LateWrites = 5 * time.Millisecond

// appendOnce appends; in reports whether the file is still the one at its path.
func appendOnce(path string, lines []byte) (in bool, err error) {
	f, err := OpenPlain(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return false, err
	}
	_, err = f.Write(append(endOfTorn(f), lines...))
	to, unknown := f.Stat()
	if err = errors.Join(err, f.Close()); err != nil || unknown != nil {
		return true, err
	}
	now, gone := os.Stat(path)
	return gone == nil && os.SameFile(to, now), nil
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

// EachLine yields an append-only file's lines one by one, as SplitLines would. A missing file has none.
func EachLine(path string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		for r := bufio.NewReader(f); err == nil; {
			var line []byte
			switch line, err = r.ReadBytes('\n'); err {
			case nil:
				line = bytes.TrimSpace(line)
			case io.EOF:
				line = Unended(line)
			default:
				yield(nil, err)
				return
			}
			if len(line) > 0 && !yield(line, nil) {
				return
			}
		}
	}
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
