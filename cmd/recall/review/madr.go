package review

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"time"

	"recall/answer"
	"recall/answer/history"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/internal/escape"
	"recall/internal/hint"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/review"
)

// Records are the decisions in a folder, in the MADR form (Markdown architectural decision records): NNNN-title.md, one
// per decision. A record is written once. Afterwards only its status changes, as long as no person changed that.
type Records struct {
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
	Gone   bool           `json:"gone"`   // the decision is no longer known: nothing is changed

	was string // the file
}

// recordFolders lists where projects keep their records; the first is MADR's own.
var recordFolders = []string{"docs/decisions", "docs/adr", "doc/adr", "docs/architecture/decisions"}

// mostOfRecord limits the size of a file read, in bytes.
const mostOfRecord = 1 << 20

// The header lines by which recall recognizes a file: its status, and the item's id with the status as recall wrote it.
var (
	recordName = text.Pattern(`^(\d{4,9})-.*\.md$`)
	statusLine = text.Pattern(`(?m)^status: (.*?)\r?$`)
	itemLine   = text.Pattern(`(?m)^recall: ([a-z0-9]{10}) (.*?)\r?$`)
)

// openRecords reads the records of a project, given by its id, in the repository around the folder here, and the
// decisions without a record. dir is the records' folder, "" for the repository's own place.
func openRecords(ctx context.Context, p *pipeline.Pipeline, project, here, dir string) (l *Records, err error) {
	l = &Records{Schema: 1, Records: []*Record{}, Waiting: []history.Dated{}, said: map[payload.ItemID]*history.Dated{}}
	top := dir
	if dir == "" {
		r, ok := ingest.RepositoryOf(here)
		if !ok {
			return nil, hint.With(errors.New("adr: records belong in a repository, but this folder is in none"),
				"name their folder: recall adr --to FOLDER")
		}
		has := func(p string) bool { return ingest.IsFolder(filepath.Join(r.Tree, p)) }
		top, l.below = r.Tree, recordFolders[max(0, slices.IndexFunc(recordFolders, has))]
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
		if stands && kept[d.Session][d.Item.ID] && l.recordOf(d.Item.ID) == nil && !again[d.Item.ID] {
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

// recordOf returns the record of an item, nil if it has none.
func (l *Records) recordOf(id payload.ItemID) *Record {
	if i := slices.IndexFunc(l.Records, func(r *Record) bool { return r.ID == id }); i >= 0 {
		return l.Records[i]
	}
	return nil
}

// read reads the files. One that recall didn't write counts only for its number.
func (l *Records) read() error {
	in := cmp.Or(l.below, ".")
	if fi, err := l.root.Stat(in); err == nil && !fi.IsDir() { // opening a pipe would block
		return fmt.Errorf("adr: %s: not a folder", l.Folder)
	}
	files, err := fs.ReadDir(l.root.FS(), in)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("adr: %w", err)
	}
	for _, f := range files {
		name := recordName().FindStringSubmatch(f.Name())
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
		if ours := itemLine().FindSubmatch(b); ours != nil {
			r := &Record{Number: n, File: f.Name(), ID: payload.ItemID(ours[1]), was: string(b)}
			r.Status, r.Gone = matchOf(statusLine().FindStringSubmatch(r.was)), l.said[r.ID] == nil
			l.Records = append(l.Records, r)
		}
	}
	return nil
}

func matchOf(m []string) string {
	if m == nil {
		return ""
	}
	return m[1]
}

// choose records a decision that has no record yet. The error says why it can't be recorded.
func (l *Records) choose(id payload.ItemID) error {
	d, ok := l.said[id]
	switch {
	case !ok || d.Item.Kind != payload.Decision:
		return hint.With(fmt.Errorf("%s is not a decision of this project", id), "recall log lists its decisions")
	case l.recordOf(id) != nil:
		return nil
	}
	l.last++
	asked, chosen := questionOf(d.Item)
	name := text.Slug(text.Clip(cmp.Or(asked, chosen), 60))
	l.Records = append(l.Records, &Record{Number: l.last, ID: id, Did: "new",
		File: fmt.Sprintf("%04d-%s.md", l.last, cmp.Or(name, string(id)))})
	l.Waiting = slices.DeleteFunc(l.Waiting, func(w history.Dated) bool { return w.Item.ID == id })
	return nil
}

// questionOf returns the question that a decision answers on record, "" if there is none, and what was chosen.
func questionOf(it payload.Item) (asked, chosen string) {
	if q, choice, ok := strings.Cut(it.Text, "? → "); ok {
		return q + "?", choice
	}
	return "", it.Text
}

// became returns a decision's present status, and the record of what superseded it, nil if there is none. Items that
// repeat the decision are added to again.
func (l *Records) became(id payload.ItemID, again map[payload.ItemID]bool) (status string, by *Record) {
	d, superseded := l.said[id], false
	for n := 0; d != nil && d.By != "" && d.Sure && n < len(l.said); n++ {
		superseded = superseded || d.Link.Relation != payload.Same
		if d = l.said[d.By]; d == nil {
			break
		}
		if !superseded {
			again[d.Item.ID] = true
		} else if r := l.recordOf(d.Item.ID); r != nil {
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

// write writes the files of those chosen, and the status of the others where it changed: none if one would contain a
// secret, and none if only is set.
func (l *Records) write(only bool) error {
	slices.SortStableFunc(l.Records, func(a, b *Record) int { return a.Number - b.Number })
	over := map[*Record][]*Record{} // what each supersedes
	status := map[*Record]string{}
	for _, r := range l.Records {
		var by *Record
		if status[r], by = l.became(r.ID, map[payload.ItemID]bool{}); by != nil {
			over[by] = append(over[by], r)
		}
	}
	now := map[*Record]string{}
	for _, r := range l.Records {
		ours := itemLine().FindStringSubmatch(r.was)
		switch {
		case r.Gone:
		case r.Did != "":
			file, err := r.page(status[r], l.said[r.ID], over[r])
			if err != nil {
				return fmt.Errorf("%s: %w", r.File, err)
			}
			r.Status, now[r] = status[r], file
		case r.Status != "" && r.Status == ours[2] && r.Status != status[r]: // else a person changed it
			now[r] = strings.Replace(r.was, "status: "+r.Status, "status: "+status[r], 1)
			now[r] = strings.Replace(now[r], ours[1]+" "+r.Status, ours[1]+" "+status[r], 1)
			r.Status, r.Did = status[r], "changed"
		}
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

//go:embed record.md
var recordText string

var recordForm = sync.OnceValue(func() *template.Template {
	inert := func(s string) string { return escape.Inert(terminal.Line(s)) }
	return template.Must(template.New("").Funcs(template.FuncMap{"inert": inert,
		"ended": func(s, end string) string { return strings.TrimRight(inert(s), ".") + end }}).Parse(recordText))
})

// recordPage is what record.md shows.
type recordPage struct {
	payload.Item
	Status, Day, Title, Asked, Chosen, Session string

	Quotes []payload.Evidence // the first
	Over   []*Record          // what it supersedes
}

// page returns the content of a new record's file.
func (r *Record) page(status string, d *history.Dated, over []*Record) (string, error) {
	asked, chosen := questionOf(d.Item)
	session := ""
	if d.Session != "" {
		session = answer.ShortID(d.Session)
	}
	page := recordPage{Item: d.Item, Status: status, Day: d.Item.At.UTC().Format(time.DateOnly), Asked: asked,
		Chosen: chosen, Title: text.Clip(text.OneLine(d.Item.Text), 100), Session: session, Over: over,
		Quotes: d.Item.Evidence[:min(1, len(d.Item.Evidence))]}
	var b strings.Builder
	err := recordForm().Execute(&b, page)
	return b.String(), cmp.Or(err, review.WithoutSecrets(b.String()))
}
