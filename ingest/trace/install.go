package trace

import (
	"cmp"
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"recall/internal/text"

	"github.com/pelletier/go-toml/v2"
)

// A Package is something that the session installed; its JSON is part of the manifest.
type Package struct {
	Manager string `json:"manager"`           // pip, uv, uv-tool, npm, pnpm, yarn, bun, apt, cargo, go, brew
	Name    string `json:"name"`              // as the manager calls it: "@scope/x", "golang.org/x/tools/gopls"
	Version string `json:"version,omitempty"` // as printed by the manager, else as requested; "" if neither says
	// folder of the project it was installed for; "" if that is unknown, or it is for the system or the user
	Dir     string `json:"dir,omitempty"`
	Had     bool   `json:"had,omitempty"` // it was already there
	Command string `json:"command"`       // the command line that installed it
	N       int    `json:"turn"`
}

// packages lists what is installed at the end, in order of first installation, if confirmed by the output or the
// command's certain success; what was removed again is omitted.
func packages(actions []Action) []Package {
	var all []Package
	for i := range actions {
		a := &actions[i]
		if !a.Call.Ran() {
			continue
		}
		for k := range a.Steps {
			if m, ok := installerOf(&a.Steps[k]); ok {
				all = m.apply(all, a, &a.Steps[k])
			}
		}
	}
	return all
}

// installer is a command that installs or removes packages.
type installer struct {
	manager   string
	remove    bool
	global    bool
	requested []spec
}

// spec is a package as requested on a command line.
type spec struct{ name, version string }

// installerOf parses a package manager's command; false if it isn't one.
func installerOf(c *Step) (installer, bool) {
	prog, args := c.Program, c.Args
	asModule := (prog == "python" || prog == "python3") && len(args) > 1 && args[0] == "-m" && args[1] == "pip"
	if asModule {
		prog, args = "pip", args[2:]
	}
	if prog == "uv" && len(args) > 0 && (args[0] == "pip" || args[0] == "tool") {
		prog, args = "uv "+args[0], args[1:]
	}
	prog = strings.TrimRight(prog, "0123456789.")
	rules, ok := managers().Programs[prog]
	if !ok {
		return installer{}, false
	}
	verb := ""
	for i, a := range args {
		if !strings.HasPrefix(a, "-") {
			verb, args = a, slices.Concat(args[:i], args[i+1:])
			break
		}
	}
	m := installer{manager: rules.Name, global: rules.Global, remove: has(rules.Remove, verb)}
	if !m.remove && !has(rules.Install, verb) {
		return installer{}, false
	}
	m.global = m.global || slices.Contains(args, "-g") || slices.Contains(args, "--global") ||
		verb == "install" && (prog == "go" || prog == "cargo")
	m.requested = requested(rules, args)
	return m, true
}

// program is the program of a package manager, see managers.toml.
type program struct {
	Name, At                string
	Install, Remove, Values string // words
	Global                  bool
}

// prints are the expressions for a package manager's output.
type prints struct {
	Installed, Had []string
}

//go:embed managers.toml
var managersTOML []byte

// managers holds the programs by name, and the output expressions by manager.
var managers = sync.OnceValue(func() (t struct {
	Programs map[string]program
	Prints   map[string]prints
}) {
	if err := toml.Unmarshal(managersTOML, &t); err != nil {
		panic(err)
	}
	return t
})

