package guard

import (
	"cmp"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"recall/ingest"
	"recall/internal/text"
	"recall/library/disk"
	"recall/pipeline"
)

// removing matches words of commands and programs that remove or replace files, rewriting the shell's other ones.
var (
	removing = text.Pattern(`\b(` +
		`rm|rm_rf?|rmdir|unlink|shred|mv|trash|trash-put|srm|rmtree|remove_tree|rimraf|del-cli|` +
		`(remove|rm|rmdir|unlink|truncate|writeFile)Sync|writeFile|write_text|write_bytes|os\.remove|` +
		`(Remove|Move)-Item|(Clear|Set)-Content|Out-File|f?truncate|rsync|cp|ln|install|tee|dd|` +
		`git\b.*\b(clean|stash)|sed\s.*-i|(?i:delete\s+from|drop\s+table))\b|` +
		`-delete\b|--remove-files\b|>\s*[^\s&>]|\bopen\([^()]*,\s*(mode=)?['"][wx]`)
	rewriting = text.Pattern(`(^|[\s;&|(])(sponge|g?awk\s.*inplace|ed|ex|` +
		`gzip|pigz|bzip2|xz|lzma|compress|(zstd|lz4)\s.*--rm|sqlite3)\s`)
)

// runsScript matches a command line that may run a file.
var runsScript = text.Pattern(`(^|[\s;&|({])(source|\.|\S*/\S+|\S*sh|python\S*|perl|ruby|node|deno|bun)(\s|$)`)

// MayRemove reports whether a command line may take files away. Nearly all don't, and cost no more than this.
func MayRemove(command string) bool {
	return takesAway(command) || runsScript().MatchString(command)
}

func takesAway(program string) bool {
	return removing().MatchString(program) || rewriting().MatchString(program)
}

// stores matches paths with names of folders that hold sessions, wherever they are.
var stores = text.Pattern("[^\\s'\";|&()<>=`]*" +
	`(\.claude|\.codex|\.gemini|share/opencode|opencode[\w.-]*\.db|local-agent-mode-sessions|` +
	`claude-code-sessions|claude-code-vm|vm_bundles)` +
	"[^\\s'\";|&()<>`]*")

// Threatened lists the paths that a command line, run in a folder, takes away or overwrites, of those that contain or
// are in the places of sessions or the library, and those that it only renames. Words are expanded as a shell does it;
// nothing is run. Of a part of the line, up to the next ; or &&, that takes something away, every path counts,
// whichever word names it.
func Threatened(command, dir string, from pipeline.Sources, library string) (lost, moved []string) {
	if !MayRemove(command) {
		return nil, nil
	}
	t := &threats{places: placesOf(from, library), dirs: []string{filepath.ToSlash(dir)}, vars: map[string]string{}}
	t.home, _ = os.UserHomeDir()
	t.home = filepath.ToSlash(t.home)
	t.vars["HOME"], t.vars["CLAUDE_PROJECT_DIR"] = t.home, t.dirs[0]
	t.vars["CLAUDE_CONFIG_DIR"] = filepath.ToSlash(cmp.Or(os.Getenv("CLAUDE_CONFIG_DIR"), t.home+"/.claude"))
	t.read(command, 0)
	return t.found, t.moved
}

// threats reads one command line.
type threats struct {
	home   string
	places []string
	vars   map[string]string // set so far
	dirs   []string          // folders that it may work in, by cd
	files  int               // scripts read so far
	found  []string

	moved   []string // only renamed
	checked []string // by a recall guard in the same part of the line, which then runs it or doesn't
}

// Limits for programs within programs: eval, scripts and those that they run.
const (
	scriptDepth = 3
	scriptFiles = 16
	scriptBytes = 32 << 10
)

// Lists of alternatives, {a,b}: a few stand for thousands of words, as does one of numbers, {1..9999}.
var (
	braces  = text.Pattern(`\{[^{}\s]*,`)
	numbers = text.Pattern(`\{\S*\.\.\S*\}`)
)

const mostBraces = 8

