package raw

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"recall/library/disk"
)

// Replace stores a segment of the list again, in place of the file of the same name. put durably replaces a whole file.
func (v *Versions) Replace(folder string, st Staged, put func(path string, data []byte) error) error {
	if len(v.Lost) > 0 {
		return fmt.Errorf("%w: %w", v.Lost[0], disk.ErrDamaged)
	}
	raw := filepath.Join(folder, "raw")
	if err := disk.MakeDirs(raw); err != nil { // it may be gone with all in it
		return err
	}
	// Its checksum is listed first, beside the one that it had.
	name := st.String()
	v.CRCs[name] = append(v.CRCs[name], st.CRC)
	if err := put(ListPath(folder), v.encode()); err != nil {
		return err
	}
	if err := disk.Rename(st.Temp, Path(folder, st.Segment)); err != nil {
		return err
	}
	return disk.SyncDir(raw)
}

// encode returns the list of versions in its shortest form: one line for each.
func (v *Versions) encode() []byte {
	var lines []Line
	for _, file := range slices.Sorted(maps.Keys(v.Files)) {
		for n, ver := range v.Files[file] {
			line := Line{File: file, Role: v.Roles[file], Version: n + 1, Add: []string{}, Size: ver.Size,
				Sum: ver.Sum}
			for _, s := range ver.Segs {
				name := s.String()
				line.Add, line.CRC = append(line.Add, name), append(line.CRC, strings.Join(v.CRCs[name], " "))
			}
			lines = append(lines, line)
		}
	}
	return EncodeLines(lines)
}

// DropMerged removes segments that the lines made unnecessary: small ones, stored again together.
func (v *Versions) DropMerged(folder string, lines []Line) error {
	before := v.Needed()
	for _, line := range lines {
		if err := v.Apply(line); err != nil {
			return nil // an earlier line could not be read, so nothing is certain
		}
	}
	needed := v.Needed()
	for s := range before {
		if !needed[s] && len(v.Lost) == 0 {
			if err := disk.RemoveIfThere(Path(folder, s)); err != nil {
				return err
			}
		}
	}
	return nil
}

// DropStrays removes segments that no version has, left by an interrupted write, if a version holds all their bytes.
// Others stay: they might be the last copy of something.
func (v *Versions) DropStrays(ctx context.Context, folder string) error {
	needed := v.Needed()
	for _, s := range In(folder) {
		if needed[s] || !v.Covers(ctx, folder, s) {
			continue
		}
		if err := disk.RemoveIfThere(Path(folder, s)); err != nil {
			return err
		}
	}
	return nil
}

// Covers reports, after reading them, whether some version holds the bytes of a segment.
func (v *Versions) Covers(ctx context.Context, folder string, s Segment) bool {
	for _, list := range v.Files {
		for _, ver := range list {
			if ver.Size < s.Offset+s.Length {
				continue
			}
			in := Read(folder, ver.Segs...)
			in.At = s.Offset
			sum, err := disk.Sum(io.LimitReader(disk.Until(ctx, in), s.Length))
			in.Close()
			if err == nil && sum.Size == s.Length && sum.SHA256 == s.Sum {
				return true
			}
		}
	}
	return false
}
