// Package check finds what forbids a prompt, an edit or a command: the decisions, dead ends and files off limits of its
// project whose losing side it names.
//
// It works by records and plain words alone. What an item rules out is its alternatives, for a dead end the item
// itself, for a file its path. An action that names one is told of it; where that is a plain word, it must also name
// something else that the item is about. Actions that only read or remove, edits of tests and documents, and sentences
// that ask or deny, name things without doing them.
package check

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"recall/index"
	"recall/index/embed/minilm"
	"recall/internal/text"
	"recall/payload"
)

// Action is something about to be done. Any of its parts may be empty.
type Action struct {
	Project string // name of the project it is done in, as the index has it; "" checks against all
	Text    string // what is to be done, in words: a prompt, a plan
	Old     string // the text that an edit removes
	New     string // the text that an edit or a new file adds
	Paths   []string
	Command string // a shell command line; it is read, never run
}

// Warning is one item that an action goes against, or, as a lead, what a person said when they refused it.
type Warning struct {
	index.Placed
	Name string // what both name, as the item has it; the command that was refused
	Sure bool   // certain enough to stop the action if a person pinned the item: it changes a file off limits
}

// Quote is the item's evidence, verbatim; "" if a person wrote it.
func (w *Warning) Quote() string { return w.Item.First().Quote }

// Kinds lists the kinds of items that an action can go against.
var Kinds = []payload.Kind{payload.Decision, payload.Eliminated, payload.Flag, payload.File}

const (
	maxItems     = 24      // items read for one action
	maxWarnings  = 5       // warnings
	maxRead      = 6 << 10 // bytes read of each part of an action: the request is at its beginning
	half         = 0.5     // of the words of an order, of an option, of an action
	deadEnd      = 0.6     // share of a dead end's words that names it
	manyWords    = 8       // content words of a prompt for each of a name, from which it may name that in passing
	fewWords     = 2       // content words that say nothing to which an order could refer
	shortPrompt  = 4       // content words of an action that is about what it names
	maxRuns      = 5       // commands read of a plan
	third        = 0.33    // of the words of a request, without what destroys
	longestOrder = 400     // bytes of what a person said that forbids a call
	sameRun      = 0.8     // share of a refused command's words, and of the other's, that makes them the same
)

// Against lists what an action goes against, in the order of the search; usually nothing. It considers only items that
// stand today and that a person said or accepted.
func Against(ctx context.Context, x *index.Index, a Action) ([]Warning, error) {
	d := Read(a)
	if d.asked == "" {
		return nil, nil
	}
	if name := text.Content(a.Project); len(name) > 0 {
		delete(d.brings, text.Stem(name[0])) // all that is done in a project is about it
	}
	// What was decided in an archived session still holds.
	kinds := append(slices.Clone(Kinds), payload.Lead) // what was said when it was refused
	found, err := x.Search(ctx, index.Query{Text: d.asked, Project: a.Project, Kinds: kinds, Limit: maxItems,
		Exact: true, Stated: true, Archived: true, Own: true})
	if err != nil {
		return nil, err
	}
	var out []Warning
	for _, r := range found.Ranked {
		if r.Item == nil || !isGrounds(r.Item) {
			continue
		}
		name, sure := d.against(r.Item)
		if name == "" || len(out) == maxWarnings {
			continue
		}
		lifted, err := Lifted(ctx, x, r.Place, r.Item.First().Quote, r.Item.At)
		if err != nil {
			return nil, err
		}
		if !lifted {
			out = append(out, Warning{Placed: r.Placed(), Name: name, Sure: sure})
		}
	}
	return out, nil
}

// Asked returns the words by which what was said of an action is found, "" if it is none that goes against anything.
func (d *Deed) Asked() string { return d.asked }

// isGrounds reports whether an item is grounds for a warning.
func isGrounds(it *payload.Item) bool {
	said := it.By == payload.ByUser || it.By == payload.ByAssistant || it.By == payload.ByBoth
	return said && it.Current() && (len(it.Evidence) > 0 || it.Maker == payload.ByHuman)
}

