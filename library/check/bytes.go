package check

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
)

// checkLines says what is wrong with the lines of an append-only file, or "", and counts its bytes. A torn last line
// is no damage: its write was interrupted. The error is from reading.
func checkLines(file io.Reader) (what string, state FindingState, size int64, err error) {
	var bad []int
	var tail []byte
	n, lines := 0, bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		size += int64(len(line))
		if err == io.EOF {
			tail = line
			break
		}
		if err != nil {
			return "", "", size, err
		}
		n++
		if line = line[:len(line)-1]; len(line) > 0 && !lineIsGood(line) {
			bad = append(bad, n)
		}
	}
	what, state = faultOf(bad, n, tail)
	return what, state, size, nil
}

// faultOf describes the fault if the given ones of n lines are damaged and tail follows the last line end.
func faultOf(bad []int, n int, tail []byte) (what string, state FindingState) {
	whole := disk.Unended(tail)
	switch {
	case len(bad) == 1:
		return fmt.Sprintf("line %d is damaged", bad[0]), Damaged
	case len(bad) > 1:
		return fmt.Sprintf("%d lines are damaged, the first is line %d", len(bad), bad[0]), Damaged
	case whole != nil && len(whole) < len(tail):
		return fmt.Sprintf("the end of line %d is damaged", n+1), Damaged
	case len(tail) > 0 && whole == nil:
		return fmt.Sprintf("line %d was cut off while being written", n+1), Unfinished
	}
	return "", ""
}

func lineIsGood(line []byte) bool {
	s := disk.SealOf(line) // only objects have a seal
	return s == disk.SealGood || s == disk.SealNone && line[0] != '{' && json.Valid(line)
}

// storedDifferently is the error for a segment whose content is right but whose file differs from what was stored.
type storedDifferently struct{ error }

// checkSegment reads a segment's file. It returns the bytes read, the bytes they decompressed to, and what is wrong.
func checkSegment(path string, s raw.Stored) (stored, source int64, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return 0, 0, ingest.WithoutPath(err)
	}
	defer f.Close()
	crc := &disk.CRCWriter{W: io.Discard}
	in := io.TeeReader(f, crc)
	sum, err := unpack(in, s.Length)
	if source = sum.Size; err == nil && (source != s.Length || sum.SHA256 != s.Sum) {
		err = errors.New("its content doesn't match its name")
	}
	if err == nil {
		_, err = io.Copy(io.Discard, in) // what follows the frame
	}
	switch stored = crc.Size; {
	case err != nil:
		return stored, source, err
	case len(s.CRCs) == 0 || slices.Contains(s.CRCs, disk.CRCText(crc.Sum)):
		return stored, source, nil
	}
	return stored, source, storedDifferently{errors.New("the file differs from what was stored, but its content is right")}
}

// unpack sums the decompressed bytes, up to a little more than want.
func unpack(in io.Reader, want int64) (disk.Sums, error) {
	out, done, err := raw.Unpacked(in)
	if err != nil {
		return disk.Sums{}, err
	}
	defer done()
	return disk.Sum(io.LimitReader(out, want+1))
}
