package check

import (
	"path"
	"strings"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/text"
)

// A way is by what an action is done; each has its own weights.
type way int

const (
	prompt way = iota
	command
	edit
	ways
)

// A phrase is a part of an action that does one thing: a clause, a shell step, the
// lines of an edit.
type phrase struct {
	way          way
	taken, given []word // what it takes up and what it gives up, in order
	place        []word // of what is taken, what stands behind "for", "in" and the like
	ordered      bool   // somebody is told to do it
	asked        bool   // it wants to know, or supposes
	told         bool   // it is only spoken of: a document, a test, a mock
	fixed        bool   // a command or path whose words mean what they are
}

// A deed is an action as it was read.
type deed struct {
	phrases []phrase
	swaps   []swap
	all     []word // everything in it
	paths   []word // files that it changes
}

const readMost = 6 << 10 // bytes of a prompt or an edit that are read: a request stands at its beginning

func read(a Action) *deed {
	d := &deed{}
	d.prose(text.Head(a.Text, readMost))
	d.command(text.Head(a.Command, readMost))
	d.edit(a)
	for i := range d.phrases {
		p := &d.phrases[i]
		d.all = append(append(append(d.all, p.taken...), p.given...), p.place...)
	}
	d.all = append(d.all, d.paths...)
	return d
}

func (d *deed) add(p phrase) {
	p.taken, p.given, p.place = content(p.taken), content(p.given), content(p.place)
	if len(p.taken)+len(p.given) > 0 {
		d.phrases = append(d.phrases, p)
	}
}

// prose reads a prompt or a plan. What is quoted or fenced is shown, not asked for.
func (d *deed) prose(text string) {
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if fenced || line == "" || strings.ContainsAny(line[:1], ">|#") {
			continue
		}
		words := cut(strings.TrimLeft(line, "-*• "))
		from := 0
		for i, w := range words {
			if w.ends == '.' || w.ends == ':' || w.ends == '?' || i == len(words)-1 {
				d.sentence(words[from : i+1])
				from = i + 1
			}
		}
	}
}

var (
	giving = text.Set(`remove delete drop uninstall disable rip strip scrap ditch kill stop avoid clear clean
		purge trim forget removing dropping deleting disabling without not never no don't revert undo rid nobody
		can't shouldn't won't`)
	// replacing are verbs of which the object goes, for what stands behind "with" or "to";
	// with moving ones it stays.
	replacing = text.Set("swap replace convert port rewrite translate refactor turn swapping replacing converting")
	moving    = text.Set("switch move migrate change go put store switching moving migrating back")
	turning   = text.Set("with by to into onto as using via")
	probing   = text.Set(`what why how when where who which whose did does do is are was were has have had
		what's where's who's didn't isn't wasn't aren't explain tell show summarize summarise list describe
		recall read compare check`)
	opening = text.Set("and so but ok okay also wait hm please then now first well yes no")
	offered = text.Set("let's lets let please should can could must shall want need needs i'd we'll i'll just use try")
	passive = text.Set("decided ruled already earlier previously tried remember rejected dismissed discarded evaluated")
	telling = text.Set(`test tests doc docs documentation note notes comment comments readme adr changelog
		glossary faq slides blog article ticket issue mock mocks fake stub example examples sample fixture rule
		lint blocklist summary draft list compare paragraph explain`)
)

// sentence reads one for what it wants done, clause by clause.
func (d *deed) sentence(s []word) {
	i := 0
	for i < len(s)-1 && opening[s[i].text] {
		i++
	}
	about := i+1 < len(s) && s[i+1].text == "about"
	first := s[i]
	question := probing[first.text] || s[len(s)-1].ends == '?' && !offered[first.text]
	base := phrase{way: prompt, asked: question && !about}
	for _, w := range s {
		base.asked = base.asked || passive[w.text] || hunches[w.text]
		base.told = base.told || telling[w.text]
		base.ordered = base.ordered || offered[w.text]
	}
	verbal := first.stem != "" && !strings.HasSuffix(first.text, "s") && !strings.HasSuffix(first.text, "ing")
	base.ordered = base.ordered || verbal && !reports(s[i:])
	p, no, there, verb := base, false, false, ""
	for k := i; k < len(s); k++ {
		w := s[k]
		after := k > i && s[k-1].ends != ' '
		joined := w.text == "and" || w.text == "then" || w.text == "but" || w.text == "so"
		if after || k > i && joined && k+1 < len(s) && doing(s[k+1].text) {
			d.add(p)
			p, no, there, verb = base, false, false, ""
		}
		switch n := turnAt(s, k); {
		case giving[w.text] || n > 0 || w.text == "from" && len(p.taken) > 0 || w.text == "off":
			no = !(w.text == "not" && k > 0 && (s[k-1].text == "why" || s[k-1].text == "we"))
			k += max(n, 1) - 1
		case replacing[w.text] || moving[w.text]:
			verb = w.text
		case turning[w.text]:
			switch {
			case replacing[verb]:
				p.given, p.taken = append(p.given, p.taken...), nil
			case moving[verb]:
				p.place, p.taken = append(p.place, p.taken...), nil
			}
			no, there, verb = false, false, ""
		case places[w.text] && len(p.taken)+len(p.given) > 0:
			there = true
		}
		switch {
		case w.stem == "" || fillers[w.text]:
		case no:
			p.given = append(p.given, w)
		case there:
			p.place = append(p.place, w)
		default:
			p.taken = append(p.taken, w)
		}
	}
	d.add(p)
}