// read adds what a program takes away: a shell's part by part, one that can't be parsed as such as a whole.
func (t *threats) read(program string, depth int) {
	file, err := syntax.NewParser().Parse(strings.NewReader(program), "")
	many := len(braces().FindAllString(program, mostBraces)) == mostBraces || numbers().MatchString(program)
	if err != nil || many || len(program) > 2*scriptBytes {
		t.text(program)
		return
	}
	t.statements(file.Stmts, depth)
}

// statements splits a program into its parts. Those of a pipe or a loop stay together, and what a command is given from
// another stays with it.
func (t *threats) statements(all []*syntax.Stmt, depth int) {
	for _, s := range all {
		switch c := s.Cmd.(type) {
		case *syntax.Block:
			t.statements(c.Stmts, depth)
		case *syntax.Subshell:
			t.statements(c.Stmts, depth)
		case *syntax.BinaryCmd:
			if c.Op == syntax.AndStmt || c.Op == syntax.OrStmt {
				t.statements([]*syntax.Stmt{c.X, c.Y}, depth)
			} else {
				t.part(s, depth)
			}
		default:
			t.part(s, depth)
		}
	}
}

// part reads a command, pipe or loop.
func (t *threats) part(s *syntax.Stmt, depth int) {
	found, moved, checked := len(t.found), len(t.moved), len(t.checked)
	defer func() {
		guarded := func(path string) bool { return slices.Contains(t.checked[checked:], path) }
		t.found = append(t.found[:found], slices.DeleteFunc(t.found[found:], guarded)...)
		t.moved = append(t.moved[:moved], slices.DeleteFunc(t.moved[moved:], guarded)...)
		t.checked = t.checked[:checked]
	}()
	var words []string // of all its commands, and what they are given
	removes, runs, given := false, false, false
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			values := t.fields(n.Value)
			if n.Array != nil {
				for _, e := range n.Array.Elems {
					values = append(values, t.fields(e.Value)...)
				}
			}
			if n.Name != nil {
				t.vars[n.Name.Value] = strings.Join(values, " ")
			}
		case *syntax.WordIter:
			words = append(words, t.fields(n.Items...)...)
			delete(t.vars, n.Name.Value) // one of the words, whatever it was before
		case *syntax.Redirect:
			words = append(words, t.fields(n.Hdoc)...)
			if n.Op == syntax.RdrOut || n.Op == syntax.RdrClob || n.Op == syntax.RdrAll {
				runs = true // sooner or later
				into := t.fields(n.Word)
				t.add(into...)
				removes = removes || len(into) == 0 || into[0] == "" // that of a loop's variable
			}
		case *syntax.CallExpr:
			args := t.fields(n.Args...)
			if len(args) == 0 {
				return true
			}
			if args[0] == "recall" && slices.Contains(args, "guard") {
				if args = t.guarded(args); len(args) == 0 {
					return false
				}
			}
			if t.renames(args) || t.finds(args) {
				return false
			}
			if args[0] == "cd" || args[0] == "pushd" {
				t.enter(append(args[1:len(args):len(args)], t.home)[:max(1, len(args)-1)])
			}
			words = append(words, touched(args)...)
			runs = runs || !onlyRead[args[0]]
			given = given || givenPaths[args[0]]
			into := func(path string) bool { return !ingest.IsFile(path) } // a folder, into which files are put
			t.add(slices.DeleteFunc(t.near(overwritten(args)), into)...)
			if inLanguage[strings.TrimRight(filepath.Base(args[0]), "0123456789.")] {
				for _, word := range args[1:] {
					t.text(word)
				}
			}
			line := strings.Join(args, " ")
			removes = removes || takesUntracked().MatchString(line) || slices.ContainsFunc(args, func(a string) bool {
				return removers[filepath.Base(a)] || emptiers[filepath.Base(a)]
			})
		}
		return true
	})
	if runs && depth < scriptDepth {
		removes = t.programs(words, depth+1) || removes
	}
	if !removes {
		return
	}
	before := len(t.found)
	t.add(words...)
	if given && len(t.found) == before {
		t.add(t.dirs...)
	}
}

