package library

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library/disk"
	"recall/payload"
)

// linksName is in each project's folder: which decision refines, supersedes or
// contradicts which. A line stands in the folder where its later item's session was;
// items' ids are the library's, so where it stands says nothing more.
const linksName = "links.jsonl"

// Links are the lines of all projects' links.jsonl, each file's in order.
// Misplaced tells that some stand in a folder without any session: see SettleLinks. What
// can't be read is an error that names file and line, beside the lines that can.
func (l *Library) Links() (lines []payload.Link, misplaced bool, err error) {
	files, err := l.linkFiles()
	if err != nil {
		return nil, false, err
	}
	var bad []error
	used, err := l.usedFolders()
	if err != nil {
		return nil, false, err
	}
	for _, path := range files {
		some, err := readLinks(path)
		bad = append(bad, err)
		lines, misplaced = append(lines, some...), misplaced || !used[filepath.Dir(path)]
	}
	return lines, misplaced, errors.Join(bad...)
}

// usedFolders are those that some session's folder lies in.
func (l *Library) usedFolders() (map[string]bool, error) {
	all, err := l.listed()
	used := map[string]bool{}
	for _, e := range all {
		used[filepath.Dir(e.Folder)] = true
	}
	return used, err
}

// LinksStamp changes whenever any links.jsonl does.
func (l *Library) LinksStamp() (string, error) {
	files, err := l.linkFiles()
	if err != nil {
		return "", err
	}
	return l.filesStamp(files...)
}

// filesStamp changes whenever one of the files does.
func (l *Library) filesStamp(paths ...string) (string, error) {
	var b strings.Builder
	for _, path := range paths {
		fi, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %d %d\n", l.rel(path), fi.Size(), fi.ModTime().UnixNano())
	}
	return b.String(), nil
}

// AppendLinks adds lines, each to the file of its later item's project; when it
// returns they are durable.
func (l *Library) AppendLinks(lines []payload.Link) error {
	if len(lines) == 0 {
		return nil
	}
	unlock, err := l.lock("links")
	if err != nil {
		return err
	}
	defer unlock()
	return l.appendLinks(lines)
}

// ChangeLinks adds the lines that change makes of all that there are, while
// nobody else adds any. What can't be read is an error beside the others, as of
// Links; it keeps nothing from being added.
func (l *Library) ChangeLinks(
	change func(lines []payload.Link) ([]payload.Link, error)) (lines []payload.Link, err error) {
	unlock, err := l.lock("links")
	if err != nil {
		return nil, err
	}
	defer unlock()
	lines, _, damaged := l.Links()
	if damaged != nil && !errors.Is(damaged, ErrDamaged) {
		return nil, damaged
	}
	more, err := change(lines)
	if err == nil && len(more) > 0 {
		err = l.appendLinks(more)
	}
	if err != nil {
		return lines, err
	}
	return append(lines, more...), damaged
}

// appendLinks is AppendLinks for those who hold the lock.
func (l *Library) appendLinks(lines []payload.Link) error {
	byFolder := map[string][]payload.Link{}
	var folders []string
	folderOf := l.linksFolder()
	for _, line := range lines {
		folder, ok := folderOf(&line)
		if !ok {
			return fmt.Errorf("link of %s: %s: %w", line.From, line.FromSession, ErrNoSession)
		}
		if byFolder[folder] == nil {
			folders = append(folders, folder)
		}
		byFolder[folder] = append(byFolder[folder], line)
	}
	for _, folder := range folders {
		text, err := payload.EncodeLinks(byFolder[folder])
		if err != nil {
			return err
		}
		if err := disk.AppendLines(filepath.Join(folder, linksName), text); err != nil {
			return fmt.Errorf("%s: %w", linksName, err)
		}
		if err := disk.SyncDir(folder); err != nil {
			return err
		}
	}
	return nil
}

// UniteLinks adds those lines that aren't here, of sessions that are.
func (l Inside) UniteLinks(theirs []payload.Link) error {
	mine, _, err := l.Links()
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for _, line := range mine {
		have[linkText(line)] = true
	}
	var fresh []payload.Link
	folderOf := l.linksFolder()
	for _, line := range theirs {
		_, ok := folderOf(&line)
		if text := linkText(line); ok && !have[text] {
			have[text] = true
			fresh = append(fresh, line)
		}
	}
	return l.AppendLinks(fresh)
}

func linkText(line payload.Link) string {
	text, err := payload.EncodeLinks([]payload.Link{line})
	if err != nil {
		return ""
	}
	return string(text)
}

// SettleLinks brings the lines of a folder that has no session any more to where
// their sessions are. A crash on the way leaves lines twice, which means the same.
func (l *Library) SettleLinks() error {
	unlock, err := l.lock("links")
	if err != nil {
		return err
	}
	defer unlock()
	files, err := l.linkFiles()
	if err != nil {
		return err
	}
	used, err := l.usedFolders()
	if err != nil {
		return err
	}
	for _, path := range files {
		if used[filepath.Dir(path)] {
			continue
		}
		lines, err := readLinks(path)
		if err == nil {
			err = l.appendLinks(lines)
		}
		if errors.Is(err, ErrNoSession) {
			continue // of sessions that aren't here
		}
		if err == nil {
			err = disk.Unlink(path)
		}
		if err != nil {
			return err
		}
		disk.Unlink(filepath.Dir(path)) // if nothing else is in it
	}
	return nil
}

// linksFolder finds the folder of a line's project, looking for each session
// once. Of a session that isn't in the library any more none is known.
func (l *Library) linksFolder() func(line *payload.Link) (string, bool) {
	known := map[string]string{} // "" where there is none
	return func(line *payload.Link) (string, bool) {
		for _, id := range []string{line.FromSession, line.ToSession} {
			folder, ok := known[id]
			if !ok {
				if e, err := l.Session(ingest.SessionID(id)); err == nil {
					folder = filepath.Dir(e.Folder)
				}
				known[id] = folder
			}
			if folder != "" {
				return folder, true
			}
		}
		return "", false
	}
}

func (l *Library) linkFiles() ([]string, error) {
	dirs, err := disk.ReadDir(l.dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, d := range dirs {
		path := filepath.Join(l.dir, d.Name(), linksName)
		if d.IsDir() && disk.Exists(path) {
			files = append(files, path)
		}
	}
	slices.Sort(files)
	return files, nil
}

func readLinks(path string) ([]payload.Link, error) {
	lines, err := disk.WholeLines(path)
	if err != nil {
		return nil, err
	}
	links, err := payload.DecodeLinks(bytes.Join(lines, []byte("\n")))
	if err != nil {
		err = fmt.Errorf("%s: %w: %w", path, ErrDamaged, err)
	}
	return links, err
}
