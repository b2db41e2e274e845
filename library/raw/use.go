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

// packMax is the largest number of source bytes in a packed segment.
const packMax = 256 << 20

// Runs returns the longest runs of segments that each version has completely or not at all: they are cut where a
// version branches off.
func (v *Versions) Runs() [][]Segment {
	owners := map[string]string{}
	files := slices.Sorted(maps.Keys(v.Files))
	for _, file := range files {
		for n, ver := range v.Files[file] {
			for _, s := range ver.Segs {
				owners[s.String()] += fmt.Sprintf("%d:%s %d\n", len(file), file, n)
			}
		}
	}
	done := map[string]bool{}
	var all [][]Segment
	for _, file := range files {
		for _, ver := range v.Files[file] {
			for i := 0; i < len(ver.Segs); {
				run, size := ver.Segs[i:i+1], ver.Segs[i].Length
				for k := i + 1; k < len(ver.Segs) && owners[ver.Segs[k].String()] == owners[ver.Segs[i].String()] &&
					size+ver.Segs[k].Length <= packMax; k++ {
					run, size = ver.Segs[i:k+1], size+ver.Segs[k].Length
				}
				if name := run[0].String(); !done[name] {
					done[name] = true
					all = append(all, run)
				}
				i += len(run)
			}
		}
	}
	return all
}

// Use replaces runs of segments, keyed by the name of a run's first segment, by staged segments in every version, and
// then removes segments that no version needs. put durably replaces a whole file.
func (v *Versions) Use(folder string, of map[string]Staged, put func(path string, data []byte) error) error {
	if err := v.Whole(); err != nil {
		return err
	}
	if err := disk.MakeDirs(filepath.Join(folder, "raw")); err != nil { // it may be gone with all in it
		return err
	}
	if err := v.MakeList(folder, put); err != nil {
		return err
	}
	raw := filepath.Join(folder, "raw")
	lines := v.linesWith(of)
	var fresh, over []Staged
	for _, st := range of {
		if disk.Exists(Path(folder, st.Segment)) {
			over = append(over, st) // the same bytes stored differently: named first, then replaced
		} else {
			fresh = append(fresh, st)
		}
	}
	if err := Place(fresh, folder, v); err != nil {
		return err
	}
	if err := disk.SyncDir(raw); err != nil {
		return err
	}
	// The whole list is written at once, and in a shorter form.
	if err := put(ListPath(folder), EncodeLines(lines)); err != nil {
		return err
	}
	for _, st := range over {
		if err := disk.Rename(st.Temp, Path(folder, st.Segment)); err != nil {
			return err
		}
	}
	if err := v.DropMerged(folder, lines); err != nil {
		return err
	}
	return disk.SyncDir(raw)
}

// linesWith returns one line for every version, with the staged segments in place of the runs.
func (v *Versions) linesWith(of map[string]Staged) (lines []Line) {
	for _, file := range slices.Sorted(maps.Keys(v.Files)) {
		for n, ver := range v.Files[file] {
			line := Line{File: file, Role: v.Roles[file], Version: n + 1, Add: []string{}, Size: ver.Size,
				Sum: ver.Sum}
			var end int64
			for _, s := range ver.Segs {
				if s.Offset < end {
					continue // covered by the staged one
				}
				name := s.String()
				crc := strings.Join(v.CRCs[name], " ")
				end = s.Offset + s.Length
				if st, ok := of[name]; ok {
					if st.String() != name {
						name, crc = st.String(), ""
					}
					crc, end = strings.TrimSpace(crc+" "+st.CRC), st.Offset+st.Length
				}
				line.Add, line.CRC = append(line.Add, name), append(line.CRC, crc)
			}
			lines = append(lines, line)
		}
	}
	return lines
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

// Whole returns an error if lines of the list could not be read.
func (v *Versions) Whole() error {
	if len(v.Lost) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", v.Lost[0], disk.ErrDamaged)
}
