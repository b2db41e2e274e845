package index

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"recall/internal/llm"
)

// vectorFile is the file of windows' vectors beside an index. Vectors take an hour to make where the index takes
// a minute: by their windows' keys they are found again when it is made anew. The first line names the model and its
// dimensions. Records follow, each the CRC-32C of the rest, a key, and the vector as 32-bit floats, all little-endian.
// It is only appended to, by whoever holds the index's write lock, and rewritten without the vectors of what was
// forgotten.
type vectorFile struct {
	path, model string
	dims        int // 0 until known
}

// VectorsName is the name of the file of vectors, beside the index.
const VectorsName = "vectors.f32"

const vectorsForm = "recall vectors 1"

// vectorFileOf returns the file beside the index at path.
func vectorFileOf(path, model string) *vectorFile {
	return &vectorFile{path: filepath.Join(filepath.Dir(path), VectorsName), model: model}
}

// vector is a window's vector, of length 1.
type vector struct {
	key int64
	v   []float32
}

func (f *vectorFile) head() string { return fmt.Sprintf("%s %d %s\n", vectorsForm, f.dims, f.model) }

// isHead reports whether a first line is of vectors of this model, and takes their dimensions from it.
func (f *vectorFile) isHead(line string) bool {
	rest, ok := strings.CutPrefix(line, vectorsForm+" ")
	dims, model, _ := strings.Cut(rest, " ")
	if !ok || model != f.model {
		return false
	}
	var err error
	f.dims, err = strconv.Atoi(dims)
	return err == nil && f.dims > 0 && f.dims <= 1<<16
}

func (f *vectorFile) record() int { return 4 + 8 + 4*f.dims }

// errOtherVectors means that a file isn't one of the model's vectors.
var errOtherVectors = errors.New("vectors of another model, or none")

// longestHead is the size limit of the file's first line.
const longestHead = 1 << 10

// readAtOnce is how many vectors are read at once if not all are wanted.
const readAtOnce = 128

// readFrom calls do for each wanted vector, all if wanted is nil, from a place in the file on, its beginning being 0,
// and returns the end of the last. It fails with errOtherVectors, or with ErrVector after the last if there are damaged
// ones, which it skips.
func (f *vectorFile) readFrom(from int64, wanted map[int64]bool, do func(vector)) (end int64, err error) {
	file, err := os.Open(f.path)
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
		return 0, errOtherVectors
	}
	end = max(from, int64(len(line)+1))
	info, err := file.Stat()
	if err != nil {
		return end, err
	}
	part := make([]byte, max(info.Size()-end, 0))
	if wanted != nil {
		part = part[:min(len(part), readAtOnce*f.record())]
	}
	damaged := 0
	for n = len(part); n == len(part) && n > 0; {
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
			do(vector{key, vectorOf(rest[8:])})
		}
	}
	if damaged > 0 {
		return end, fmt.Errorf("%s: %d damaged: %w", f.path, damaged, ErrVector)
	}
	return end, nil
}

// add appends vectors and returns the file's size. A record that was begun by a killed process is cut off.
func (f *vectorFile) add(list []vector) (size int64, err error) {
	file, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE, 0o600)
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

func (f *vectorFile) append(b []byte, v vector) []byte {
	at := len(b)
	b = binary.LittleEndian.AppendUint64(append(b, 0, 0, 0, 0), uint64(v.key))
	b, _ = binary.Append(b, binary.LittleEndian, v.v) // can't fail for floats
	binary.LittleEndian.PutUint32(b[at:], crc32.Checksum(b[at+4:], castagnoli))
	return b
}