// programs reads those of the words that are programs, and the files that hold some, and reports whether one that the
// line itself holds takes something away.
func (t *threats) programs(words []string, depth int) (removes bool) {
	for _, word := range words {
		if strings.ContainsAny(word, " \n") && takesAway(word) {
			removes = true
			t.read(strings.ReplaceAll(word, `\n`, "\n"), depth) // as printf writes it
			continue
		}
		for _, path := range t.absolute(word) {
			if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() || t.files == scriptFiles {
				continue
			}
			t.files++
			script := ingest.ReadStart(path, scriptBytes)
			if !strings.Contains(script, "\x00") {
				t.read(script, depth)
			}
		}
	}
	return removes
}

// inLanguage are interpreters that are given programs as arguments.
var inLanguage = text.Set(`python perl ruby node deno bun php powershell pwsh sqlite3`)

// Paths in a text of any language, and what joins the parts of one: Path.home() / ".config" / "Claude".
var (
	pathLike = text.Pattern("[^\\s'\"`;|&()<>=,{}\\[\\]]*[/~.][^\\s'\"`;|&()<>=,{}\\[\\]]*")
	joining  = text.Pattern(`['"]\s*[/,]\s*['"]`)
	inQuotes = text.Pattern(`"[^"\n]+"|'[^'\n]+'`) // with spaces: "Application Support"
)

// text adds the paths that a text of any language names and that exist, if it takes something away; of a pattern, the
// folder.
func (t *threats) text(program string) {
	if !removing().MatchString(program) {
		return
	}
	names := stores().FindAllString(program, -1)
	for _, said := range []string{program, joining().ReplaceAllString(program, "/")} {
		names = append(names, pathLike().FindAllString(said, -1)...)
		for _, name := range inQuotes().FindAllString(said, -1) {
			names = append(names, name[1:len(name)-1])
		}
	}
	for _, name := range names {
		if i := strings.IndexAny(name, "*?"); i >= 0 {
			name = name[:strings.LastIndexByte(name[:i], '/')+1]
		}
		name = strings.TrimRight(strings.Replace(name, "~", t.home, 1), "/")
		if name == "" || strings.HasPrefix(t.home, name) { // the home itself holds more than sessions
			continue
		}
		for _, path := range append(t.absolute(name), native(t.home+"/"+name)) {
			if _, err := os.Lstat(path); err == nil {
				t.add(path)
			}
		}
	}
}

// add adds the paths among words that lie near a place.
func (t *threats) add(words ...string) { t.found = ingest.Union(t.found, t.near(words)...) }

