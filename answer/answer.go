// Package answer answers a question: it searches, lets a model look at the results if the user wants that, decides
// how certain the answer is, and words it: what an item says, whether it holds, who said it and where. Terminal,
// Markdown, MCP, hooks and eval lay out what they get from here.
package answer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/answer/compose"
	"recall/index"
	"recall/internal/text"
	"recall/library"
	"recall/library/received"
	"recall/payload"
)

// Verdict is how certain an answer is.
type Verdict string

const (
	Answered Verdict = "answered"
	Weak     Verdict = "weak"    // a model read them: nothing clearly answers; the nearest results are shown
	Nothing  Verdict = "nothing" // no word of the question occurs anywhere; what is nearest in meaning is shown
)

// Answer is recall's answer to a question. It is the JSON document of recall query --json, which is stable: fields
// are added, never renamed or removed; if that must change, Schema goes up.
type Answer struct {
	Schema   int            `json:"schema"` // 1
	Question string         `json:"question"`
	Verdict  Verdict        `json:"verdict"`
	Coverage float64        `json:"coverage"` // 0–1: the share of the question's weight that the first result covers
	Narrowed index.Filters  `json:"narrowed,omitzero"`
	Widened  index.Filters  `json:"widened,omitzero"` // filters dropped because nothing was found with them
	Listed   []payload.Kind `json:"listed,omitempty"` // the question names no topic: the newest of these kinds
	// Results are the best first, without those that only repeat one above, and only a few if nothing clearly answers.
	Results  []*Result `json:"results"`
	Searched Searched  `json:"searched"`          // what was searched
	Missing  []string  `json:"missing,omitempty"` // words of the question that occur nowhere, see worthSaying
	Titled   []string  `json:"titled,omitempty"`  // of these, those that stand in the title of a session
	Handed   int       `json:"handed,omitempty"`  // items handed over that wait for a review
	Unmade   int       `json:"unmade,omitempty"`  // sessions of the library, if the index has none of them
	Behind
	Quoted bool `json:"quoted,omitempty"` // no result is settled: they only quote what was said

	Rarity text.Bag `json:"-"` // of the question's words, as stems
	More   int      `json:"-"` // results found but not shown

	Limited        bool      `json:"-"` // only certain kinds or days were asked for
	AsOf           time.Time `json:"-"` // the end of the day as of which it is answered; zero: now
	WithoutVectors bool      `json:"-"` // only words were searched: the embedding model gave no usable answer
	Told           []string  `json:"-"` // messages about the model for the user
	Fault          error     `json:"-"` // why the model gave no answer; nil if it did, or wasn't asked
}

// Behind is what an answer lacks while sessions are still to be processed, or processed again by another version of
// recall.
type Behind struct {
	Left      int  `json:"left"`                // new or grown sessions not processed yet
	Outdated  int  `json:"outdated,omitempty"`  // sessions as last processed, due to be processed again
	Unrelated bool `json:"unrelated,omitempty"` // links between decisions aren't up to date
}

// Any reports whether the answer lacks anything.
func (b Behind) Any() bool { return b != Behind{} }

// String describes the answer: "without 2 new or grown sessions".
func (b Behind) String() string {
	var parts []string
	if b.Left > 0 {
		parts = append(parts, "without "+Count(b.Left, "new or grown session"))
	}
	if b.Outdated > 0 {
		parts = append(parts, "with "+Count(b.Outdated, "session")+" as an earlier version of recall understood them")
	}
	if b.Unrelated {
		parts = append(parts, "without the newest links between decisions")
	}
	return strings.Join(parts, ", ")
}

// None says that nothing was found, what wasn't asked, and where else to look.
func (a *Answer) None() string {
	none := a.Nothing()
	switch grep := a.Grep(); {
	case a.Unmade > 0:
		none += " recall sync makes it."
	case a.Handed > 0:
		none += " " + Count(a.Handed, "item") + " handed over by others wait for a look: recall review."
	case grep != "":
		none += " What tools printed: " + grep + "."
	}
	return none
}

// Nothing is None without commands to type.
func (a *Answer) Nothing() string {
	if a.Unmade > 0 {
		return "Nothing was searched: the index of " + Count(a.Unmade, "session") + " isn't made yet."
	}
	none := "Nothing decided about this that recall knows of."
	if a.Limited {
		none = "Nothing about this of the kinds or days asked for."
	}
	return a.nowhere(". ") + none
}

// LookBeyond notes what waits for a review, and if nothing was found in the sessions of a project, "" for all, what
// wasn't searched.
func (a *Answer) LookBeyond(l *library.Library, project string) {
	a.Handed = received.Handed(l)
	if a.Verdict != Nothing {
		return
	}
	if s := a.Searched; s.Items+s.Sessions+s.Archived+s.Team > 0 {
		return
	}
	catalog, err := l.Catalog()
	if err != nil {
		return // told by whoever opens the library
	}
	for _, e := range catalog.Entries {
		if e.Distilled != nil && (project == "" || catalog.WorkedIn(e, project)) {
			a.Unmade++
		}
	}
}