// replace writes the file anew.
func (f *vectorFile) replace(list []vector) (size int64, err error) {
	beside := vectorFile{f.path + ".new", f.model, f.dims}
	if err := os.Remove(beside.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if size, err = beside.add(list); err != nil {
		return 0, err
	}
	return size, os.Rename(beside.path, f.path)
}

// RemoveVectors removes the vectors beside an index, which Embed then makes again.
func RemoveVectors(path string) error { return vectorFileOf(path, "").remove() }

func (f *vectorFile) remove() error {
	err := os.Remove(f.path)
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

// ErrVector means that a vector can't be compared with others.
var ErrVector = errors.New("not a usable vector")

// checkVector rejects vectors that would spoil comparisons: of another length, all zero, or with a component that
// isn't a number.
func checkVector(v []float32, dims int) error {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if len(v) != dims || !(math.Abs(sum-1) < 0.01) {
		return fmt.Errorf("%d dimensions, not %d, or squares that sum to %v: %w", len(v), dims, sum, ErrVector)
	}
	return nil
}

// Unembedded returns how many windows have no vector yet, and how many there are.
func (x *Index) Unembedded(ctx context.Context) (left, all int, err error) {
	err = x.db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM unembedded), (SELECT count(*) FROM window)`).
		Scan(&left, &all)
	return left, all, x.fail("count vectors", err)
}

// embeddedAtOnce is how many windows are embedded between two writes, which takes about a second.
const embeddedAtOnce = 8

// Embed makes vectors of the windows that have none, those said last first, until none is left or ctx is done, which is
// no error. It fails with ErrRebuild if vectors are lost of windows of which the index no longer has the words.
func (x *Index) Embed(ctx context.Context, model llm.Embedder, progress func(done, total int)) error {
	err := x.embed(ctx, model, progress)
	if ctx.Err() != nil {
		return nil
	}
	return x.fail("embed with "+model.Model(), err)
}

func (x *Index) embed(ctx context.Context, model llm.Embedder, progress func(done, total int)) error {
	f := vectorFileOf(x.path, model.Model())
	if whole, err := x.allEmbedded(ctx, f); whole || err != nil {
		return err
	}
	if err := x.settle(ctx, f); err != nil {
		return err
	}
	left, _, err := x.Unembedded(ctx)
	for done := 0; err == nil; {
		progress(done, done+left)
		var next []unembedded
		if next, err = x.next(ctx); err != nil || len(next) == 0 {
			return err
		}
		var texts []string
		for _, u := range next {
			texts = append(texts, u.text)
		}
		vectors, failed := model.Embed(ctx, texts)
		if len(vectors) < len(texts) {
			return cmp.Or(failed, fmt.Errorf("%d vectors of %d texts", len(vectors), len(texts)))
		}
		fresh := make([]vector, len(next))
		for i, v := range vectors {
			f.dims = cmp.Or(f.dims, len(v))
			if err := checkVector(v, f.dims); err != nil {
				return err
			}
			fresh[i] = vector{next[i].key, v}
		}
		done, left = done+len(next), left-len(next)
		err = x.embedded(context.WithoutCancel(ctx), f, next, fresh)
	}
	return err
}

// allEmbedded reports whether no window is without its vector, and the file is as it was left.
func (x *Index) allEmbedded(ctx context.Context, f *vectorFile) (is bool, err error) {
	err = x.db.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM embedded WHERE model=? AND size=?) AND `+
		`NOT EXISTS(SELECT 1 FROM unembedded)`, f.model, sizeOf(f.path)).Scan(&is)
	return is, err
}

// sizeOf is a file's size, -1 if there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// settle takes windows whose vectors are in the file already off the list of those without. What of the file is
// damaged, or another model's, it drops.
func (x *Index) settle(ctx context.Context, f *vectorFile) error {
	return inTransaction(ctx, x.db, func(tx *sql.Tx) error {
		have, size, err := f.kept(ctx, tx)
		if err != nil || len(have) == 0 {
			return err
		}
		var known []int64
		err = scan(ctx, tx, func(rows *sql.Rows) error {
			var id, key int64
			err := rows.Scan(&id, &key)
			if have[key] {
				known = append(known, id)
			}
			return err
		}, `SELECT u.id, w.key FROM unembedded u JOIN window w ON w.id=u.id`)
		return cmp.Or(err, haveVectors(ctx, tx, f.model, size, known))
	})
}

