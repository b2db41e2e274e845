package app

import (
	"bufio"
	"fmt"
	"strings"

	"recall/cmd/recall/terminal"
)

// Confirm asks on a terminal; elsewhere the answer is no.
func (a *App) Confirm(question string) bool {
	if !terminal.IsTerminal(a.Out) {
		return false
	}
	fmt.Fprintf(a.Err, "%s [y/N] ", question)
	line, _ := bufio.NewReader(a.In).ReadString('\n')
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}
