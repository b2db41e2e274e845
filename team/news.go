package team

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"recall/internal/escape"
	txt "recall/internal/text"
	"recall/library"
	"recall/payload"
)

// News is what other people of the team decided recently, as of the last sync, so that commands can show it
// without querying the team.
type News struct {
	At   time.Time `json:"at"`
	Told []Told    `json:"told"` // the newest first
}

// Told is another person's item, safe to show.
type Told struct {
	Author  string       `json:"author"`
	Machine string       `json:"machine"`
	Project string       `json:"project"` // its name in this library, otherwise the team's
	Title   string       `json:"title"`   // of the session
	Session string       `json:"session"`
	Came    time.Time    `json:"came"` // when it arrived here
	Item    payload.Item `json:"item"`

	In     int    `json:"in"`               // the team's number of the project
	Remote string `json:"remote,omitempty"` // of the project's repository
	Root   string `json:"root,omitempty"`   // and its first commit
}

const (
	newsDays = 30
	maxNews  = 200
)

// newsKinds are the kinds of settled things.
var newsKinds = []string{string(payload.Decision), string(payload.Eliminated), string(payload.Finding)}

// FetchNews updates what a membership knows of others' decisions.
func (m *Membership) FetchNews(ctx context.Context, t *Team) error {
	fresh, err := list(ctx, t, func(row pgx.CollectableRow) (one Told, err error) {
		var data string
		var put time.Time
		if err := row.Scan(&data, &one.Author, &one.Machine, &one.Project, &one.Title, &one.Session, &one.In,
			&one.Remote, &one.Root, &put); err != nil {
			return one, err
		}
		if json.Unmarshal([]byte(data), &one.Item) != nil || !receive(&one.Item) || one.Item.Kind == payload.Lead {
			one.Session = "" // forged, or not borne out
		}
		if onTime(put, &one.Item.At) {
			one.Machine += wrongClock
		}
		for _, s := range []*string{&one.Author, &one.Machine, &one.Project, &one.Title, &one.Session} {
			*s = txt.Clip(escape.Line(*s, escape.Markdown), 200)
		}
		return one, nil
	}, `SELECT i.data, m.name, d.name, p.name, s.title, s.sid, p.id, coalesce(p.remote, ''), coalesce(p.root, ''), s.at
		FROM recall.session s JOIN recall.device d ON d.id = s.device JOIN recall.member m ON m.id = d.member
		JOIN recall.project p ON p.id = s.project JOIN recall.item i ON i.session = s.id
		WHERE s.project = ANY((SELECT recall.mine())::int[]) AND m.id <> $1 AND i.kind = ANY($2)
			AND s.at > now() - make_interval(days => $3)
			AND (i.generation = s.generation OR i.said > now() - make_interval(days => $3))
		ORDER BY least(i.said, s.at) DESC, i.id DESC LIMIT $4`, t.Member.ID, newsKinds, newsDays, maxNews)
	if err != nil {
		return err
	}
	old, first := m.News(), false
	came := map[payload.ItemID]time.Time{}
	if first = old.At.IsZero(); !first {
		for _, one := range old.Told {
			came[one.Item.ID] = one.Came
		}
	}
	now := News{At: time.Now().UTC()}
	for _, one := range fresh {
		twice := slices.ContainsFunc(now.Told, func(t Told) bool { // from two of their machines
			return t.Author == one.Author && t.Item.ID == one.Item.ID
		})
		if one.Session == "" || twice {
			continue
		}
		one.Came = now.At
		if at, ok := came[one.Item.ID]; ok && !at.After(now.At) {
			one.Came = at
		} else if first { // what was there before this member joined is no news
			one.Came = one.Item.At
		}
		now.Told = append(now.Told, one)
	}
	return m.write("news.json", now)
}

// News returns what is known of others' decisions.
func (m *Membership) News() (n News) {
	m.read("news.json", &n)
	return n
}

