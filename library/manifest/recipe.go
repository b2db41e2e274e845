package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
)

// step follows one command of a shell call.
func (w *work) step(a *trace.Action, steps []trace.Step, i int) {
	st := &steps[i]
	source := w.sourceOf(st)
	r := recipe{command: a.Call.Command, dir: st.Dir}
	switch {
	case a.Call.Failed:
		r.why = "its command line failed somewhere"
	case strings.Contains(a.Call.Command, ingest.LeftOut):
		r.why = "its command line is too long to be known in full"
	case strings.Contains(a.Call.Command, "‹"):
		r.why = "its command line holds a secret, which recall doesn't keep"
	case source.why != "":
		r.why = source.why
	}
	if st.Program == "mv" && slices.Contains(st.Args, trace.UnknownArg) && !a.Call.Failed {
		w.unfollowed = ingest.Union(w.unfollowed, text.OneLine(a.Call.Command))
	}
	made := map[string]trace.How{}
	for _, t := range st.Touches {
		switch t.How {
		case trace.Read:
			w.read(w.file(t.Path), a)
			r.from = ingest.Union(r.from, t.Path)
		case trace.Delete:
			for _, f := range w.order { // the file, or all in a folder
				f.gone = f.gone || f.path == t.Path || strings.HasPrefix(f.path, t.Path+"/")
			}
		case trace.Rename:
			w.rename(t.From, t.Path, a.N, r)
		default:
			made[t.Path] = t.How
		}
	}
	for _, p := range source.reads {
		w.read(w.file(p), a)
	}
	r.from = ingest.Union(r.from, source.reads...)
	for _, p := range source.writes {
		made[p] = trace.Create
	}
	for _, p := range w.namedInputs(st) {
		if _, ok := made[p]; !ok {
			w.read(w.file(p), a)
		}
	}
	for k := i; st.Piped && k > 0 && steps[k].Piped; k-- { // everything that a pipe writes counts as made
		before := &steps[k-1]
		for _, t := range before.Touches {
			if t.How == trace.Read {
				r.from = ingest.Union(r.from, t.Path)
			}
		}
		up := w.sourceOf(before)
		r.from = ingest.Union(r.from, up.reads...)
		if r.why == "" {
			r.why = up.why
		}
	}
	if st.Program == "cat" && st.HasHere && len(st.Out) > 0 && r.why == "" {
		r.inline = true
	}
	for _, p := range slices.Sorted(maps.Keys(made)) {
		f := w.file(p)
		own := r
		own.from = slices.DeleteFunc(slices.Clone(r.from), func(q string) bool { return q == p })
		if made[p] == trace.Create {
			w.make(f, a.N, own)
			continue
		}
		if own.why == "" {
			own.why = "changed in place by a command"
		}
		w.edit(f, a.N, own)
	}
}

// nameOnly are programs that don't open their arguments.
var nameOnly = text.Set(`ls mkdir rmdir echo printf test [ find du stat chmod chown export cd`)

var outputFlag = text.Pattern(`^--?(?:o|O|out|output|save|dest|target|to)(?:[-_=]|$)`)

// namedInputs returns the person's files, uploads or in given folders, that a command names, whatever it does with
// them.
func (w *work) namedInputs(st *trace.Step) (out []string) {
	for i, arg := range st.Args {
		if nameOnly[st.Program] || i > 0 && outputFlag().MatchString(st.Args[i-1]) || outputFlag().MatchString(arg) {
			continue
		}
		if flag, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(flag, "-") {
			arg = value
		}
		p := trace.Absolute(st.Dir, arg)
		host, mounted := w.mounts.Host(p)
		if !mounted || !trace.LooksLikePath(arg) || slices.ContainsFunc(st.Touches,
			func(t trace.Touch) bool { return t.Path == p || t.From == p }) {
			continue
		}
		_, own := w.ownName(host)
		if a, ok := w.archivedAt(p); ok && strings.HasPrefix(a.Name, "uploads/") || !own && path.Ext(p) != "" {
			out = append(out, p)
		}
	}
	return out
}

