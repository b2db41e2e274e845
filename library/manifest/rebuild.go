package manifest

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/library/disk"
)

//go:embed rebuild.sh
var rebuildShell string

// Rebuilt says what a rebuild script is about.
type Rebuilt struct {
	Files    []Placed // to be written to FilesName beside the script
	Packages int
	Lost     []string // what can't be rebuilt, for people
	Left     int      // how many of those are outside the folders
}

// Placed is a file that rebuild puts in place: its name beside the script, and its bytes, either given or in the
// library.
type Placed struct {
	Name     string
	Content  []byte // nil if they are in the library
	Archived string // name of the session's file there
}

// Rebuild writes the script that brings back what a session had (see rebuild.sh), never outside its folders. archived
// has the names of the library's uploads and outputs, by their sums.
func (s Stay) Rebuild(archived map[string]string) (string, Rebuilt) {
	w := rebuilding{Stay: s, archived: archived}
	if s.Machine == VM {
		w.home = home(s.Folders)
	}
	for _, in := range s.Inputs {
		w.input(in)
	}
	for _, f := range s.made() {
		w.file(f)
	}
	for _, p := range s.Packages {
		w.install(p)
	}
	w.commands()
	for _, command := range s.Unfollowed {
		w.lose(command, "it moved files whose names only the shell knew; they come back where they were")
	}
	for _, c := range s.Connectors {
		w.notes = append(w.notes, strings.TrimSpace("Asked of a server, which this script doesn't repeat: "+
			strings.Join([]string{c.Server, c.Tool, c.What}, " ")))
	}
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	s.about(&b, "Brings back what", " had in its machine")
	b.WriteString("#\n")
	if len(w.out.Lost) == 0 {
		b.WriteString("# Everything that recall knows of can be rebuilt.\n")
	} else {
		fmt.Fprintf(&b, "# What can't be rebuilt from here (%d):\n", len(w.out.Lost))
		for _, l := range w.out.Lost {
			b.WriteString("#   " + comment(l) + "\n")
		}
	}
	for _, n := range w.notes {
		b.WriteString("# " + comment(n) + "\n")
	}
	fmt.Fprintf(&b, "\nfiles_name=%s\nkept_name=%s\nlog_name=%s\nsession=%s\n", quote(s.FilesName()),
		quote(s.KeptName()), quote("recall-rebuild-"+s.short()+".log"), quote(w.home))
	for _, f := range s.Folders {
		fmt.Fprintf(&w.puts, "back %s %s\n", quote(f), w.place(f))
	}
	b.WriteString(shell(rebuildShell, "\n# Packages.\n"+w.packages.String()+"\n# Files.\n"+
		w.puts.String()+"\n# Commands that made the rest, in order.\n"+w.again.String()))
	return b.String(), w.out
}

type rebuilding struct {
	Stay
	archived              map[string]string
	home                  string // the session's home in its machine, /sessions/<name>, or ""
	out                   Rebuilt
	notes                 []string
	packages, puts, again strings.Builder
}

// place returns a path as named in the script: below the current name of the session's home.
func (w *rebuilding) place(p string) string {
	if rest, ok := strings.CutPrefix(p, w.home); ok && w.home != "" && within(p, []string{w.home}) {
		return `"$session"` + quote(rest)
	}
	return quote(p)
}

func (w *rebuilding) lose(p, why string) { w.out.Lost = append(w.out.Lost, p+": "+why) }

// outside records what isn't put in place because nobody allowed it.
func (w *rebuilding) outside(p string) {
	w.out.Left++
	w.lose(p, "it is outside the session's own folders")
}

// put records a file to be written beside the script, and writes the line that puts it in place.
func (w *rebuilding) put(p string, f Placed, sum string) {
	name := fmt.Sprintf("%04d", len(w.out.Files)+1)
	base := disk.Plain(p[strings.LastIndexByte(p, '/')+1:], "_")
	f.Name = name + "-" + strings.TrimLeft(base[max(0, len(base)-60):], ".")
	w.out.Files = append(w.out.Files, f)
	fmt.Fprintf(&w.puts, "put %s \"$files\"/%s %s\n", w.place(p), f.Name, sum)
}

// input restores an input that the library has. One on the host is still where the person has it.
func (w *rebuilding) input(in Input) {
	switch name := w.archived[in.SHA256]; {
	case !usable(in.Path):
		w.lose(in.Path, "its name can't be used in a script")
	case name != "" && in.SHA256 != "" && !within(in.Path, w.Folders):
		w.outside(in.Path)
	case name != "" && in.SHA256 != "":
		w.put(in.Path, Placed{Archived: name}, in.SHA256)
	case in.Machine == VM && !within(in.Path, w.Folders):
		w.outside(in.Path)
	case in.Machine == VM:
		w.kept(in.Path, "it was in the machine before")
	default:
		w.notes = append(w.notes, "Input on the host, which the machine mounts: "+in.Path)
	}
}

