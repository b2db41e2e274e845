package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// whyItem tells where an item comes from.
func (a *app) whyItem(_ *cobra.Command, arg string) error {
	return withHint(fmt.Errorf("%s: neither a file with a line nor an item", arg), "recall why FILE:LINE, for example recall why main.go:42")
}
