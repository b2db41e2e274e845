package codex

import "recall/ingest"

var (
	_      ingest.Layout = Reader{}
	inHome               = ingest.CutBefore("sessions", "archived_sessions")
)

// ByFolder is true: "codex resume" lists the threads of the folder that it is called in, and goes on there.
func (Reader) ByFolder() bool { return true }

// Base is the folder above sessions/ or archived_sessions/.
func (Reader) Base(f ingest.Found) string { return inHome.Base(f) }

// Places implements ingest.Layout: each file goes where it was. Nothing hangs on dir.
func (Reader) Places(f ingest.Found, _ string) (map[string]string, error) { return inHome.Places(f) }
