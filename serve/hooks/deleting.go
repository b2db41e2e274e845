package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
	"recall/library"
	"recall/pipeline"
	"recall/pipeline/guard"
)

// removing matches words of commands and programs that remove files. Nearly all commands have none and cost no more
// than this.
var removing = text.Pattern(`\b(` +
	`rm|rm_rf?|rmdir|unlink|shred|mv|trash|trash-put|srm|rmtree|removeSync|rmSync|unlinkSync|os\.remove|` +
	`Remove-Item|Move-Item|truncate|rsync|git\b.*\bclean)\b|-delete\b|>\s*[^\s&>]`)

// takesAway reports whether a call may remove files at all.
func takesAway(in Input) bool {
	return in.Tool == "Bash" && removing().MatchString(withScripts(in.ToolInput.Command, in.Cwd))
}

// opaque matches programs whose arguments don't show what they work on, and commands nested in arguments.
var opaque = text.Pattern(`\b(xargs|parallel|eval|exec|trap|alias|gio|for|while|(ba|z|da|k|fi|pw|power)?sh(ell)?|` +
	`python[0-9.]*|perl|ruby|node|deno|bun|find)\b|` + "[$<>]\\(|`")

// stores matches paths with names of folders that hold sessions, wherever they are.
var stores = text.Pattern("[^\\s'\";|&()<>=`]*" +
	`(\.claude|\.codex|\.gemini|share/opencode|opencode[\w.-]*\.db|local-agent-mode-sessions|` +
	`claude-code-sessions|claude-code-vm|vm_bundles)` +
	"[^\\s'\";|&()<>`]*")

// beforeDeleting makes sure that a command removes no session that exists nowhere else: what it would remove is
// archived and compared first.
func (h *Host) beforeDeleting(ctx context.Context, in Input) (Answer, error) {
	if !takesAway(in) {
		return Answer{}, nil
	}
	paths := h.threatened(withScripts(in.ToolInput.Command, in.Cwd), in.Cwd)
	if len(paths) == 0 {
		return Answer{}, nil
	}
	h.atRisk.Store(&paths)
	ctx, cancel := context.WithTimeout(ctx, deleting)
	defer cancel()
	g, left, archived, err := h.saveFirst(ctx, paths)
	switch {
	case ctx.Err() != nil:
		return tooLate(paths), ctx.Err()
	case errors.Is(err, library.ErrNoLibrary):
		if g.Safe() {
			return Answer{}, nil
		}
		return Answer{Deny: fmt.Sprintf("recall: there is no library yet, so the sessions in what this removes "+
			"are saved nowhere: %s\nRun this first, then the command again: recall init --yes", list(paths))}, nil
	case err != nil:
		return Answer{}, err
	case len(left) > 0:
		return Answer{Deny: "recall: this would remove what exists nowhere else:\n" + strings.Join(left, "\n") + "\n" +
			wayOut(g, paths)}, nil
	case g.Count() == 0 && len(g.Memory) == 0 && g.Forgotten() == "":
		return Answer{}, nil
	}
	return Answer{Context: savedNote(g, archived, paths)}, nil
}

// wayOut says how to do what was refused after all.
func wayOut(g *guard.Report, paths []string) string {
	if len(g.Unsafe()) > 0 {
		return fmt.Sprintf("Do this first: %s. Then look, and run the command again: recall sync && recall guard %s",
			g.WayOut(), quoted(paths))
	}
	for _, d := range g.Blocking() {
		if d.Kind != guard.DangerVM {
			return "That is for the user to do, not for you; recall guard " + quoted(paths) + " says more."
		}
	}
	return "Ask the user, who alone knows whether anything on it is needed. If not, this checks once more and runs it: " +
		"recall guard --vm --run -- rm -rf " + quoted(paths)
}

// tooLate refuses what couldn't be checked in time.
func tooLate(paths []string) Answer {
	return Answer{Deny: fmt.Sprintf("recall: what this removes may contain sessions, and they could not all be "+
		"compared with the library within %v.\nNot checked yet: %s\nRun this first, then the command again: "+
		"recall archive && recall guard %s", deleting, list(paths), quoted(paths))}
}

