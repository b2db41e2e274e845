package main

import (
	"fmt"
	"sort"

	"recall/payload"
)

// featureTable prints for each feature how many candidates have it and what
// share of these are items of the kind: for those who look for better ones.
func featureTable(set []*example, kind payload.Kind) {
	type row struct {
		name    string
		yes, no int
	}
	rows := map[string]*row{}
	for _, e := range set {
		for _, s := range e.lines[kind] {
			for _, f := range s.features {
				r := rows[f.Name()]
				if r == nil {
					r = &row{name: f.Name()}
					rows[f.Name()] = r
				}
				if s.yes {
					r.yes++
				} else {
					r.no++
				}
			}
		}
	}
	var all []*row
	for _, r := range rows {
		all = append(all, r)
	}
	share := func(r *row) float64 { return float64(r.yes) / float64(r.yes+r.no) }
	sort.Slice(all, func(i, j int) bool {
		if a, b := share(all[i]), share(all[j]); a != b {
			return a > b
		}
		return all[i].name < all[j].name
	})
	for _, r := range all {
		fmt.Printf("%-24s %.3f of %d\n", r.name, share(r), r.yes+r.no)
	}
}