// Grep is the command that looks for the words that nobody said in what tools printed, from which nothing is answered;
// "" if none is missing, or the rest is answered.
func (a *Answer) Grep() string {
	switch {
	case len(a.Missing) == 0 || a.Verdict == Answered:
		return ""
	case len(a.Missing) == 1:
		return "recall grep -i " + a.Missing[0]
	}
	return "recall grep -i '" + strings.Join(a.Missing, "|") + "'"
}

// nowhere names the words of the question that nobody ever said, such as one mistyped; "" if there are none.
func (a *Answer) nowhere(end string) string {
	if len(a.Missing) == 0 {
		return ""
	}
	said := strings.Join(a.Missing, ", ") + ": said in no session"
	if len(a.Titled) > 0 {
		said += "; a title has it: recall list --search " + a.Titled[0]
	}
	return said + end
}

// Warning says which words of the question nobody ever said, and if a model that read the results found no answer in
// them; "" if neither.
func (a *Answer) Warning() string {
	said := ""
	switch {
	case len(a.Missing) > 0:
		said = a.nowhere("")
	case a.Verdict == Nothing:
		said = strings.TrimSuffix(a.Nothing(), ".") // no word is missing
	case a.Verdict == Weak:
		said = "Nothing that clearly answers this"
	}
	if a.Verdict != Answered {
		said += "; nearest"
	}
	return said
}

// Searched is how much was searched.
type Searched struct {
	Items    int `json:"items"`
	Sessions int `json:"sessions"`
	Projects int `json:"projects"`
	Archived int `json:"archived,omitempty"` // sessions left out
	Team     int `json:"team,omitempty"`     // shared items of the team
}

func (s Searched) String() string {
	if s.Sessions == 0 && s.Team > 0 {
		return Count(s.Team, "item") + " of your team's"
	}
	text := Count(s.Items, "item") + " and " + Count(s.Sessions, "session")
	if s.Projects > 1 {
		text += fmt.Sprintf(" of %d projects", s.Projects)
	}
	return text + s.OfTeam() + s.LeftOut()
}

// OfTeam says how much of the team's was searched, "" if nothing was.
func (s Searched) OfTeam() string {
	if s.Team == 0 {
		return ""
	}
	return " and " + Count(s.Team, "item") + " of your team's"
}

// LeftOut says how many archived sessions weren't searched, "" if all were.
func (s Searched) LeftOut() string {
	if s.Archived == 0 {
		return ""
	}
	return fmt.Sprintf("; %d archived left out", s.Archived)
}

// Result is one line of an answer.
type Result struct {
	index.Result
	Since map[string]int `json:"since,omitempty"` // commits since, by file that it mentions

	// Also belongs to a first result that is a passage: the turn of the same session that answers next best, which is
	// then not a result of its own.
	Also []*Result `json:"also,omitempty"`
}

// A Question is what is asked, and how much is answered.
type Question struct {
	index.Query
	Most int // maximum number of results
}

// An Index is what is searched.
type Index interface {
	Search(ctx context.Context, q index.Query) (index.Answer, error)
}

const (
	minLimit = 15 // results to search for at least: the next passage of the first one's session may be far down
	echoed   = 3  // search for this many times the results shown, as some only repeat others
	ofWeak   = 3  // results shown if nothing clearly answers
)

// PastShown is how many items of an item's history an answer shows; recall why shows all of them.
const PastShown = 3

// Ask answers a question. The model, if there is one, decides which results answer; if it fails, the answer is as
// without it. The error is the index's, or the context's.
func Ask(ctx context.Context, x Index, model *SecondLook, q Question) (Answer, error) {
	q.Limit = max(q.Limit, q.Most*echoed, minLimit)
	if model != nil {
		q.Limit = max(q.Limit, compose.Looked)
	}
	found, err := x.Search(ctx, q.Query)
	if err != nil {
		return Answer{}, err
	}
	var fault error
	looks := model != nil && len(found.Ranked) > 0 && len(found.Listed) == 0 // a list is already ordered
	if looks {
		fault = model.look(ctx, q, &found)
	}
	a := Of(q, found)
	a.Quoted = a.Quoted && !(looks && fault == nil)                           // else the model says that they answer
	if a.Fault = fault; fault != nil && !errors.Is(fault, context.Canceled) { // else whoever asked is gone
		a.Told = []string{withoutModel(fault)}
	}
	return a, ctx.Err()
}