// haveVectors records the state of the file, and windows that have their vectors there.
func haveVectors(ctx context.Context, tx *sql.Tx, model string, size int64, windows []int64) error {
	do, fault := statements(ctx, tx)
	do(`DELETE FROM embedded`)
	do(`INSERT INTO embedded VALUES(?,?)`, model, size)
	do(`DELETE FROM unembedded WHERE id IN (SELECT value FROM json_each(?))`, jsonList(windows))
	return fault()
}

// kept returns the keys of the vectors that the file has, and its size.
func (f *vectorFile) kept(ctx context.Context, tx *sql.Tx) (have map[int64]bool, end int64, err error) {
	var model string
	var size int64
	err = tx.QueryRowContext(ctx, `SELECT model, size FROM embedded`).Scan(&model, &size)
	if err != nil && err != sql.ErrNoRows {
		return nil, 0, err
	}
	have = map[int64]bool{}
	var good []vector
	end, err = f.readFrom(0, nil, func(v vector) { have[v.key], good = true, append(good, v) })
	switch {
	case errors.Is(err, ErrVector):
		if _, failed := f.replace(good); failed != nil {
			return nil, 0, failed
		}
		return nil, 0, fmt.Errorf("%w: %w", err, ErrRebuild)
	case errors.Is(err, errOtherVectors), errors.Is(err, fs.ErrNotExist):
		end, f.dims, err = 0, 0, f.remove()
	}
	if err == nil && (model != "" && model != f.model || end < size) {
		err = fmt.Errorf("%s isn't as it was left: %w", f.path, ErrRebuild)
	}
	return have, end, err
}

// unembedded is a window without a vector.
type unembedded struct {
	id, key int64
	text    string
}

func (x *Index) next(ctx context.Context) ([]unembedded, error) {
	return list(ctx, x.db, func(rows *sql.Rows) (u unembedded, err error) {
		err = rows.Scan(&u.id, &u.key, packed{&u.text})
		return u, err
	}, `SELECT w.id, w.key, u.text FROM unembedded u JOIN window w ON w.id=u.id ORDER BY w.at DESC, w.id LIMIT ?`,
		embeddedAtOnce)
}

// embedded adds windows' vectors to the file and records that they have them.
func (x *Index) embedded(ctx context.Context, f *vectorFile, done []unembedded, vectors []vector) error {
	return inTransaction(ctx, x.db, func(tx *sql.Tx) error {
		size, err := f.add(vectors)
		if err != nil {
			return err
		}
		windows := make([]int64, len(done))
		for i, u := range done {
			windows[i] = u.id
		}
		return haveVectors(ctx, tx, f.model, size, windows)
	})
}

// forgetVectors rewrites the file without the vectors of windows that are gone, if these are more than a share of all.
// For a share of 0 it removes a file of which the index doesn't know what is in it.
func (x *Index) forgetVectors(ctx context.Context, share float64) error {
	return inTransaction(ctx, x.db, func(tx *sql.Tx) error {
		var model string
		err := tx.QueryRowContext(ctx, `SELECT model FROM embedded`).Scan(&model)
		if err != nil && err != sql.ErrNoRows {
			return err
		}
		f := vectorFileOf(x.path, model)
		all := map[int64]vector{}
		if _, unread := f.readFrom(0, nil, func(v vector) { all[v.key] = v }); cmp.Or(err, unread) != nil {
			if share > 0 {
				return nil // Embed sees to it
			}
			return f.remove()
		}
		was := len(all)
		keys, err := columnSet[int64](ctx, tx, `SELECT key FROM window`)
		if err != nil {
			return err
		}
		maps.DeleteFunc(all, func(key int64, _ vector) bool { return !keys[key] })
		if float64(was-len(all)) <= share*float64(was) {
			return nil
		}
		size, err := f.replace(slices.Collect(maps.Values(all)))
		if err == nil {
			_, err = tx.ExecContext(ctx, `UPDATE embedded SET size=?`, size)
		}
		return err
	})
}
