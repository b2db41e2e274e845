package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"recall/ingest"
	"recall/library"
)

// families groups the entries into sessions that may be forks of one another:
// those that begin with the same record. Groups and their members are in the
// order of the entries.
func families(entries []library.Entry) [][]library.Entry {
	group := map[string]int{} // by head key
	parent := make([]int, len(entries))
	var root func(int) int
	root = func(i int) int {
		if parent[i] != i {
			parent[i] = root(parent[i])
		}
		return parent[i]
	}
	for i, e := range entries {
		parent[i] = i
		for _, key := range e.Heads {
			if j, ok := group[key]; ok {
				a, b := root(i), root(j)
				parent[max(a, b)] = min(a, b)
			} else {
				group[key] = i
			}
		}
	}
	members := map[int][]library.Entry{}
	var order []int
	for i, e := range entries {
		g := root(i)
		if len(members[g]) == 0 {
			order = append(order, g)
		}
		members[g] = append(members[g], e)
	}
	all := make([][]library.Entry, 0, len(order))
	for _, g := range order {
		all = append(all, members[g])
	}
	return all
}

// beside hashes for each member what the others are.
func beside(members []library.Entry) []string {
	all := make([]string, len(members))
	for i := range members {
		if len(members) == 1 {
			continue
		}
		h := sha256.New()
		for k, m := range members {
			if k != i {
				fmt.Fprintf(h, "%s %s\n", m.ID, m.Input)
			}
		}
		all[i] = hex.EncodeToString(h.Sum(nil)[:8])
	}
	return all
}

// withPlanKeys adds what ties a session to others through a plan to what it
// begins with.
func withPlanKeys(heads, plans []string) []string {
	all := slices.DeleteFunc(slices.Clone(heads), ingest.IsPlanKey)
	return append(all, plans...)
}

// heads reads, several at once, the beginnings of the entries that aren't placed yet or changed,
// so that their families are known before anything is distilled.
func (r *run) heads(ctx context.Context, entries []library.Entry) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range entries {
		e := &entries[i]
		if !e.Behind() {
			continue
		}
		g.Go(func() error {
			head, err := r.head(ctx, *e)
			if err != nil {
				return nil // parsing will tell
			}
			e.Heads = withPlanKeys(head.Keys, slices.DeleteFunc(slices.Clone(e.Heads), func(k string) bool { return !ingest.IsPlanKey(k) }))
			if e.Start.IsZero() {
				e.Start = head.Started
			}
			return nil
		})
	}
	g.Wait()
	slices.SortStableFunc(entries, func(a, b library.Entry) int { return a.Start.Compare(b.Start) })
	return ctx.Err()
}

func (r *run) head(ctx context.Context, e library.Entry) (ingest.Head, error) {
	reader, err := r.reader(e.Source)
	if err != nil {
		return ingest.Head{}, err
	}
	found, err := r.Library.Found(e.ID)
	if err != nil {
		return ingest.Head{}, err
	}
	return reader.Head(ctx, found)
}
