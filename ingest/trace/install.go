package trace

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"recall/ingest"
)

// A Package is something that the session installed.
type Package struct {
	Manager string // pip, uv, uv-tool, npm, pnpm, yarn, bun, apt, cargo, go, brew
	Name    string // as the manager calls it: "@scope/x", "golang.org/x/tools/gopls"
	Version string // as the manager printed it, else as asked for; "" if neither says
	Global  bool   // for the system or the user, not for a folder's project
	Dir     string // folder of the project that it was installed for, "" if Global or unknown
	Had     bool   // it was there already
	Command string // the command line that did it
	N       int    // turn
	// Sure says that the output names it; else that its command succeeded.
	Sure bool
}

// packages lists what is installed at the end, in order of first
// installation. An installation counts if the output confirms it or if the
// command has certainly succeeded; what was removed again is left out.
func packages(actions []Action) []Package {
	var all []Package
	for i := range actions {
		a := &actions[i]
		if !a.Ran() {
			continue
		}
		for k := range a.commands {
			if m, ok := installerOf(&a.commands[k]); ok {
				all = m.apply(all, a, &a.commands[k])
			}
		}
	}
	return all
}

// installer is a command that installs or removes packages.
type installer struct {
	manager string
	remove  bool
	global  bool
	asked   []spec
}

// spec is a package as asked for on a command line.
type spec struct{ name, version string }

// installerOf reads a package manager's command; false if it is none.
func installerOf(c *command) (installer, bool) {
	prog, args := c.program(), c.args()
	if (prog == "python" || prog == "python3") && len(args) > 1 && args[0] == "-m" && args[1] == "pip" {
		prog, args = "pip", args[2:]
	}
	if prog == "uv" && len(args) > 0 && (args[0] == "pip" || args[0] == "tool") {
		prog, args = "uv "+args[0], args[1:]
	}
	prog = strings.TrimRight(prog, "0123456789.")
	rules, ok := managers[prog]
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
	m := installer{manager: rules.name, global: rules.global, remove: slices.Contains(rules.remove, verb)}
	if !m.remove && !slices.Contains(rules.install, verb) {
		return installer{}, false
	}
	m.global = m.global || slices.Contains(args, "-g") || slices.Contains(args, "--global")
	m.asked = asked(rules, args)
	return m, true
}

// rules of a package manager.
type rules struct {
	name            string
	install, remove []string
	global          bool
	at              string   // parts name and version in an argument
	values          []string // flags that take the next argument
}

var managers = map[string]rules{
	"pip": {"pip", []string{"install"}, []string{"uninstall"}, true, "==",
		[]string{"-r", "--requirement", "-c", "--constraint", "-t", "--target", "-i", "--index-url", "--extra-index-url",
			"-f", "--find-links", "--python", "--root", "--prefix", "-e", "--editable"}},
	"uv": {"uv", []string{"add"}, []string{"remove"}, false, "==",
		[]string{"--group", "--index", "-r", "--requirements", "--python", "-p", "--extra", "--optional"}},
	"uv pip": {"uv", []string{"install"}, []string{"uninstall"}, true, "==",
		[]string{"-r", "--requirement", "-c", "--python", "-p", "-e", "--index-url", "--target"}},
	"uv tool": {"uv-tool", []string{"install"}, []string{"uninstall"}, true, "==",
		[]string{"--with", "--python", "-p", "--from"}},
	"npm": {"npm", []string{"install", "i", "add"}, []string{"uninstall", "remove", "rm", "un"}, false, "@",
		[]string{"--prefix", "--registry", "-w", "--workspace"}},
	"pnpm": {"pnpm", []string{"install", "i", "add"}, []string{"remove", "rm", "uninstall"}, false, "@",
		[]string{"--filter", "-C", "--dir"}},
	"yarn":    {"yarn", []string{"add"}, []string{"remove"}, false, "@", []string{"--cwd"}},
	"apt":     {"apt", []string{"install"}, []string{"remove", "purge"}, true, "=", []string{"-o", "-t", "-c"}},
	"apt-get": {"apt", []string{"install"}, []string{"remove", "purge"}, true, "=", []string{"-o", "-t", "-c"}},
	"cargo": {"cargo", []string{"install", "add"}, []string{"uninstall", "remove"}, false, "@",
		[]string{"--version", "--git", "--branch", "--tag", "--path", "--features", "-F", "--root", "-p"}},
	"go": {"go", []string{"install", "get"}, nil, false, "@", []string{"-C", "-tags", "-ldflags", "-o"}},
	"bun": {"bun", []string{"install", "add", "i"}, []string{"remove", "rm"}, false, "@",
		[]string{"--cwd", "--filter"}},
	"brew": {"brew", []string{"install", "reinstall", "upgrade"}, []string{"uninstall", "remove", "rm"}, true, "",
		[]string{}},
}

