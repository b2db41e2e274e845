package ingest

import (
	"strconv"
	"strings"

	"recall/ingest/jsonl"
	"recall/internal/text"
)

// ClippedText clips a turn's text to ClipText.
func ClippedText(s string) string { return text.Head(s, ClipText) }

// Input reads a tool's input in the form of ToolCall.Input.
func Input(c *jsonl.Cursor) map[string]string {
	in := map[string]string{}
	if c.Kind() != '{' {
		in["input"] = ClipValue(c)
		return in
	}
	c.Object(func(name []byte) { in[jsonl.Unquote(name)] = ClipValue(c) })
	return in
}

// ClipValue reads any value as text, clipped to ClipInput bytes.
func ClipValue(c *jsonl.Cursor) string {
	if c.Kind() == '"' {
		return ClippedInput(c.String())
	}
	raw := c.Raw()
	if len(raw) > ClipInput {
		return strings.ToValidUTF8(string(raw[:ClipInput]), "")
	}
	return strings.ToValidUTF8(string(raw), "\ufffd")
}

// LeftOut is part of the mark that stands for what was left out of a text.
const LeftOut = " bytes left out …\n"

// clipMiddle keeps about n bytes of a longer text: its beginning and its end.
func clipMiddle(s string, n int) string {
	if len(s) <= n {
		return s
	}
	head, tail := strings.ToValidUTF8(s[:n*3/4], ""), strings.ToValidUTF8(s[len(s)-n/4:], "")
	return head + "\n… " + strconv.Itoa(len(s)-len(head)-len(tail)) + LeftOut + tail
}

// ClippedInput clips a long input.
func ClippedInput(s string) string { return clipMiddle(s, ClipInput) }

// ClippedResult clips a tool's result, without a terminal's escape sequences.
func ClippedResult(s string) string {
	if strings.Contains(s, "\x1b") {
		s = ansi().ReplaceAllString(s, "")
	}
	return clipMiddle(s, ClipResult)
}

var ansi = text.Pattern("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")
