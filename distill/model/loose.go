package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Models that can't be held to a schema give a single value instead of a list, a number
// instead of a text, or null for nothing. These types accept that.

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
	text := strings.TrimSpace(string(data))
	switch {
	case text == "null" || text == `""`:
		return nil
	case strings.HasPrefix(text, "["):
		list, err := listOf[T](data)
		*m = list
		return err
	}
	var one T
	if err := json.Unmarshal(data, &one); err != nil {
		return asked[[]T](err)
	}
	*m = many[T]{one}
	return nil
}

// asked makes an error about a value as a whole name what was asked for.
func asked[T any](err error) error {
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && kind.Field == "" {
		kind.Type = reflect.TypeFor[T]()
	}
	return err
}

// listOf decodes a list; its error says which element doesn't fit, see llm.Misfit. It is nil for null.
func listOf[T any](data []byte) ([]T, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil || raw == nil {
		return nil, asked[[]T](err)
	}
	list := make([]T, len(raw))
	for i := range raw {
		if err := json.Unmarshal(raw[i], &list[i]); err != nil {
			if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
				kind.Field = strings.TrimSuffix(fmt.Sprintf("[%d].%s", i, kind.Field), ".")
			}
			return nil, err
		}
	}
	return list, nil
}
