package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"recall/library/disk"
)

// LogName is the log of what went wrong in hooks, beside the memos.
const LogName = "hooks.log"

const logMost = 128 << 10 // bytes; then it becomes hooks.log.1

// Log notes what went wrong, without a word of a session. That it can't be written must not matter either.
func Log(dir string, e Event, in Input, took time.Duration, fault error) {
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	path := filepath.Join(dir, LogName)
	if fi, err := os.Stat(path); err == nil && fi.Size() > logMost {
		os.Rename(path, path+".1")
	}
	f, err := disk.OpenPlain(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	what := strings.ReplaceAll(strings.TrimSpace(fault.Error()), "\n", "\n    ")
	if len(what) > 4000 {
		what = what[:4000] + " …"
	}
	fmt.Fprintf(f, "%s %s %s %dms %s\n", time.Now().UTC().Format(time.RFC3339), e.Word(), in.Session, took.Milliseconds(),
		what)
}
