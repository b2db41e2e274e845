// Package adr writes decisions that a person chose as files in their project's repository, in the MADR form (Markdown
// architectural decision records): NNNN-title.md, one per decision. Once a person has edited a file, recall updates
// only its status, and not even that if the person changed the status; until then the file follows what recall knows
// of the decision.
package adr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/answer/history"
	"recall/ingest"
	"recall/internal/hint"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/review"
)

// Log holds the records of a folder.
type Log struct {
	Schema  int             `json:"schema"` // 1
	Folder  string          `json:"folder"`
	Records []*Record       `json:"records"` // by number, only those that recall wrote
	Waiting []history.Dated `json:"waiting"` // decisions that stand, that a person kept, and that have no record

	below string // Folder, from root
	root  *os.Root
	last  int // the highest number of any record, including other people's
	said  map[payload.ItemID]*history.Dated
}

// Record is a decision and its file.
type Record struct {
	Number int            `json:"number"`
	File   string         `json:"file"` // in the folder
	ID     payload.ItemID `json:"item"`
	Status string         `json:"status"` // accepted, deprecated, superseded, superseded by ADR-0007; or what a person wrote
	Did    string         `json:"did"`    // new, changed; "" if unchanged
	Edited bool           `json:"edited"` // by a person
	Gone   bool           `json:"gone"`   // the decision is no longer known: nothing is changed

	Decision history.Dated `json:"-"`
	Over     []*Record     `json:"-"` // the records it supersedes
	was      string        // the file, with plain line feeds
	crlf     bool
}

// places lists where projects keep their records; the first is MADR's own.
var places = []string{"docs/decisions", "docs/adr", "doc/adr", "docs/architecture/decisions"}

// mostOfRecord limits the size of a file read, in bytes.
const mostOfRecord = 1 << 20

// The header lines by which recall recognizes a file. keyLine has the item's id and hashes, as recall wrote them, of
// all other lines and of the status.
var (
	fileName = text.Pattern(`^(\d{4,9})-.*\.md$`)
	keyLine  = text.Pattern(`(?m)^recall: ([a-z0-9]{10}) ([0-9a-f]{16}) ([0-9a-f]{16})\n`)
	headLine = text.Pattern(`(?m)^status: (.*)\n`)
)

// Open reads the records of a project, given by its id, in the repository around the folder here, and the decisions
// without a record. dir is the records' folder, "" for the repository's own place.
func Open(ctx context.Context, p *pipeline.Pipeline, project, here, dir string) (l *Log, err error) {
	l = &Log{Schema: 1, Records: []*Record{}, Waiting: []history.Dated{}, said: map[payload.ItemID]*history.Dated{}}
	top := dir
	if dir == "" {
		r, ok := ingest.RepositoryOf(here)
		if !ok {
			return nil, hint.With(errors.New("adr: records belong in a repository, but this folder is in none"),
				"name their folder: recall adr --to FOLDER")
		}
		at := max(0, slices.IndexFunc(places, func(p string) bool { return ingest.IsFolder(filepath.Join(r.Tree, p)) }))
		top, l.below = r.Tree, places[at]
	}
	l.Folder = filepath.Join(top, filepath.FromSlash(l.below))
	// Links in a checkout that lead outside are neither read nor written.
	if l.root, err = disk.OpenRoot(top); err != nil {
		return nil, hint.With(fmt.Errorf("adr: %w", err), "name an existing folder")
	}
	of, err := p.Library.Project(project)
	if err != nil {
		return nil, err
	}
	line, err := history.Timeline(ctx, p, of.Name, payload.Decision, payload.Eliminated)
	if err != nil {
		return nil, err
	}
	for i := range line {
		l.said[line[i].Item.ID] = &line[i]
	}
	if err := l.read(); err != nil {
		return nil, err
	}
	again := map[payload.ItemID]bool{} // items that repeat a recorded decision
	for _, r := range l.Records {
		l.became(r.ID, again)
	}
	kept := map[string]map[payload.ItemID]bool{}
	for _, d := range line {
		if kept[d.Session] == nil {
			kept[d.Session] = keptIn(p.Library, ingest.SessionID(d.Session))
		}
		stands := d.Item.Kind == payload.Decision && d.Item.Current() && !d.Sure
		if stands && kept[d.Session][d.Item.ID] && l.of(d.Item.ID) == nil && !again[d.Item.ID] {
			l.Waiting = append(l.Waiting, d)
		}
	}
	return l, nil
}

