package app

import "runtime/debug"

// version is set at release by -ldflags "-X recall/cmd/recall/app.version=…".
var version = ""

// VersionText is the release's version, else the revision it was built from.
func VersionText() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "(devel) " + s.Value[:12]
		}
	}
	return info.Main.Version
}
