package team

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"recall/index"
	"recall/ingest"
	"recall/internal/escape"
	"recall/internal/hint"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/payload"
)

// Copied is a session that somebody shares, as this library has a copy of it.
type Copied struct {
	Session    string    `json:"session"`
	Title      string    `json:"title"`
	Member     int       `json:"member"` // the author
	Author     string    `json:"author"`
	Device     string    `json:"device"`
	Machine    string    `json:"machine"`
	Project    string    `json:"project"` // the team's name of it
	In         int       `json:"in"`      // the team's number of it
	Remote     string    `json:"remote,omitempty"`
	Root       string    `json:"root,omitempty"`
	Keeper     string    `json:"keeper"`
	Start      time.Time `json:"start,omitzero"`
	End        time.Time `json:"end,omitzero"`
	Put        time.Time `json:"put"`
	Transcript bool      `json:"transcript,omitempty"` // is shared, too

	Items []CopiedItem `json:"items"`
}

// CopiedItem is an item of such a session.
type CopiedItem struct {
	Came time.Time    `json:"came"` // when it arrived here
	Item payload.Item `json:"item"`
}

// The copy is a file for each session, named by the session's number and a hash of all that isn't in its items: what
// was changed since it was fetched has another name.
const (
	copyDir    = "copy"
	copiedFile = "copied.json" // when the copy was last complete

	fetchedAtOnce = 50      // sessions
	mostOfSession = 8 << 20 // bytes of a session's items that are kept: nobody fills another's disk
)

// readable is a session that the member may read.
type readable struct {
	id   int64
	name string // of its file
	Copied
}

func (t *Team) readable(ctx context.Context, device string) ([]readable, error) {
	return list(ctx, t, func(row pgx.CollectableRow) (r readable, err error) {
		var generation int
		var hash string
		c := &r.Copied
		if err := row.Scan(&r.id, &generation, &hash, &c.Session, &c.Title, &c.Member, &c.Author, &c.Device, &c.Machine,
			&c.In, &c.Project, &c.Remote, &c.Root, &c.Keeper, (*zeronull.Timestamptz)(&c.Start),
			(*zeronull.Timestamptz)(&c.End), &c.Put, &c.Transcript); err != nil {
			return r, err
		}
		for _, at := range []*time.Time{&c.Start, &c.End, &c.Put} {
			if *at = at.UTC(); at.Year() < 1 || at.Year() > 9999 { // which JSON can't hold: one row stops nobody's copy
				*at = time.Time{}
			}
		}
		said, err := json.Marshal(c)
		r.name = fmt.Sprintf("%d-%s.json", r.id, text.Hash(fmt.Sprintf("%d\x00%s\x00%s", generation, hash, said), 12))
		return r, err
	}, `SELECT s.id, s.generation, s.hash, s.sid, s.title, m.id, m.name, d.id::text, d.name, o.id,
			coalesce(p.name, o.name), coalesce(p.remote, o.remote, ''), coalesce(p.root, o.root, ''), k.name,
			s.started, s.ended, s.at,
			EXISTS(SELECT FROM recall.content c WHERE c.session = s.id) AS content
		FROM recall.session s JOIN recall.device d ON d.id = s.device JOIN recall.member m ON m.id = d.member
		JOIN recall.project o ON o.id = s.project LEFT JOIN recall.project p ON p.id = o.merged_into
		JOIN recall.member k ON k.id = coalesce(p.keeper, o.keeper)
		WHERE s.project = ANY((SELECT recall.mine())::int[]) AND s.device <> $1::uuid AND s.hash <> ''
			AND (s.items > 0 OR EXISTS(SELECT FROM recall.content c WHERE c.session = s.id)) ORDER BY s.id`, device)
}