// keptIn returns the items of a session that a person wrote, pinned, or kept in their present form.
func keptIn(l *library.Library, id ingest.SessionID) map[payload.ItemID]bool {
	p, err := l.Payload(id)
	edits, err2 := l.Edits(id)
	if err != nil || err2 != nil {
		return map[payload.ItemID]bool{} // recall check reports it
	}
	return payload.Kept(p, edits)
}

// Close closes the folder.
func (l *Log) Close() error { return l.root.Close() }

// of returns the record of an item, nil if it has none.
func (l *Log) of(id payload.ItemID) *Record {
	if i := slices.IndexFunc(l.Records, func(r *Record) bool { return r.ID == id }); i >= 0 {
		return l.Records[i]
	}
	return nil
}

// read reads the files. One that recall didn't write counts only for its number.
func (l *Log) read() error {
	in := cmp.Or(l.below, ".")
	if fi, err := l.root.Stat(in); err == nil && !fi.IsDir() { // opening a pipe would block
		return fmt.Errorf("adr: %s: not a folder", l.Folder)
	}
	files, err := fs.ReadDir(l.root.FS(), in)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("adr: %w", err)
	}
	for _, f := range files {
		name := fileName().FindStringSubmatch(f.Name())
		if name == nil {
			continue
		}
		n, _ := strconv.Atoi(name[1])
		l.last = max(l.last, n)
		if info, err := f.Info(); err != nil || !f.Type().IsRegular() || info.Size() > mostOfRecord {
			continue
		}
		b, err := l.root.ReadFile(path.Join(l.below, f.Name()))
		if err != nil {
			return fmt.Errorf("adr: %w", err)
		}
		r := &Record{Number: n, File: f.Name(), was: strings.ReplaceAll(string(b), "\r\n", "\n")}
		key := keyLine().FindStringSubmatch(r.was)
		if key == nil {
			continue
		}
		r.crlf = len(r.was) < len(b)
		r.ID = payload.ItemID(key[1])
		r.Edited = text.Hash(rest(r.was), 8) != key[2] || !headLine().MatchString(r.was)
		d, known := l.said[r.ID]
		if r.Gone = !known; known {
			r.Decision = *d
		}
		r.Status = statusOf(r.was)
		l.Records = append(l.Records, r)
	}
	return nil
}

// rest returns a file without the lines that recall updates even in an edited file.
func rest(file string) string {
	return cut(keyLine(), cut(headLine(), file, ""), "")
}

// cut replaces the first match of a pattern.
func cut(line *regexp.Regexp, s, by string) string {
	if at := line.FindStringIndex(s); at != nil {
		return s[:at[0]] + by + s[at[1]:]
	}
	return s
}

func statusOf(file string) string {
	if m := headLine().FindStringSubmatch(file); m != nil {
		return m[1]
	}
	return ""
}

// Choose records a decision that has no record yet. The error says why it can't be recorded.
func (l *Log) Choose(id payload.ItemID) error {
	d, ok := l.said[id]
	switch {
	case !ok || d.Item.Kind != payload.Decision:
		return hint.With(fmt.Errorf("%s is not a decision of this project", id), "recall log lists its decisions")
	case l.of(id) != nil:
		return nil
	}
	l.last++
	r := &Record{Number: l.last, ID: id, Decision: *d, Did: "new"}
	name := text.Slug(text.Clip(cmp.Or(r.Asked(), r.Chosen()), 60))
	r.File = fmt.Sprintf("%04d-%s.md", r.Number, cmp.Or(name, string(id)))
	l.Records = append(l.Records, r)
	l.Waiting = slices.DeleteFunc(l.Waiting, func(w history.Dated) bool { return w.Item.ID == id })
	return nil
}

