package manifest

import (
	"fmt"
	"strings"
)

// install writes the line that installs a package in the version that the
// session had. What can't be had in a certain version is said at the top.
func (w *rebuilding) install(p Package) {
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

// installCommand is a package manager's command for one package, its words
// quoted; "" for one that isn't known.
func installCommand(p Package) string {
	at := func(mark string) string {
		if p.Version == "" {
			return quote(p.Name)
		}
		return quote(p.Name + mark + p.Version)
	}
	flags := ""
	if strings.Contains(p.Command, "--break-system-packages") {
		flags = " --break-system-packages"
	}
	global := p.Dir == ""
	switch p.Manager {
	case "pip":
		return "python3 -m pip install" + flags + " -- " + at("==")
	case "uv":
		if global {
			return "uv pip install --system" + flags + " -- " + at("==")
		}
		return "uv add -- " + at("==")
	case "uv-tool":
		return "uv tool install -- " + at("==")
	case "npm", "pnpm":
		if global {
			return p.Manager + " install -g -- " + at("@")
		}
		return p.Manager + " install -- " + at("@")
	case "yarn":
		return "yarn add -- " + at("@")
	case "bun":
		if global {
			return "bun add -g " + at("@")
		}
		return "bun add " + at("@")
	case "apt":
		return "admin apt-get install -y -- " + at("=")
	case "cargo":
		if !global {
			return "cargo add -- " + at("@")
		}
		if p.Version != "" {
			return "cargo install --version " + quote(p.Version) + " -- " + quote(p.Name)
		}
		return "cargo install -- " + quote(p.Name)
	case "go":
		verb := "get"
		if global {
			verb = "install"
		}
		version := p.Version
		if version == "" {
			version = "latest"
		}
		return "go " + verb + " -- " + quote(p.Name+"@"+version)
	case "brew":
		return "brew install -- " + quote(p.Name)
	}
	return ""
}
