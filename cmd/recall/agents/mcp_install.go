package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/hooks"
	"recall/ingest"
	"recall/ingest/cowork"
	"recall/library"
	txt "recall/text"
)

// mcpClient is a client whose configuration recall knows how to edit.
type mcpClient struct {
	Name  string `json:"client"`
	Path  string `json:"path"`
	typed bool   // its entries name their transport
	there bool   // the client seems to be used here

	distro  string // of WSL, if the client runs on the Windows around it
	project string // whose file it is, "" for the user's own
}

// start is the program as the client has to start it.
func (c mcpClient) start(p hooks.Program) hooks.Program {
	if c.distro == "" {
		return p
	}
	return hooks.Program{Path: "wsl.exe", Args: append([]string{"-d", c.distro, "--", p.Path}, p.Args...)}
}

// mcpFlags choose the clients.
type mcpFlags struct{ code, desktop, project, dryRun bool }

func (f *mcpFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.code, "claude-code", false, "only Claude Code, for all your projects")
	cmd.Flags().BoolVar(&f.desktop, "claude-desktop", false, "only Claude Desktop, Cowork with it")
	cmd.Flags().BoolVar(&f.project, "project", false,
		"only Claude Code in this project, for all who work on it (.mcp.json)")
	cmd.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "print what would change, change nothing")
}

func newMcpInstallCmd(a *app.App) *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Enter recall's MCP server into a client's configuration",
		Long: `Enters the server into Claude Code's configuration (.claude.json; with --project
.mcp.json) and Claude Desktop's, those of the two that are here unless one is
named. Nothing else in these files changes, a copy is kept beside them
(.before-recall), doing it again changes nothing, and recall mcp uninstall takes
exactly this back. For other clients it prints what to paste.`,
		Example: `  recall mcp install
  recall mcp install --claude-code --dry-run
  recall mcp install --project`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return runMcpInstall(a, f) },
	}
	f.add(cmd)
	return cmd
}

func newMcpUninstallCmd(a *app.App) *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:     "uninstall",
		Short:   "Take recall's MCP server out of the clients' configurations",
		Example: "  recall mcp uninstall",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			clients, err := f.clients()
			if err != nil {
				return err
			}
			return changeClients(a, clients, f.dryRun, "recall isn't in it",
				func(c mcpClient) (hooks.Change, error) { return hooks.PlanNoServer(c.Path, c.typed) })
		},
	}
	f.add(cmd)
	return cmd
}

func runMcpInstall(a *app.App, f mcpFlags) error {
	program, err := mcpProgram(a, f.project)
	if err != nil {
		return err
	}
	clients, err := f.clients()
	if err != nil {
		return err
	}
	if !f.code && !f.desktop && !f.project {
		clients = slices.DeleteFunc(clients, func(c mcpClient) bool { return !c.there })
		if len(clients) == 0 {
			fmt.Fprintln(a.Out, "Neither Claude Code nor Claude Desktop is set up here; --claude-code or --claude-desktop enters it all the same.")
		}
	}
	sayOtherSide(a, clients, f)
	err = changeClients(a, clients, f.dryRun, "recall is in it already", func(c mcpClient) (hooks.Change, error) {
		return hooks.PlanServer(c.Path, hooks.Server{Program: c.start(program), Typed: c.typed})
	})
	if err != nil {
		return err
	}
	if len(clients) > 0 && !f.dryRun {
		fmt.Fprintln(a.Out, "A client that is running takes it up when it is started again.")
	}
	if doc, err := mcpStatus(); err == nil && doc.twice() {
		fmt.Fprintf(a.Err, "recall: warning: %s\n", twiceServed)
	}
	printSnippets(a, program)
	return nil
}

// sayOtherSide tells what happens on the Windows around a WSL, before it does.
func sayOtherSide(a *app.App, clients []mcpClient, f mcpFlags) {
	w := cowork.OtherSide()
	if w == nil || f.code || f.project {
		return
	}
	if i := slices.IndexFunc(clients, func(c mcpClient) bool { return c.distro != "" }); i >= 0 {
		fmt.Fprintf(a.Out, "This is WSL: the Windows app of your Windows user starts recall by wsl.exe -d %s; no other user's configuration is touched.\n", terminal.Line(w.Distro))
	} else if len(w.Data) == 0 {
		fmt.Fprintln(a.Out, "This is WSL, and it doesn't say which Windows user you are: the Windows app is left alone. WSLENV=USERPROFILE/p, set on Windows, says it.")
	}
}

