package check

import (
	"path"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
)

// way is how an action is done.
type way int

const (
	prompt way = iota
	command
	edit
)

// phrase is a part of an action that does one thing: a sentence, a shell step, the lines of an edit.
type phrase struct {
	way     way
	added   []word   // in order, stop words included; the added words of an edit
	removed []word   // the removed words of an edit
	lines   [][]word // the added lines of an edit, otherwise added
}

// parsedAction is a parsed action.
type parsedAction struct {
	phrases []phrase
	all     []word // all its content words
	paths   []word // files that it changes
	asked   []word // files that a prompt asks to change
}

const maxRead = 6 << 10 // bytes read of a prompt or an edit: the request is at its beginning

func read(a Action) *parsedAction {
	d := &parsedAction{}
	for _, p := range a.Paths {
		d.paths = append(d.paths, pathOf(p))
	}
	d.prose(text.Head(a.Text, maxRead))
	d.command(text.Head(a.Command, maxRead))
	if len(d.paths) > 0 && a.New+a.Old != "" && !lists["locks"][path.Base(d.paths[0].text)] {
		d.edit(text.Head(a.Old, maxRead), text.Head(a.New, maxRead))
	}
	d.all = slices.Clone(d.paths)
	for _, p := range d.phrases {
		d.all = slices.Concat(d.all, content(p.added), content(p.removed), content(slices.Concat(p.lines...)))
	}
	return d
}

// prose reads a prompt or a plan sentence by sentence, without quoted or fenced text, which isn't a request.
func (d *parsedAction) prose(s string) {
	fenced := false
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		fence := strings.HasPrefix(line, "```")
		if fenced = fenced != fence; fenced || fence || line == "" || strings.ContainsAny(line[:1], ">|#") {
			continue
		}
		for _, sentence := range text.Sentences(strings.TrimLeft(line, "-*• "), true) {
			words := cut(sentence)
			asks := slices.ContainsFunc(words, func(w word) bool { return handling[w.text] && w.text != "leave" })
			for i := range words {
				asks = asks && turnAt(words, i) == 0
			}
			if asks {
				d.asked = append(d.asked, filter(words, func(w word) bool { return trace.LooksLikePath(w.text) })...)
			}
			d.add(phrase{way: prompt, added: words, lines: [][]word{words}})
		}
	}
}

func (d *parsedAction) add(p phrase) {
	if len(content(p.added))+len(content(p.removed)) > 0 {
		d.phrases = append(d.phrases, p)
	}
}

// command reads what a shell command would do, without what only the shell can know.
func (d *parsedAction) command(line string) {
	s := &ingest.Session{Turns: []ingest.Turn{{Role: ingest.Assistant,
		Calls: []ingest.ToolCall{{Name: "Bash", Command: line, Done: true}}}}}
	t := trace.OfSession(s)
	for i := range t.Actions {
		for _, step := range t.Actions[i].Steps() {
			d.step(step)
		}
	}
}

func (d *parsedAction) step(s trace.Step) {
	if s.Program == "" {
		return
	}
	p := phrase{way: command, added: []word{wordOf(s.Program)}}
	for i, a := range s.Args {
		if a == trace.UnknownArg || i > 0 && (s.Args[i-1] == "-m" || s.Args[i-1] == "--message") {
			continue
		}
		if changing := lists["changing"]; !strings.HasPrefix(a, "-") && (changing[s.Program] ||
			s.Program == "git" && changing[s.Args[0]]) {
			d.paths = append(d.paths, pathOf(a))
		}
		for _, w := range strings.FieldsFunc(a, func(r rune) bool { return strings.ContainsRune(" =,;()'\"", r) }) {
			p.added = append(p.added, wordOf(w))
		}
	}
	p.lines = [][]word{p.added}
	d.add(p)
	for _, o := range slices.DeleteFunc(s.Out, func(o string) bool { return o == "" }) {
		d.paths = append(d.paths, pathOf(o))
	}
}

func pathOf(p string) word { return wordOf(strings.ReplaceAll(p, `\`, "/")) }
