package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"recall/internal/llm"
)

// bulk describes things that are asked about several per request, each with an answer of
// its own. The request's answer is an object with a list of that name, whose entries give
// the number of their thing, from 1. A missing entry counts as an empty answer.
type bulk[T any] struct {
	keys   []string   // the answers' keys
	of     [][]string // the sessions of each
	list   string
	number func(T) int
	write  func(which []int) llm.Request
	most   int // things per request
	tokens int // tokens per thing with its answer, at most
}

// askMany passes take the answer on each thing, with its index, from the Store or from the
// model. A fault affects only the things of its request; the error is, or joins, all faults.
func askMany[T any](ctx context.Context, m *Improver, all bulk[T], take func(i int, answer T)) error {
	var missing []int
	for i, key := range all.keys {
		k, ok, err := m.load(key)
		if err != nil {
			return err
		}
		var a T
		if !ok || m.o.Anew && !m.current(key, k) || json.Unmarshal([]byte(k.Text), &a) != nil {
			missing = append(missing, i)
			continue
		}
		take(i, a)
	}
	var failed error
	for which := range evenly(missing, m.atOnce(all.most, all.tokens)) {
		switch err := askSome(ctx, m, all, which, take); {
		case err == nil:
		case ofThisRequest(err) && ctx.Err() == nil:
			failed = errors.Join(failed, err)
		default:
			return err
		}
	}
	return failed
}

// ofThisRequest reports whether a model failed at one request only, so that others may
// succeed.
func ofThisRequest(err error) bool {
	fault, ok := errors.AsType[*llm.Error](err)
	return ok && !fault.Ends() && !fault.Passing()
}

// askSome asks about some of the things in one request, and stores each answer under its
// own key so that it can be found individually.
func askSome[T any](ctx context.Context, m *Improver, all bulk[T], which []int, take func(i int, answer T)) error {
	var keys []string
	var of [][]string
	for _, i := range which {
		keys, of = append(keys, all.keys[i]), append(of, all.of[i])
	}
	r := all.write(which)
	decode := func(text string) ([]T, error) { return listIn[T](text, all.list) }
	k, err := m.ask(ctx, question{key: keyOf(r.Task, keys...), of: allOf(of), request: r,
		check: func(text string) error { _, err := decode(text); return err }})
	if err != nil {
		return err
	}
	answers, err := decode(k.Text)
	if err != nil {
		return err
	}
	each := make([]T, len(keys)) // nothing is said about those it left out
	for _, a := range answers {
		if i := all.number(a) - 1; i >= 0 && i < len(keys) {
			each[i] = a
		}
	}
	for n, a := range each {
		data, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if err := m.keep(keys[n], kept{Prompt: k.Prompt, Model: k.Model, Text: string(data), Of: of[n]}); err != nil {
			return err
		}
		take(which[n], a)
	}
	return nil
}

// atOnce returns how many things, of so many tokens each with the answer, fit in one
// request, up to a maximum.
func (m *Improver) atOnce(most, tokens int) int {
	if all := m.o.Model.Window(); all > 0 {
		most = min(most, (all-instructions)/tokens)
	}
	return max(1, most)
}

// instructions is the size of a prompt other than extract's with its schema, in tokens.
const instructions = 1_500

// evenly splits a list into as few, about equally long pieces as the maximum length allows,
// so that no request has only a small remainder.
func evenly[T any](list []T, most int) iter.Seq[[]T] {
	pieces := max(1, (len(list)+most-1)/most)
	return slices.Chunk(list, max(1, (len(list)+pieces-1)/pieces))
}

// allOf returns the sessions of all lists, sorted, without duplicates.
func allOf(lists [][]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// listIn decodes the list with that name in an answer.
func listIn[T any](text, list string) ([]T, error) {
	value, ok := llm.FindJSON(text)
	if !ok {
		return nil, errors.New("it is not JSON, or breaks off")
	}
	var lists map[string]json.RawMessage
	if json.Unmarshal([]byte(value), &lists) != nil || len(lists[list]) == 0 {
		return nil, fmt.Errorf("it is not an object with the list %q", list)
	}
	all, err := listOf[T](lists[list])
	if err == nil && all == nil {
		err = fmt.Errorf("the list %q is null", list)
	}
	return all, llm.Misfit(list, err)
}
