package pipeline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"recall/distill"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// keepModelItems keeps the items that a model made of a session when rules distill it again, because it grew or
// because the rules are newer than the payload. The rules add what stands in turns that the model hasn't seen.
func (r *run) keepModelItems(old, fresh *payload.Payload, m *Member) {
	m.made.Model, fresh.Made.Model = payload.Asked{}, payload.Asked{}
	if old == nil || old.Made.Model.Name == "" {
		return
	}
	asked := old.Made.Model
	place := places(m.Session)
	last := min(asked.Turns, len(m.Session.Turns)) - 1
	if at := place(asked.Last); at >= 0 {
		last = at
	}
	fresh.Items = withNotes(payload.ExtendModelItems(old, fresh, place, last), m.noted)
	fresh.Items = slices.DeleteFunc(fresh.Items, copied(m.Session))
	distill.Hold(m.Session, fresh) // a rewritten session may lack its evidence
	m.made.Model, fresh.Made.Model = asked, asked
}

// places returns a function that gives the index of a turn, by any id that evidence may use; -1 if there is no such
// turn.
func places(s *ingest.Session) func(turn string) int {
	at := s.Places()
	return func(turn string) int {
		if i, ok := at[turn]; ok {
			return i
		}
		return -1
	}
}

// copied reports whether an item is based on a turn that its session copied.
func copied(s *ingest.Session) func(payload.Item) bool {
	place := places(s)
	return func(it payload.Item) bool {
		return slices.ContainsFunc(it.Evidence, func(e payload.Evidence) bool {
			at := place(e.Turn)
			return at >= 0 && s.Turns[at].Copied
		})
	}
}

// redactedAgain redacts a payload's items again, including retired ones.
func redactedAgain(p *payload.Payload, clean func(string) string) *payload.Payload {
	q := *p
	q.Items, q.Retired = slices.Clone(p.Items), slices.Clone(p.Retired)
	for _, items := range [][]payload.Item{q.Items, q.Retired} {
		for i := range items {
			items[i].MapText(clean)
		}
	}
	return &q
}

var placeholder = text.Pattern(`‹([^‹› ]+) \d+›`)

// renumber updates the numbers of placeholders in quotes: rules that find one more secret number the later ones
// differently.
func renumber(p *payload.Payload, s *ingest.Session) {
	place := places(s)
	for i := range p.Items {
		for k := range p.Items[i].Evidence {
			e := &p.Items[i].Evidence[k]
			if at := place(e.Turn); at >= 0 && placeholder().MatchString(e.Quote) {
				e.Quote = asNumbered(s.Turns[at].Text, e.Quote)
			}
		}
	}
}

// asNumbered returns a quote as it stands in a text, with whatever numbers its placeholders have there; the quote
// itself if it isn't there.
func asNumbered(text, quote string) string {
	if strings.Contains(text, quote) {
		return quote
	}
	var any strings.Builder
	from := 0
	for _, at := range placeholder().FindAllStringSubmatchIndex(quote, -1) {
		any.WriteString(regexp.QuoteMeta(quote[from:at[0]]) + "‹" + regexp.QuoteMeta(quote[at[2]:at[3]]) + ` \d+›`)
		from = at[1]
	}
	re, err := regexp.Compile(any.String() + regexp.QuoteMeta(quote[from:]))
	if err != nil {
		return quote
	}
	return cmp.Or(re.FindString(text), quote)
}