// pointsBack matches what an order is about if that was said before it: "don't unify them yet", "that's settled".
var pointsBack = text.Pattern(`(?i)^$|\b(?:it|that|this|them|those|these|there)\b`)

// Settled returns what was said before a person's reply of an option that an action takes though another was taken: by
// the reply, or where that doesn't object, by how what was said before ends. took is the sentence that took it.
func (d *Deed) Settled(said, before string) (lost, took string) {
	if !d.said { // a call of many words has some of any option's
		return "", ""
	}
	before = text.OneLine(before)
	all := text.Sentences(before, false)
	choices := []string{text.OneLine(text.Head(said, maxRead))}
	if last := len(all) - 1; last >= 0 && !text.Denies(said) && len(text.Content(said)) <= shortPrompt {
		choices = append(choices, all[last])
	}
	spoken := d.does.Among(before)
	for _, took := range choices {
		if len(spoken)+len(d.does.Among(took).Without(spoken)) <= 1 {
			continue
		}
		takes := text.Takes(took)
		for _, s := range all {
			if s != took && text.Lost(s, takes).In(d.does) >= half {
				return s, took
			}
		}
		if clause := text.Outdone(before, took, d.does); clause != "" {
			return clause, took
		}
	}
	return "", ""
}

// Forbids returns the sentence of what a person said that tells not to do what an action does, "" for none: the action
// has a name that it forbids, or most of its words. Where it points back to what was said before and the action is
// about that, about is the sentence from there. Whether the order still holds isn't known.
func (d *Deed) Forbids(said, before string) (order, about string) {
	said = text.OneLine(text.Head(said, maxRead))
	if !d.said {
		return d.forbids(said, before)
	}
	chose := sync.OnceValue(func() bool {
		takes := text.Takes(said)
		return slices.ContainsFunc(text.Sentences(text.OneLine(before), false), func(s string) bool {
			return text.Lost(s, takes) != nil
		})
	})
	short := len(text.Content(said)) <= shortPrompt
	for _, s := range text.Sentences(said, true) {
		if strings.HasSuffix(s, "?") {
			continue
		}
		switch order = s; {
		case short:
			order = said
		case len(text.Words(s)) <= 1: // "Stop!!": what they stop is said next
			order = said[strings.Index(said, s):]
		}
		alone := len(leftAlone(s)) > 0
		for _, g := range orders(s) {
			w := text.Words(g.Name)
			has := func(name string) bool { return d.has(name, alone) }
			named := d.takesUp(g) || g.Form == "forbids" && slices.ContainsFunc(strings.Fields(g.Name), has)
			if shared := w.Shared(d.does); g.Name != "" && (named || shared > 1 && w.In(d.does) >= half) {
				return order, ""
			}
			if !pointsBack().MatchString(g.Name) || chose() {
				continue
			}
			to, spoken := before, said[:strings.Index(said, s)+g.From]
			if len(text.Content(spoken)) > fewWords { // the person's own words are what "it" is
				to = spoken
			}
			about := text.Nearest(to, d.does)
			if text.Words(about).Shared(d.does) > 1 && d.does.In(text.Words(about+" "+s)) > half {
				return order, about
			}
		}
	}
	return "", ""
}

// has reports whether an action has a name: all of it, or if it is short, of a file what stands before the ending; of
// one that is to be left alone, also an everyday word.
func (d *Deed) has(name string, alone bool) bool {
	first, _ := utf8.DecodeRuneInString(name)
	words := text.Content(name) // the first of which is the whole
	if !unicode.IsUpper(first) && !text.IsName(name) || len(words) == 0 {
		return false
	}
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	short := text.Words(base)
	telling := alone || len(short) > 1 || text.IsName(base) // "the app" is no app.json that isn't to be committed
	return d.does.Has(text.Stem(words[0])) || telling && len(d.does) <= shortPrompt && short.In(d.does) == 1
}

// Deed is an action as it is compared: all its words, those that it brings in, those of its commands, and the files
// that it changes or removes.
type Deed struct {
	asked            string // the question for the search, "" for none
	does, brings     text.Bag
	runs             []text.Bag
	changes, removed []string
	lines            [][]string // the words of each of its commands
	adds, old        string     // what an edit brings in and takes out
	said             bool       // it is a prompt
}

