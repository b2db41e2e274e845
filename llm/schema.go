package llm

import (
	"encoding/json"
	"strings"
)

// Told is a schema as a model is told of it that can't be held to one: to be
// put after the prompt. "" without a schema.
func (s *Schema) Told() string {
	if s == nil {
		return ""
	}
	return "\n\nAnswer with one JSON value and nothing else: no words before or after it, " +
		"no code fence. It follows this JSON Schema:\n" + string(s.JSON) + "\n"
}

// FindJSON takes the JSON object or list out of what a model answered that
// can't be held to a schema: out of a code fence, from between words. Raw line
// breaks in its strings and commas before its ends are mended; what was cut
// off isn't. ok is false if there is none.
func FindJSON(text string) (value string, ok bool) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if json.Valid([]byte(text)) {
		return text, text != ""
	}
	best := ""
	for i, open := 0, 0; i < len(text) && open < 50; i++ { // brackets that never close make it slow
		if text[i] != '{' && text[i] != '[' {
			continue
		}
		v, end := mend(text[i:])
		if end == 0 && opens(text[i+1:]) {
			return "", false // it is cut, and what is within isn't the answer
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

// mend copies the value that text begins with up to the bracket that closes
// it, and returns where that was; 0 if none does.
func mend(text string) (string, int) {
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

// opens reports whether what follows a bracket is how JSON goes on.
func opens(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return rest == "" || strings.IndexByte("\"{}[]", rest[0]) >= 0
}

// closes reports whether what comes next is a closing bracket.
func closes(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return rest != "" && (rest[0] == '}' || rest[0] == ']')
}
