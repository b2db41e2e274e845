package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"recall/llm"
)

// askAll asks about several things in one request and keeps the answer on each
// under its own key, so that it is found by itself the next time. The answer is
// an object with a list of that name, whose entries say the number of their
// thing, from 1; one that it leaves out is answered by nothing. take gets each, with
// its place in keys. of names for each the sessions that it is of.
func askAll[T any](ctx context.Context, m *Improver, keys []string, of [][]string, r llm.Request, list string,
	number func(T) int, take func(i int, answer T)) error {
	decode := func(text string) ([]T, error) { return listIn[T](text, list) }
	k, err := m.ask(ctx, question{key: keyOf(r.Task, keys...), of: allOf(of), request: r,
		check: func(text string) error { _, err := decode(text); return err }})
	if err != nil {
		return err
	}
	answers, err := decode(k.Text)
	if err != nil {
		return err
	}
	each := make([]T, len(keys)) // of what it left out there is nothing to say
	for _, a := range answers {
		if i := number(a) - 1; i >= 0 && i < len(keys) {
			each[i] = a
		}
	}
	for i, a := range each {
		data, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if err := m.keep(keys[i], kept{Prompt: k.Prompt, Model: k.Model, Text: string(data), Of: of[i]}); err != nil {
			return err
		}
		take(i, a)
	}
	return nil
}

// evenly cuts a list into as few pieces as hold at most so many each, all about as
// long: no request is left over for three things.
func evenly[T any](list []T, most int) iter.Seq[[]T] {
	pieces := max(1, (len(list)+most-1)/most)
	return slices.Chunk(list, max(1, (len(list)+pieces-1)/pieces))
}

// allOf is each session once.
func allOf(lists [][]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// listIn reads the list of that name out of an answer.
func listIn[T any](text, list string) ([]T, error) {
	value, ok := llm.FindJSON(text)
	if !ok {
		return nil, errors.New("it is not JSON, or breaks off")
	}
	var lists map[string]json.RawMessage
	var all []T
	if json.Unmarshal([]byte(value), &lists) != nil || json.Unmarshal(lists[list], &all) != nil || all == nil {
		return nil, fmt.Errorf("it is not an object with the list %q", list)
	}
	return all, nil
}
