package team

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"recall/index"
	"recall/ingest"
	"recall/internal/hint"
	"recall/internal/redact"
	"recall/internal/text"
	"recall/payload"
)

// Session is what is shared of a session: items with their quotes, and possibly its transcript. If both are missing,
// what was shared before is taken back.
type Session struct {
	ID         string
	Project    int // see ProjectOf
	Title      string
	Start, End time.Time // zero if unknown
	Items      []payload.Item
	Transcript string // rendered and redacted; "" if not shared
}

// Shared is a session as the database gets it, redacted by the newest rules.
type Shared struct {
	Hash string // of all that is put, and the rules' version: if it is unchanged, there is nothing to do

	of         Session
	rules      string
	items      []sharedItem
	transcript string // its hash, "" if there is none
}

type sharedItem struct{ id, kind, hash, data, words string }

// Ready redacts a session and prepares its rows.
func Ready(s Session) (Shared, error) {
	r := redact.New()
	out := Shared{of: s, rules: redact.Version()}
	clean := func(s string) string { // PostgreSQL accepts only UTF-8 without NUL
		return r.Text(strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\ufffd"))
	}
	out.of.Title = clean(s.Title)
	out.of.Items = append([]payload.Item(nil), s.Items...)
	if s.Empty() {
		out.of.Title = ""
	}
	all := []string{out.rules, s.ID, fmt.Sprint(s.Project), out.of.Title, s.Start.UTC().String(), s.End.UTC().String()}
	if s.Transcript != "" {
		out.of.Transcript = clean(s.Transcript)
		out.transcript = text.Hash(fmt.Sprintf("%s\x00%d\x00%s", out.rules, s.Project, out.of.Transcript), 16)
		all = append(all, "transcript "+out.transcript)
	}
	for i := range out.of.Items {
		it := &out.of.Items[i]
		it.MapText(clean)
		data, err := json.Marshal(it)
		if err != nil {
			return Shared{}, fmt.Errorf("item %s: %w", it.ID, err)
		}
		stems := index.StemsOf(asIndexed(*it))
		hash := text.Hash(fmt.Sprintf("%s\x00%d\x00%s", out.rules, s.Project, data), 16)
		out.items = append(out.items, sharedItem{string(it.ID), string(it.Kind), hash, string(data),
			strings.Join(stems, "\n")})
		all = append(all, hash)
	}
	out.Hash = text.Hash(strings.Join(all, "\x00"), 16)
	return out, nil
}

// Empty reports whether nothing of the session leaves: putting it takes back what was shared.
func (s Session) Empty() bool { return len(s.Items) == 0 && s.Transcript == "" }

// asIndexed returns an item as it is searched. Only the quotes of its source were shared.
func asIndexed(it payload.Item) index.Item {
	return index.Item{Item: it, Context: strings.Join(it.Quotes(), "\n")}
}

// ErrOlder means that another run of this device has put the session in the same or a later generation: the next sync
// compares again.
var ErrOlder = errors.New("another run on this device shared the same session")

// Put replaces a session in a generation, from 1, which must be later than the team's. Repeating it has no
// effect. It is one message to the server and one transaction there. The generation must be chosen before the
// content is read, so that older content can't replace newer. The error is ErrOlder or ErrForgotten.
func (t *Team) Put(ctx context.Context, device string, s Shared, generation int) error {
	b := &pgx.Batch{}
	b.Queue(putSession, device, s.of.ID, s.of.Project, generation, s.Hash, s.rules, s.of.Title,
		zeronull.Timestamptz(s.of.Start), zeronull.Timestamptz(s.of.End), len(s.items))
	var ids, kinds, hashes, data, words []string
	var said []*time.Time
	for i, it := range s.items {
		ids, kinds, hashes = append(ids, it.id), append(kinds, it.kind), append(hashes, it.hash)
		data, words = append(data, it.data), append(words, it.words)
		at := &s.of.Items[i].At
		if at.IsZero() {
			at = nil
		}
		said = append(said, at)
	}
	b.Queue(dropItems, device, s.of.ID, generation, s.Hash, ids, hashes)
	b.Queue(putItems, device, s.of.ID, generation, s.Hash, ids, hashes, kinds, said, data, s.rules, words)
	if err := s.queueContent(b, device, generation); err != nil {
		return err
	}
	b.Queue(`SELECT generation, hash FROM recall.session WHERE device = $1 AND sid = $2`, device, s.of.ID)
	sent := t.pool.SendBatch(ctx, b)
	var err error
	for range b.Len() - 1 {
		_, failed := sent.Exec()
		err = cmp.Or(err, failed)
	}
	var there Sent
	err = cmp.Or(err, sent.QueryRow().Scan(&there.Generation, &there.Hash), sent.Close())
	if err == nil && (there.Hash != s.Hash || there.Generation != generation) {
		return ErrOlder
	}
	return explain(err)
}

const (
	putSession = `INSERT INTO recall.session AS s(device, sid, project, generation, hash, rules, title, started, ended, items)
		VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (device, sid) DO UPDATE SET generation = excluded.generation,
			project = CASE WHEN excluded.items = 0 AND excluded.title = '' THEN s.project ELSE excluded.project END,
			hash = excluded.hash, rules = excluded.rules, title = excluded.title, started = excluded.started,
			ended = excluded.ended, items = excluded.items WHERE s.generation < excluded.generation`
	// The session's row is locked, whether it was changed or not: the following statements see it as it is now.
	asPut     = `s.device = $1 AND s.sid = $2 AND s.generation = $3 AND s.hash = $4`
	dropItems = `DELETE FROM recall.item i USING recall.session s WHERE ` + asPut + ` AND i.session = s.id
		AND NOT EXISTS(SELECT FROM unnest($5::text[], $6::text[]) k(iid, hash) WHERE k.iid = i.iid AND k.hash = i.hash)`
	putItems = `INSERT INTO recall.item(session, generation, project, iid, hash, kind, said, data, rules, words)
		SELECT s.id, s.generation, s.project, k.iid, k.hash, k.kind, k.said, k.data, $10,
			array_to_tsvector(string_to_array(k.words, E'\n'))
		FROM recall.session s, unnest($5::text[], $6::text[], $7::text[], $8::timestamptz[], $9::text[], $11::text[])
			k(iid, hash, kind, said, data, words)
		WHERE ` + asPut + ` AND NOT EXISTS(SELECT FROM recall.item i WHERE i.session = s.id AND i.iid = k.iid)`
)

// uniqueViolation is the error code of a row that exists already.
const uniqueViolation = "23505"

func exists(err error) bool {
	pg, _ := errors.AsType[*pgconn.PgError](err)
	return pg != nil && pg.Code == uniqueViolation
}

// Renew redacts by newer rules what was shared by members or machines that left and so can't do it; all others
// do it with their next sync. The database's owner can do this.
func (t *Team) Renew(ctx context.Context) error {
	type old struct {
		device     string
		generation int
		Session
	}
	all, err := list(ctx, t, func(row pgx.CollectableRow) (o old, err error) {
		var items []string
		err = row.Scan(&o.device, &o.generation, &o.ID, &o.Project, &o.Title, (*zeronull.Timestamptz)(&o.Start),
			(*zeronull.Timestamptz)(&o.End), &items, &o.Transcript)
		for _, data := range items {
			var it payload.Item
			if err == nil {
				err = json.Unmarshal([]byte(data), &it)
			}
			o.Items = append(o.Items, it)
		}
		return o, err
	}, `SELECT s.device::text, s.generation, s.sid, s.project, s.title, s.started, s.ended,
			ARRAY(SELECT i.data FROM recall.item i WHERE i.session = s.id ORDER BY i.id),
			coalesce(t.data, '')
		FROM recall.session s JOIN recall.device d ON d.id = s.device JOIN recall.member m ON m.id = d.member
		LEFT JOIN recall.content t ON t.session = s.id
		WHERE s.rules <> $1 AND (d.left_at IS NOT NULL OR `+hasLeft+`) ORDER BY s.id LIMIT 1000`, redact.Version())
	for _, o := range all {
		s, err := Ready(o.Session)
		if err == nil {
			err = t.Put(ctx, o.device, s, o.generation+1)
		}
		if err != nil {
			return fmt.Errorf("session %s: %w", o.ID, err)
		}
	}
	return err
}

// MostContent is the size limit of a transcript in bytes.
const MostContent = 64 << 20

// ErrLarge means that a transcript exceeds MostContent.
var ErrLarge = errors.New("too large to be shared")

// queueContent queues the statements that store a session's transcript, or delete what is no longer shared.
func (s *Shared) queueContent(b *pgx.Batch, device string, generation int) error {
	if len(s.of.Transcript) > MostContent {
		return hint.With(fmt.Errorf("session %s: %w: more than %d MB", s.of.ID, ErrLarge, MostContent>>20),
			"its items can be shared: recall team share PROJECT --level items")
	}
	b.Queue(dropContent, device, s.of.ID, generation, s.Hash, s.transcript)
	if s.transcript != "" {
		b.Queue(putContent, device, s.of.ID, generation, s.Hash, s.transcript, s.of.Transcript)
	}
	return nil
}

const (
	dropContent = `DELETE FROM recall.content c USING recall.session s WHERE ` + asPut + ` AND c.session = s.id
		AND c.hash <> $5`
	putContent = `INSERT INTO recall.content(session, generation, project, hash, data)
		SELECT s.id, s.generation, s.project, $5, $6 FROM recall.session s WHERE ` + asPut + `
			AND NOT EXISTS(SELECT FROM recall.content c WHERE c.session = s.id)`
)

// ErrNotShared means that nobody shares the session, or that part of it, with this member.
var ErrNotShared = errors.New("nothing of that session is shared with you")

// Place is where a shared session comes from.
type Place struct {
	Session, Title, Project, Author, Machine string
	Member                                   int    // the author
	Device                                   string // the author's device, by id
}

// Find looks up a shared session by its id or an unambiguous prefix. If two people share the same session,
// ID@MEMBER chooses one.
func (t *Team) Find(ctx context.Context, session string) (Place, error) {
	session, whose, _ := strings.Cut(session, "@")
	all, err := list(ctx, t, pgx.RowToStructByPos[Place], `SELECT DISTINCT ON (s.sid, m.id) s.sid, s.title,
		p.name, m.name, d.name, m.id, d.id::text FROM recall.session s
		JOIN recall.device d ON d.id = s.device JOIN recall.member m ON m.id = d.member
		JOIN recall.project p ON p.id = s.project
		WHERE starts_with(s.sid, $1) AND s.title <> '' AND ($2 = '' OR lower(m.name) = lower($2))
		ORDER BY s.sid, m.id, s.at DESC LIMIT 2`, session, whose)
	switch {
	case err != nil:
		return Place{}, err
	case len(all) == 0 || session == "":
		return Place{}, fmt.Errorf("%s: %w", session, ErrNotShared)
	case len(all) > 1 && all[0].Session == all[1].Session: // don't confuse one with the other
		a, b := all[0], all[1]
		err := fmt.Errorf("session %s is shared by two people: %s of %s, and %s of %s", a.Session, a.Machine, a.Author,
			b.Machine, b.Author)
		return Place{}, hint.With(err, `say whose: recall show "%s@%s"`, a.Session, a.Author)
	case len(all) > 1 && all[0].Session != session:
		return Place{}, hint.With(fmt.Errorf("%s begins several shared sessions' ids", session), "give more of it")
	}
	return all[0], nil
}

// Payload returns the items that a session shares, as its newest device has them.
func (t *Team) Payload(ctx context.Context, of Place) (*payload.Payload, error) {
	p := &payload.Payload{Schema: 1, Session: of.Session, Title: of.Title, Project: of.Project, Source: "team"}
	items, err := list(ctx, t, func(row pgx.CollectableRow) (it payload.Item, err error) {
		var data string
		err = row.Scan(&data, (*zeronull.Timestamptz)(&p.Start), (*zeronull.Timestamptz)(&p.End))
		if err == nil && (json.Unmarshal([]byte(data), &it) != nil || !receive(&it)) {
			it = payload.Item{} // forged
		}
		return it, err
	}, `SELECT i.data, s.started, s.ended FROM recall.item i JOIN recall.session s ON s.id = i.session
		WHERE s.sid = $1 AND s.device = $2 ORDER BY i.id`, of.Session, of.Device)
	p.Items = slices.DeleteFunc(items, func(it payload.Item) bool { return it.ID == "" })
	p.Start, p.End = p.Start.UTC(), p.End.UTC()
	return p, err
}

// Transcript returns a shared session's transcript. The error is ErrNotShared.
func (t *Team) Transcript(ctx context.Context, of Place) (text string, err error) {
	err = t.pool.QueryRow(ctx, `SELECT c.data FROM recall.content c JOIN recall.session s ON s.id = c.session
		WHERE s.sid = $1 AND s.device = $2`, of.Session, of.Device).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("%s: %w", of.Session, ErrNotShared)
	}
	return text, explain(err)
}

