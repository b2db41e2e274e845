//go:build !man

package main

import (
	"github.com/spf13/cobra"
)

// buildCmds are commands that only a release is built with: see man_on.go.
func buildCmds() []*cobra.Command { return nil }