// near returns the paths among words that lie near a place; a pattern that matches nothing takes nothing away.
func (t *threats) near(words []string) (paths []string) {
	for _, word := range words {
		if strings.ContainsAny(word, "*?[") {
			continue
		}
		for _, path := range t.absolute(word) {
			_, err := os.Lstat(path)
			there := err == nil || filepath.IsAbs(native(word)) // any word could be a file's name
			if there && near(path, t.places) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// renames reports whether a command, in whichever folder it works, only renames, and adds what it does.
func (t *threats) renames(args []string) bool {
	for _, dir := range t.dirs {
		overwritten, ok := Renames(args, native(dir))
		if !ok {
			return false
		}
		t.add(overwritten...)
	}
	t.moved = ingest.Union(t.moved, t.near(args[1:len(args)-1])...)
	return true
}

// mostFound bounds how many files are looked at for a find.
const mostFound = 50_000

// finds reports whether a command is a find that deletes by one name, and adds what has that name: the rest of the
// folder stays.
func (t *threats) finds(args []string) bool {
	first := slices.IndexFunc(args, func(word string) bool { return strings.HasPrefix(word, "-") })
	name, n := slices.Index(args, "-name"), 0
	either := slices.ContainsFunc(args, func(word string) bool {
		return word == "-o" || word == "!" || word == "-not" || word == "," || strings.HasPrefix(word, "-exec")
	})
	deletes := filepath.Base(args[0]) == "find" && slices.Contains(args, "-delete")
	named := name > 0 && name+1 < len(args)
	if !deletes || !named || either || first < 2 {
		return false
	}
	var found []string
	for _, start := range args[1:first] {
		for _, dir := range t.absolute(start) {
			if !near(dir, t.places) {
				continue
			}
			_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if n++; n > mostFound {
					return fs.SkipAll
				}
				if is, bad := filepath.Match(args[name+1], filepath.Base(path)); err == nil && (is || bad != nil) {
					found = append(found, path)
				}
				return nil
			})
		}
	}
	if n <= mostFound {
		t.add(found...)
	}
	return n <= mostFound
}

// guarded notes what a call of recall guard checks, and returns the command that it runs unless it can tell what that
// takes away.
func (t *threats) guarded(args []string) (command []string) {
	at := slices.Index(args, "--")
	if at < 0 {
		return nil // it runs nothing
	}
	for _, word := range args[:at] {
		t.checked = append(t.checked, t.absolute(word)...)
	}
	command = args[at+1:]
	if _, err := PathsOf(command); err == nil {
		return nil
	}
	return command
}

// absolute returns what a word may mean as a path.
func (t *threats) absolute(word string) (paths []string) {
	if word == "" || len(word) > 4096 {
		return nil
	}
	if path := filepath.Clean(native(word)); filepath.IsAbs(path) {
		return []string{path}
	}
	for _, dir := range t.dirs {
		if path := filepath.Join(native(dir), native(word)); filepath.IsAbs(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// enter notes the folder that a command changes to.
func (t *threats) enter(args []string) {
	for _, a := range args {
		for _, dir := range t.absolute(a) {
			if dir = filepath.ToSlash(dir); !slices.Contains(t.dirs, dir) && len(t.dirs) < scriptFiles {
				t.dirs = append(t.dirs, dir)
			}
		}
	}
}

// fields expands words in each folder that the line may work in.
func (t *threats) fields(words ...*syntax.Word) (all []string) {
	config := expand.Config{ReadDir2: t.entries, GlobStar: true,
		Env:       expand.FuncEnviron(func(name string) string { return t.vars[name] }),
		CmdSubst:  func(io.Writer, *syntax.CmdSubst) error { return nil },
		ProcSubst: func(*syntax.ProcSubst) (string, error) { return "", nil }}
	for _, w := range words {
		for _, dir := range t.dirs {
			if w == nil {
				continue
			}
			t.vars["PWD"] = dir
			got, err := expand.Fields(&config, w)
			if err != nil {
				got = []string{w.Lit()}
			}
			all = ingest.Union(all, got...)
		}
	}
	return all
}

// entries lists a folder for a pattern, if it leads to a place: others, which could be most of the disk, have nothing.
func (t *threats) entries(dir string) ([]fs.DirEntry, error) {
	if dir = filepath.Clean(native(dir)); !near(dir, t.places) {
		return nil, nil
	}
	return os.ReadDir(dir)
}

// native converts a path in a command to this system's form: on Windows a client's shell is Git's, where C:/ is /c/.
func native(p string) string {
	if runtime.GOOS == "windows" && gitDrive().MatchString(p) {
		p = p[1:2] + ":" + p[2:]
	}
	return filepath.FromSlash(p)
}

var gitDrive = text.Pattern(`^/[A-Za-z]/`)

// placesOf lists where sessions and the library are kept.
func placesOf(from pipeline.Sources, library string) []string {
	all := []string{library}
	for _, r := range from.Readers {
		all = append(all, from.RootsOf(r)...)
	}
	for _, p := range all {
		if p != "" {
			all = append(all, filepath.Clean(p), disk.RealPath(p))
		}
	}
	return slices.DeleteFunc(all, func(p string) bool { return p == "" })
}

// near reports whether a path contains one of the places or is inside one.
func near(p string, places []string) bool {
	if stores().MatchString(p) {
		return true
	}
	return slices.ContainsFunc(places, func(place string) bool {
		for _, p := range []string{p, disk.RealPath(p)} {
			if p == place || strings.HasPrefix(place, strings.TrimSuffix(p, sep)+sep) || strings.HasPrefix(p, place+sep) {
				return true
			}
		}
		return false
	})
}