// asked reads the packages out of an installer's arguments. Folders and files
// are no packages, and a list in a file is told from the output alone.
func asked(r rules, args []string) []spec {
	var out []spec
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case slices.Contains(r.values, a):
			i++
			continue
		case strings.HasPrefix(a, "-") || a == UnknownArg || a == "" || a == "." || strings.HasPrefix(a, "./") ||
			strings.HasPrefix(a, "../") || strings.HasPrefix(a, "/"):
			continue
		}
		s := spec{name: a}
		if at := strings.LastIndex(a, r.at); r.at != "" && at > 0 {
			s = spec{a[:at], a[at+len(r.at):]}
		}
		if strings.HasPrefix(r.name, "pip") || strings.HasPrefix(r.name, "uv") {
			s.name = pythonName(s.name)
		}
		if r.name == "go" && (strings.HasSuffix(s.name, "...") || !strings.Contains(s.name, ".")) {
			continue // packages of this module
		}
		if s.version == "latest" {
			s.version = ""
		}
		if packageName().MatchString(s.name) && versionText().MatchString(s.version) {
			out = append(out, s)
		}
	}
	for i, a := range args { // cargo install x --version 1.2
		if r.name == "cargo" && a == "--version" && i+1 < len(args) && len(out) == 1 && versionText().MatchString(args[i+1]) {
			out[0].version = args[i+1]
		}
	}
	return out
}

var (
	packageName = ingest.Lazy(`^@?[A-Za-z0-9][A-Za-z0-9._+~/@-]*$`)
	versionText = ingest.Lazy(`^[A-Za-z0-9._+~:^-]*$`)
)

// pythonName leaves extras and looser bounds out: "uvicorn[standard]>=0.2".
func pythonName(s string) string {
	if i := strings.IndexAny(s, "[<>=!~; "); i > 0 {
		s = s[:i]
	}
	return s
}

// apply adds what a command installed to the list, or takes out what it removed.
func (m installer) apply(all []Package, a *Action, c *command) []Package {
	whole := c.sure && !a.Call.Failed && !inBackground(a.Call.Result)
	printed := m.printed(a.Call.Result)
	refused := m.refused(a.Call.Result)
	if m.remove {
		return slices.DeleteFunc(all, func(p Package) bool {
			return p.Manager == m.manager && slices.ContainsFunc(m.asked,
				func(s spec) bool { return sameName(m.manager, s.name, p.Name) }) && whole
		})
	}
	add := func(p Package) {
		p.Manager, p.Global, p.Command, p.N = m.manager, m.global, a.Call.Command, a.N
		if m.manager == "go" || m.manager == "cargo" {
			verb := ""
			if len(c.words) > 1 {
				verb = c.words[1].text
			}
			p.Global = verb == "install"
		}
		if !p.Global {
			p.Dir = c.dir
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
	for _, s := range m.asked {
		if slices.ContainsFunc(refused, func(r string) bool { return sameName(m.manager, r, s.name) }) {
			continue
		}
		i := slices.IndexFunc(printed, func(p Package) bool { return sameName(m.manager, p.Name, s.name) })
		switch {
		case i >= 0:
			p := printed[i]
			p.Name, p.Version = s.name, cmp.Or(p.Version, s.version)
			add(p)
		case whole && len(refused) == 0:
			add(Package{Name: s.name, Version: s.version})
		}
	}
	for _, p := range printed {
		// Dependencies that came along are not what was asked for; a list's entries are.
		if len(m.asked) == 0 && !p.Had {
			add(p)
		}
	}
	return all
}

func inBackground(result string) bool {
	return strings.HasPrefix(result, "Command running in background")
}

// sameName compares names as the manager does.
func sameName(manager, a, b string) bool {
	switch manager {
	case "pip", "uv", "uv-tool":
		fold := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(s)) }
		return fold(a) == fold(b)
	case "go": // a module is named by what provides the package
		return a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
	case "apt":
		cut := func(s string) string { s, _, _ = strings.Cut(s, ":"); return s }
		return cut(a) == cut(b)
	case "brew":
		return path.Base(a) == path.Base(b)
	}
	return a == b
}

// A printer is a form in which a manager says what it did: groups name and version.
type printer struct {
	expr func() *regexp.Regexp
	had  bool
}

