package main

import (
	"io"

	"github.com/spf13/cobra"
)

// app is one run of the program: its streams, its configuration, and what it
// has opened.
type app struct {
	in         io.Reader
	out, err   io.Writer
	color      bool
	configFile string // --config
}

func (a *app) close() {}

func (a *app) addCommands(root *cobra.Command) {
	root.AddCommand(a.versionCmd())
}