// savedNote says what is removed but safe, and what else is removed.
func savedNote(g *guard.Report, archived int, paths []string) string {
	text := fmt.Sprintf("Note from recall: %s holds nothing that is in recall's library.", list(paths))
	if g.Count() > 0 || len(g.Memory) > 0 {
		text = fmt.Sprintf("Note from recall: %s holds %s, every byte of which is in recall's library (compared just now",
			list(paths), plain(g.Holds()))
		if archived > 0 {
			text += fmt.Sprintf("; %d archived first", archived)
		}
		text += ")."
	}
	if slices.ContainsFunc(g.Sessions, func(s guard.Session) bool {
		return s.Source != ingest.Memory && s.Source != ingest.OpenCode // recall doesn't write to its database
	}) {
		text += " `recall restore` puts a session back."
	}
	if len(g.Memory) > 0 {
		text += " `recall restore memory` puts the memory back."
	}
	if gone := g.Forgotten(); gone != "" {
		text += "\nAlso there, forgotten by the user on purpose and so NOT in the library: " + gone + "."
	}
	if g.Other.Count > 0 {
		text += "\nAlso there, and NOT in the library: " + othersIn(g.Other) + "."
	}
	return "<!-- recall -->\n" + text + "\n<!-- /recall -->"
}

// othersIn names the files that belong to no session, places with the most files first.
func othersIn(o guard.OtherFiles) string {
	const most = 12
	var parts []string
	for _, g := range o.Groups[:min(most, len(o.Groups))] {
		name := plain(filepath.Base(g.Path))
		if g.Count > 1 {
			name += fmt.Sprintf(" (%d files)", g.Count)
		}
		parts = append(parts, name)
	}
	if more := len(o.Groups) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more places", more))
	}
	return strings.Join(parts, ", ")
}

// saveFirst archives what is at risk under paths and checks again; left is what still isn't safe. Without a library
// it only checks.
func (h *Host) saveFirst(ctx context.Context, paths []string) (g *guard.Report, left []string, archived int,
	err error) {
	l, none := h.Library(time.Second)
	if none != nil && !errors.Is(none, library.ErrNoLibrary) {
		return nil, nil, 0, none
	}
	o := guard.Options{Limit: deleting}
	if l != nil {
		o.Cache = h.Archiver(l).Cache
	}
	look := func() error {
		g, err = guard.Look(ctx, h.Sources, l, paths, o)
		return err
	}
	if look() != nil || none != nil {
		return g, nil, 0, cmp.Or(err, none)
	}
	var faults []ingest.Problem
	for again := 0; again < 2 && len(g.Unsafe()) > 0; again++ { // the running session keeps being written to
		before := len(g.Unsafe())
		problems, err := guard.Archive(ctx, h.Archiver(l), g)
		if err != nil && ctx.Err() == nil {
			left = append(left, "- archiving failed: "+err.Error())
			break
		}
		faults = problems
		if err := look(); err != nil {
			return nil, nil, 0, err
		}
		archived += before - len(g.Unsafe())
	}
	if len(g.Unsafe()) > 0 {
		for _, pr := range faults[:min(len(faults), 5)] {
			left = append(left, fmt.Sprintf("- %s: %s", plain(pr.Path), plain(pr.Reason())))
		}
	}
	return g, append(left, unsafeOf(g)...), archived, nil
}

func unsafeOf(g *guard.Report) []string {
	const most = 5
	var out []string
	for _, s := range g.Unsafe() {
		out = append(out, fmt.Sprintf("- session %s (%s): %d of %d files, %s", s.ID, plain(s.Name()), len(s.AtRisk), s.Files,
			s.AtRisk[0].State))
	}
	for _, d := range g.Blocking() {
		out = append(out, fmt.Sprintf("- %s: %s", d.Path, d))
	}
	if len(out) > most {
		out = append(out[:most], fmt.Sprintf("- and %d more", len(out)-most))
	}
	return out
}

