package clients

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"recall/ingest"
	"recall/internal/text"
	"recall/pipeline"
	"recall/serve/hooks"
)

// fromClient is an Input as a client sends it: with what only some have.
type fromClient struct {
	hooks.Input
	ToolInput struct {
		hooks.ToolInput
		Dir     string `json:"dir_path"` // where a command runs, if not in the session's folder
		Workdir string `json:"workdir"`
		Patch   string `json:"patch_text"`
	} `json:"tool_input"`
}

const inputMost = 64 << 20 // bytes; a Write contains the whole file

// patience is how long Read waits for a client that sends nothing, or stops in the middle.
const patience = 3 * time.Second

// Read reads what the client sends, to the end of that: some never close it. If it sends nothing, the error is io.EOF;
// see FromSurroundings.
func (c *Client) Read(r io.Reader) (hooks.Input, error) {
	type result struct {
		in  hooks.Input
		err error
	}
	done := make(chan result, 1)
	go func() {
		in, err := c.read(r)
		done <- result{in, err}
	}()
	select {
	case r := <-done:
		return r.in, r.err
	case <-time.After(patience):
		return hooks.Input{}, errors.New("the client didn't send everything in time")
	}
}

func (c *Client) read(r io.Reader) (hooks.Input, error) {
	var in fromClient
	from := bufio.NewReader(io.LimitReader(r, inputMost))
	if lead, _ := from.Peek(len(bom)); bytes.Equal(lead, bom) {
		from.Discard(len(bom))
	}
	// A field of an unexpected type is ignored: the others, above all a command, still count.
	var odd *json.UnmarshalTypeError
	if err := json.NewDecoder(from).Decode(&in); err != nil && !(errors.As(err, &odd) && in.Session != "") {
		return in.Input, fmt.Errorf("what the client sent: %w", err)
	}
	return c.inOurWords(in), nil
}

// inOurWords gives a tool its usual name, and a command its folder; a patch becomes an edit.
func (c *Client) inOurWords(in fromClient) hooks.Input {
	t := &in.ToolInput
	in.Input.ToolInput = t.ToolInput
	if name, ok := c.tools[in.Tool]; ok {
		in.Tool = name
	}
	if c.typed != nil {
		in.Prompt, _ = c.typed(in.Prompt)
	}
	if m := patchOnly().FindStringSubmatch(t.Command); in.Tool == "Bash" && m != nil {
		in.Tool, t.Command = "apply_patch", m[1]
	}
	switch in.Tool {
	case "Bash":
		in.Input.ToolInput.Command = ingest.RunIn(t.Dir+t.Workdir, in.Cwd, t.Command)
	case "apply_patch":
		in.Tool, in.Input.ToolInput = "Edit", patched(t.Command+t.Patch)
	}
	return in.Input
}

// patchOnly matches a command that does nothing but apply a patch.
var patchOnly = text.Pattern(`(?s)^\s*(?:cd \S+ && )?apply_patch\s*<<\s*['"]?\w+['"]?\n(\*\*\* Begin Patch\n.*\n\*\*\* End Patch)\n\w+\s*$`)

// patched words a patch as one edit: of its first file, with what it takes away and puts in anywhere.
func patched(patch string) (edit hooks.ToolInput) {
	for _, call := range ingest.Patched(patch) {
		if edit.Path == "" {
			edit.Path = call.Path
		}
		edit.New += call.Input["content"]
		for _, e := range call.Edits {
			edit.Old, edit.New = edit.Old+e.Old, edit.New+e.New
		}
	}
	return edit
}

// FromSurroundings returns what is known without input from Claude Code: when a session run with -p ends, the client
// doesn't wait for an asynchronous hook and is gone before it has sent anything (seen with 2.1.197). The session's
// id is in the environment; roots are the folders in which Claude Code keeps sessions.
func FromSurroundings(e hooks.Event, getenv func(string) string, roots []string) (hooks.Input, error) {
	in := hooks.Input{Event: e, Session: getenv("CLAUDE_CODE_SESSION_ID"), Cwd: getenv("CLAUDE_PROJECT_DIR"),
		Reason: "other"}
	if e != hooks.SessionEnd || in.Session == "" || filepath.Base(in.Session) != in.Session ||
		strings.ContainsAny(in.Session, "*?[\\") {
		return in, io.EOF
	}
	for _, root := range roots {
		for _, folders := range []string{"projects/*/", "*/"} {
			if found, _ := fs.Glob(os.DirFS(root), folders+in.Session+".jsonl"); len(found) > 0 {
				in.Transcript = filepath.Join(root, filepath.FromSlash(found[0]))
				return in, nil
			}
		}
	}
	return in, nil // the session has no file
}

// JSON returns an answer in the client's form, nil for silence.
func (c *Client) JSON(e hooks.Event, a hooks.Answer) []byte {
	if a == (hooks.Answer{}) {
		return nil
	}
	type specific struct {
		Event   string `json:"hookEventName"`
		Text    string `json:"additionalContext,omitempty"`
		Verdict string `json:"permissionDecision,omitempty"`
		Why     string `json:"permissionDecisionReason,omitempty"`
	}
	out, whole := specific{Event: c.nameOf(e), Text: a.Context}, map[string]any{}
	switch {
	case a.Block:
		whole["decision"], whole["reason"] = "block", a.Tell
	case a.Tell != "":
		whole["systemMessage"] = a.Tell
	}
	switch {
	case a.Deny != "" && c.plainly:
		whole["decision"], whole["reason"] = "deny", a.Deny
	case a.Deny != "":
		out.Verdict, out.Why = "deny", a.Deny
	}
	if out.Text+out.Verdict != "" {
		whole["hookSpecificOutput"] = out
	}
	line, _ := json.Marshal(whole) // strings only: it can't fail
	return line
}

// Locate names the place of a session whose client names no transcript: its folder, with a database of all.
func (c *Client) Locate(in *hooks.Input, from pipeline.Sources) {
	for _, r := range from.Readers {
		if roots := from.RootsOf(r); c.stored && string(r.Source()) == c.Word && len(roots) > 0 {
			in.Transcript = roots[0]
		}
	}
}
