package clients

import (
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

// ErrNoInput says that the client sent nothing.
var ErrNoInput = errors.New("the client sent nothing")

// ReadInput reads what the client sends. If that is nothing, the error is ErrNoInput; see FromSurroundings.
func (c *Client) ReadInput(r io.Reader) (hooks.Input, error) {
	var in fromClient
	data, err := io.ReadAll(io.LimitReader(r, inputMost))
	if err != nil {
		return in.Input, err
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return in.Input, ErrNoInput
	}
	// A field of an unexpected type is ignored: the others, above all a command, still count.
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(data, &in); err != nil && !(errors.As(err, &odd) && in.Session != "") {
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

// Read is ReadInput with a timeout when nothing comes for Quiet: it doesn't wait for a client that never closes
// stdin.
func (c *Client) Read(r io.Reader) (hooks.Input, error) {
	type result struct {
		in  hooks.Input
		err error
	}
	quiet := time.NewTimer(Quiet)
	defer quiet.Stop()
	done := make(chan result, 1)
	go func() {
		in, err := c.ReadInput(&heard{r, quiet})
		done <- result{in, err}
	}()
	select {
	case r := <-done:
		return r.in, r.err
	case <-quiet.C:
		return hooks.Input{}, errors.New("nothing came on stdin")
	}
}

// Quiet is how long Read waits for more input.
const Quiet = time.Second

// heard is a reader that restarts a timer whenever something comes and stops it at the end.
type heard struct {
	io.Reader
	quiet *time.Timer
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if err != nil {
		h.quiet.Stop()
	} else {
		h.quiet.Reset(Quiet)
	}
	return n, err
}

// FromSurroundings returns what is known without input from Claude Code: when a session run with -p ends, the client
// doesn't wait for an asynchronous hook and is gone before it has sent anything (seen with 2.1.197). The session's
// id is in the environment; roots are the folders in which Claude Code keeps sessions.
func FromSurroundings(e hooks.Event, getenv func(string) string, roots []string) (hooks.Input, error) {
	in := hooks.Input{Event: e, Session: getenv("CLAUDE_CODE_SESSION_ID"), Cwd: getenv("CLAUDE_PROJECT_DIR"),
		Reason: "other"}
	if e != hooks.SessionEnd || in.Session == "" || filepath.Base(in.Session) != in.Session ||
		strings.ContainsAny(in.Session, "*?[\\") {
		return in, ErrNoInput
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
