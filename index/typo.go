package index

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"recall/index/embed"
	"recall/internal/text"
)

// Correction is a word of a question that occurs nowhere and was read as one that does.
type Correction struct {
	Word string `json:"word"`
	As   string `json:"as"`
}

const (
	minTypoLength = 6 // least length of a word that is corrected: a shorter one is often just another word
	typoPrefix    = 3 // letters that are assumed to be right
)

// correct replaces words that occur nowhere, and that the lexicon doesn't know, by the most common word one
// typo away.
func (r *reader) correct(ctx context.Context, ts []term) ([]Correction, error) {
	if r.q.Exact {
		return nil, nil
	}
	var out []Correction
	for i, t := range ts {
		known := t.df > 0 || len(t.word) < minTypoLength || len(t.stem) <= typoPrefix ||
			strings.Trim(t.stem, "abcdefghijklmnopqrstuvwxyz") != "" ||
			len(embed.Mentions(t.word, r.own)) > 0
		if known {
			continue
		}
		found := map[string]int{}
		begin := t.stem[:typoPrefix]
		err := scan(ctx, r.tx, func(rows *sql.Rows) error {
			var stem string
			var n int
			err := rows.Scan(&stem, &n)
			if err == nil && oneTypo(t.stem, stem) && text.Stem(stem) == stem {
				found[stem] = n
			}
			return err
		}, `SELECT term, doc FROM vocabulary WHERE term>=? AND term<?`, begin, begin+lastLetter)
		if err != nil {
			return nil, err
		}
		best, docs := "", 0
		for stem, n := range found {
			if n > docs || n == docs && stem < best {
				best, docs = stem, n
			}
		}
		if best == "" || slices.ContainsFunc(ts, func(t term) bool { return t.stem == best }) {
			continue
		}
		out = append(out, Correction{t.word, best})
		ts[i].word, ts[i].stem = best, best
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, r.weigh(ctx, ts)
}

// oneTypo reports whether two words differ by one inserted, missing or replaced letter, or by two swapped ones.
func oneTypo(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		return i < len(a) && (a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:])
	case 1:
		return a[i:] == b[i+1:]
	}
	return false
}

// restoreSpelling gives corrected words the spelling in which they occur in the results.
func restoreSpelling(a *Answer, list []Correction) {
	for i := range list {
		for _, r := range a.Ranked {
			s := r.Text
			if r.Item != nil {
				s = r.Item.Text + " " + r.Item.Why + " " + strings.Join(r.Item.Aliases, " ")
			}
			found := ""
			text.Each(s, func(w string) bool {
				if text.Stem(w) == list[i].As {
					found = w
				}
				return found == ""
			})
			if found != "" {
				list[i].As = found
				break
			}
		}
	}
	a.Corrected = list
}
