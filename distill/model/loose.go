package model

import (
	"encoding/json"
	"fmt"
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
		return fmt.Errorf("%.30s where a text is asked for", data)
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
		var list []T
		if err := json.Unmarshal(data, &list); err != nil {
			return err
		}
		*m = list
		return nil
	}
	var one T
	if err := json.Unmarshal(data, &one); err != nil {
		return err
	}
	*m = many[T]{one}
	return nil
}
