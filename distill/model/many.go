package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"recall/distill"
	"recall/llm"
)

// several are things that are asked about many in a request, each with an answer of its
// own. The request's answer is an object with a list of that name, whose entries say
// the number of their thing, from 1; one that it leaves out is answered by nothing.
type several[T any] struct {
	keys   []string   // under which the answer on each is kept
	of     [][]string // the sessions that each is of
	list   string
	number func(T) int
	write  func(which []int) llm.Request
	most   int // things in a request
	tokens int // of one with its answer, at most
}

// askMany hands take the answer on each of several things, with its place: those that
// are kept, and those that the model gives. A fault costs the things of its request
// only; it is, or is joined to, the error, as is distill.ErrPending.
func askMany[T any](ctx context.Context, m *Improver, all several[T], take func(i int, answer T)) error {
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
		case errors.Is(err, distill.ErrPending), ofThisRequest(err) && ctx.Err() == nil:
			failed = errors.Join(failed, err)
		default:
			return err
		}
	}
	return failed
}

// ofThisRequest reports whether a model failed at one request alone: another may go well.
func ofThisRequest(err error) bool {
	var fault *llm.Error
	return errors.As(err, &fault) && !fault.Ends() && !fault.Passing()
}

// askSome asks about some of the things in one request, and keeps the answer on each
// under its own key, so that it is found by itself the next time.
func askSome[T any](ctx context.Context, m *Improver, all several[T], which []int, take func(i int, answer T)) error {
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
	each := make([]T, len(keys)) // of what it left out there is nothing to say
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

// atOnce is how many things fit into one request, at most so many, each of so
// many tokens with its answer.
func (m *Improver) atOnce(most, tokens int) int {
	if all := m.o.Model.Window(); all > 0 {
		most = min(most, (all-instructions)/tokens)
	}
	return max(1, most)
}

// instructions is what a prompt other than extract's takes with its schema, in tokens.
const instructions = 1_500

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
