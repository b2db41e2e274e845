// Package cowork finds and reads the sessions of Claude Cowork, the agent mode of the Claude desktop app. Each is a
// record (title, dates, folders), a storage folder with one or more Claude Code transcripts, and an audit log of what
// the app saw. Any of them can be missing; together they make one ingest.Session.
//
// On disk, below a root:
//
//	<account>/<organisation>/local_<id>.json        the record
//	<account>/<organisation>/local_<id>/            the storage folder
//	    .claude/projects/<slug>/<cliSessionId>.jsonl    a transcript
//	    audit.jsonl  uploads/  outputs/
//	<account>/<organisation>/agent/local_….json     the same, for the app's own agents
//	<account>/<organisation>/spaces.json            names of the account's spaces
//
// A session's files are named as follows, also in the library: "record.json", "spaces.json", "audit.jsonl",
// "transcripts/<cliSessionId>.jsonl", "<cliSessionId>/subagents/…", "<cliSessionId>/tool-results/…", "tasks/…",
// "uploads/…", "outputs/…".
package cowork

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"recall/ingest"
)

// Reader reads Cowork sessions. Its zero value is ready for use.
type Reader struct{}

var _ ingest.Reader = Reader{}

// Source is ingest.Cowork.
func (Reader) Source() ingest.Source { return ingest.Cowork }

// Roots lists this system's "local-agent-mode-sessions" folders; RECALL_COWORK_DIR (a list like PATH) replaces them.
func (Reader) Roots() []string {
	if over := os.Getenv("RECALL_COWORK_DIR"); over != "" {
		return ingest.Folders(filepath.SplitList(over))
	}
	var list []string
	for _, data := range append(AppData(), windowsData()...) { // on WSL, those of Windows as well
		list = append(list, filepath.Join(data, sessionsFolder))
	}
	return ingest.Folders(list) // each once: the Windows Store app sees its data under %APPDATA% too
}

// Find lists the sessions under a root, an account's folder, a storage folder, a single record or a folder above them.
func (Reader) Find(ctx context.Context, path string, seen ingest.Seen) ([]ingest.Found, []ingest.Problem) {
	f := finder{Search: ingest.Search{Context: ctx, Seen: seen, Root: path}}
	f.find(path)
	return f.found, f.Problems
}

var _ ingest.Layout = Reader{}

// Cut implements ingest.Layout: a root is above account, organisation and, for the app's own agents, "agent".
func (Reader) Cut(f ingest.Found, _ string) (ingest.Cut, error) {
	return ingest.CutAt(func(file ingest.File, parts []string) int {
		id := string(f.ID)
		at := slices.IndexFunc(parts, func(p string) bool { return p == id || p == id+".json" })
		if file.Role == SpacesFile { // <account>/<organisation>/spaces.json
			at = len(parts) - 1
		}
		if at > 0 && parts[at-1] == "agent" {
			at--
		}
		return at - 2
	}), nil
}

// sessionsFolder is the name of a root in the app's data folder.
const sessionsFolder = "local-agent-mode-sessions"

// AppData lists where the desktop app could keep its data and configuration on this system, existing or not.
func AppData() []string {
	local := ""
	if runtime.GOOS == "windows" {
		local = os.Getenv("LOCALAPPDATA")
	}
	usual, _ := os.UserConfigDir() // without one there are fewer places
	return slices.Concat(storeFolders(local), appFolders(usual), appFolders(local))
}

// appFolders returns the app's folders in a parent, including that of its third-party inference mode ("Claude-3p").
func appFolders(parent string) []string {
	if parent == "" {
		return nil
	}
	return []string{filepath.Join(parent, "Claude"), filepath.Join(parent, "Claude-3p")}
}

// storeFolders returns those of the Windows Store app. Its package's name ends in a publisher id, which could change.
func storeFolders(local string) (list []string) {
	if local != "" {
		dirs, _ := filepath.Glob(filepath.Join(local, "Packages", "Claude_*", "LocalCache", "Roaming"))
		for _, dir := range dirs {
			list = append(list, appFolders(dir)...)
		}
	}
	return list
}

// windowsData returns the app's folders of the Windows user who runs this WSL.
func windowsData() []string {
	if profile := profile(); profile != "" {
		data := filepath.Join(profile, "AppData")
		return append(storeFolders(filepath.Join(data, "Local")), appFolders(filepath.Join(data, "Roaming"))...)
	}
	return nil
}

// profile returns that user's folder, "" if unknown. WSL appends the user's own PATH to the shell's unless told not to,
// and passes USERPROFILE on if WSLENV says so. C:\Users also lists other people's.
func profile() string {
	if os.Getenv("WSL_DISTRO_NAME") == "" { // not in WSL
		return ""
	}
	if dir := filepath.Clean(os.Getenv("USERPROFILE")); filepath.Base(filepath.Dir(dir)) == "Users" {
		return dir
	}
	found := ""
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		at := strings.Index(dir, "/AppData/")
		if at < 0 || filepath.Base(filepath.Dir(dir[:at])) != "Users" {
			continue
		}
		if found != "" && found != dir[:at] {
			return "" // two users' programs
		}
		found = dir[:at]
	}
	return found
}