// Fetch brings the library's copy of what others share up to date: it fetches what is new or was changed, and removes
// what this member may no longer read. An interrupted one goes on with the next.
func (m *Membership) Fetch(ctx context.Context, t *Team) error {
	all, err := t.readable(ctx, m.Device)
	if err != nil {
		return err
	}
	if err := disk.MakeAllDirs(m.Path(copyDir)); err != nil {
		return err
	}
	have := map[string][]string{} // names by the session's number
	names, err := m.copies()
	if err != nil {
		return err
	}
	for _, name := range names {
		id, _, _ := strings.Cut(name, "-")
		have[id] = append(have[id], name)
	}
	gone := have
	var due []readable
	old := map[int64][]string{}
	for _, r := range all {
		id, _, _ := strings.Cut(r.name, "-")
		names := have[id]
		delete(gone, id)
		if !slices.Contains(names, r.name) {
			due = append(due, r)
		}
		old[r.id] = slices.DeleteFunc(names, func(name string) bool { return name == r.name })
	}
	for _, names := range gone {
		err = errors.Join(err, m.dropCopies(names))
	}
	for some := range slices.Chunk(due, fetchedAtOnce) {
		if err == nil {
			err = m.fetch(ctx, t, some, old)
		}
	}
	for _, names := range old {
		if err == nil {
			err = m.dropCopies(names)
		}
	}
	if err != nil {
		return err
	}
	return m.write(copiedFile, time.Now().UTC())
}