// What names a thing without doing it. An action that is only that is against nothing.
var (
	onlyReads = text.Pattern(`(?i)^\s*(grep|rg|cat|ls|git\s+(log|grep|show|diff)|strings|find|less|head|tail|du|wc)\b`)
	removes   = text.Pattern(`(?i)\b(remove|uninstall|purge|delete|rm)\b`)
	looksOnly = text.Pattern(`(?i)^\W*(show|list|print|read|look|open|find|count|compare|explain|review|check|` +
		`describe|why|what|how|where|who)\b|\?\s*$`)
	// destroys matches what a command or a request does to what is then gone.
	destroys = text.Pattern(`(?i)\b(remov\w*|uninstall|purg\w*|delet\w*|rm|wip(?:e|es|ed|ing)|eras\w*|drop|discard|` +
		`throw away|clean(?: ?up)?|clear|empty|overwrit\w*|reset|truncate|prune|undo|revert)(?:\b|_)|` +
		`\s(-v|-f|-r|--force|--hard)\b`)
	aside = text.Pattern(`(?i)(^|[/_.-])(tests?|specs?|docs?|examples?|changelog|readme|adr|migrations?)([/_.-]|$)|` +
		`\.(md|rst|lock|sum)$|[-.]lock\.`)
)

// codeSpan matches a command that a plan names.
var codeSpan = text.Pattern("`[^`\n]+`")

// Read reads an action once for all that it is compared with.
func Read(a Action) *Deed {
	d := &Deed{said: a.Text != ""}
	var said []string
	removal := "" // it only goes against its own refusal
	for line := range strings.Lines(text.Head(a.Text, maxRead)) {
		if line = strings.TrimSpace(line); line == "" || strings.ContainsAny(line[:1], ">|#`") {
			continue // quoted
		}
		for _, s := range text.Sentences(line, true) {
			if moved := movesFrom().FindStringSubmatch(s); moved != nil {
				s = moved[1] // where to
			}
			if !text.Denies(s) {
				said = append(said, s)
			} else if removes().MatchString(s) {
				removal += " " + s
			}
		}
	}
	command := message().ReplaceAllString(text.Head(a.Command, maxRead), " ")
	switch {
	case onlyReads().MatchString(command):
	case removes().MatchString(command):
		removal += " " + command
	default:
		said = append(said, command)
	}
	for _, c := range append(codeSpan().FindAllString(a.Text, maxRuns), a.Text, command) {
		if w := text.Words(c); len(w) > 1 {
			d.runs = append(d.runs, w)
		}
	}
	d.removed = filesIn(removal)
	d.lines, d.old = linesOf(command), text.Head(a.Old, maxRead)
	if len(a.Paths) > 0 {
		d.changes = a.Paths
		if !aside().MatchString(a.Paths[0]) {
			d.adds = text.Head(a.New, maxRead)
			said = append(said, d.adds)
		}
	}
	d.asked = strings.TrimSpace(strings.Join(said, "\n"))
	d.brings = text.Words(d.asked)
	d.does = text.Words(d.asked + " " + strings.Join(a.Paths, " "))
	for w := range text.Words(text.Head(a.Old, maxRead)) {
		delete(d.brings, w)
	}
	d.asked = strings.TrimSpace(d.asked + removal + " " + strings.Join(a.Paths, " "))
	return d
}

// message matches what a command says of what was done, which does nothing itself.
var message = text.Pattern(`\s(?:-a?m|--message|--title|--body)[ =]*(?:"[^"]*"|'[^']*')`)

// movesFrom matches a move, and what it goes to.
var movesFrom = text.Pattern(`(?i)^(?:.*\b)?((?:to|into|use|put)\b.+?)\s+(?:instead of|rather than)\b`)

