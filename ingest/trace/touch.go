package trace

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
)

// How is the way in which a file was touched.
type How string

const (
	Read   How = "read"
	Edit   How = "edited"
	Create How = "created" // or overwritten entirely
	Delete How = "deleted"
	Rename How = "renamed" // see Touch.From
)

// A Touch is a file that a call read or changed.
type Touch struct {
	Path string `json:"path"` // absolute if possible, as the transcript's machine names it
	How  How    `json:"how"`
	From string `json:"from,omitempty"` // Rename: the name before
	Tool bool   `json:"-"`              // by a file tool, which states it; else derived from a command line
	Back bool   `json:"-"`              // git or an edit put it back as it was, or git what is below the folder
	// the command line failed somewhere, so the file might not have been touched
	Unsure bool `json:"unsure,omitempty"`
}

// touches lists what a call did to files, each combination once.
func touches(a *Action) []Touch {
	if !a.Call.Ran() {
		return nil
	}
	var out []Touch
	add := func(t Touch) {
		if t.Path != "" && !noFile(t.Path) && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	c := a.Call
	if how, ok := toolTouch(c); ok {
		if !c.Failed {
			p := cmp.Or(c.Path, c.Input["path"], c.Input["file"])
			add(Touch{Path: cmp.Or(Absolute(a.Dir, p), p), How: how, Tool: true})
		}
		return out
	}
	for i := range a.Steps {
		for _, t := range a.Steps[i].Touches {
			t.Unsure = c.Failed
			add(t)
		}
	}
	return out
}

// toolTouch returns what a file tool does, be it Claude Code's or an MCP server's with a similar name.
func toolTouch(c *ingest.ToolCall) (How, bool) {
	name := c.Name
	if i := strings.LastIndex(name, "__"); i >= 0 && strings.HasPrefix(name, "mcp__") {
		name = name[i+2:]
	}
	switch name {
	case "Read", "NotebookRead", "read_file", "read_text_file":
		return Read, true
	case "Edit", "MultiEdit", "NotebookEdit", "edit_file", "str_replace":
		return Edit, true
	case "Write", "write_file", "create_file":
		return Create, true
	case "delete_file":
		return Delete, true
	}
	return "", false
}

// Shown lists the files that a call presented to the person as results, as it names them.
func Shown(c *ingest.ToolCall) []string {
	if !strings.HasSuffix(c.Name, "__present_files") || c.Failed || !c.Done {
		return nil
	}
	var out []string
	for _, v := range c.Input { // whatever their form
		for _, p := range strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune("[]{}\",\n", r) }) {
			if strings.HasPrefix(p, "/") {
				out = append(out, p)
			}
		}
	}
	slices.Sort(out)
	return out
}

// noFile reports whether a path isn't a real file. Files in /dev/shm are, though only in memory.
func noFile(p string) bool {
	return strings.HasPrefix(p, "/dev/") && !strings.HasPrefix(p, "/dev/shm/") || strings.HasPrefix(p, "/proc/") ||
		p == "/" || len(p) > 1024
}

// touchFile records what a command does to a file, if the path can be resolved. A path with line breaks is a text.
func (c *Step) touchFile(how How, p, from string) {
	if strings.Contains(p, "\n") {
		return
	}
	if p, from = Absolute(c.Dir, p), Absolute(c.Dir, from); p != "" && (from != "" || how != Rename) {
		c.Touches = append(c.Touches, Touch{Path: p, From: from, How: how})
	}
}

func (c *Step) touchFiles(how How, paths []string) {
	for _, p := range paths {
		c.touchFile(how, p, "")
	}
}

