package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"recall/cmd/recall/terminal"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// Compose makes the payload of the thread that is meant.
func (a *App) Compose(l *library.Library, args []string) (*payload.Payload, error) {
	shelf, err := l.Shelf()
	if err != nil {
		return nil, err
	}
	project, branch, err := a.Meant(l, args)
	if err != nil {
		return nil, err
	}
	entries := shelf.In(project)
	threads, err := pipeline.Threads(l, entries)
	if err != nil {
		return nil, err
	}
	p, err := pipeline.Compose(l, payload.Pick(threads, branch), entries, shelf.Number)
	if err == nil && p == nil {
		err = terminal.WithHint(errors.New("no session to go on from"),
			"recall sync takes sessions in; recall list shows them")
	}
	if name := shelf.Project[project].Name; err == nil && name != "" {
		p.Project = name // it may have been another one when it was distilled
	}
	return p, err
}

// Meant is the project that a person means, by name or by where they are; and the
// branch that they are on there.
func (a *App) Meant(l *library.Library, args []string) (project, branch string, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", "", err
	}
	if len(args) == 0 {
		return pipeline.Meant(l, dir)
	}
	project, err = ProjectID(l, args[0])
	if here, hereBranch := pipeline.Here(l, dir); project == here {
		branch = hereBranch
	}
	return project, branch, err
}

// Only is the project that a list keeps to, by its name in the index: the one that
// is named, else the one that is meant here; "" for all of them.
func (a *App) Only(l *library.Library, name string, all bool) (string, error) {
	if all {
		return "", nil
	}
	var args []string
	if name != "" {
		args = []string{name}
	}
	id, _, err := a.Meant(l, args)
	if err != nil {
		return "", err
	}
	p, err := l.Project(id)
	return p.Name, err
}

// Here is the project of the working directory, "" if it is none that is known.
func (a *App) Here(l *library.Library) (project string) {
	if dir, err := os.Getwd(); err == nil {
		project, _ = pipeline.Here(l, dir)
	}
	return project
}

var scratchName = regexp.MustCompile(`^session-(\d+)\.md$`)

// SaveScratch writes the next session-N.md of a folder, going on from the
// highest number that is there.
func SaveScratch(dir, text string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	n := 0
	for _, e := range entries {
		if m := scratchName.FindStringSubmatch(e.Name()); m != nil {
			if k, err := strconv.Atoi(m[1]); err == nil {
				n = max(n, k)
			}
		}
	}
	for {
		n++
		path := filepath.Join(dir, fmt.Sprintf("session-%d.md", n))
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.WriteString(text)
		return path, errors.Join(err, f.Close())
	}
}

// Payload reads a session's payload.
func (a *App) Payload(l *library.Library, e library.Entry) (*payload.Payload, error) {
	p, err := l.Payload(e.ID)
	if errors.Is(err, library.ErrNoPayload) {
		return nil, terminal.WithHint(err, "recall sync distills it")
	}
	return p, err
}