// rename moves what is known of a file, or of a folder's files, to the new name, by a command.
func (w *work) rename(from, to string, n int, by recipe) {
	before := recipe{why: "it existed before under another name; its content isn't known",
		command: by.command, dir: by.dir, from: []string{from}}
	known := false
	for _, f := range slices.Clone(w.order) {
		rest, inside := strings.CutPrefix(f.path+"/", from+"/")
		if !inside || f.gone {
			continue
		}
		known = true
		g := w.file(path.Join(to, rest))
		r := f.recipe
		if !f.made {
			r = before
		}
		g.there = g.there || f.there
		w.make(g, n, r)
		g.how = trace.Create
		f.gone = true
	}
	if !known {
		w.make(w.file(to), n, before)
	}
}

// source is what is known about the reads and writes of a program.
type source struct {
	reads, writes []string
	why           string // why it isn't known
}

// pure are programs whose output depends only on the files they are given.
var pure = text.Set(`cp mv install cat head tail sort uniq cut tr sed awk gawk grep egrep fgrep jq wc paste join
	comm diff base64 gzip gunzip zcat bzip2 xz zip unzip tar pandoc pdftotext pdftoppm pdfunite qpdf convert
	magick ffmpeg soffice libreoffice gcc cc g++ printf echo tee touch column rev nl fold fmt iconv dos2unix
	xmllint yq seq shuf split csplit mkdir cd true ls test [ export set rm sha256sum md5sum`)

var interpreters = text.Set(`python python3 node ruby bash sh perl Rscript`)

// sourceOf says what a command reads and writes beyond the files on its command line.
func (w *work) sourceOf(st *trace.Step) source {
	prog := st.Program
	if strings.HasPrefix(prog, "python3.") {
		prog = "python3"
	}
	switch {
	case pure[prog]:
		if slices.Contains(st.Args, trace.UnknownArg) {
			return source{why: "made by " + prog + " from files known only to the shell"}
		}
		return source{}
	case prog == "":
		return source{why: "made by a program known only to the shell"}
	case prog == "curl" || prog == "wget" || prog == "git" || prog == "gh":
		return source{why: "fetched by " + prog + ": what is there may change"}
	case !interpreters[prog]:
		return source{why: "made by " + prog + "; what it read isn't known"}
	case st.HasHere:
		return w.readScript(prog, st.Here, st.Dir)
	}
	for i, arg := range st.Args {
		if (arg == "-c" || arg == "-e") && i+1 < len(st.Args) {
			if st.Args[i+1] == trace.UnknownArg {
				return source{why: "made by a program known only to the shell"}
			}
			return w.readScript(prog, st.Args[i+1], st.Dir)
		}
		if arg == "-m" && strings.HasPrefix(prog, "python") {
			return source{why: "made by a module; what it read isn't known"}
		}
		if strings.HasPrefix(arg, "-") {
			continue
		}
		script := trace.Absolute(st.Dir, arg)
		text, ok := w.text(script)
		if !ok {
			s := source{why: "made by " + path.Base(arg) + ", whose text isn't known"}
			if script != "" {
				s.reads = []string{script}
			}
			return s
		}
		s := w.readScript(prog, text, st.Dir)
		s.reads = append(s.reads, script)
		return s
	}
	return source{why: "made by " + prog + " from its input"}
}

// text returns the content of a script that the session wrote as a whole.
func (w *work) text(p string) (string, bool) {
	f := w.files[p]
	if f == nil || !f.made || f.gone {
		return "", false
	}
	if len(f.recipe.calls) == 1 {
		text := w.written[f.recipe.calls[0]]
		return text, text != "" && !strings.Contains(text, ingest.LeftOut)
	}
	if f.recipe.inline {
		return f.recipe.command, true
	}
	return "", false
}

var (
	quotedText = text.Pattern(`["'` + "`" + `]([^"'` + "`" + `\n]{1,300})["'` + "`" + `]`)
	dataFile   = text.Pattern(`(?i)^[/~.]|\.(?:csv|tsv|xlsx?|jsonl?|txt|md|pdf|docx?|pptx?|png|jpe?g|gif|svg|html?|xml|` +
		`ya?ml|toml|parquet|db|sqlite3?|py|[jt]sx?|log|zip|gz|npy|npz|pkl|css|ttf|otf|wav|mp[34]|tex|ipynb|geojson|shp)$`)
	writeCall = text.Pattern(`(?:savefig|to_csv|to_excel|to_json|to_parquet|to_html|save|imwrite|writeFileSync|` +
		`writeFile|ExcelWriter|Workbook|PdfWriter|SimpleDocTemplate|Canvas|write_image|` +
		`write_html)\s*\(\s*(?:[rfb]?)["']([^"'\n]{1,300})["']|(?:open|Path)\s*\(\s*[rb]?["']([^"'\n` +
		`]{1,300})["']\s*(?:,\s*(?:mode\s*=\s*)?["'](?:w|a|x)|\)\.write_)`)
	network = text.Pattern(`https?://|\b(?:requests|urllib|httpx|aiohttp|socket|fetch\(|axios|boto3|smtplib|ftplib|` +
		`curl|wget|yfinance)\b`)
)

