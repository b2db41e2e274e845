package manifest

import (
	"fmt"
	"strings"

	"recall/ingest/trace"
)

// install writes the line that installs a package in the session's version; where none can be had, the top says so.
func (w *rebuilding) install(p trace.Package) {
	if strings.HasPrefix(p.Name, "-") || strings.Contains(p.Name+p.Version+p.Dir, "‹") {
		w.lose(p.Manager+" "+p.Name, "its name can't stand in a script")
		return
	}
	what := strings.TrimSpace(p.Manager + " " + p.Name + " " + p.Version)
	command := installCommand(p)
	if command == "" {
		w.lose(what, "recall doesn't know how to install with "+p.Manager)
		return
	}
	switch {
	case p.Version == "":
		w.notes = append(w.notes, "Installed in the newest version, the session's isn't known: "+what)
	case p.Manager == "brew":
		w.notes = append(w.notes, "Homebrew installs the newest version; the session had "+p.Version+": "+p.Name)
	}
	dir := "''"
	if p.Dir != "" {
		if !usable(p.Dir) {
			w.lose(what, "the folder that it was installed for isn't known")
			return
		}
		if !within(p.Dir, w.folders) {
			w.outside(what + " in " + p.Dir)
			return
		}
		dir = `"$root"` + w.place(p.Dir)
	}
	w.out.Packages++
	fmt.Fprintf(&w.packages, "install %s %s %s\n", quote(what), dir, command)
}

// installers are the package managers' commands: for everybody, for the project in their folder ("" if none), and what
// stands between name and version.
var installers = map[string]struct{ global, local, mark string }{
	"pip":     {"python3 -m pip install -- ", "python3 -m pip install -- ", "=="},
	"uv":      {"uv pip install --system -- ", "uv add -- ", "=="},
	"uv-tool": {"uv tool install -- ", "uv tool install -- ", "=="},
	"npm":     {"npm install -g -- ", "npm install -- ", "@"},
	"pnpm":    {"pnpm install -g -- ", "pnpm install -- ", "@"},
	"yarn":    {"yarn add -- ", "yarn add -- ", "@"},
	"bun":     {"bun add -g ", "bun add ", "@"},
	"apt":     {"admin apt-get install -y -- ", "admin apt-get install -y -- ", "="},
	"cargo":   {"cargo install -- ", "cargo add -- ", "@"},
	"go":      {"go install -- ", "go get -- ", "@"},
	"brew":    {"brew install -- ", "brew install -- ", ""},
}

// installCommand is a package manager's command for one package, quoted; "" for an unknown one.
func installCommand(p trace.Package) string {
	with, known := installers[p.Manager]
	if !known {
		return ""
	}
	command, version := with.local, p.Version
	if p.Dir == "" {
		command = with.global
	}
	switch {
	case p.Manager == "cargo" && p.Dir == "" && version != "":
		return "cargo install --version " + quote(version) + " -- " + quote(p.Name)
	case p.Manager == "go" && version == "":
		version = "latest"
	case p.Manager == "brew":
		version = "" // it has no other than the newest
	}
	if strings.Contains(p.Command, "--break-system-packages") && (p.Manager == "pip" || p.Manager == "uv" && p.Dir == "") {
		command = strings.TrimSuffix(command, "-- ") + "--break-system-packages -- "
	}
	if version == "" {
		return command + quote(p.Name)
	}
	return command + quote(p.Name+with.mark+version)
}