// copies lists the files of the copy.
func (m *Membership) copies() (names []string, err error) {
	entries, err := disk.ReadDir(m.Path(copyDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // none yet
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func (m *Membership) dropCopies(names []string) (err error) {
	for _, name := range names {
		err = errors.Join(err, disk.RemoveIfThere(m.Path(filepath.Join(copyDir, name))))
	}
	return err
}

// fetch writes the files of some sessions, each as soon as its last item is there.
func (m *Membership) fetch(ctx context.Context, t *Team, some []readable, old map[int64][]string) error {
	var ids []int64
	for _, r := range some {
		ids = append(ids, r.id)
	}
	rows, err := t.pool.Query(ctx, `SELECT session, data FROM recall.item WHERE session = ANY($1::bigint[])
		ORDER BY session, id`, ids)
	if err != nil {
		return explain(err)
	}
	at, size := 0, 0
	var id int64
	var data string
	_, err = pgx.ForEachRow(rows, []any{&id, &data}, func() error {
		for some[at].id < id {
			if err := m.keep(&some[at], old[some[at].id]); err != nil {
				return err
			}
			at, size = at+1, 0
		}
		var it payload.Item
		if size += len(data); size > mostOfSession || json.Unmarshal([]byte(data), &it) != nil || !receive(&it) {
			return nil // forged
		}
		some[at].Items = append(some[at].Items, CopiedItem{Item: it})
		return nil
	})
	for ; err == nil && at < len(some); at++ {
		err = m.keep(&some[at], old[some[at].id])
	}
	return explain(err)
}

// keep writes a session's file; was names those of earlier states of it.
func (m *Membership) keep(r *readable, was []string) error {
	came := map[payload.ItemID]time.Time{}
	for _, name := range was {
		c, err := m.copied(name)
		for _, one := range c.Items {
			if err == nil {
				came[one.Item.ID] = one.Came
			}
		}
	}
	var complete time.Time
	first, now, newest := !m.read(copiedFile, &complete), time.Now().UTC(), r.Put
	late := onTime(r.Put, &r.Start, &r.End)
	for i := range r.Items {
		one := &r.Items[i]
		late = onTime(r.Put, &one.Item.At) || late
		at, known := came[one.Item.ID]
		switch {
		case known && !at.After(now):
			one.Came = at
		case first: // what was there before this member joined is no news
			one.Came = one.Item.At
		default:
			one.Came = now
		}
		if one.Came.After(newest) {
			newest = one.Came
		}
	}
	if late {
		r.Machine += wrongClock
	}
	for _, s := range []*string{&r.Author, &r.Machine, &r.Project, &r.Keeper, &r.Title} {
		*s = text.Clip(escape.Line(*s, escape.Markdown), 200)
	}
	if !disk.Exists(m.Path(membershipFile)) { // it was left meanwhile
		return ErrNoMembership
	}
	path := filepath.Join(copyDir, r.name)
	err := m.write(path, r.Copied)
	if r.Items = nil; err != nil { // of all sessions they are too many for memory
		return err
	}
	return os.Chtimes(m.Path(path), newest, newest) // so that news is found without reading all
}

// copied reads a file of the copy. One that can't be read is removed, and so fetched again.
func (m *Membership) copied(name string) (c Copied, err error) {
	data, err := disk.ReadPlain(m.Path(filepath.Join(copyDir, name)))
	if err != nil {
		return c, err
	}
	if err = json.Unmarshal(data, &c); err != nil {
		return c, errors.Join(err, m.dropCopies([]string{name}))
	}
	return c, nil
}

// Copy is what others share with a library, as it was last fetched.
type Copy struct {
	m   *Membership
	l   *library.Library
	err error // m can't be read
}

// CopyOf returns the copy of a library, nil if it is in no team. One whose membership can't be read has an error for
// each that asks it.
func CopyOf(l *library.Library) *Copy {
	m, err := MembershipOf(l.Dir())
	if errors.Is(err, ErrNoMembership) {
		return nil
	}
	return &Copy{m, l, err}
}

// Stamp changes whenever what Each calls may.
func (c *Copy) Stamp() (string, error) {
	if c.err != nil {
		return "", c.err
	}
	forgotten, err := c.l.ForgottenStamp()
	return strings.Join([]string{disk.Mark(c.m.Path(copyDir)), disk.Mark(c.m.Path("shares.jsonl")),
		disk.Mark(filepath.Join(c.l.Dir(), "projects.toml")), forgotten}, "\n"), err
}

// IsMine reports whether an entry that Each calls take for is this member's, from another machine.
func (c *Copy) IsMine(id string) bool {
	member, _, _ := index.OfShared(id)
	return c.err == nil && member == strconv.Itoa(c.m.Member)
}

// Each calls take for each index entry that the copy should have: a session that isn't in the library itself and wasn't
// forgotten there, once for each person who shares it. What can't be read is left for the next sync with the team.
func (c *Copy) Each(take func(index.Doc) error) error {
	projects, err := c.l.Projects()
	if err != nil {
		return err
	}
	shares, err := c.m.Shares()
	if err != nil {
		return err
	}
	forgotten, err := c.l.Tombstones()
	if err != nil {
		return err
	}
	type latest struct {
		put  time.Time
		name string
	}
	newest := map[string]latest{} // a person may share a session from two devices
	names, err := c.m.copies()
	if err != nil {
		return err
	}
	for _, name := range names {
		one, err := c.m.copied(name)
		id := index.SharedID(one.Member, one.Session)
		if err == nil && one.Put.After(newest[id].put) {
			newest[id] = latest{one.Put, name}
		}
	}
	for _, name := range names {
		one, err := c.m.copied(name)
		if err != nil || newest[index.SharedID(one.Member, one.Session)].name != name || len(one.Items) == 0 {
			continue
		}
		_, err = c.l.Session(ingest.SessionID(one.Session))
		if err == nil || slices.Contains(forgotten, ingest.SessionID(one.Session)) {
			continue
		}
		if err := take(one.doc(name, one.projectIn(projects, shares))); err != nil {
			return err
		}
	}
	return nil
}

// doc returns the session's index entry.
func (c *Copied) doc(stamp, project string) index.Doc {
	d := index.Doc{Session: index.SharedID(c.Member, c.Session), Project: project, Title: c.Title,
		Source: index.HandoffSource, Author: c.Author, Machine: c.Machine, Start: c.Start, End: c.End,
		Stamp: stamp + " " + project}
	for _, one := range c.Items {
		d.Items = append(d.Items, index.Item{Item: one.Item, Context: strings.Join(one.Item.Quotes(), "\n")})
	}
	return d
}

// projectIn returns the name here of the session's project, which proves nothing: anybody can use any name. One that
// isn't here is named with who keeps it if another of its name is.
func (c *Copied) projectIn(projects []library.Project, shares map[string]Share) string {
	taken := false
	for _, p := range projects {
		if c.of(p, shares[p.ID].As) {
			return p.Name
		}
		taken = taken || strings.EqualFold(p.Name, c.Project)
	}
	if taken {
		return c.Project + " (" + c.Keeper + ")"
	}
	return c.Project
}

// of reports whether the session belongs to a project of the library, which is shared as the given one of the team, if
// at all.
func (c *Copied) of(p library.Project, as int) bool {
	switch {
	case as != 0 && as == c.In:
		return true
	case c.Remote != "":
		return p.Remote == c.Remote
	}
	return c.Root != "" && p.Birth == c.Root
}

// ErrNotShared means that nobody shares the session, or that part of it, with this member.
var ErrNotShared = errors.New("nothing of that session is shared with you")

// Session finds a session of the copy by its id or an unambiguous prefix. If two people share the same session,
// ID@MEMBER chooses one.
func (c *Copy) Session(session string) (*Copied, error) {
	session, whose, _ := strings.Cut(session, "@")
	if c.err != nil {
		return nil, c.err
	}
	names, err := c.m.copies()
	if err != nil {
		return nil, err
	}
	var all []Copied
	for _, name := range names {
		one, err := c.m.copied(name)
		others := whose != "" && !strings.EqualFold(one.Author, whose)
		if err != nil || others || session == "" || !strings.HasPrefix(one.Session, session) {
			continue
		}
		same := func(o Copied) bool { return o.Session == one.Session && o.Member == one.Member }
		if i := slices.IndexFunc(all, same); i < 0 {
			all = append(all, one)
		} else if one.Put.After(all[i].Put) { // from another of their devices
			all[i] = one
		}
	}
	return chosen(all, session)
}

// chosen returns the session that is meant, of those whose ids begin so.
func chosen(all []Copied, session string) (*Copied, error) {
	slices.SortFunc(all, func(a, b Copied) int {
		return cmp.Or(strings.Compare(a.Session, b.Session), a.Member-b.Member)
	})
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("%s: %w", session, ErrNotShared)
	case len(all) > 1 && all[0].Session == all[1].Session: // don't confuse one with the other
		a, b := all[0], all[1]
		err := fmt.Errorf("session %s is shared by two people: %s of %s, and %s of %s", a.Session, a.Machine, a.Author,
			b.Machine, b.Author)
		return nil, hint.With(err, `say whose: recall show "%s@%s"`, a.Session, a.Author)
	case len(all) > 1 && all[0].Session != session:
		return nil, hint.With(fmt.Errorf("%s begins several shared sessions' ids", session), "give more of it")
	}
	return &all[0], nil
}

// Payload returns the session's items.
func (c *Copied) Payload() *payload.Payload {
	p := &payload.Payload{Schema: 1, Session: c.Session, Title: c.Title, Project: c.Project, Source: "team",
		Start: c.Start, End: c.End}
	for _, one := range c.Items {
		p.Items = append(p.Items, one.Item)
	}
	return p
}

// Transcript returns a shared session's transcript, which the team alone has. The error is ErrNotShared.
func (t *Team) Transcript(ctx context.Context, of *Copied) (text string, err error) {
	err = t.pool.QueryRow(ctx, `SELECT c.data FROM recall.content c JOIN recall.session s ON s.id = c.session
		WHERE s.sid = $1 AND s.device = $2`, of.Session, of.Device).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("%s: %w", of.Session, ErrNotShared)
	}
	return text, explain(err)
}

// copiedSince calls take for the sessions of the copy of which something came after a time.
func (m *Membership) copiedSince(at time.Time, take func(*Copied)) {
	entries, _ := disk.ReadDir(m.Path(copyDir)) // none yet
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.ModTime().Before(at) || !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		if one, err := m.copied(e.Name()); err == nil {
			take(&one)
		}
	}
}
