package hooks

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"recall/ingest"
	"recall/internal/text"
)

// A Hook is one of recall's entries in settings.json.
type Hook struct {
	Event   Event
	Matcher string // "" is everything
	Timeout int    // seconds
	Async   bool
}

// Ours are the hooks that are installed. Without Async, SessionEnd would be killed after 1.5 s, and PreCompact's
// output would enter the summary.
var Ours = []Hook{
	{Event: SessionStart, Timeout: 10},
	{Event: UserPromptSubmit, Timeout: 5},
	{Event: PreToolUse, Matcher: "Edit|Write|NotebookEdit|Bash", Timeout: 15},
	{Event: PreCompact, Timeout: 120, Async: true},
	{Event: SessionEnd, Timeout: 300, Async: true},
}

// A Program is what the client starts, with arguments. No shell reads the path, so spaces in it are safe.
type Program struct {
	Path string   // absolute
	Args []string // before "hook EVENT", such as --library DIR
}

type handler struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Timeout int      `json:"timeout"`
	Async   bool     `json:"async,omitempty"`
}

type group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []handler `json:"hooks"`
}

func (p Program) group(h Hook) group {
	args := append(slices.Clone(p.Args), "hook", h.Event.Word())
	return group{h.Matcher, []handler{{"command", p.Path, args, h.Timeout, h.Async}}}
}

// shellForm matches one of recall's hooks as a shell command, written by hand or by a plugin.
var shellForm = text.Pattern(`(^|[/\\"' ])recall(\.exe)?["']?( --?\S+( \S+)?)* hook ([a-z-]+)\s*$`)

// ourHandler decodes a handler and reports whether it is recall's, of any version.
func ourHandler(v hujson.Value) (h handler, ours bool) {
	if json.Unmarshal(raw(v), &h) != nil {
		return h, false
	}
	if h.Args == nil {
		m := shellForm().FindStringSubmatch(h.Command)
		return h, m != nil && isEvent(m[5])
	}
	n := len(h.Args)
	return h, strings.HasPrefix(lastName(h.Command), "recall") && n >= 2 && h.Args[n-2] == "hook" &&
		isEvent(h.Args[n-1])
}

func isEvent(word string) bool {
	_, err := ParseEvent(word)
	return err == nil
}

// hooksOf returns the object with the events' lists of groups, nil if there is none.
func hooksOf(d *document, add bool) (root, hooks *hujson.Object, err error) {
	return d.section("settings", "hooks", add)
}

// groupsOf returns an event's list of groups, or none if the same name occurs again later.
func groupsOf(hooks *hujson.Object, i int) *hujson.Array {
	if at(hooks, nameOf(hooks.Members[i])) != i {
		return elements(nil)
	}
	return elements(&hooks.Members[i].Value)
}

// addHooks adds recall's hooks to settings, replacing those of an earlier install.
func addHooks(d *document, p Program) error {
	if err := cutHooks(d, p.has); err != nil {
		return err
	}
	_, hooks, err := hooksOf(d, true)
	if err != nil {
		return err
	}
	for _, h := range Ours {
		event := string(h.Event)
		if at(hooks, event) < 0 {
			d.addMember(hooks, 2, event, []group{})
		}
		v := &hooks.Members[at(hooks, event)].Value
		list, ok := v.Value.(*hujson.Array)
		if !ok {
			return d.wrong(v, `"`+event+`" is not a list`)
		}
		if !slices.ContainsFunc(list.Elements, func(g hujson.Value) bool { return p.has(event, g) }) {
			d.addElem(list, 3, p.group(h))
		}
	}
	return nil
}

// has reports whether a group of an event is exactly what would be installed.
func (p Program) has(event string, g hujson.Value) bool {
	i := slices.IndexFunc(Ours, func(h Hook) bool { return string(h.Event) == event })
	if i < 0 {
		return false
	}
	want, _ := json.Marshal(p.group(Ours[i]))
	var have bytes.Buffer
	return json.Compact(&have, raw(g)) == nil && bytes.Equal(have.Bytes(), want)
}

// cutHooks removes recall's hooks and whatever becomes empty without them, except groups that are to stay.
func cutHooks(d *document, stays func(event string, g hujson.Value) bool) error {
	root, hooks, err := hooksOf(d, false)
	if err != nil || hooks == nil {
		return err
	}
	for i, m := range slices.Backward(hooks.Members) {
		groups := groupsOf(hooks, i)
		for k, g := range slices.Backward(groups.Elements) {
			if stays(nameOf(m), g) {
				continue
			}
			list := elements(member(&g, "hooks"))
			for n, h := range slices.Backward(list.Elements) {
				_, ours := ourHandler(h)
				if ours && d.cutElem(list, n) && d.cutElem(groups, k) && d.cutMember(hooks, i) {
					d.cutMember(root, at(root, "hooks"))
				}
			}
		}
	}
	return nil
}

// ourHooks lists recall's handlers in settings, with their events.
func ourHooks(d *document) (events []Event, list []handler, err error) {
	_, hooks, err := hooksOf(d, false)
	if err != nil || hooks == nil {
		return nil, nil, err
	}
	for i, m := range hooks.Members {
		for _, g := range groupsOf(hooks, i).Elements {
			for _, v := range elements(member(&g, "hooks")).Elements {
				if h, ours := ourHandler(v); ours {
					events, list = append(events, Event(nameOf(m))), append(list, h)
				}
			}
		}
	}
	return events, list, nil
}

// Installed lists the events that have one of recall's hooks, and the programs that these start.
func Installed(text []byte) (events []Event, programs []string, err error) {
	d, err := parse(text)
	if err != nil {
		return nil, nil, err
	}
	events, list, err := ourHooks(d)
	for _, h := range list {
		programs = ingest.Union(programs, h.Command)
	}
	return events, programs, err
}

// inSettings manages recall's hooks in settings.json.
var inSettings = tenant{
	add:    addHooks,
	remove: func(d *document) error { return cutHooks(d, func(string, hujson.Value) bool { return false }) },
	in: func(d *document) (*Program, error) {
		_, list, err := ourHooks(d)
		if err != nil || len(list) == 0 {
			return nil, err
		}
		return &Program{list[0].Command, list[0].Args[:max(0, len(list[0].Args)-2)]}, nil
	},
}

// PlanInstall returns the change that installs the hooks.
func PlanInstall(path string, p Program) (Change, error) { return inSettings.planIn(path, p) }

// PlanUninstall returns the change that removes the hooks. A file unchanged since the install is restored byte for
// byte, or removed if there was none; from a changed file only recall's entries are removed.
func PlanUninstall(path string) (Change, error) { return inSettings.planOut(path) }