// touch derives what a command does to the files that it names.
func (c *Step) touch() {
	prog, args := c.Program, c.Args
	if prog == "git" && len(args) > 0 {
		prog, args = "git "+args[0], args[1:]
	}
	plain, flags := operands(args)
	flag := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(flags, n) })
	}
	switch prog {
	case "rm", "unlink", "trash", "git rm":
		c.touchFiles(Delete, plain)
	case "mv", "git mv":
		for _, m := range moves(plain) {
			c.touchFile(Rename, m[1], m[0])
		}
	case "cp", "install":
		for _, m := range moves(plain) {
			c.touchFile(Read, m[0], "")
			c.touchFile(Create, m[1], "")
		}
	case "tee":
		if flag("-a") {
			c.touchFiles(Edit, plain)
		} else {
			c.touchFiles(Create, plain)
		}
	case "sed", "perl":
		files := plain[min(1, len(plain)):]
		if slices.ContainsFunc(flags, func(f string) bool {
			return strings.HasPrefix(f, "-i") || strings.HasPrefix(f, "-pi") || f == "--in-place"
		}) {
			c.touchFiles(Edit, files)
		} else {
			c.touchFiles(Read, pathsIn(files))
		}
	case "gofmt", "goimports", "prettier", "black", "rustfmt", "ruff":
		if prog == "black" || prog == "rustfmt" || flag("-w", "--write") || slices.Contains(plain, "format") {
			c.touchFiles(Edit, slices.DeleteFunc(plain, func(p string) bool { return path.Ext(p) == "" }))
		}
	case "git checkout":
		if i := slices.Index(args, "--"); i >= 0 {
			c.restored(args[i+1:])
		}
	case "git reset":
		if flag("--hard") && (len(plain) == 0 || plain[0] == "HEAD") {
			c.restored([]string{"."})
		}
	case "git restore":
		if !flag("--staged", "-S") || flag("--worktree", "-W") { // else only the index
			c.restored(plain)
		}
	default:
		c.touchOther(prog, args, plain)
	}
}

// restored records files that git restored.
func (c *Step) restored(paths []string) {
	n := len(c.Touches)
	c.touchFiles(Edit, paths)
	for i := range c.Touches[n:] {
		c.Touches[n+i].Back = true
	}
}

func pathsIn(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(p string) bool { return !LooksLikePath(p) })
}

// readers are programs that read those of their arguments that look like paths.
var readers = text.Set(`cat bat head tail less wc diff awk jq sort uniq cut python python3 node ruby bash sh source .
	pandoc unzip tar gunzip convert magick ffmpeg pdftotext soffice libreoffice nl file`)

// touchOther handles commands without a rule of their own: -o names a product, and some programs read their arguments.
func (c *Step) touchOther(prog string, args, plain []string) {
	made, module := "", ""
	for i, a := range args {
		switch {
		case a == "-m" && strings.HasPrefix(prog, "python") && i+1 < len(args):
			module = args[i+1]
		case i+1 < len(args) && (slices.Contains([]string{"-o", "--output", "--out"}, a) || prog == "wget" && a == "-O"):
			made = args[i+1]
		case strings.HasPrefix(a, "--output="):
			made = strings.TrimPrefix(a, "--output=")
		}
	}
	if prog == "grep" || prog == "find" || prog == "ssh" || prog == "ps" { // their -o means something else
		return
	}
	if made != "" && made != "-" && made != UnknownArg && LooksLikePath(made) {
		c.touchFile(Create, made, "")
	}
	if readers[prog] {
		c.touchFiles(Read, slices.DeleteFunc(pathsIn(plain), func(p string) bool { return p == made || p == module }))
	}
}

// operands separates arguments from flags, leaving out what only the shell knew.
func operands(args []string) (plain, flags []string) {
	for i, a := range args {
		switch {
		case a == UnknownArg:
		case a == "--":
			for _, rest := range args[i+1:] {
				if rest != UnknownArg {
					plain = append(plain, rest)
				}
			}
			return plain, flags
		case strings.HasPrefix(a, "-") && len(a) > 1:
			flags = append(flags, a)
		default:
			plain = append(plain, a)
		}
	}
	return plain, flags
}

// moves pairs the sources of mv and cp with their destinations.
func moves(plain []string) [][2]string {
	if len(plain) < 2 {
		return nil
	}
	to := plain[len(plain)-1]
	folder := len(plain) > 2 || strings.HasSuffix(to, "/") || to == "." || to == ".."
	var out [][2]string
	for _, from := range plain[:len(plain)-1] {
		if folder {
			out = append(out, [2]string{from, path.Join(to, path.Base(from))})
		} else {
			out = append(out, [2]string{from, to})
		}
	}
	return out
}

// LooksLikePath distinguishes a file name from a word, a number, a URL or program text.
func LooksLikePath(s string) bool {
	if s == "" || len(s) > 300 || strings.ContainsAny(s, " \t\n(){}$;=,\"'|") || strings.Contains(s, "://") {
		return false
	}
	ext := path.Ext(s)
	if len(ext) > 1 && len(ext) <= 8 && strings.Trim(ext[1:], "0123456789") != "" && len(s) > len(ext) {
		return true
	}
	return strings.HasPrefix(s, "/") && strings.Count(s, "/") > 1 || strings.HasPrefix(s, "./") ||
		strings.HasPrefix(s, "~/")
}