// Of makes the answer to a question from a search's results.
func Of(q Question, found index.Answer) Answer {
	a := Answer{Schema: 1, Question: q.Text, AsOf: q.AsOf, Verdict: Answered, Coverage: found.Coverage,
		Limited:  len(q.Kinds) > 0 || !q.Since.IsZero() || !q.Until.IsZero(),
		Rarity:   found.Rarity,
		Narrowed: found.Narrowed, Widened: found.Widened, Listed: found.Listed,
		Missing: worthSaying(q.Text, found), Titled: text.Written(q.Text, found.Titled),
		WithoutVectors: found.WithoutVectors,
		Searched: Searched{Items: found.SearchedItems, Sessions: found.SearchedSessions, Projects: found.Projects,
			Archived: found.Archived, Team: found.SearchedShared}}
	most := q.Most
	switch {
	case len(found.Ranked) == 0, found.Unknown && len(q.Also) == 0:
		a.Verdict, most = Nothing, 1
	case found.Doubtful:
		a.Verdict, most = Weak, min(most, ofWeak)
	}
	all := gather(found.Ranked)
	slices.SortStableFunc(all, func(one, other *Result) int { return one.asks(q.Text) - other.asks(q.Text) })
	a.Results = withoutEchoes(all)
	a.Results = a.Results[:min(len(a.Results), most)]
	a.More = len(all) - len(a.Results) + found.More
	asked := len(a.Listed)+len(q.Kinds) > 0 // for exactly these kinds
	a.Quoted = a.Verdict == Answered && !asked && !slices.ContainsFunc(a.Results, (*Result).settles)
	return a
}

// asks is 1 for a passage of the assistant that only tells that the question was asked, in its words: "I asked recall:
// which port do we take." The more often a question went unanswered, the more such passages there are.
func (r *Result) asks(question string) int {
	asked := strings.TrimRight(plain(question), "?.! ")
	if r.Item != nil || r.Role != "assistant" || len(strings.Fields(asked)) < minAsked {
		return 0
	}
	for _, s := range text.Sentences(r.Passage, true) {
		if s = strings.TrimRight(plain(s), `?.!"”’' `); len(s) > len(asked) && strings.HasSuffix(s, asked) {
			return 1
		}
	}
	return 0
}

// minAsked is from how many words on a question isn't said by chance.
const minAsked = 4

// gather puts the second passage of an exchange below the first: what it replies to, or the reply.
func gather(found []*index.Result) (all []*Result) {
	for _, r := range found {
		one := &Result{Result: *r}
		if last := len(all) - 1; r.Beside && last >= 0 {
			all[last].Also = append(all[last].Also, one)
		} else {
			all = append(all, one)
		}
	}
	return all
}

// Numbered lists results and what is shown below them in the order of their numbers.
func Numbered(results []*Result) (all []*Result) {
	for _, r := range results {
		all = append(append(all, r), r.Also...)
	}
	return all
}

// settles reports whether a result is more than a quote or a wish.
func (r *Result) settles() bool {
	return r.Item != nil && r.Item.Kind != payload.Lead && r.Item.Kind != payload.Goal
}

// withoutEchoes removes passages, of turns and of quoted items, that say nothing beyond the results above them.
func withoutEchoes(all []*Result) []*Result {
	said, kept := "", []*Result{}
	for _, r := range all {
		words := plain(r.Passage)
		if r.Item != nil && r.Item.Quoted() && len(r.Item.Evidence) > 0 {
			words = plain(r.Item.Evidence[0].Quote)
		}
		if words != "" && r.Later == nil && strings.Contains(said, words) {
			if len(r.History) > 0 {
				kept = inPlaceOf(kept, r, words)
			}
			continue
		}
		said += "\n" + words
		for _, also := range r.Also {
			said += "\n" + plain(also.Passage)
		}
		if r.Item != nil {
			quotes := r.Item.Quotes()
			for _, l := range r.History { // superseded items needn't be quoted again
				quotes = append(quotes, l.Item.Quotes()...)
			}
			for _, text := range append(quotes, r.Item.Text) {
				said += "\n" + plain(text)
			}
		}
		kept = append(kept, r)
	}
	return kept
}

// inPlaceOf puts words that took something's place before the exchange that has them too, instead of their passage.
func inPlaceOf(kept []*Result, r *Result, words string) []*Result {
	says := func(o *Result) bool { return o.Item == nil && strings.Contains(plain(o.Passage), words) }
	k := slices.IndexFunc(kept, func(o *Result) bool { return says(o) || slices.ContainsFunc(o.Also, says) })
	if k < 0 {
		return kept // an item that says it too has its own history
	}
	if says(kept[k]) {
		r.Also, kept[k] = kept[k].Also, r
		return kept
	}
	kept[k].Also = slices.DeleteFunc(kept[k].Also, says)
	return slices.Insert(kept, k, r)
}

// plain normalizes text for comparison.
func plain(text string) string {
	return strings.ToLower(strings.Trim(Voice{}.Line(text), "….?! "))
}

// Beside returns the results shown below the first, without those shown with it as contradictions.
func (a *Answer) Beside() []*Result {
	return slices.DeleteFunc(slices.Clone(a.Results[1:]), func(r *Result) bool {
		same := func(l index.Linked) bool { return r.Item != nil && l.Item.ID == r.Item.ID }
		return slices.ContainsFunc(a.Results[0].Conflict, same)
	})
}

// See returns a few items that may bear on a result and aren't results themselves.
func (a *Answer) See(r *Result) []index.Linked {
	var see []index.Linked
	for _, l := range r.Related {
		own := func(r *Result) bool { return r.Item != nil && r.Item.ID == l.Item.ID }
		if !slices.ContainsFunc(a.Results, own) && len(see) < PastShown {
			see = append(see, l)
		}
	}
	return see
}
