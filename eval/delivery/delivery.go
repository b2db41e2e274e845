// Package delivery measures whether a session is told what matters before it begins: at its start, at its prompt, or in
// the first results of a question made of the prompt alone; and how often it is told what doesn't bear on it.
//
// A project is a folder of earlier sessions in Claude Code's format, a file each, and a tasks.json: the tasks, and
// prompts on which nothing of the past bears. All of it goes through the program as the client calls it, by hooks.
package delivery

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"recall/payload/tokens"
	"recall/serve/hooks"
)

// A Task is what a session is asked to do, and what of the past it should know.
type Task struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"` // told, superseded, contradictory, absent or unrelated: how the past bears on it
	Prompt string   `json:"prompt"`
	Want   []string `json:"want"`          // each must be told, in one of the wordings that | separates
	Not    []string `json:"not,omitempty"` // wordings that are false unless what is wanted is told beside them
}

// silent reports whether a task should be told nothing: the past holds nothing about it, or has only a word in common.
func (t *Task) silent() bool { return t.Kind == "absent" || t.Kind == "unrelated" }

// A Project is a folder of sessions with what is asked of them.
type Project struct {
	Name     string   `json:"-"`
	Tasks    []Task   `json:"tasks"`
	Innocent []string `json:"innocent"`
	sessions map[string][]byte
}

// Read reads the projects of a folder.
func Read(dir string) (all []*Project, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "tasks.json"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no project with a tasks.json", dir)
	}
	for _, file := range files {
		p := &Project{Name: filepath.Base(filepath.Dir(file)), sessions: map[string][]byte{}}
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, p)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		sessions, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*.jsonl"))
		for _, s := range sessions {
			if p.sessions[filepath.Base(s)], err = os.ReadFile(s); err != nil {
				return nil, err
			}
		}
		all = append(all, p)
	}
	return all, err
}

// Crowded returns one project that holds all sessions, tasks and prompts: what matters stands among many others.
func Crowded(all []*Project) []*Project {
	one := &Project{Name: "everything", sessions: map[string][]byte{}}
	for _, p := range all {
		one.Tasks, one.Innocent = append(one.Tasks, p.Tasks...), append(one.Innocent, p.Innocent...)
		for name, text := range p.sessions {
			one.sessions[name] = bytes.ReplaceAll(text, []byte(`"cwd":"`+p.dir()+`"`), []byte(`"cwd":"`+one.dir()+`"`))
		}
	}
	return []*Project{one}
}

// dir is where a project's sessions ran.
func (p *Project) dir() string { return "/home/ann/" + p.Name }

// An Outcome is what became of a task.
type Outcome struct {
	Task   string
	Start  bool // told at the start
	Prompt bool // told at the prompt
	Query  bool // told in the first three results
	False  bool // told what doesn't hold or bear
	Note   string
	silent bool
}

// Figures sum up a run over some projects.
type Figures struct {
	Tasks    int `json:"tasks"` // that something is to be told of
	Start    int `json:"start"`
	Prompt   int `json:"prompt"`
	Either   int `json:"start_or_prompt"`
	Query    int `json:"query"`
	Never    int `json:"never"`
	False    int `json:"false"`    // tasks told what doesn't hold or bear
	Innocent int `json:"innocent"` // prompts on which nothing bears
	Warned   int `json:"warned"`   // of these
	Noted    int `json:"noted"`    // of these, with or without a warning

	StartTokens int `json:"start_tokens"` // mean
	NoteTokens  int `json:"note_tokens"`  // mean
	LongestNote int `json:"longest_note"` // in tokens, of those that claim nothing

	Outcomes []Outcome `json:"-"`
	Loud     []string  `json:"-"` // innocent prompts that something was said to
}

