package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"recall/internal/llm"
)

// Models that can't be held to a schema give a single value instead of a list, a number instead of a text, or null for
// nothing, or one element of another form. What is here accepts that.

// maxAnswerBytes is the maximum size of an answer in bytes, a hundred times what a model within its token limit writes.
const maxAnswerBytes = 4 << 20

// elements decodes the elements of the list with that name in an answer; bad is the number of those of another form.
// It fails if there is no such list or all its elements are of another form.
func elements[T any](text, list string) (out []T, bad int, err error) {
	if len(text) > maxAnswerBytes {
		return nil, 0, fmt.Errorf("it has %d bytes, which is far too long", len(text))
	}
	value, ok := llm.FindJSON(text)
	if !ok {
		return nil, 0, errors.New("it is not JSON, or breaks off")
	}
	var lists map[string]json.RawMessage
	var raw []json.RawMessage
	if json.Unmarshal([]byte(value), &lists) != nil || json.Unmarshal(lists[list], &raw) != nil || raw == nil {
		return nil, 0, fmt.Errorf("it is not an object with the list %q", list)
	}
	for i := range raw {
		var one T
		if fault := json.Unmarshal(raw[i], &one); fault != nil {
			bad, err = bad+1, cmp.Or(err, llm.Misfit(fmt.Sprintf("%s[%d]", list, i), fault))
			continue
		}
		out = append(out, one)
	}
	if len(out) > 0 || bad == 0 {
		return out, bad, nil
	}
	return nil, bad, fmt.Errorf("its %s have another form than the schema: %w", list, err)
}

// word is a text, or a value that can be read as one.
type word string

func (w *word) UnmarshalJSON(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	switch v := v.(type) {
	case nil:
	case string:
		*w = word(v)
	case float64, bool:
		*w = word(fmt.Sprint(v))
	default:
		value := "object"
		if data[0] == '[' {
			value = "array"
		}
		return &json.UnmarshalTypeError{Value: value, Type: reflect.TypeFor[string]()}
	}
	return nil
}

// many is a list, or a single value that stands for it.
type many[T any] []T

func (m *many[T]) UnmarshalJSON(data []byte) error {
	switch {
	case string(data) == "null" || string(data) == `""`:
		return nil
	case data[0] == '[':
		return json.Unmarshal(data, (*[]T)(m))
	}
	var one T
	err := json.Unmarshal(data, &one)
	*m = many[T]{one}
	return err
}