// Looked returns when a person last looked at the news. A time in the future, from a wrong clock, is ignored,
// so that news is shown again rather than never.
func (m *Membership) Looked() (at time.Time) {
	if m.read("looked.json", &at); at.After(time.Now()) {
		return time.Time{}
	}
	return at
}

// of reports whether the item belongs to a project of the library, which is shared as the given one of the
// team, if at all. A name alone proves nothing, since anybody can use any name.
func (t Told) of(p library.Project, as int) bool {
	switch {
	case as != 0 && as == t.In:
		return true
	case t.Remote != "":
		return p.Remote == t.Remote
	}
	return t.Root != "" && p.Birth == t.Root
}

// Line describes the item with its quote, both shortened: "Ana decided yesterday: … (“…”)".
func (t Told) Line(now time.Time) string {
	what := map[payload.Kind]string{payload.Eliminated: "ruled out", payload.Finding: "found"}
	day := t.Item.At.Local().Format(time.DateOnly)
	switch day {
	case now.Local().Format(time.DateOnly):
		day = "today"
	case now.Local().AddDate(0, 0, -1).Format(time.DateOnly):
		day = "yesterday"
	default:
		day = "on " + day
	}
	text := t.Item.Text
	if t.Item.Kind == payload.Eliminated {
		text = payload.RuledOutThing(text)
	}
	said := fmt.Sprintf("%s %s %s: %s", t.Author, cmp.Or(what[t.Item.Kind], "decided"), day, txt.Clip(text, mostTold))
	if quote := txt.Clip(t.Item.First().Quote, mostTold); quote != "" && quote != text {
		said += " (“" + quote + "”)"
	}
	return said
}

// mostTold is how many characters of another person's item, and of its quote, are told unasked.
const mostTold = 160

// LookedNow records that a person looks at the news now.
func (m *Membership) LookedNow() { _ = m.write("looked.json", time.Now().UTC()) }

// Since returns the items that arrived since a time, of one of the library's projects or of all, the latest first.
func (n News) Since(at time.Time, projects []library.Project, shared map[string]Share, only string) (out []Told) {
	for _, one := range n.Told {
		here := false
		for _, p := range projects {
			if one.of(p, shared[p.ID].As) {
				one.Project, here = p.Name, true
			}
		}
		if one.Came.After(at) && (only == "" || here && one.Project == only) {
			out = append(out, one)
		}
	}
	slices.SortStableFunc(out, func(a, b Told) int { return cmp.Compare(b.Item.At.Unix(), a.Item.At.Unix()) })
	return out
}

// Brief is what recall status says of the team, as of the last contact, so that it costs a command nothing.
type Brief struct {
	Name    string    `json:"name"`
	Shared  int       `json:"shared"`            // projects
	Waiting int       `json:"waiting,omitempty"` // sessions that couldn't be sent yet
	Problem string    `json:"problem,omitempty"` // why
	Notes   int       `json:"notes,omitempty"`   // number of notes in recall team status
	Looked  time.Time `json:"looked,omitzero"`   // when others' decisions were last looked at, by log --changed
	Others  []Told    `json:"others"`            // what they decided since
}

// Brief returns what is known of the team: what others decided since a time, or since a person last looked, in
// one of the library's projects or in all.
func (m *Membership) Brief(since time.Time, projects []library.Project, only string) *Brief {
	doc := &Brief{Name: m.Name, Looked: m.Looked(), Others: []Told{}}
	shares, err := m.Shares()
	if err != nil {
		doc.Problem = err.Error()
	}
	for _, s := range shares {
		if s.Level.Has(LevelItems) {
			doc.Shared++
		}
	}
	if last := m.Synced(); last != nil && doc.Problem == "" {
		doc.Waiting, doc.Problem, doc.Notes = last.Waiting, last.Problem, len(last.Happened)
	}
	if since.IsZero() {
		since = doc.Looked
	}
	doc.Others = append(doc.Others, m.News().Since(since, projects, shares, only)...)
	return doc
}
