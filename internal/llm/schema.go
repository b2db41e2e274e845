package llm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Told returns the schema as an addition to the prompt, for models that can't be forced to
// follow one; "" without a schema.
func (s *Schema) Told() string {
	if s == nil {
		return ""
	}
	return "\n\nAnswer with one JSON value and nothing else: no words before or after it, " +
		"no code fence. It follows this JSON Schema:\n" + string(s.JSON) + "\n"
}

// FindJSON extracts the JSON object or array from an answer that isn't forced to follow a
// schema: from a code fence or between words. It repairs raw newlines in strings and
// trailing commas, but not truncated values. ok is false if there is none.
func FindJSON(text string) (value string, ok bool) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if json.Valid([]byte(text)) {
		return text, text != ""
	}
	best := ""
	for i, open := 0, 0; i < len(text) && open < 50; i++ { // unclosed brackets make it slow
		if text[i] != '{' && text[i] != '[' {
			continue
		}
		v, end := repairJSON(text[i:])
		if end == 0 && opens(text[i+1:]) {
			return "", false // truncated: what is inside isn't the answer
		}
		if end == 0 {
			open++
			continue
		}
		if !json.Valid([]byte(v)) {
			continue
		}
		if len(v) > len(best) { // "[1] here it is: {…}"
			best = v
		}
		i += end - 1
	}
	return best, best != ""
}

// Misfit words an error of decoding JSON in terms of the JSON, which a model and a person can see, rather than of what
// it was decoded into: "items[3].quotes is of another form: number". at is the path of what was decoded, "" for the
// whole. Other errors stay as they are.
func Misfit(at string, err error) error {
	kind, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	path := strings.Trim(strings.ReplaceAll(at+"."+kind.Field, ".[", "["), ".")
	return fmt.Errorf("%s is of another form: %s", cmp.Or(path, "it"), kind.Value)
}

// repairJSON copies the value at the beginning of text up to its closing bracket and returns
// where that ends, 0 if there is none.
func repairJSON(text string) (string, int) {
	var b strings.Builder
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\' && i+1 < len(text):
			b.WriteByte(c)
			i++
			c = text[i]
		case quoted && c < ' ':
			s, _ := json.Marshal(string(c))
			b.Write(s[1 : len(s)-1])
			continue
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',' && closes(text[i+1:]):
			continue
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				b.WriteByte(c)
				return b.String(), i + 1
			}
		}
		b.WriteByte(c)
	}
	return "", 0
}

// opens reports whether what follows an opening bracket could be JSON.
func opens(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return rest == "" || strings.IndexByte("\"{}[]", rest[0]) >= 0
}

func closes(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return rest != "" && (rest[0] == '}' || rest[0] == ']')
}