// mcpProgram is what clients start: this program by the name it keeps longest,
// with the library and the configuration that were named. In a file that others
// share it is recall on their PATH.
func mcpProgram(a *app.App, shared bool) (hooks.Program, error) {
	c, err := a.LoadConfig()
	if err != nil {
		return hooks.Program{}, err
	}
	if shared {
		return hooks.Program{Path: "recall"}, nil
	}
	p, err := thisProgram(a)
	if err == nil && c.Environment("library.dir") { // the client's environment may lack it
		p.Args = append(p.Args, "--library", c.Library.Dir)
	}
	return p, err
}

// clients are those that the flags name, all if they name none.
func (f *mcpFlags) clients() ([]mcpClient, error) {
	var list []mcpClient
	every := !f.code && !f.desktop && !f.project
	if f.code || every {
		c, err := claudeCodeClient()
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	if f.desktop || every {
		list = append(list, desktopClients(f.desktop)...)
	}
	if f.project || every {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		if repo, ok := ingest.RepositoryOf(dir); ok {
			dir = repo.Root
		}
		c := mcpClient{Name: "Claude Code, this project", Path: filepath.Join(dir, ".mcp.json"), typed: true, project: dir}
		if f.project || app.Exists(c.Path) && entered(c.Path) {
			list = append(list, c)
		}
	}
	return list, nil
}

// entered reports whether a configuration has recall's server.
func entered(path string) bool {
	text, err := library.ReadRegular(path, hooks.MostOfSettings)
	if err != nil {
		return false
	}
	have, err := hooks.InstalledServer(text)
	return err == nil && have != nil
}

func claudeCodeClient() (mcpClient, error) {
	home, err := os.UserHomeDir()
	dir := os.Getenv("CLAUDE_CONFIG_DIR")
	switch {
	case dir == "" && err != nil:
		return mcpClient{}, err
	case dir == "":
		dir = home
	}
	c := mcpClient{Name: "Claude Code", Path: filepath.Join(dir, ".claude.json"), typed: true}
	_, onPath := exec.LookPath("claude")
	c.there = app.Exists(c.Path) || onPath == nil || home != "" && app.Exists(filepath.Join(home, ".claude"))
	return c, nil
}

// desktopClients are the app's configurations: of each of its folders that is
// there, else the usual one.
func desktopClients(asked bool) []mcpClient {
	const file = "claude_desktop_config.json"
	var list []mcpClient
	if w := cowork.OtherSide(); w != nil {
		for _, dir := range w.Data {
			if app.Exists(dir) {
				list = append(list, mcpClient{Name: "Claude Desktop, Windows", Path: filepath.Join(dir, file),
					there:  true,
					distro: w.Distro})
			}
		}
	}
	dirs := cowork.AppData()
	for _, dir := range dirs {
		if app.Exists(dir) {
			list = append(list, mcpClient{Name: "Claude Desktop", Path: filepath.Join(dir, file), there: true})
		}
	}
	if len(list) == 0 && len(dirs) > 0 && asked {
		list = append(list, mcpClient{Name: "Claude Desktop", Path: filepath.Join(dirs[0], file)})
	}
	return list
}

// changeClients carries one change out for each client. What fails for one
// doesn't keep the others from it.
func changeClients(a *app.App, clients []mcpClient, dryRun bool, nothing string,
	plan func(mcpClient) (hooks.Change, error)) error {
	var faults []error
	for _, c := range clients {
		change, err := plan(c)
		if err == nil && change.Differs() && c.project != "" {
			err = staysInside(c.project, c.Path)
		}
		if err == nil && change.Differs() && !dryRun {
			err = change.Do()
		}
		switch {
		case errors.Is(err, hooks.ErrTaken):
			faults = append(faults, terminal.WithHint(err,
				"rename or remove that server first: claude mcp remove recall"))
		case err != nil:
			faults = append(faults, err)
		case !change.Differs():
			fmt.Fprintf(a.Out, "%s: %s: %s\n", c.Name, terminal.Line(c.Path), nothing)
		case dryRun:
			fmt.Fprintf(a.Out, "%s: %s would change:\n%s", c.Name, terminal.Line(c.Path), changedLines(change))
		default:
			what := "changed"
			if change.Removes {
				what = "removed: it held nothing else"
			} else if change.Backup != "" {
				what = "changed; as it was: " + terminal.Line(filepath.Base(change.Backup))
			}
			fmt.Fprintf(a.Out, "%s: %s: %s\n", c.Name, terminal.Line(c.Path), what)
		}
	}
	return errors.Join(faults...)
}

// changedLines are the lines that come and go: the beginning and the end that a
// file keeps are left out.
func changedLines(c hooks.Change) string {
	before, after := strings.SplitAfter(string(c.Before), "\n"), strings.SplitAfter(string(c.After), "\n")
	if c.Removes {
		after = nil
	}
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	var b strings.Builder
	for _, part := range []struct {
		sign  string
		lines []string
	}{{"-", before}, {"+", after}} {
		for _, line := range part.lines {
			if line = strings.TrimRight(line, "\r\n"); line != "" {
				fmt.Fprintf(&b, "  %s %s\n", part.sign, txt.Clip(terminal.Visible(line), 160))
			}
		}
	}
	return b.String()
}

// printSnippets tells what to paste into the clients that recall doesn't edit.
func printSnippets(a *app.App, p hooks.Program) {
	args := append(slices.Clone(p.Args), "mcp")
	entry, _ := json.Marshal(map[string]any{"command": p.Path, "args": args})
	code, _ := json.Marshal(map[string]any{"type": "stdio", "command": p.Path, "args": args})
	command, _ := json.Marshal(p.Path)
	list, _ := json.Marshal(args)
	fmt.Fprintf(a.Out, `
Other clients:
  Cursor, ~/.cursor/mcp.json       {"mcpServers": {"recall": %[1]s}}
  VS Code, .vscode/mcp.json        {"servers": {"recall": %[2]s}}
  Gemini CLI, ~/.gemini/settings.json
                                   {"mcpServers": {"recall": %[1]s}}
  Codex, ~/.codex/config.toml      [mcp_servers.recall]
                                   command = %[3]s
                                   args = %[4]s
`, entry, code, command, list)
}

// McpStatusDoc is the JSON form of recall mcp status.
type McpStatusDoc struct {
	Schema  int               `json:"schema"` // 1
	Plugin  bool              `json:"plugin"` // recall's plugin is on in Claude Code: it brings the server too
	Clients []mcpClientStatus `json:"clients"`
}

type mcpClientStatus struct {
	mcpClient
	Installed bool     `json:"installed"`
	Command   []string `json:"command,omitempty"` // that the client starts
	Works     bool     `json:"works"`             // that program is there
	Fault     string   `json:"fault,omitempty"`   // why its configuration can't be read
}

func newMcpStatusCmd(a *app.App) *cobra.Command {
	return option.Result(a, &cobra.Command{
		Use:     "status",
		Short:   "Tell which clients start recall's MCP server",
		Example: "  recall mcp status",
		Args:    cobra.NoArgs,
	}, func(context.Context, []string) (McpStatusDoc, error) { return mcpStatus() }, printMcpStatus)
}

func printMcpStatus(a *app.App, doc McpStatusDoc) {
	line := func(name, what string) { fmt.Fprintf(a.Out, "%-26s %s\n", name, terminal.Line(what)) }
	if doc.Plugin {
		line("Claude Code, the plugin", "recall's plugin is on, and brings the server")
	}
	if doc.twice() {
		line("", twiceServed)
	}
	for _, c := range doc.Clients {
		what := "not installed"
		switch {
		case c.Fault != "":
			what = c.Fault
		case c.Installed && !c.Works:
			what = "starts " + hooks.Started(c.Command) + ", WHICH ISN'T THERE: recall mcp install mends it"
		case c.Installed:
			what = "starts " + strings.Join(c.Command, " ")
		}
		line(c.Name, what)
		line("", c.Path)
	}
}

// twiceServed is said where a model gets each tool of recall's twice.
const twiceServed = "Claude Code has each tool twice, by the plugin and by its configuration: recall mcp uninstall --claude-code, or turn the plugin off"

// twice reports whether Claude Code starts the server for the plugin and for its
// own configuration too.
func (d McpStatusDoc) twice() bool {
	return d.Plugin && slices.ContainsFunc(d.Clients, func(c mcpClientStatus) bool { return c.typed && c.Installed })
}

func mcpStatus() (McpStatusDoc, error) {
	doc := McpStatusDoc{Schema: 1, Plugin: pluginOn(), Clients: []mcpClientStatus{}}
	f := mcpFlags{code: true, desktop: true, project: true}
	clients, err := f.clients()
	for _, c := range clients {
		s := mcpClientStatus{mcpClient: c}
		text, err := library.ReadRegular(c.Path, hooks.MostOfSettings)
		if err == nil {
			s.Command, err = hooks.InstalledServer(text)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			s.Fault = err.Error()
		}
		if s.Installed = s.Command != nil; s.Installed {
			_, err := exec.LookPath(hooks.Started(s.Command))
			s.Works = err == nil
		}
		doc.Clients = append(doc.Clients, s)
	}
	return doc, err
}