// against returns what of an item an action goes against, "" for nothing.
func (d *Deed) against(it *payload.Item) (name string, sure bool) {
	if untouched := offLimits(it); untouched != "" {
		if slices.ContainsFunc(d.named(), func(p string) bool { return within(p, untouched) }) {
			return untouched, !d.said
		}
	}
	switch it.Kind {
	case payload.Eliminated:
		if w := text.Words(it.Text); len(w) > 0 && w.In(d.does) >= deadEnd && w.Shared(d.brings) > 0 {
			return it.Text, false
		}
		return d.refusedAgain(it), false
	case payload.Lead:
		return cmp.Or(d.refusedAgain(it), d.writtenAgain(it)), false
	case payload.Decision, payload.Flag:
		for _, g := range text.GivesUp(it.Text) { // "SQLite, not Postgres"
			if g.Form != "forbids" && d.names(g.Name, it) {
				return g.Name, false
			}
		}
		for _, lost := range it.Alternatives {
			if d.names(lost, it) {
				return lost, false
			}
		}
	}
	return "", false
}

// refusedAgain returns the call that a person refused with an item's words, if it is what is to be done.
func (d *Deed) refusedAgain(it *payload.Item) string {
	if it.Rule != payload.RefusalRule || it.Handed || len(it.Evidence) < 2 {
		return ""
	}
	refused := it.Evidence[1].Quote
	w := text.Words(refused)
	same := slices.ContainsFunc(d.runs, func(c text.Bag) bool { return w.In(c) >= sameRun && c.In(w) >= sameRun })
	again := same || d.runsOn(refused, it.Text) || d.asksFor(refused, it.Text)
	if !again && !d.removesFrom(refused) && !d.changesFile(it.About) {
		return ""
	}
	return text.OneLine(refused)
}

// runsOn reports whether a command names a file of one that was refused for another course, and a third of its words
// are of that command or of what was said then.
func (d *Deed) runsOn(refused, said string) bool {
	files := filesIn(refused)
	named := func(p string) bool { return slices.Contains(files, p) }
	return !d.said && text.SaysChanged(said) && slices.ContainsFunc(filesIn(d.asked), named) &&
		text.Words(d.asked).In(text.Words(refused+" "+said)) >= third
}

// writtenAgain returns the file that a person had removed and an edit writes, "" for none.
func (d *Deed) writtenAgain(it *payload.Item) string {
	if i := slices.IndexFunc(it.About, func(p string) bool {
		return slices.ContainsFunc(d.changes, func(c string) bool { return within(c, p) })
	}); i >= 0 && it.Rule == payload.RemovedRule {
		return it.About[i]
	}
	return ""
}

// forbids is Forbids for an edit or a command, which does what the order names, or what was said before it and refused.
func (d *Deed) forbids(said, before string) (order, about string) {
	if !MayForbid(said) {
		return "", ""
	}
	itself := false // it says what it forbids
	for _, s := range text.Sentences(said, true) {
		alone := leftAlone(s)
		gone := func(p string) bool { return isAmong(p, alone) }
		if d.changesFile(alone) || len(alone) > 0 && slices.ContainsFunc(d.removed, gone) {
			return s, ""
		}
		for _, g := range orders(s) {
			rest, _, _ := strings.Cut(s[g.From+len(g.Name):], " ") // "rake db:reset" is one word
			quoted, runs := d.quotes(g.Name + rest)
			does := runs || !quoted && (d.carriesOut(withoutHow(g.Name)) || d.takesUp(g) || d.writes(s, g))
			if does && !strings.HasSuffix(s, "?") {
				return s, ""
			}
			names := len(text.Content(g.Name)) > 1 && !pointsBack().MatchString(g.Name)
			itself = itself || g.Form == "forbids" && names
		}
	}
	if itself {
		return "", ""
	}
	all := text.Sentences(text.OneLine(before), false)
	if last := len(all) - 1; last > 0 && offers().MatchString(all[last]) { // that is what they answer
		before = all[last]
		if pointsBack().MatchString(before) {
			before = all[last-1] + " " + before // "Should I set it?"
		}
	}
	about = text.Nearest(before, d.does)
	if takesBack(said) && d.carriesOut(about) && d.doesMore(about) {
		return said, about
	}
	return "", ""
}

// doesMore reports whether an action removes something, or has more of what was said before a refusal than the names
// of files: not all that is done to a file is what was refused of it.
func (d *Deed) doesMore(about string) bool {
	files := text.Words(strings.Join(append(filesIn(d.asked), filesIn(about)...), " "))
	return len(d.removed) > 0 || text.Words(about).Without(files).Shared(d.does) > 0
}

