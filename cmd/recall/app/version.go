package app

import (
	"fmt"
	"runtime/debug"
)

// version is set at release by -ldflags "-X recall/cmd/recall/app.version=…".
var version = ""

// VersionText is the release's version, else the revision it was built from and its
// day.
func VersionText() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	built := map[string]string{}
	for _, s := range info.Settings {
		built[s.Key] = s.Value
	}
	if rev, day := built["vcs.revision"], built["vcs.time"]; len(rev) >= 12 && len(day) >= 10 {
		return fmt.Sprintf("(devel) %s of %s", rev[:12], day[:10])
	}
	return info.Main.Version
}
