//go:build !man

package main

import (
	"github.com/spf13/cobra"
)

// buildCmds returns commands that only a release build has, see man_on.go.
func buildCmds() []*cobra.Command { return nil }
