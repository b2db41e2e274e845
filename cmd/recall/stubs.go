package main

import "github.com/spf13/cobra"

func (a *app) resumeCmd() *cobra.Command  { return &cobra.Command{Use: "resume"} }
func (a *app) threadCmd() *cobra.Command  { return &cobra.Command{Use: "thread"} }
func (a *app) inspectCmd() *cobra.Command { return &cobra.Command{Use: "inspect"} }