func (w *rebuilding) file(f Made) {
	text, again, why := w.remake(f)
	written := text != nil
	name := w.archived[f.SHA256]
	stored := f.SHA256 != "" && name != ""
	switch {
	case !usable(f.Path):
		w.lose(f.Path, "its name can't be used in a script")
	case !within(f.Path, w.Folders) && (stored || written || f.Machine != Host):
		w.outside(f.Path)
	case stored:
		w.put(f.Path, Placed{Archived: name}, f.SHA256)
	case written:
		w.put(f.Path, Placed{Content: text}, disk.HexSum(text))
	case f.Machine == Host:
		where := "On the host, where it was: " + f.Path
		if f.Command != "" {
			where += ", by a command that this script doesn't repeat: " + f.Command
		}
		w.notes = append(w.notes, where)
	case !again: // else made by its command, below
		w.kept(f.Path, why)
	}
}

// kept puts in place what only cleanup can have.
func (w *rebuilding) kept(p, why string) {
	w.lose(p, why+" (put in place if cleanup kept it)")
	fmt.Fprintf(&w.puts, "[ ! -f \"$kept\"%[2]s ] || put %[1]s \"$kept\"%[2]s ''\n", w.place(p), quote(p))
}

// commands lists the commands that made the rest, each once, in order of turns.
func (w *rebuilding) commands() {
	all := slices.DeleteFunc(w.made(), func(f Made) bool {
		return !f.Rebuildable || len(f.Calls) > 0 || f.Machine == Host || !within(f.Path, w.Folders) ||
			w.archived[f.SHA256] != "" && f.SHA256 != ""
	})
	slices.SortStableFunc(all, func(a, b Made) int { return a.Turn - b.Turn })
	done := map[string]bool{}
	for _, f := range all {
		if key := f.Dir + "\x00" + f.Command; !done[key] {
			done[key] = true
			if !within(f.Dir, w.Folders) {
				w.outside(f.Path)
				continue
			}
			fmt.Fprintf(&w.again, "# makes %s\nagain %s %s\n", comment(f.Path), w.place(f.Dir), quote(f.Command))
		}
	}
}

// PutFiles writes the files that the script puts in place beside it.
func PutFiles(to *os.Root, dir string, files []Placed, found ingest.Found) error {
	if len(files) == 0 {
		return nil
	}
	if err := to.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, f := range files {
		text := f.Content
		if f.Archived != "" {
			var err error
			if text, err = archived(found, f.Archived); err != nil {
				return err
			}
		}
		if err := disk.PutIn(to, filepath.Join(dir, f.Name), text); err != nil {
			return err
		}
	}
	return nil
}

func archived(found ingest.Found, name string) ([]byte, error) {
	for _, f := range found.Files {
		if f.Name != name {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(r)
	}
	return nil, fmt.Errorf("%s isn't in the library", name)
}

// install writes the line that installs a package in the session's version. If there is none, the script's head says
// so.
func (w *rebuilding) install(p trace.Package) {
	if strings.HasPrefix(p.Name, "-") || strings.Contains(p.Name+p.Version+p.Dir, "‹") {
		w.lose(p.Manager+" "+p.Name, "its name can't be used in a script")
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
		w.notes = append(w.notes, "Installed in the newest version, as the session's isn't known: "+what)
	case p.Manager == "brew":
		w.notes = append(w.notes, "Homebrew installs the newest version; the session had "+p.Version+": "+p.Name)
	}
	dir := "''"
	if p.Dir != "" {
		if !usable(p.Dir) {
			w.lose(what, "the folder that it was installed in isn't known")
			return
		}
		if !within(p.Dir, w.Folders) {
			w.outside(what + " in " + p.Dir)
			return
		}
		dir = `"$root"` + w.place(p.Dir)
	}
	w.out.Packages++
	fmt.Fprintf(&w.packages, "install %s %s %s\n", quote(what), dir, command)
}

// installers are the package managers' commands: global, for the project in its folder, and what separates name and
// version.
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

// installCommand returns a package manager's command for one package, quoted; "" for an unknown manager.
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
		version = "" // it only has the newest
	}
	if strings.Contains(p.Command, "--break-system-packages") &&
		(p.Manager == "pip" || p.Manager == "uv" && p.Dir == "") {
		command = strings.TrimSuffix(command, "-- ") + "--break-system-packages -- "
	}
	if version == "" {
		return command + quote(p.Name)
	}
	return command + quote(p.Name+with.mark+version)
}