// has reports whether a word is one of those in a list.
func has(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

// noPackage matches an option, nothing, or a folder.
var noPackage = text.Pattern(`^(?:-|/|\.{0,2}$|\.{1,2}/)`)

// requested returns the packages in an installer's arguments, without folders and files; only the output says what a
// file lists.
func requested(r program, args []string) []spec {
	var out []spec
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case has(r.Values, a):
			i++
			continue
		case a == UnknownArg || noPackage().MatchString(a):
			continue
		}
		s := spec{name: a}
		if at := strings.LastIndex(a, r.At); r.At != "" && at > 0 {
			s = spec{a[:at], a[at+len(r.At):]}
		}
		if strings.HasPrefix(r.Name, "pip") || strings.HasPrefix(r.Name, "uv") {
			if i := strings.IndexAny(s.name, "[<>=!~; "); i > 0 { // extras and version bounds: "uvicorn[standard]>=0.2"
				s.name = s.name[:i]
			}
		}
		if r.Name == "go" && (strings.HasSuffix(s.name, "...") || !strings.Contains(s.name, ".")) {
			continue // packages of the module itself
		}
		if s.version == "latest" {
			s.version = ""
		}
		if packageName().MatchString(s.name) && versionText().MatchString(s.version) {
			out = append(out, s)
		}
	}
	for i, a := range args { // cargo install x --version 1.2
		ofOne := r.Name == "cargo" && a == "--version" && i+1 < len(args) && len(out) == 1 &&
			versionText().MatchString(args[i+1])
		if ofOne {
			out[0].version = args[i+1]
		}
	}
	return out
}

var (
	packageName = text.Pattern(`^@?[A-Za-z0-9][A-Za-z0-9._+~/@-]*$`)
	versionText = text.Pattern(`^[A-Za-z0-9._+~:^-]*$`)
)

// apply adds what a command installed to the list, or removes what it removed.
func (m installer) apply(all []Package, a *Action, c *Step) []Package {
	whole := c.sure && !a.Call.Failed && !strings.HasPrefix(a.Call.Result, "Command running in background")
	printed := m.printed(a.Call.Result)
	if m.remove {
		return slices.DeleteFunc(all, func(p Package) bool {
			return p.Manager == m.manager && slices.ContainsFunc(m.requested,
				func(s spec) bool { return sameName(m.manager, s.name, p.Name) }) && whole
		})
	}
	add := func(p Package) {
		p.Manager, p.Command, p.N = m.manager, a.Call.Command, a.N
		if !m.global {
			p.Dir = c.Dir
		}
		for i := range all {
			if q := &all[i]; q.Manager == p.Manager && sameName(p.Manager, q.Name, p.Name) && q.Dir == p.Dir {
				if p.Version == "" || p.Had {
					p.Version = cmp.Or(p.Version, q.Version)
				}
				p.Had, p.N = q.Had && p.Had, q.N
				*q = p
				return
			}
		}
		all = append(all, p)
	}
	for _, s := range m.requested {
		i := slices.IndexFunc(printed, func(p Package) bool { return sameName(m.manager, p.Name, s.name) })
		switch {
		case i >= 0:
			p := printed[i]
			p.Name, p.Version = s.name, cmp.Or(p.Version, s.version)
			add(p)
		case whole:
			add(Package{Name: s.name, Version: s.version})
		}
	}
	for _, p := range printed {
		// Dependencies weren't requested; the entries of a requirements file were.
		if len(m.requested) == 0 && !p.Had {
			add(p)
		}
	}
	return all
}

// sameName compares names as the manager does.
func sameName(manager, a, b string) bool {
	switch manager {
	case "pip", "uv", "uv-tool":
		fold := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(s)) }
		return fold(a) == fold(b)
	case "go": // a module provides packages below its name
		return a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
	case "apt":
		cut := func(s string) string { s, _, _ = strings.Cut(s, ":"); return s }
		return cut(a) == cut(b)
	case "brew":
		return path.Base(a) == path.Base(b)
	}
	return a == b
}

var pipInstalled = text.Pattern(`(?m)^\s*Successfully installed ((?:[A-Za-z0-9._-]+-[0-9][^\s]*[ \t]*)+)`)

// printed reads from the output what was installed, or already there.
func (m installer) printed(out string) []Package {
	var all []Package
	read := func(exprs []string, out string, had bool) {
		for _, expr := range exprs {
			for _, f := range regexp.MustCompile(expr).FindAllStringSubmatch(out, -1) {
				all = append(all, Package{Name: f[1], Version: f[2], Had: had})
			}
		}
	}
	prints := managers().Prints[m.manager]
	installed := out
	if m.manager == "pip" {
		installed = strings.Join(pipInstalled().FindAllString(out, -1), " ")
	}
	read(prints.Installed, installed, false)
	read(prints.Had, out, true)
	return all
}