// impureWords identify a script that uses something outside its text.
var impureWords = strings.Fields(`input( sys.stdin os.environ os.walk os.listdir glob. iterdir rglob readdir ` +
	`sys.argv process.argv argparse random. datetime.now time.time Date.now Math.random uuid4 subprocess os.system ` +
	`child_process exec( eval(`)

// readScript reads a script: the files that it names and writes, and whether it uses anything else.
func (w *work) readScript(prog, text, dir string) source {
	if prog == "bash" || prog == "sh" {
		return source{why: "made by a shell script; what it read isn't known"}
	}
	if network().MatchString(text) {
		return source{why: "made by a script that fetches something, which may change"}
	}
	var s source
	if i := slices.IndexFunc(impureWords, func(w string) bool { return strings.Contains(text, w) }); i >= 0 {
		s.why = fmt.Sprintf("made by a script that uses %s: what it read isn't known",
			strings.TrimRight(impureWords[i], "(."))
	}
	for _, m := range writeCall().FindAllStringSubmatch(text, -1) {
		p := cmp.Or(m[1], m[2])
		if abs := trace.Absolute(dir, p); trace.LooksLikePath(p) && abs != "" {
			s.writes = ingest.Union(s.writes, abs)
		}
	}
	for _, m := range quotedText().FindAllStringSubmatch(text, -1) {
		if !dataFile().MatchString(m[1]) || !trace.LooksLikePath(m[1]) {
			if strings.Contains(m[1], "{") && strings.Contains(m[1], "/") && s.why == "" {
				s.why = "made by a script that builds paths: what it read isn't known"
			}
			continue
		}
		if abs := trace.Absolute(dir, m[1]); abs != "" && !slices.Contains(s.writes, abs) {
			s.reads = ingest.Union(s.reads, abs)
		}
	}
	return s
}

// rebuildable reports whether a file could be made again, and why or why not.
func (w *work) rebuildable(f *file) (bool, string) {
	if f.judged {
		return f.rebuilt, f.reason
	}
	f.judged, f.reason = true, "made from itself"
	f.rebuilt, f.reason = w.judge(f)
	return f.rebuilt, f.reason
}

func (w *work) judge(f *file) (bool, string) {
	r := f.recipe
	switch {
	case strings.Contains(f.path, "‹"):
		return false, "its name holds a secret, which recall doesn't keep"
	case r.why != "":
		return false, r.why
	case len(r.calls) > 0:
		return true, "its content is in the transcript"
	case r.inline:
		return true, "its content is in the command"
	}
	for _, p := range r.from {
		if ok, why := w.available(p); !ok {
			return false, "made from " + path.Base(p) + ", " + why
		}
	}
	if len(r.from) == 0 {
		return true, "made by a command that reads no file"
	}
	return true, "made by a command from files that are known"
}

// available reports whether an input of a file would exist to make it again.
func (w *work) available(p string) (bool, string) {
	f := cmp.Or(w.files[p], &file{})
	_, archived := w.archivedAt(p)
	_, onHost := w.host(p)
	switch {
	case f.made && !f.there && f.gone:
		return false, "which was deleted or renamed since"
	case f.made && !f.there:
		if ok, why := w.rebuildable(f); !ok {
			return false, "which can't be made again: " + why
		}
	case f.made:
		return false, "which the session changed"
	case f.gone:
		return false, "which was deleted since"
	case archived, onHost, strings.HasPrefix(p, "/usr/"), strings.HasPrefix(p, "/etc/"): // /usr: the machine's system
	default:
		return false, "which was in the machine before"
	}
	return true, ""
}
