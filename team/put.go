package team

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

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

type sharedItem struct{ id, kind, hash, data string }

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
		hash := text.Hash(fmt.Sprintf("%s\x00%d\x00%s", out.rules, s.Project, data), 16)
		out.items = append(out.items, sharedItem{string(it.ID), string(it.Kind), hash, string(data)})
		all = append(all, hash)
	}
	out.Hash = text.Hash(strings.Join(all, "\x00"), 16)
	return out, nil
}

// Empty reports whether nothing of the session leaves: putting it takes back what was shared.
func (s Session) Empty() bool { return len(s.Items) == 0 && s.Transcript == "" }

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
	var ids, kinds, hashes, data []string
	var said []*time.Time
	for i, it := range s.items {
		ids, kinds, hashes = append(ids, it.id), append(kinds, it.kind), append(hashes, it.hash)
		data = append(data, it.data)
		at := &s.of.Items[i].At
		if at.IsZero() {
			at = nil
		}
		said = append(said, at)
	}
	b.Queue(dropItems, device, s.of.ID, generation, s.Hash, ids, hashes)
	b.Queue(putItems, device, s.of.ID, generation, s.Hash, ids, hashes, kinds, said, data, s.rules)
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
	putItems = `INSERT INTO recall.item(session, generation, project, iid, hash, kind, said, data, rules)
		SELECT s.id, s.generation, s.project, k.iid, k.hash, k.kind, k.said, k.data, $10
		FROM recall.session s, unnest($5::text[], $6::text[], $7::text[], $8::timestamptz[], $9::text[])
			k(iid, hash, kind, said, data)
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