// Sent is a session of a device as the team last had it. The library has everything, so what waits isn't stored: if
// the device crashed after the team had taken something, the team says so.
type Sent struct {
	Session    string
	Generation int
	Hash       string // of what the device put, "" if TakeBack emptied it
}

// Sent returns what the team has of a device, by session.
func (t *Team) Sent(ctx context.Context, device string) (map[string]Sent, error) {
	all, err := list(ctx, t, pgx.RowToStructByPos[Sent],
		`SELECT sid, generation, hash FROM recall.session WHERE device = $1`, device)
	last := map[string]Sent{}
	for _, s := range all {
		last[s.Session] = s
	}
	return last, err
}

// Send puts the session that read returns, unless the team has it unchanged; changed reports whether it was
// put. last is what the team has. What wasn't put waits; the error is ErrUnreachable if another try may help.
func (t *Team) Send(ctx context.Context, device string, last Sent, read func() (Shared, error)) (changed bool,
	err error) {
	s, err := read() // after its generation is chosen, see Put
	if err != nil || s.Hash == last.Hash {
		return false, err
	}
	err = t.Put(ctx, device, s, last.Generation+1)
	return err == nil, err
}

// SharedOf returns how many of the sessions a library's team has of this machine, as far as its last sync knows.
func SharedOf(library string, ids []ingest.SessionID) (n int) {
	m, err := MembershipOf(library)
	if err != nil {
		return 0
	}
	stamps := m.Stamps()
	for _, id := range ids {
		if stamps[string(id)].Hash != "" {
			n++
		}
	}
	return n
}
