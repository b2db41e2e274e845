package app

import (
	"cmp"
	"errors"
	"os"

	"recall/hint"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/prompts"
)

// Compose makes the payload of the thread that is meant: of a project by its name, "" for
// the one here.
func (a *App) Compose(l *library.Library, name string) (*payload.Payload, error) {
	project, branch, err := a.Meant(l, name)
	if err != nil {
		return nil, err
	}
	p, err := pipeline.Onward(l, project, branch, "")
	if err == nil && p == nil {
		err = hint.With(errors.New("no session to go on from"),
			"recall sync takes sessions in; recall list shows them")
	}
	return p, err
}

// HandedOn is a payload as the next session starts with it.
func (a *App) HandedOn(p *payload.Payload, variant string) string {
	o := payload.Options{Variant: payload.Variant(cmp.Or(variant, a.Config.Payload.Variant)),
		Budget: a.Config.Payload.Budget}
	return payload.Render(p, o).Text + "\n" + prompts.Confirm() + "\n"
}

// Meant is the project that a person means, by name or by where they are; and the
// branch that they are on there.
func (a *App) Meant(l *library.Library, name string) (project, branch string, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", "", err
	}
	if name == "" {
		return pipeline.Meant(l, dir)
	}
	project, err = ProjectID(l, name)
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
	id, _, err := a.Meant(l, name)
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

// Payload reads a session's payload.
func (a *App) Payload(l *library.Library, e library.Entry) (*payload.Payload, error) {
	p, err := l.Payload(e.ID)
	if errors.Is(err, library.ErrNoPayload) {
		return nil, hint.With(err, "recall sync distills it")
	}
	return p, err
}
