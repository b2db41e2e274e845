// Package clienttest runs tests with the real Claude Code, in each available version.
package clienttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Each runs test with each claude program in RECALL_CLAUDE (printed by .ci/clients), under its version; it skips if
// there is none. It reads the variable before test can hide the environment.
func Each(t *testing.T, test func(t *testing.T, program string)) {
	t.Helper()
	programs := filepath.SplitList(os.Getenv("RECALL_CLAUDE"))
	if len(programs) == 0 {
		t.Skip("RECALL_CLAUDE names no claude program; .ci/clients brings some")
	}
	for _, program := range programs {
		out, err := exec.CommandContext(t.Context(), program, "--version").Output()
		version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
		if err != nil || version == "" {
			t.Errorf("%s doesn't say its version: %q, %v", program, out, err)
			continue
		}
		t.Run(version, func(t *testing.T) { test(t, program) })
	}
}