var printers = map[string][]printer{
	"pip":  {{ingest.Lazy(`(?m)^Requirement already satisfied: ([A-Za-z0-9._-]+)[^\n(]* \(([0-9][^)\s]*)\)`), true}},
	"uv":   {{ingest.Lazy(`(?m)^ \+ ([A-Za-z0-9._-]+)==(\S+)`), false}},
	"npm":  {{ingest.Lazy(`(?m)^[+└├─\s]*((?:@[\w.-]+/)?[\w.-]+)@(\d[\w.+-]*)$`), false}},
	"pnpm": {{ingest.Lazy(`(?m)^\+ ((?:@[\w.-]+/)?[\w.-]+) (\d[\w.+-]*)`), false}},
	"yarn": {{ingest.Lazy(`(?m)^[└├]─ ((?:@[\w.-]+/)?[\w.-]+)@(\d[\w.+-]*)$`), false}},
	"apt": {{ingest.Lazy(`(?m)^Setting up ([a-z0-9][a-z0-9+.:-]*) \(([^)\s]+)\)`), false},
		{ingest.Lazy(`(?m)^([a-z0-9][a-z0-9+.:-]*) is already the newest version(?: \(([^)\s]+)\))?`), true}},
	"cargo": {{ingest.Lazy("(?m)^\\s*Installed package `([\\w-]+) v([^`\\s]+)"), false},
		{ingest.Lazy("(?m)^\\s*Replaced package `[^`]*` with `([\\w-]+) v([^`\\s]+)"), false},
		{ingest.Lazy(`(?m)^\s*Adding ([\w-]+) v(\S+) to `), false},
		{ingest.Lazy("(?m)Ignored package `([\\w-]+) v([^`\\s]+)` is already installed"), true}},
	"go": {{ingest.Lazy(`(?m)^go: added (\S+) (v\S+)`), false},
		{ingest.Lazy(`(?m)^go: (?:upgraded|downgraded) (\S+) v\S+ => (v\S+)`), false},
		{ingest.Lazy(`(?m)^go: downloading (\S+) (v\S+)`), false}},
	"brew": {{ingest.Lazy(`(?m)^==> Pouring ([\w@.+-]+?)--(\d[\w.+-]*?)\.(?:arm64_|x86_64_|all|big_sur|catalina|monterey|ventura|sonoma|sequoia|tahoe)`), false},
		{ingest.Lazy(`(?m)/Cellar/([\w@.+-]+)/(\d[^/:\s]*):`), false},
		{ingest.Lazy(`(?m)^(?:Warning: )?([\w@.+-]+) (\d\S*) is already installed`), true},
		{ingest.Lazy(`(?m)Not upgrading ([\w@.+-]+), the latest version is (already) installed`), true}},
	"bun":     {{ingest.Lazy(`(?m)^(?:installed |[+] )((?:@[\w.-]+/)?[\w.-]+)@(\d[\w.+-]*)`), false}},
	"uv-tool": {{ingest.Lazy(`(?m)^ \+ ([A-Za-z0-9._-]+)==(\S+)`), false}},
}

var pipInstalled = ingest.Lazy(`(?m)^\s*Successfully installed ((?:[A-Za-z0-9._-]+-[0-9][^\s]*[ \t]*)+)`)

// printed reads what the output says was installed, or was there already.
func (m installer) printed(out string) []Package {
	var all []Package
	if m.manager == "pip" {
		for _, list := range pipInstalled().FindAllStringSubmatch(out, -1) {
			for _, one := range strings.Fields(list[1]) {
				if i := lastDashBeforeDigit(one); i > 0 {
					all = append(all, Package{Name: one[:i], Version: one[i+1:], Sure: true})
				}
			}
		}
	}
	for _, p := range printers[m.manager] {
		for _, f := range p.expr().FindAllStringSubmatch(out, -1) {
			version := f[2]
			if version == "already" { // which one, Homebrew doesn't say
				version = ""
			}
			all = append(all, Package{Name: f[1], Version: version, Had: p.had, Sure: true})
		}
	}
	return all
}

// lastDashBeforeDigit parts "a-b-1.2.0" into name and version.
func lastDashBeforeDigit(s string) int {
	for i := len(s) - 2; i > 0; i-- {
		if s[i] == '-' && s[i+1] >= '0' && s[i+1] <= '9' {
			return i
		}
	}
	return -1
}

var refusals = map[string]func() *regexp.Regexp{
	"pip":     ingest.Lazy(`(?m)(?:No matching distribution found for|Could not find a version that satisfies the requirement|Failed building wheel for|ERROR: (?:externally-managed)) ?([A-Za-z0-9._-]*)`),
	"uv":      ingest.Lazy(`(?m)(?:Because ([\w.-]+) was not found|No solution found|error: )`),
	"uv-tool": ingest.Lazy(`(?m)(?:Because ([\w.-]+) was not found|No solution found|error: )`),
	"npm":     ingest.Lazy(`(?m)^npm (?:ERR!|error) (?:404  ?'((?:@[\w.-]+/)?[\w.-]+)|code)`),
	"pnpm":    ingest.Lazy(`(?m)ERR_PNPM_\w+`),
	"yarn":    ingest.Lazy(`(?m)^error `),
	"bun":     ingest.Lazy(`(?m)^error: `),
	"apt":     ingest.Lazy(`(?m)^E: (?:Unable to locate package (\S+)|Package '([^']+)' has no installation candidate|.+)`),
	"cargo":   ingest.Lazy("(?m)^error(?:\\[\\w+\\])?: (?:could not find `([^`]+)`)?"),
	"go":      ingest.Lazy(`(?m)^go: (?:module )?(\S+?)(?:@\S+)?: (?:no matching versions|invalid version|module .*: not found|reading |cannot find|not a valid)`),
	"brew":    ingest.Lazy(`(?m)^Error: `),
}

// refused lists the packages that the output says were not installed; an empty
// name stands for any.
func (m installer) refused(out string) []string {
	var all []string
	expr := refusals[m.manager]
	if expr == nil {
		return nil
	}
	for _, f := range expr().FindAllStringSubmatch(out, -1) {
		all = append(all, pythonName(cmp.Or(f[1:]...)))
	}
	return all
}
