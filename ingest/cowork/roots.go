package cowork

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"recall/ingest"
)

// sessionsFolder is the name of a root, in the app's data folder.
const sessionsFolder = "local-agent-mode-sessions"

// system is what the places of the roots depend on.
type system struct {
	os     string
	home   string
	getenv func(string) string
}

func thisSystem() system {
	home, _ := os.UserHomeDir() // without a home there are fewer places to look in
	return system{runtime.GOOS, home, os.Getenv}
}

// roots lists the existing ones, once each: the Windows store's app sees its data under %APPDATA% too.
func (s system) roots() []string { return ingest.Folders(s.candidates()) }

func (s system) candidates() []string {
	if over := s.getenv("RECALL_COWORK_DIR"); over != "" {
		return filepath.SplitList(over)
	}
	var list []string
	for _, data := range s.appData() {
		list = append(list, filepath.Join(data, sessionsFolder))
	}
	return list
}

// appData lists the app's data folders, on WSL those of Windows as well.
func (s system) appData() []string { return append(s.ownData(), s.windowsData()...) }

// under are the app's folders in a parent, also of its third-party inference mode ("Claude-3p").
func under(parent string) []string {
	if parent == "" {
		return nil
	}
	return []string{filepath.Join(parent, "Claude"), filepath.Join(parent, "Claude-3p")}
}

// store are those of the Windows store's app. Its package's name ends in a publisher's id, which could change.
func store(local string) (list []string) {
	if local != "" {
		dirs, _ := filepath.Glob(filepath.Join(local, "Packages", "Claude_*", "LocalCache", "Roaming"))
		for _, dir := range dirs {
			list = append(list, under(dir)...)
		}
	}
	return list
}

func (s system) ownData() []string {
	switch s.os {
	case "darwin":
		if s.home == "" {
			return nil
		}
		return under(filepath.Join(s.home, "Library", "Application Support"))
	case "windows":
		local := s.getenv("LOCALAPPDATA")
		return slices.Concat(store(local), under(s.getenv("APPDATA")), under(local))
	}
	if conf := s.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(conf) {
		return under(conf)
	}
	if s.home == "" {
		return nil
	}
	return under(filepath.Join(s.home, ".config"))
}

// distro is the WSL distribution that this is, "" elsewhere.
func (s system) distro() string {
	if s.os != "linux" {
		return ""
	}
	return s.getenv("WSL_DISTRO_NAME")
}

// windowsData are the app's folders of the Windows user whose WSL this is.
func (s system) windowsData() []string {
	if profile := s.profile(); profile != "" {
		data := filepath.Join(profile, "AppData")
		return append(store(filepath.Join(data, "Local")), under(filepath.Join(data, "Roaming"))...)
	}
	return nil
}

// profile is that user's folder, "" if unknown: WSL appends the user's own PATH to the shell's unless told not to, and
// hands USERPROFILE on if WSLENV says so. C:\Users lists other people's too.
func (s system) profile() string {
	if s.distro() == "" {
		return ""
	}
	if dir := filepath.Clean(s.getenv("USERPROFILE")); filepath.Base(filepath.Dir(dir)) == "Users" {
		return dir
	}
	found := ""
	for _, dir := range filepath.SplitList(s.getenv("PATH")) {
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

// A Windows is the other side of WSL: the desktop app runs there.
type Windows struct {
	Distro string   // this distribution's name, which wsl.exe takes
	Data   []string // as AppData, of this Windows user alone; none if who that is isn't known
}

// OtherSide is the Windows around this WSL, nil where there is none.
func OtherSide() *Windows {
	s := thisSystem()
	if s.distro() == "" {
		return nil
	}
	return &Windows{s.distro(), s.windowsData()}
}

// AppData lists where the desktop app may keep its data and configuration on this system, existing or not.
func AppData() []string { return thisSystem().ownData() }
