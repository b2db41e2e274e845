package check

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"recall/ingest"
	"recall/ingest/trace"
)

// readers are programs that change nothing: what they name is looked at.
var readers = set("vim vi nano emacs code open mkdir touch chmod chown tar zip unzip kill pkill curl wget grep rg ag ack cat less more head tail ls tree find fd echo printf wc which whereis type man file stat du df diff cmp sort uniq cut awk jq yq true test cd pwd env date ps top history sleep export source")

// installers are programs that fetch packages, with the words that take one up
// and that give one up.
var installers = set("npm pnpm yarn bun pip pip3 pipx uv poetry cargo go gem bundle brew apt apt-get dnf composer dotnet npx conda choco winget")
var installing = set("install add i get require")
var uninstalling = set("uninstall remove rm un purge")

// looking are git's ways of only looking, and of telling.
var looking = set("log show diff status blame grep commit tag shortlog describe fetch branch stash")

// command reads what a shell command would do. What only the shell knows isn't
// read.
func (d *deed) command(line string) {
	s := &ingest.Session{Turns: []ingest.Turn{{Role: ingest.Assistant, Calls: []ingest.ToolCall{{Name: "Bash", Command: line, Done: true}}}}}
	t := trace.Of(s)
	steps := []trace.Step{}
	for i := range t.Actions {
		steps = append(steps, t.Actions[i].Steps()...)
	}
	if len(steps) == 0 { // one bare word
		steps = []trace.Step{{Program: strings.TrimSpace(line)}}
	}
	for _, st := range steps {
		d.step(st)
	}
}

func (d *deed) step(s trace.Step) {
	for len(s.Args) > 0 && (s.Program == "sudo" || s.Program == "time" || s.Program == "nohup" || s.Program == "exec") {
		s.Program, s.Args = path.Base(s.Args[0]), s.Args[1:]
	}
	if s.Program == "" || readers[s.Program] {
		return
	}
	var args []word
	for i, a := range s.Args {
		if a != trace.UnknownArg && strings.Contains(a, " ") && s.Program != "git" {
			d.sql(a)
		}
		if a == trace.UnknownArg || i > 0 && (s.Args[i-1] == "-m" || s.Args[i-1] == "--message") || strings.ContainsAny(a, " \n") && s.Program != "git" {
			continue
		}
		args = append(args, cut(a)...)
	}
	program := wordOf(s.Program)
	program.name = program.stem != ""
	first := ""
	if len(s.Args) > 0 {
		first = s.Args[0]
	}
	if i := runners[s.Program+" "+first]; i > 0 && len(s.Args) > i { // "bundle exec rspec"
		d.step(trace.Step{Program: s.Args[i], Args: s.Args[i+1:], Dir: s.Dir, Out: s.Out})
		return
	}
	d.all = append(append(d.all, program), args...)
	switch {
	case s.Program == "rm" || s.Program == "unlink" || s.Program == "git" && first == "rm":
		d.add(move{stance: givesUp, head: args, exact: true})
		d.add(move{stance: touches, head: pathsIn(args), exact: true})
	case s.Program == "mv" || s.Program == "sed" || s.Program == "git" && first == "mv":
		d.add(move{stance: touches, head: pathsIn(args), exact: true})
	case s.Program == "git" && looking[first]:
	case installers[s.Program]:
		d.installer(program, first, args)
	default:
		d.ran(program, args)
	}
	for _, o := range s.Out {
		if o != "" {
			d.add(move{stance: touches, head: cut(o), exact: true})
		}
	}
}

// installer reads a package manager's command.
func (d *deed) installer(program word, first string, args []word) {
	d.add(move{stance: takesUp, head: []word{program}, exact: true})
	var packages []word
	for _, w := range args[min(1, len(args)):] {
		if !strings.HasPrefix(w.text, "-") {
			packages = append(packages, packageOf(w))
		}
	}
	for _, p := range packages {
		switch {
		case installing[first]:
			d.add(move{stance: takesUp, head: []word{p}, exact: true, loose: true})
		case uninstalling[first]:
			d.add(move{stance: givesUp, head: []word{p}, exact: true})
		}
	}
	if !installing[first] && !uninstalling[first] {
		d.ran(program, args)
	}
}

// packageOf is a package without version and registry: "redis@4" is redis,
// "github.com/redis/go-redis/v9" is go-redis.
func packageOf(w word) word {
	s := w.text
	for _, end := range []string{"css", ".js", "-js", "js"} {
		if cut := strings.TrimSuffix(s, end); cut != s && len(cut) > 2 {
			s = cut
			break
		}
	}
	if i := strings.LastIndexAny(s, "@=<>~^"); i > 0 {
		s = strings.TrimRight(s[:i], "@=<>~^")
	}
	if base := path.Base(s); len(base) > 1 && base[0] == 'v' && plainNumber(base[1:]) {
		s = path.Dir(s)
	}
	if !strings.HasPrefix(s, "@") {
		s = path.Base(s)
	}
	w = wordOf(s)
	w.name = w.stem != ""
	return w
}

