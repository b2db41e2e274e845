package ingest

import (
	"strings"

	"recall/ingest/jsonl"
	"recall/internal/text"
)

// ClippedText clips a turn's text to ClipText.
func ClippedText(s string) string { return text.Head(s, ClipText) }

// Input reads a tool's input in the form of ToolCall.Input; text converts the names.
func Input(c *jsonl.Cursor, text func(raw []byte) string) map[string]string {
	in := map[string]string{}
	if c.Kind() != '{' {
		in["input"] = ClipValue(c)
		return in
	}
	c.Object(func(name []byte) { in[text(name)] = ClipValue(c) })
	return in
}

// ClipValue reads any value as text, clipped to ClipInput bytes.
func ClipValue(c *jsonl.Cursor) string {
	if c.Kind() == '"' {
		return jsonl.Clip(c.RawString(), ClipInput*3/4, ClipInput/4)
	}
	raw := c.Raw()
	if len(raw) > ClipInput {
		return strings.ToValidUTF8(string(raw[:ClipInput]), "")
	}
	return strings.ToValidUTF8(string(raw), "\ufffd")
}

// ClipMiddle keeps about n bytes of a text: its beginning and its end.
func ClipMiddle(s string, n int) string {
	return strings.ToValidUTF8(s[:n*3/4], "") + "\n…\n" + strings.ToValidUTF8(s[len(s)-n/4:], "")
}

// ClippedInput clips a long input.
func ClippedInput(s string) string {
	if len(s) > ClipInput {
		return ClipMiddle(s, ClipInput)
	}
	return s
}

// ClippedResult clips a tool's result.
func ClippedResult(s string) string {
	if s = StripANSI(s); len(s) > 2*ClipResult {
		return ClipMiddle(s, ClipResult)
	}
	return s
}

var ansi = text.Pattern("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")

// StripANSI removes terminal escape sequences.
func StripANSI(s string) string {
	if !strings.Contains(s, "\x1b") {
		return s
	}
	return ansi().ReplaceAllString(s, "")
}