// fillers say nothing of the thing.
var fillers = text.Set(`well please too also now then again anyway instead asap after before everywhere simply
	really back`)

// doing reports whether a word is a verb that begins a clause of its own.
func doing(w string) bool { return giving[w] || moving[w] || replacing[w] }

// reports reports whether a sentence says how things are: its verb comes early and is
// no order.
func reports(s []word) bool {
	for _, w := range s[:min(5, len(s))] {
		if states[w.text] {
			return true
		}
	}
	return false
}

var states = text.Set(`is are was were isn't aren't wasn't has had have gets got keeps does doesn't did didn't
	grows fails crashes lacks`)

// hunches are words by which something is taken for the cause.
var hunches = text.Set("suspect suspecting blame investigate probably guess might maybe perhaps bet culprit why")

// readers are programs that change nothing; what they name is looked at.
var readers = text.Set(`vim vi nano emacs code open mkdir chmod chown tar zip unzip kill pkill grep rg ag ack
	cat less more head tail ls tree find fd echo printf wc which whereis type man file stat du df diff cmp sort
	uniq cut awk jq yq true cd pwd env date ps top history sleep export source`)

// idle are arguments with which a program tells or ends something, ending those that
// take something away.
var (
	idle = text.Set(`--help -h --version -v log show diff status blame commit tag shortlog fetch branch stash
		list ls info view tree why search outdated audit doc help version logs describe get ping explain inspect
		ps images checkout --verify -n`)
	ending = text.Set(`rm rmi stop restart down kill delete remove uninstall destroy disable shutdown prune un
		purge unlink`)
)

// command reads what a shell command would do. What only the shell knows isn't read.
func (d *deed) command(line string) {
	if line == "" {
		return
	}
	s := &ingest.Session{Turns: []ingest.Turn{{Role: ingest.Assistant,
		Calls: []ingest.ToolCall{{Name: "Bash", Command: line, Done: true}}}}}
	t := trace.Of(s)
	for i := range t.Actions {
		for _, step := range t.Actions[i].Steps() {
			d.step(step)
		}
	}
}

func (d *deed) step(s trace.Step) {
	for len(s.Args) > 0 && (s.Program == "sudo" || s.Program == "time" || s.Program == "nohup" || s.Program == "exec") {
		s.Program, s.Args = path.Base(s.Args[0]), s.Args[1:]
	}
	if s.Program == "" || readers[s.Program] {
		return
	}
	p := phrase{way: command, ordered: true, fixed: true}
	side := &p.taken
	if ending[s.Program] {
		side = &p.given
	} else {
		p.taken = append(p.taken, packageOf(s.Program))
	}
	for i, a := range s.Args {
		switch {
		case a == trace.UnknownArg || i > 0 && (s.Args[i-1] == "-m" || s.Args[i-1] == "--message"):
		case i < 2 && idle[a] || strings.HasPrefix(strings.ToLower(a), "select "):
			return
		case i < 3 && ending[a]:
			side = &p.given
		case s.Program == "mv" || s.Program == "sed" || ending[s.Program] || trace.LooksLikePath(a) && side == &p.given:
			d.paths = append(d.paths, pathOf(a))
			*side = append(*side, cut(a)...)
		default:
			for _, w := range strings.FieldsFunc(a, func(r rune) bool { return strings.ContainsRune(" =,;()'\"", r) }) {
				*side = append(*side, packageOf(w))
			}
		}
	}
	d.add(p)
	for _, o := range s.Out {
		if o != "" {
			d.paths = append(d.paths, pathOf(o))
		}
	}
}

func pathOf(p string) word {
	w := wordOf(strings.ReplaceAll(p, `\`, "/"))
	w.text, w.path = strings.ToLower(strings.ReplaceAll(p, `\`, "/")), true
	if w.stem == "" {
		w.stem = "/"
	}
	return w
}

// packageOf is a package without version and registry: "redis@4" is redis,
// "github.com/redis/go-redis/v9" is go-redis.
func packageOf(s string) word {
	s = strings.ToLower(strings.TrimLeft(s, "-"))
	if i := strings.LastIndexAny(s, "@<>~^:"); i > 0 && !strings.Contains(s[i:], "/") {
		s = strings.TrimRight(s[:i], "@=<>~^:")
	}
	if base := path.Base(s); len(base) > 1 && base[0] == 'v' && plainNumber(base[1:]) {
		s = path.Dir(s)
	}
	if !strings.HasPrefix(s, "@") && strings.Contains(s, ".") && strings.Contains(s, "/") {
		s = path.Base(s)
	}
	w := wordOf(s)
	w.name = w.stem != "" && !plainNumber(s)
	return w
}
