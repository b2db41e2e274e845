// Package raw is a session's bytes: segments, which are stretches of its files
// stored compressed, and the list of versions that are made of them.
//
//	raw/<offset>-<length>-<sha256>.zst   a segment, named after what is in it
//	raw/versions.jsonl                   which segments make up which version of which file
//
// One segment alone, from the first byte on, needs no list: it is the conversation, as it
// was archived. The list is made before a second one comes.
// Segments never change. All of it is read and written in a session's folder,
// whose lock the caller holds where it writes.
package raw

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recall/library/disk"
)

// A Segment is a stretch of a source's bytes, stored compressed under a name made of the three.
type Segment struct {
	Offset, Length int64
	Sum            string // SHA-256 of the source's bytes, hex
}

func (s Segment) String() string { return fmt.Sprintf("%d-%d-%s.zst", s.Offset, s.Length, s.Sum) }

// ParseSegment reads a segment's name.
func ParseSegment(name string) (Segment, error) {
	parts := strings.Split(strings.TrimSuffix(name, ".zst"), "-")
	if len(parts) == 3 && len(parts[2]) == 2*sha256.Size {
		off, err1 := strconv.ParseInt(parts[0], 10, 64)
		n, err2 := strconv.ParseInt(parts[1], 10, 64)
		s, fits := Segment{off, n, parts[2]}, n >= 0 && n < 1<<40
		if err1 == nil && err2 == nil && fits && s.String() == name {
			return s, nil
		}
	}
	return Segment{}, fmt.Errorf("segment %q: not <offset>-<length>-<sha256>.zst", name)
}

// In lists the segments that are in a session's folder.
func In(folder string) []Segment {
	names, _ := disk.Glob(folder, "raw", "*.zst") // the pattern is good
	var all []Segment
	for _, n := range names {
		if s, err := ParseSegment(filepath.Base(n)); err == nil {
			all = append(all, s)
		}
	}
	return all
}

// Path is where a segment lies in a session's folder.
func Path(folder string, s Segment) string { return filepath.Join(folder, "raw", s.String()) }

// ListPath is where the list of versions lies in a session's folder.
func ListPath(folder string) string { return filepath.Join(folder, "raw", "versions.jsonl") }

// A Staged is a segment that is written, not yet synced nor in its place.
type Staged struct {
	Segment
	Temp string
	CRC  string // CRC-32C of the file
}

// Drop removes staged segments that didn't come to their places.
func Drop(segs ...Staged) {
	for _, s := range segs {
		disk.Unlink(s.Temp)
	}
}

// Sync makes staged segments durable.
func Sync(segs []Staged) error {
	var paths []string
	for _, s := range segs {
		paths = append(paths, s.Temp)
	}
	return disk.SyncFiles(paths)
}

// Place moves staged segments into a session's folder. One that is there by its name stays if its checksum is the one
// known of it; else it is replaced.
func Place(segs []Staged, folder string, v *Versions) error {
	for _, s := range segs {
		target := Path(folder, s.Segment)
		if have, err := disk.SumFile(target); err == nil &&
			(have.CRC == s.CRC || slices.Contains(v.CRCs[s.String()], have.CRC)) {
			disk.Unlink(s.Temp)
			continue
		}
		if err := disk.Rename(s.Temp, target); err != nil {
			return err
		}
	}
	return nil
}
