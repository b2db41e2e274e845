// Package vectorfile keeps windows' vectors in a file beside an index. Vectors take an hour to make where the index
// takes a minute: by their windows' keys they are found again when it is made anew.
package vectorfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"
)

// A File is that of one model. Its first line names the model and its dimensions. Records follow, each the CRC-32C of
// the rest, a key, and the vector as 32-bit floats, all little-endian. It is only appended to, by whoever holds the
// index's write lock, and rewritten without the vectors of what was forgotten.
type File struct {
	Path, Model string
	Dims        int // 0 until known
}

// Name is the name of the file of vectors, beside the index.
const Name = "vectors.f32"

const form = "recall vectors 1"

// Of returns the file of a model beside the index at path.
func Of(path, model string) *File {
	return &File{Path: filepath.Join(filepath.Dir(path), Name), Model: model}
}

// Vector is a window's vector, of length 1.
type Vector struct {
	Key int64
	V   []float32
}

func (f *File) head() string { return fmt.Sprintf("%s %d %s\n", form, f.Dims, f.Model) }

// isHead reports whether a first line is of vectors of this model, and takes their dimensions from it.
func (f *File) isHead(line string) bool {
	rest, ok := strings.CutPrefix(line, form+" ")
	dims, model, _ := strings.Cut(rest, " ")
	if !ok || model != f.Model {
		return false
	}
	var err error
	f.Dims, err = strconv.Atoi(dims)
	return err == nil && f.Dims > 0 && f.Dims <= 1<<16
}

func (f *File) record() int { return 4 + 8 + 4*f.Dims }

// ErrOther means that a file isn't one of the model's vectors.
var ErrOther = errors.New("vectors of another model, or none")

// longestHead is the size limit of the file's first line.
const longestHead = 1 << 10

// readAtOnce is how many vectors are read at once if not all are wanted.
const readAtOnce = 32

// Read calls do for each wanted vector, all if wanted is nil, from a place in the file on, its beginning being 0,
// and returns the end of the last. It fails with ErrOther, or with ErrUnusable after the last if there are damaged
// ones, which it skips.
func (f *File) Read(from int64, wanted map[int64]bool, do func(Vector)) (end int64, err error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	line := make([]byte, longestHead)
	n, err := file.ReadAt(line, 0)
	if err != nil && err != io.EOF {
		return 0, err
	}
	line, _, _ = bytes.Cut(line[:n], []byte("\n"))
	if !f.isHead(string(line)) {
		return 0, ErrOther
	}
	end = max(from, int64(len(line)+1))
	info, err := file.Stat()
	if err != nil {
		return end, err
	}
	size := max(int(info.Size()-end), 0)
	if wanted != nil {
		size = min(size, readAtOnce*f.record())
	}
	part := make([]byte, size)
	damaged := 0
	for n = len(part); n == len(part) && n >= f.record(); { // less is what a killed process began
		if n, err = file.ReadAt(part, end); err != nil && err != io.EOF {
			return end, err
		}
		for data := part[:n]; len(data) >= f.record(); data = data[f.record():] {
			end += int64(f.record())
			rest := data[4:f.record()]
			key := int64(binary.LittleEndian.Uint64(rest))
			if wanted != nil && !wanted[key] {
				continue
			}
			if crc32.Checksum(rest, castagnoli) != binary.LittleEndian.Uint32(data) {
				damaged++
				continue
			}
			if wanted != nil { // what was read is read over
				rest = bytes.Clone(rest)
			}
			do(Vector{key, vectorOf(rest[8:])})
		}
	}
	if damaged > 0 {
		return end, fmt.Errorf("%s: %d damaged: %w", f.Path, damaged, ErrUnusable)
	}
	return end, nil
}

// Add appends vectors and returns the file's size. A record that was begun by a killed process is cut off.
func (f *File) Add(list []Vector) (size int64, err error) {
	file, err := os.OpenFile(f.Path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	var b []byte
	size = info.Size()
	if head := f.head(); size < int64(len(head)) {
		size, b = 0, []byte(head)
	} else {
		size -= (size - int64(len(head))) % int64(f.record())
	}
	for _, v := range list {
		b = f.append(b, v)
	}
	if err := file.Truncate(size); err != nil {
		return 0, err
	}
	if _, err := file.WriteAt(b, size); err != nil {
		return 0, err
	}
	return size + int64(len(b)), file.Sync()
}

func (f *File) append(b []byte, v Vector) []byte {
	at := len(b)
	b = binary.LittleEndian.AppendUint64(append(b, 0, 0, 0, 0), uint64(v.Key))
	b, _ = binary.Append(b, binary.LittleEndian, v.V) // can't fail for floats
	binary.LittleEndian.PutUint32(b[at:], crc32.Checksum(b[at+4:], castagnoli))
	return b
}

// Replace writes the file anew.
func (f *File) Replace(list []Vector) (size int64, err error) {
	beside := File{f.Path + ".new", f.Model, f.Dims}
	if err := os.Remove(beside.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if size, err = beside.Add(list); err != nil {
		return 0, err
	}
	return size, os.Rename(beside.Path, f.Path)
}

// Remove removes the file, if there is one.
func (f *File) Remove() error {
	err := os.Remove(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// vectorOf returns the vector whose bytes b holds, without copying them: copying took a third of the time of reading
// 1 GB of sessions' vectors. All systems that recall is built for are little-endian, and records begin at a multiple
// of four bytes of what was read.
func vectorOf(b []byte) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}

// ErrUnusable means that a vector can't be compared with others.
var ErrUnusable = errors.New("not a usable vector")

// Check rejects vectors that would spoil comparisons: of another length, all zero, or with a component that
// isn't a number.
func Check(v []float32, dims int) error {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if len(v) != dims || !(math.Abs(sum-1) < 0.01) {
		return fmt.Errorf("%d dimensions, not %d, or squares that sum to %v: %w", len(v), dims, sum, ErrUnusable)
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