// Measure runs a program over projects, each in a home of its own.
func Measure(ctx context.Context, program string, all []*Project) (*Figures, error) {
	f := &Figures{}
	notes, starts := 0, 0
	for _, p := range all {
		d, err := newDesk(ctx, program, p)
		if err == nil {
			var some, long int
			some, long, err = d.measure(ctx, f)
			notes, starts = notes+some, starts+long
			err = errors.Join(err, os.RemoveAll(d.home))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	f.StartTokens = starts / len(all)
	if n := f.count(func(o Outcome) bool { return o.Note != "" }) + f.Noted; n > 0 {
		f.NoteTokens = notes / n
	}
	f.Tasks = f.count(func(o Outcome) bool { return !o.silent })
	f.Start = f.count(func(o Outcome) bool { return o.Start })
	f.Prompt = f.count(func(o Outcome) bool { return o.Prompt })
	f.Either = f.count(func(o Outcome) bool { return o.Start || o.Prompt })
	f.Query = f.count(func(o Outcome) bool { return o.Query })
	f.Never = f.count(func(o Outcome) bool { return !o.silent && !o.Start && !o.Prompt && !o.Query })
	f.False = f.count(func(o Outcome) bool { return o.False })
	return f, nil
}

func (f *Figures) count(is func(Outcome) bool) (n int) {
	for _, o := range f.Outcomes {
		if is(o) {
			n++
		}
	}
	return n
}

// Worse lists what a run does worse than an earlier one.
func (f *Figures) Worse(than *Figures) (all []string) {
	for _, c := range []struct {
		name     string
		was, now int // more is better
	}{
		{"tasks told at the start or the prompt", than.Either, f.Either},
		{"tasks told at the prompt", than.Prompt, f.Prompt},
		{"tasks told in the first results", than.Query, f.Query},
		{"tasks told falsely", -than.False, -f.False},
		{"innocent prompts warned", -than.Warned, -f.Warned},
		{"innocent prompts noted", -than.Noted, -f.Noted},
	} {
		if c.now < c.was {
			all = append(all, fmt.Sprintf("%s: %d, before %d", c.name, max(c.now, -c.now), max(c.was, -c.was)))
		}
	}
	return all
}

// desk is a home with one project's sessions in a library.
type desk struct {
	*Project
	program, home string
	asked         int
}

func newDesk(ctx context.Context, program string, p *Project) (*desk, error) {
	home, err := os.MkdirTemp("", "recall-delivery-")
	d := &desk{Project: p, program: program, home: home}
	folder := filepath.Join(home, ".claude", "projects", "sessions")
	err = errors.Join(err, os.MkdirAll(folder, 0o700))
	for name, text := range p.sessions {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	if err == nil {
		_, err = d.run(ctx, "", "sync")
	}
	if err == nil {
		_, err = d.run(ctx, "", "rest") // what is found by meaning
	}
	return d, err
}

// run runs the program as in a fresh account.
func (d *desk) run(ctx context.Context, stdin string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, d.program, args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = d.home, strings.NewReader(stdin), &out, &errs
	cmd.Env = []string{"HOME=" + d.home, "USERPROFILE=" + d.home, "PATH=" + os.Getenv("PATH"), "NO_COLOR=1", "TZ=UTC"}
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 && args[0] == "query" { // found nothing
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("recall %s: %w\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out.String(), err
}

// hook calls an event of a session and returns what it puts before the model.
func (d *desk) hook(ctx context.Context, event hooks.Event, session, prompt string) (string, error) {
	in, err := json.Marshal(map[string]string{"session_id": session, "cwd": d.dir(), "hook_event_name": string(event),
		"source": "startup", "prompt": prompt, "transcript_path": path.Join(d.home, session+".jsonl")})
	if err != nil {
		return "", err
	}
	out, err := d.run(ctx, string(in), "hook", event.Word())
	if err != nil || out == "" {
		return "", err
	}
	var said struct {
		Specific struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	err = json.Unmarshal([]byte(out), &said)
	return said.Specific.Context, err
}

// prompted starts a session of its own and returns what its prompt is told.
func (d *desk) prompted(ctx context.Context, prompt string) (start, note string, err error) {
	d.asked++
	session := fmt.Sprintf("00000000-0000-4000-8000-%012d", d.asked)
	if start, err = d.hook(ctx, hooks.SessionStart, session, ""); err != nil {
		return "", "", err
	}
	note, err = d.hook(ctx, hooks.UserPromptSubmit, session, prompt)
	return start, note, err
}

// measure returns how many tokens all notes and one start hold.
func (d *desk) measure(ctx context.Context, f *Figures) (notes, start int, err error) {
	for _, t := range d.Tasks {
		begin, note, err := d.prompted(ctx, t.Prompt)
		if err != nil {
			return 0, 0, err
		}
		found, err := d.run(ctx, "", "query", "--no-sync", "--plain", "--limit", "3", "--project", d.Name, t.Prompt)
		if err != nil {
			return 0, 0, err
		}
		o := Outcome{Task: t.Name, Start: t.told(begin), Prompt: t.told(note), Query: t.told(found), Note: note,
			silent: t.silent()}
		o.False = o.silent && note != "" || t.misled(begin) && !o.Prompt || t.misled(note)
		f.Outcomes = append(f.Outcomes, o)
		notes, start = notes+f.noted(note), tokens.Count(begin)
	}
	for _, prompt := range d.Innocent {
		_, note, err := d.prompted(ctx, prompt)
		if err != nil {
			return 0, 0, err
		}
		notes += f.noted(note)
		f.Innocent++
		if note != "" {
			f.Noted++
			f.Loud = append(f.Loud, prompt)
		}
		if warns(note) {
			f.Warned++
		}
	}
	return notes, start, nil
}

// noted returns how many tokens a note holds.
func (f *Figures) noted(note string) int {
	n := tokens.Count(note)
	if strings.HasPrefix(note, "<!-- recall -->") {
		f.LongestNote = max(f.LongestNote, n)
	}
	return n
}

// warns reports whether a note warns rather than offers something to look at.
func warns(note string) bool {
	_, said, _ := strings.Cut(note, "\n")
	return strings.HasPrefix(said, "Warning from recall") || strings.HasPrefix(said, "Note from recall: this looks like")
}

// told reports whether a text holds all that is wanted.
func (t *Task) told(text string) bool {
	return len(t.Want) > 0 && !slices.ContainsFunc(t.Want, func(want string) bool { return !holds(text, want) })
}

// misled reports whether a text holds what no longer holds, without what does.
func (t *Task) misled(text string) bool {
	return slices.ContainsFunc(t.Not, func(not string) bool { return holds(text, not) }) && !t.told(text)
}

// holds reports whether a text has one of the wordings that | separates.
func holds(text, wordings string) bool {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	return slices.ContainsFunc(strings.Split(strings.ToLower(wordings), "|"),
		func(w string) bool { return strings.Contains(text, w) })
}
