package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/internal/escape"
	"recall/library"
	"recall/pipeline/guard"
)

// beforeDeleting makes sure that a command removes no session that exists nowhere else: what it would remove is
// archived and compared first. What it only renames is archived, too: nothing of that is lost, but no sync looks there.
func (h *Host) beforeDeleting(ctx context.Context, in Input) (Answer, error) {
	paths, moved := guard.Threatened(in.ToolInput.Command, in.Cwd, h.Sources, h.LibraryDir)
	moves := len(paths) == 0
	if moves && len(moved) == 0 {
		return Answer{}, nil
	}
	if moves {
		paths = moved
	} else {
		h.atRisk.Store(&paths)
	}
	ctx, cancel := context.WithTimeout(ctx, deleting)
	defer cancel()
	g, left, archived, err := h.saveFirst(ctx, paths)
	switch {
	case moves && (err != nil || g.Count() == 0):
		return Answer{}, err
	case moves:
		return Answer{Context: movedNote(g, len(left) == 0, paths)}, nil
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
			wayOut(g, paths, in.ToolInput.Command)}, nil
	case g.Count() == 0 && len(g.Memories()) == 0 && g.Forgotten() == "":
		return Answer{}, nil
	}
	return Answer{Context: savedNote(g, archived)}, nil
}

// movedNote says what is given another name.
func movedNote(g *guard.Report, whole bool, paths []string) string {
	kept := "every byte of which is in recall's library"
	if !whole {
		kept = "not every byte of which is in recall's library"
	}
	return fmt.Sprintf("<!-- recall -->\nNote from recall: moving %s loses nothing. It holds %s, %s. No sync looks in "+
		"another place by itself: `recall sync --from PLACE` does.\n<!-- /recall -->", list(paths), plain(g.Holds()), kept)
}

// wayOut says how to do what was refused after all: by the same command, behind a guard.
func wayOut(g *guard.Report, paths []string, command string) string {
	if len(g.Unsafe()) > 0 {
		return fmt.Sprintf("Do this first: %s. Then look, and run the command again: recall sync && recall guard %s",
			g.WayOut(), escape.Shell(paths...))
	}
	for _, d := range g.Blocking() {
		if d.Kind != guard.DangerVM {
			return "That is for the user to do, not for you; recall guard " + escape.Shell(paths...) + " says more."
		}
	}
	return "Ask the user, who alone knows whether anything on it is needed. If not, this checks once more and runs the " +
		"same command: recall guard --vm " + escape.Shell(paths...) + " --run -- sh -c " + escape.Shell(command)
}

// tooLate refuses what couldn't be checked in time.
func tooLate(paths []string) Answer {
	return Answer{Deny: fmt.Sprintf("recall: what this removes may contain sessions, and they could not all be "+
		"compared with the library within %v.\nNot checked yet: %s\nRun this first, then the command again: "+
		"recall archive && recall guard %s", deleting, list(paths), escape.Shell(paths...))}
}

// savedNote says what is removed but safe, and what else is removed.
func savedNote(g *guard.Report, archived int) string {
	text := "Note from recall: this removes nothing that is in recall's library."
	if g.Count() > 0 || len(g.Memories()) > 0 {
		text = fmt.Sprintf("Note from recall: this removes %s, every byte of which is in recall's library (compared "+
			"just now", plain(g.Holds()))
		if archived > 0 {
			text += fmt.Sprintf("; %d archived first", archived)
		}
		text += ")."
	}
	if slices.ContainsFunc(g.Sessions, func(s guard.Session) bool {
		return !s.Source.IsMemory() && s.Source != ingest.OpenCode // recall doesn't write to its database
	}) {
		text += " `recall restore` puts a session back."
	}
	for _, s := range g.Memories() {
		text += fmt.Sprintf(" `recall restore %s` puts the memory back.", s.Source)
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
	var parts []string
	for _, g := range o.Groups {
		name := plain(filepath.Base(g.Path))
		if g.Count > 1 {
			name += fmt.Sprintf(" (%d files)", g.Count)
		}
		parts = append(parts, name)
	}
	return strings.Join(guard.Few(parts, 12, "and %d more places"), ", ")
}

// saveFirst archives what is at risk under paths and checks again; left is what still isn't safe. Without a library
// it only checks.
func (h *Host) saveFirst(ctx context.Context, paths []string) (g *guard.Report, left []string, archived int,
	err error) {
	l, none := h.Library(time.Second)
	if none != nil && !errors.Is(none, library.ErrNoLibrary) {
		return nil, nil, 0, none
	}
	o := guard.Options{}
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
	var out []string
	for _, s := range g.Unsafe() {
		out = append(out, fmt.Sprintf("- session %s (%s): %d of %d files, %s", s.ID, plain(s.Name()), len(s.AtRisk), s.Files,
			s.AtRisk[0].State))
	}
	for _, d := range g.Blocking() {
		out = append(out, fmt.Sprintf("- %s: %s", d.Path, d))
	}
	return guard.Few(out, 5, "- and %d more")
}

// list names paths, the first of many.
func list(paths []string) string { return strings.Join(guard.Few(paths, 3, "and %d more"), ", ") }
