package index

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"recall/index/vectorfile"
	"recall/internal/llm"
)

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
	f := vectorfile.Of(x.path, model.Model())
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
		fresh := make([]vectorfile.Vector, len(next))
		for i, v := range vectors {
			f.Dims = cmp.Or(f.Dims, len(v))
			if err := vectorfile.Check(v, f.Dims); err != nil {
				return err
			}
			fresh[i] = vectorfile.Vector{Key: next[i].key, V: v}
		}
		done, left = done+len(next), left-len(next)
		err = x.embedded(context.WithoutCancel(ctx), f, next, fresh)
	}
	return err
}

// allEmbedded reports whether no window is without its vector, and the file is as it was left.
func (x *Index) allEmbedded(ctx context.Context, f *vectorfile.File) (is bool, err error) {
	err = x.db.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM embedded WHERE model=? AND size=?) AND `+
		`NOT EXISTS(SELECT 1 FROM unembedded)`, f.Model, sizeOf(f.Path)).Scan(&is)
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
func (x *Index) settle(ctx context.Context, f *vectorfile.File) error {
	return inTransaction(ctx, x.db, func(tx transaction) error {
		have, size, err := kept(ctx, tx, f)
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
		return cmp.Or(err, haveVectors(ctx, tx, f.Model, size, known))
	})
}

// haveVectors records the state of the file, and windows that have their vectors there.
func haveVectors(ctx context.Context, tx transaction, model string, size int64, windows []int64) error {
	do, fault := statements(ctx, tx)
	do(`DELETE FROM embedded`)
	do(`INSERT INTO embedded VALUES(?,?)`, model, size)
	do(`DELETE FROM unembedded WHERE id IN (SELECT value FROM json_each(?))`, jsonList(windows))
	return fault()
}

// kept returns the keys of the vectors that a file has, and its size.
func kept(ctx context.Context, tx transaction, f *vectorfile.File) (have map[int64]bool, end int64, err error) {
	var model string
	var size int64
	err = tx.QueryRowContext(ctx, `SELECT model, size FROM embedded`).Scan(&model, &size)
	if err != nil && err != sql.ErrNoRows {
		return nil, 0, err
	}
	have = map[int64]bool{}
	var good []vectorfile.Vector
	end, err = f.Read(0, nil, func(v vectorfile.Vector) { have[v.Key], good = true, append(good, v) })
	switch {
	case errors.Is(err, vectorfile.ErrUnusable):
		if _, failed := f.Replace(good); failed != nil {
			return nil, 0, failed
		}
		return nil, 0, fmt.Errorf("%w: %w", err, ErrRebuild)
	case errors.Is(err, vectorfile.ErrOther), errors.Is(err, fs.ErrNotExist):
		end, f.Dims, err = 0, 0, f.Remove()
	}
	if err == nil && (model != "" && model != f.Model || end < size) {
		err = fmt.Errorf("%s isn't as it was left: %w", f.Path, ErrRebuild)
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
func (x *Index) embedded(ctx context.Context, f *vectorfile.File, done []unembedded,
	vectors []vectorfile.Vector) error {
	return inTransaction(ctx, x.db, func(tx transaction) error {
		size, err := f.Add(vectors)
		if err != nil {
			return err
		}
		windows := make([]int64, len(done))
		for i, u := range done {
			windows[i] = u.id
		}
		return haveVectors(ctx, tx, f.Model, size, windows)
	})
}

// forgetVectors rewrites the file without the vectors of windows that are gone, if these are more than a share of all.
// For a share of 0 it removes a file of which the index doesn't know what is in it.
func (x *Index) forgetVectors(ctx context.Context, share float64) error {
	return inTransaction(ctx, x.db, func(tx transaction) error {
		var model string
		err := tx.QueryRowContext(ctx, `SELECT model FROM embedded`).Scan(&model)
		if err != nil && err != sql.ErrNoRows {
			return err
		}
		f := vectorfile.Of(x.path, model)
		all := map[int64]vectorfile.Vector{}
		if _, unread := f.Read(0, nil, func(v vectorfile.Vector) { all[v.Key] = v }); cmp.Or(err, unread) != nil {
			if share > 0 {
				return nil // Embed sees to it
			}
			return f.Remove()
		}
		was := len(all)
		keys, err := columnSet[int64](ctx, tx, `SELECT key FROM window`)
		if err != nil {
			return err
		}
		maps.DeleteFunc(all, func(key int64, _ vectorfile.Vector) bool { return !keys[key] })
		if float64(was-len(all)) <= share*float64(was) {
			return nil
		}
		size, err := f.Replace(slices.Collect(maps.Values(all)))
		if err == nil {
			_, err = tx.ExecContext(ctx, `UPDATE embedded SET size=?`, size)
		}
		return err
	})
}