// takesUp reports whether an action brings in the one thing that a sentence gives up, or changes what is in it: a name
// rather than a word of everyday English, unless the sentence says not to use it.
func (d *Deed) takesUp(g text.GivenUp) bool {
	named := g.Form == "uses" || text.IsName(g.Name) || g.From > 0 && strings.ToLower(g.Name) != g.Name
	if _, known := minilm.Place(g.Name); g.Name == "" || strings.Contains(g.Name, " ") || !named && known {
		return false
	}
	base := strings.ToLower(strings.TrimSuffix(g.Name, path.Ext(g.Name))) // moment of moment.js, jquery of jQuery
	return text.Words(g.Name).In(d.brings) == 1 || text.Words(base).In(d.brings) == 1 ||
		strings.Contains(g.Name, "/") && d.changesFile([]string{g.Name})
}

// offers matches what asks or proposes.
var offers = text.Pattern(`(?i)\?\W*$|\b(?:could|would|might|shall|i['’]d|we['’]d|suggest|propose|can (?:also )?\w+)\b`)

// carriesOut reports whether an action has most of some words: a name among them, or of a short action three.
func (d *Deed) carriesOut(what string) bool {
	w := text.Words(what)
	shared, named := 0, false
	for word := range w {
		if d.does.Has(word) {
			shared++
			named = named || text.IsName(word)
		}
	}
	most := shared > 2 || d.cmd() && w.In(d.does) >= 2*third
	return shared > 1 && w.In(d.does) >= half && (named || most && len(d.does) <= manyWords*len(w))
}

// cmd reports whether an action is a command.
func (d *Deed) cmd() bool { return !d.said && len(d.changes) == 0 }

// changesFile reports whether an action changes a file that an edit was refused of, or is a request that names it.
func (d *Deed) changesFile(about []string) bool {
	return len(about) > 0 && !strings.Contains(about[0], " ") && // a command
		slices.ContainsFunc(d.named(), func(p string) bool { return isAmong(p, about) })
}

// named returns the files that an action changes, or that a request to do something names.
func (d *Deed) named() []string {
	if d.said && !looksOnly().MatchString(d.asked) {
		return filesIn(d.asked)
	}
	return d.changes
}

// asksFor reports whether a request asks in other words for a call that was refused: it has words of the call and most
// of its own from there and from what was said then; of one that destroys something, one in three if it does so too.
func (d *Deed) asksFor(refused, said string) bool {
	of := filesIn(refused)
	other := len(of) > 0 && slices.ContainsFunc(filesIn(d.asked), func(p string) bool { return !isAmong(p, of) })
	if !d.said || other {
		return false
	}
	asks := text.Words(destroys().ReplaceAllString(d.asked, " "))
	call := text.Words(refused)
	all := text.Words(refused + " " + said)
	if destroys().MatchString(refused) {
		return destroys().MatchString(d.asked) && asks.In(all) >= third
	}
	return call.Shared(asks) > 0 && all.Shared(asks) > 1 && asks.In(all) >= half
}

// removesFrom reports whether an action removes files, and none but those that a refused command would have.
func (d *Deed) removesFrom(refused string) bool {
	files := filesIn(refused)
	return len(d.removed) > 0 && removes().MatchString(refused) &&
		!slices.ContainsFunc(d.removed, func(p string) bool { return !isAmong(p, files) })
}

// names reports whether an action brings in what an item gave up. An everyday word isn't enough, nor a name among many
// words of a prompt: what was given up was so for what the item is about.
func (d *Deed) names(lost string, it *payload.Item) bool {
	w := text.Words(lost)
	if len(w) == 0 || w.Shared(d.does) < len(w) || w.Shared(d.brings) == 0 {
		return false
	}
	if amongMany := d.said && len(d.does) > manyWords*len(w); !amongMany && (len(w) > 1 || text.IsName(lost)) {
		return true
	}
	about := text.Words(strings.Join(append([]string{it.Text, it.Why, it.Scope}, it.About...), " "))
	return about.Shared(d.does) > about.Shared(w)
}
