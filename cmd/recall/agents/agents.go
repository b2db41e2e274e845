// Package agents is the commands that serve Claude Code and other agents: hooks and the MCP server.
package agents

import (
	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
)

// Commands are the commands that serve Claude Code and other agents.
func Commands(a *app.App) []*cobra.Command {
	return []*cobra.Command{
		newHookCmd(a), newHooksCmd(a), newMcpCmd(a),
	}
}