// threatened lists the paths that a command removes and that may contain sessions or recall's library. The command
// is read, never run; of shell expansions only the home folder's is done.
func (h *Host) threatened(command, dir string) []string {
	home, _ := os.UserHomeDir()
	full, places := filled(command, dir), h.places()
	var named []string
	known := false
	if len(full) <= commandMost {
		named, known = removedBy(full, dir)
	}
	// rm *, xargs rm, python -c: their arguments don't show what they remove
	if !known || opaque().MatchString(full) {
		for _, p := range stores().FindAllString(full, -1) {
			named = append(named, trace.Absolute(dir, p))
			if !filepath.IsAbs(p) {
				named = append(named, trace.Absolute(home, p)) // Path.home() / ".claude"
			}
			if at, _, cut := strings.Cut(p, `\`); cut && runtime.GOOS != "windows" { // printf's \n
				named = append(named, trace.Absolute(dir, at))
			}
		}
		if stores().MatchString(dir) { // ls | xargs rm
			named = append(named, dir)
		}
		named = append(named, matched(full, places)...)
	}
	var out []string
	seen := map[string]bool{}
	for _, p := range named {
		if p = beforeGlob(native(p)); p == "" || seen[p] || p == string(filepath.Separator) && len(full) > 4000 {
			continue
		}
		if seen[p] = true; near(p, places) {
			out = append(out, p)
		}
	}
	return out
}

// matched lists the places, and the folders that contain them, that a pattern in a command matches, or reaches
// inside: rm -rf ~/.cl*, ~/.cl*/projects/x
func matched(command string, places []string) (out []string) {
	for _, word := range globs().FindAllString(command, -1) {
		for _, pattern := range alternatives(word) {
			pattern = filepath.Clean(native(pattern))
			pattern = pattern[len(filepath.VolumeName(pattern)):] // the pattern begins after a drive's colon
			for _, place := range places {
				if first := firstParts(pattern, place); matches(first, place) {
					out = append(out, inside(place, pattern[len(first):])...)
				}
				for p := filepath.Dir(place); p != filepath.Dir(p); p = filepath.Dir(p) {
					if matches(pattern, p) {
						out = append(out, p)
					}
				}
			}
		}
	}
	return out
}

// inside returns what the rest of a pattern matches in a place; the place itself if there is no rest, if it matches
// much, or if shells read it in ways that Go doesn't: **, [!a], {1..9}. Only the place is searched: the whole pattern,
// such as /*/*/*/*, could match most of the disk.
func inside(place, rest string) []string {
	const most = 20
	rest = strings.TrimPrefix(filepath.ToSlash(rest), "/")
	if rest == "" || strings.Contains(rest, "**") || strings.ContainsAny(rest, "[{") {
		return []string{place}
	}
	found, err := fs.Glob(os.DirFS(place), rest)
	if err != nil || len(found) > most {
		return []string{place}
	}
	for i, name := range found {
		found[i] = filepath.Join(place, filepath.FromSlash(name))
	}
	return found
}

// matches reports whether a pattern, which names no drive, matches a path.
func matches(pattern, path string) bool {
	ok, _ := filepath.Match(pattern, path[len(filepath.VolumeName(path)):])
	return ok
}

// firstParts returns as many parts of a pattern as a path has, if it has as many.
func firstParts(pattern, path string) string {
	const sep = string(filepath.Separator)
	parts, n := strings.Split(pattern, sep), strings.Count(path, sep)+1
	return strings.Join(parts[:min(n, len(parts))], sep)
}

var globs = text.Pattern("/[^\\s'\";|&()<>=`]*[*?\\[{][^\\s'\";|&()<>`]*")

// braces matches a shell's list of alternatives without another one in it: {a,b}
var braces = text.Pattern(`\{[^{},]*(,[^{},]*)+\}`)

// alternatives expands the braces of a word as a shell does, as far as maxAlternatives.
func alternatives(word string) (all []string) {
	const maxAlternatives = 256
	open := []string{word}
	for len(open) > 0 && len(all)+len(open) < maxAlternatives {
		w := open[0]
		open = open[1:]
		at := braces().FindStringIndex(w)
		if at == nil {
			all = append(all, w)
			continue
		}
		for choice := range strings.SplitSeq(w[at[0]+1:at[1]-1], ",") {
			open = append(open, w[:at[0]]+choice+w[at[1]:])
		}
	}
	return append(all, open...)
}

// commandMost is how many bytes of a command line are read word by word; in a longer one only the named folders
// count.
const commandMost = 64 << 10

var tilde = text.Pattern(`(^|[\s"'=:>(;|&])~(/|\s|$)`)

// With them, a parameter is its value cut or tested (${HOME%/}), or a value in its stead (${DIR:-~/x}).
var (
	changed  = text.Pattern(`(\$\{(?:HOME|CLAUDE_CONFIG_DIR|CLAUDE_PROJECT_DIR))[^\w}][^}]*\}`)
	fallback = text.Pattern(`\$\{\w+:?[-=]([^}]*)\}`)
)

// blank stands for a space in an expanded folder name, which would separate words.
const blank = "\x01"

// native converts a path from an expanded command to this system's form: on Windows a client's shell is Git's, where
// C:/ is /c/.
func native(p string) string {
	p = strings.ReplaceAll(p, blank, " ")
	if runtime.GOOS == "windows" && gitDrive().MatchString(p) {
		p = p[1:2] + ":" + p[2:]
	}
	return p
}

var gitDrive = text.Pattern(`^/[A-Za-z]/`)

// filled expands the folders that a shell knows in a command line, with slashes, as it would interpret backslashes.
func filled(command, dir string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return command
	}
	word := func(dir string) string { return strings.ReplaceAll(filepath.ToSlash(dir), " ", blank) }
	config := word(cmp.Or(os.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(home, ".claude")))
	home, dir = word(home), word(dir)
	command = fallback().ReplaceAllString(changed().ReplaceAllString(command, "${1}}"), "${1}")
	command = strings.NewReplacer("${HOME}", home, "$HOME", home, "${CLAUDE_CONFIG_DIR}", config, "$CLAUDE_CONFIG_DIR",
		config, "${CLAUDE_PROJECT_DIR}", dir, "$CLAUDE_PROJECT_DIR", dir).Replace(command)
	return tilde().ReplaceAllString(command, "${1}"+strings.ReplaceAll(home, "$", "$$")+"${2}")
}

// actionsOf returns what a command line does, as far as its words show.
func actionsOf(command, dir string) []trace.Action {
	return trace.Of(&ingest.Session{Turns: []ingest.Turn{{Role: ingest.Assistant, Dir: dir,
		Calls: []ingest.ToolCall{{Name: "Bash", Command: command, Done: true}}}}}).Actions
}

// removedBy lists what a command line deletes, moves or cleans; known reports whether the list is complete.
func removedBy(command, dir string) (out []string, known bool) {
	known = true
	for _, a := range actionsOf(command, dir) {
		for _, t := range a.Touches {
			switch t.How {
			case trace.Delete:
				out = append(out, t.Path)
			case trace.Rename:
				out = append(out, t.From)
			}
		}
		for _, st := range a.Steps() {
			for _, o := range st.Out { // overwritten
				if strings.HasSuffix(o, ".jsonl") {
					out = append(out, o)
				}
			}
			if st.Program == "recall" && looksItself(st.Args) {
				continue
			}
			removes := removers[st.Program] || st.Program == "git" && slices.Contains(st.Args, "clean") ||
				st.Program == "find" && slices.Contains(st.Args, "-delete") || slices.Contains(st.Args, "rm")
			if removes {
				out = append(out, pathsOf(st)...)
				if slices.Contains(st.Args, trace.UnknownArg) { // a pattern, or a variable
					out, known = append(out, st.Dir), false
				}
			}
		}
	}
	return out, known
}

// looksItself reports whether these are the arguments of a recall guard that can tell what the command after it
// removes.
func looksItself(args []string) bool {
	at := slices.Index(args, "--")
	if len(args) == 0 || args[0] != "guard" || slices.Contains(args, trace.UnknownArg) {
		return false
	}
	if at < 0 {
		return true // it runs nothing
	}
	_, err := guard.PathsOf(args[at+1:])
	return err == nil
}

var removers = text.Set(`rm rmdir unlink shred mv trash trash-put srm truncate rsync`)

// pathsOf returns a step's arguments that may be paths, or its folder if there are none.
func pathsOf(st trace.Step) []string {
	var out []string
	for _, a := range st.Args {
		if a != trace.UnknownArg && !strings.HasPrefix(a, "-") {
			out = append(out, trace.Absolute(st.Dir, a))
		}
	}
	if st.Program == "git" || len(out) == 0 && st.Program == "find" {
		out = append(out, st.Dir)
	}
	return out
}

// beforeGlob returns the folder in which a pattern matches.
func beforeGlob(p string) string {
	if i := strings.IndexAny(p, "*?["); i >= 0 {
		if p = p[:i]; !strings.HasSuffix(p, "/") {
			p = filepath.Dir(p)
		}
	}
	if !filepath.IsAbs(p) {
		return ""
	}
	return filepath.Clean(p)
}

// places lists where sessions and the library are kept.
func (h *Host) places() []string {
	all := []string{h.LibraryDir}
	for _, r := range h.Sources.Readers {
		all = append(all, h.Sources.RootsOf(r)...)
	}
	for _, p := range all {
		if p != "" {
			all = append(all, filepath.Clean(p), pipeline.RealOf(p))
		}
	}
	return slices.DeleteFunc(all, func(p string) bool { return p == "" })
}

// near reports whether a path contains one of the places or is inside one.
func near(p string, places []string) bool {
	if stores().MatchString(p) {
		return true
	}
	const sep = string(filepath.Separator)
	return slices.ContainsFunc(places, func(place string) bool {
		for _, p := range []string{p, pipeline.RealOf(p)} {
			if p == place || strings.HasPrefix(place, strings.TrimSuffix(p, sep)+sep) || strings.HasPrefix(p, place+sep) {
				return true
			}
		}
		return false
	})
}

func list(paths []string) string { return strings.Join(paths, ", ") }

func quoted(paths []string) string {
	var out []string
	for _, p := range paths {
		out = append(out, "'"+strings.ReplaceAll(p, "'", `'\''`)+"'")
	}
	return strings.Join(out, " ")
}
