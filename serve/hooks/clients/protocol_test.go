package clients

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/serve/hooks"
)

// What clients send, as recorded, in recall's words.
func TestInOurWords(t *testing.T) {
	const patch = `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: legacy/old.py\n@@\n-x = 0\n+x = 1\n*** End Patch\nEOF`
	bash := func(command string) string {
		return fmt.Sprintf(`"tool_name":"Bash","tool_input":{"command":"%s"}`, command)
	}
	for name, c := range map[string]struct {
		client *Client
		sent   string
		want   hooks.Input
	}{
		"what a hook told Gemini CLI before its first prompt": {gemini,
			`"prompt":"<hook_context>&lt;!-- recall abcd2345 --&gt;\nUse MQTT, not Redis.</hook_context>\n\nclean up"`,
			hooks.Input{Prompt: "clean up"}},
		"a tag that the person typed": {gemini, `"prompt":"what is <hook_context>?"`,
			hooks.Input{Prompt: "what is <hook_context>?"}},
		"a command that only applies a patch": {codex, bash(patch),
			hooks.Input{Tool: "Edit", ToolInput: hooks.ToolInput{Path: "legacy/old.py", Old: "x = 0\n", New: "x = 1\n"}}},
		"one that does more": {codex, bash(patch + `\nrm -rf ~/Recall`),
			hooks.Input{Tool: "Bash", ToolInput: hooks.ToolInput{
				Command: strings.ReplaceAll(patch, `\n`, "\n") + "\nrm -rf ~/Recall"}}},
		"a patch": {codex, `"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: a.go\n+x\n*** End Patch"}`,
			hooks.Input{Tool: "Edit", ToolInput: hooks.ToolInput{Path: "a.go", New: "x\n"}}},
	} {
		in, err := c.client.Read(strings.NewReader(`{"session_id":"s","cwd":"/w",` + c.sent + `}`))
		c.want.Session, c.want.Cwd = "s", "/w"
		if diff := cmp.Diff(c.want, in); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}