// Asked returns the question that the decision answers on record; "" if there is none.
func (r *Record) Asked() string { asked, _ := r.answered(); return asked }

// Chosen returns what was decided.
func (r *Record) Chosen() string { _, chosen := r.answered(); return chosen }

func (r *Record) answered() (asked, chosen string) {
	if q, choice, ok := strings.Cut(r.Decision.Item.Text, "? → "); ok {
		return q + "?", choice
	}
	return "", r.Decision.Item.Text
}

// Title returns a record's heading.
func (r *Record) Title() string {
	return strings.TrimRight(text.Clip(text.OneLine(r.Decision.Item.Text), 100), ".")
}

// became returns a decision's present status, and the record of what superseded it, nil if there is none. Items that
// repeat the decision are added to again.
func (l *Log) became(id payload.ItemID, again map[payload.ItemID]bool) (status string, by *Record) {
	d, superseded := l.said[id], false
	for n := 0; d != nil && d.By != "" && d.Sure && n < len(l.said); n++ {
		superseded = superseded || d.Link.Relation != payload.Same
		if d = l.said[d.By]; d == nil {
			break
		}
		if !superseded {
			again[d.Item.ID] = true
		} else if r := l.of(d.Item.ID); r != nil {
			return fmt.Sprintf("superseded by ADR-%04d", r.Number), r
		}
	}
	switch {
	case d != nil && (d.Item.Kind == payload.Eliminated || !d.Item.Current()):
		return "deprecated", nil
	case superseded:
		return "superseded", nil
	}
	return "accepted", nil
}

// Write updates the files, whose body render produces, and writes those chosen: none if one would contain a secret,
// and none if only is set.
func (l *Log) Write(render func(*Record) string, only bool) error {
	slices.SortStableFunc(l.Records, func(a, b *Record) int { return a.Number - b.Number })
	status := map[*Record]string{}
	for _, r := range l.Records {
		var by *Record
		if status[r], by = l.became(r.ID, map[payload.ItemID]bool{}); by != nil {
			by.Over = append(by.Over, r)
		}
	}
	now := map[*Record]string{} // files to write
	for _, r := range l.Records {
		if r.Gone {
			continue
		}
		file := r.file(status[r], render)
		if err := review.WithoutSecrets(file); err != nil && !r.Edited {
			return fmt.Errorf("%s: %w", r.File, err)
		}
		if r.Status = statusOf(file); file == r.was {
			continue
		}
		if r.Did = cmp.Or(r.Did, "changed"); r.crlf {
			file = strings.ReplaceAll(file, "\n", "\r\n")
		}
		now[r] = file
	}
	for _, r := range l.Records {
		if file, ok := now[r]; ok && !only {
			err := l.root.MkdirAll(cmp.Or(l.below, "."), 0o700)
			if err == nil {
				err = disk.PutIn(l.root, path.Join(l.below, r.File), []byte(file))
			}
			if err != nil {
				return fmt.Errorf("adr: %w", err)
			}
		}
	}
	return nil
}

// file returns the new content of a record's file.
func (r *Record) file(status string, render func(*Record) string) string {
	key, said := keyLine().FindStringSubmatch(r.was), text.Hash(status, 8)
	if key != nil && text.Hash(statusOf(r.was), 8) != key[3] { // a person changed it
		status, said = statusOf(r.was), key[3]
	}
	status = "status: " + status + "\n"
	if r.Edited {
		line := fmt.Sprintf("recall: %s %s %s\n", r.ID, key[2], said)
		return cut(keyLine(), cut(headLine(), r.was, status), line)
	}
	date, body := "---\ndate: "+r.Decision.Item.At.UTC().Format(time.DateOnly)+"\n", "---\n\n"+render(r)
	line := fmt.Sprintf("recall: %s %s %s\n", r.ID, text.Hash(date+body, 8), said)
	return strings.Replace(date, "\n", "\n"+status, 1) + line + body
}