// ran reads any other command: program, subcommands and flags; a path is where,
// not what.
func (d *deed) ran(program word, args []word) {
	switch program.text {
	case "npx", "pnpx", "bunx", "uvx", "docker", "podman", "docker-compose", "helm": // each is what is run
		if stops(args) {
			return
		}
		for _, w := range args {
			if !strings.HasPrefix(w.text, "-") && !w.path {
				image, _, _ := strings.Cut(w.text, ":")
				d.add(move{stance: takesUp, head: []word{packageOf(wordOf(image))}, exact: true})
			}
		}
	}
	if idle(args) {
		return
	}
	head := []word{program}
	var where []word
	d.switches(args)
	for _, w := range args {
		if w.path && !strings.Contains(w.text, ":") {
			where = append(where, w)
			continue
		}
		if len(w.text) > 2 && w.text[0] == '-' && !strings.Contains(w.text, "=") && !optional[w.text] { // how, not what
			continue
		}
		if i := strings.IndexByte(w.text, ':'); i > 0 { // an image with its tag
			if tag := packageOf(wordOf(w.text[i+1:])); tag.name {
				head = append(head, tag)
			}
			w = packageOf(wordOf(w.text[:i]))
		}
		head = append(head, w)
	}
	d.add(move{stance: takesUp, head: head, place: where, exact: true})
}

// runners are programs that run another one, and which of their arguments it is.
var runners = map[string]int{"bundle exec": 1, "poetry run": 1, "uv run": 1, "pnpm exec": 1, "npm exec": 1, "yarn exec": 1, "python -m": 1, "python3 -m": 1, "pipenv run": 1, "rye run": 1, "hatch run": 1}

// idle says that a program is asked what it knows, or to end something.
func idle(args []word) bool {
	for i, w := range args {
		switch w.text {
		case "--help", "-h", "--version", "-v":
			return len(args) == 1
		case "stop", "status", "show", "list", "ls", "info", "view", "tree", "why", "search", "outdated", "audit", "doc", "help", "version", "delete", "remove", "rm", "down", "logs", "describe", "get", "ping", "shutdown", "uninstall", "destroy", "disable", "restart", "reload", "explain":
			return i < 2
		}
		if strings.HasSuffix(w.text, ":stop") || strings.HasSuffix(w.text, "-stop") || strings.HasSuffix(w.text, ":down") || strings.HasSuffix(w.text, "-down") {
			return true
		}
	}
	return false
}

// switches reads options that turn something on or off when something is built.
func (d *deed) switches(args []word) {
	for _, w := range args {
		name, value, ok := strings.Cut(w.text, "=")
		for _, begin := range []string{"-d", "--enable-", "--with-", "--use-"} {
			rest := strings.TrimPrefix(name, begin)
			if rest == name || len(rest) < 4 || begin == "-d" && !ok {
				continue
			}
			m := move{stance: takesUp, head: []word{wordOf(rest)}, exact: true, loose: true}
			if value == "n" || value == "no" || value == "off" || value == "0" || value == "false" {
				m.stance = givesUp
			}
			d.add(m)
		}
	}
}

// optional are options that say what is done all the same.
var optional = set("--force --no-ff --no-verify --hard --amend --rebase --squash --all --prune --recursive --global")

// statements are those of SQL that change rows or tables.
var statements = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(update|delete from|insert into|truncate(?: table)?|drop table|alter table)\s+([\w."` + "`" + `]+)`)
})

// sql reads a statement that a command is given to run.
func (d *deed) sql(arg string) {
	for _, m := range statements().FindAllStringSubmatch(arg, 8) {
		what, table := cut(m[1])[:1], cut(strings.Trim(m[2], "\"`."))
		d.add(move{stance: takesUp, head: what, place: table, exact: true})
		d.all = append(d.all, content(table)...)
	}
}

// stops says that containers are looked at or ended, not begun.
func stops(args []word) bool {
	for _, w := range args {
		switch w.text {
		case "rm", "rmi", "stop", "down", "kill", "logs", "ps", "images", "inspect", "exec", "top", "stats", "pause", "prune", "uninstall", "restart":
			return true
		case "run", "up", "pull", "create", "start", "build", "install":
			return false
		}
	}
	return false
}

func pathsIn(list []word) []word {
	var out []word
	for _, w := range list {
		if !strings.HasPrefix(w.text, "-") && w.text != "rm" && w.text != "mv" {
			w.path = true
			out = append(out, w)
		}
	}
	return out
}
