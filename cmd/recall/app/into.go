package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/ingest"
	"recall/library"
	"recall/payload"
)

// Cowork runs no hooks: it finds the payload as a file in a folder that it
// mounts. Which folders somebody asked for stands in the user's configuration
// folder, beside config.yaml, since folders are this computer's:
//
//	into.json  [{"library": id, "project": id, "folder": absolute}]
const (
	intoName = "into.json"
	pageName = "RECALL.md"
)

// keptFolder is a folder in which a project's payload is kept current.
type keptFolder struct {
	Library string `json:"library"` // its id
	Project string `json:"project"` // its id
	Folder  string `json:"folder"`  // absolute
}

// intoFile is where they are remembered.
func (a *App) intoFile() (string, error) {
	if user := config.ThisSystem().User; user != "" {
		return filepath.Join(user, "recall", intoName), nil
	}
	return "", terminal.WithHint(errors.New("no place to remember a folder: no configuration folder is known"),
		"set HOME")
}

func readInto(file string) ([]keptFolder, error) {
	text, err := library.ReadRegular(file, config.MostOfNote)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []keptFolder
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, terminal.WithHint(fmt.Errorf("%s: %w", file, err),
			"mend it, or delete it and name the folders again: recall resume --into FOLDER")
	}
	return list, nil
}

func writeInto(file string, list []keptFolder) error {
	if len(list) == 0 {
		err := os.Remove(file)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return WriteWhole(file, append(text, '\n'))
}

// ResumeInto begins to keep a project's payload current in a folder, or stops.
func (a *App) ResumeInto(ctx context.Context, folder string, args []string, stop bool) error {
	l, err := a.Library(ctx)
	if err != nil {
		return err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return err
	}
	file, err := a.intoFile()
	if err != nil {
		return err
	}
	list, err := readInto(file)
	if err != nil {
		return err
	}
	same := func(k keptFolder) bool { return k.Library == l.ID() && k.Folder == folder }
	if stop {
		if !slices.ContainsFunc(list, same) {
			return terminal.WithHint(fmt.Errorf("%s: nothing is kept there", folder),
				"recall resume --into FOLDER begins")
		}
		if err := writeInto(file, slices.DeleteFunc(list, same)); err != nil {
			return err
		}
		return a.takeAway(folder)
	}
	k := keptFolder{Library: l.ID(), Folder: folder}
	if k.Project, err = a.intoProject(l, folder, args); err != nil {
		return err
	}
	if _, err := a.Fresh(ctx, l); err != nil {
		return err
	}
	switch err := a.keepPage(l, k); {
	case errors.Is(err, errNotOurs) && !slices.ContainsFunc(list, same):
		return terminal.WithHint(fmt.Errorf("%s is there already, and recall didn't write it",
			filepath.Join(folder, pageName)), "it is left alone; move it away, or name another folder")
	case err != nil:
		return err
	}
	if err := writeInto(file, append(slices.DeleteFunc(list, same), k)); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "recall: %s is written anew at each sync; recall resume --into %q --stop ends that\n",
		filepath.Join(folder, pageName), folder)
	return nil
}

// intoProject is the project that is named, else the folder's own.
func (a *App) intoProject(l *library.Library, folder string, args []string) (string, error) {
	if fi, err := os.Stat(folder); err != nil || !fi.IsDir() {
		return "", terminal.WithHint(fmt.Errorf("%s: no such folder", folder), "name a folder that you give to Cowork")
	}
	if rel, err := filepath.Rel(l.Dir(), folder); err == nil && filepath.IsLocal(rel) {
		return "", terminal.WithHint(fmt.Errorf("%s is the library itself", folder),
			"name a folder that you give to Cowork")
	}
	if len(args) > 0 {
		if strings.TrimSpace(args[0]) == "" {
			return "", terminal.WithHint(errors.New("the project has no name"), "recall project list shows them")
		}
		return ProjectID(l, args[0])
	}
	p, err := l.Project(folder)
	if err != nil {
		return "", terminal.WithHint(fmt.Errorf("no session that recall knows of worked in %s", folder),
			"name the project too: recall resume PROJECT --into FOLDER; recall project list shows them")
	}
	return p.ID, nil
}

// errNotOurs: the file isn't as recall wrote it.
var errNotOurs = errors.New("it isn't as recall wrote it, so it is left alone")

// keepPage writes a folder's page if it would say anything else than it does.
func (a *App) keepPage(l *library.Library, k keptFolder) error {
	if _, err := os.Stat(k.Folder); errors.Is(err, fs.ErrNotExist) { // it is never made anew
		return terminal.WithHint(fmt.Errorf("%s, where RECALL.md is kept, isn't there any more", k.Folder),
			"recall resume --into %q --stop ends it", k.Folder)
	}
	path := filepath.Join(k.Folder, pageName)
	have, err := ownPage(path)
	if err != nil {
		return terminal.WithHint(fmt.Errorf("%s: %w", path, err), "move it away, or recall resume --into %q --stop",
			k.Folder)
	}
	p, err := a.Compose(l, k.Project)
	if err != nil {
		return err
	}
	text := sealPage(payload.HarmlessPage(payload.Render(p, payload.Options{Budget: a.Config.Payload.Budget}).Text))
	if have == text {
		return nil
	}
	return WriteWhole(path, []byte(text))
}

// takeAway removes the page of a folder that is no longer kept, unless somebody
// changed it.
func (a *App) takeAway(folder string) error {
	path := filepath.Join(folder, pageName)
	have, err := ownPage(path)
	switch {
	case err != nil:
		fmt.Fprintf(a.Err, "recall: %s stays: %v\n", path, err)
		return nil
	case have == "":
		fmt.Fprintf(a.Err, "recall: nothing is kept in %s any more\n", folder)
		return nil
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "recall: removed %s; nothing is kept there any more\n", path)
	return nil
}

// The last line says that recall wrote what is above it: a person's own file
// lacks it, and a changed one doesn't have its sum.
const (
	sealBegin = ingest.KeptSeal + "; changes here are not kept, recall edit makes them. Sum "
	sealEnd   = " -->\n"
)

func sealPage(text string) string {
	sum := sha256.Sum256([]byte(text))
	return text + "\n" + sealBegin + hex.EncodeToString(sum[:8]) + sealEnd
}

// ownPage is the page as recall wrote it, "" if there is none. The error is
// errNotOurs for anything else that stands there.
func ownPage(path string) (string, error) {
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if !fi.Mode().IsRegular() || fi.Size() > 1<<20 {
		return "", errNotOurs
	}
	text, err := library.ReadRegular(path, config.MostOfNote)
	if err != nil {
		return "", err
	}
	above, _, ok := strings.Cut(string(text), "\n"+sealBegin)
	if !ok || sealPage(above) != string(text) {
		return "", errNotOurs
	}
	return string(text), nil
}

// keepPages brings the pages of all folders up to date. What goes wrong is said
// and costs nothing else.
func (a *App) keepPages(l *library.Library) {
	file, err := a.intoFile()
	if err != nil {
		return
	}
	list, err := readInto(file)
	if err != nil {
		fmt.Fprintf(a.Err, "recall: warning: %v\n", err)
	}
	for _, k := range list {
		if k.Library != l.ID() {
			continue
		}
		if err := a.keepPage(l, k); err != nil {
			fmt.Fprintf(a.Err, "recall: warning: %v\n", err)
			if hint := terminal.HintOf(err); hint != "" {
				fmt.Fprintf(a.Err, "recall: hint: %s\n", hint)
			}
		}
	}
}
