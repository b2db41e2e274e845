package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recall/distill"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
	"recall/payload"
)

var (
	// address matches that of a pull request or an issue, of a page or of what programs call.
	address     = text.Pattern(`https?://[^\s"'<>]+/(pull|merge_requests|issues)/\d+`)
	forPrograms = text.Pattern(`://api\.|/api/`)

	// openings are what a forge opens, by the noun of its command; named the same, by what their addresses call them.
	openings = map[string]string{"pr": "pull request", "mr": "merge request", "issue": "issue"}
	named    = map[string]string{"pull": "pull request", "merge_requests": "merge request", "issues": "issue"}
)

// opened tells of the pull requests and issues that the session opened: what they are called, and their address.
func opened(s *ingest.Session, did *trace.Trace) (all []payload.Item) {
	for i := range did.Actions {
		a := &did.Actions[i]
		turn := s.TurnAt(a.N)
		if a.Copied || turn == nil || !a.Call.Worked() {
			continue
		}
		c := a.Call
		open := func(what, title, quote string) {
			if found := addressOf(what, c.Result); found != "" {
				it := recorded(payload.Lead, payload.OpenedRule, payload.ByAssistant, turn, found, quote)
				if title != "" && title != trace.UnknownArg {
					it.Text = title + " · " + found
				}
				it.Why, it.Confidence = what+" opened", commitWeight
				all = append(slices.DeleteFunc(all, func(o payload.Item) bool { return isAt(&o, found) }), it)
			}
		}
		for _, what := range openings {
			if strings.HasSuffix(c.Name, "__create_"+strings.ReplaceAll(what, " ", "_")) {
				open(what, c.Input["title"], cmp.Or(c.Input["title"], c.Input["body"]))
			}
		}
		for _, st := range a.Steps {
			if !distill.Forges[st.Program] || len(st.Args) < 2 {
				continue
			}
			quote, _, _ := strings.Cut(strings.TrimSpace(c.Command), "\n")
			if st.Args[1] == "create" && !slices.Contains(st.Args, "--dry-run") {
				open(openings[st.Args[0]], flagged(st.Args, "--title", "-t"), quote)
			}
		}
		for _, d := range distill.Fates(distill.Roots(s), a) {
			d.At = turn.At
			for k := range slices.Backward(all) {
				if d.Ends(&all[k]) {
					all[k].Since = d.Fate
					break
				}
			}
		}
	}
	return all
}

// addressOf returns the first address of a pull request, or whatever was opened, in what was printed; git prints others
// when it pushes.
func addressOf(what, printed string) string {
	for line := range strings.Lines(printed) {
		for _, found := range address().FindAllStringSubmatch(line, -1) {
			if named[found[1]] == what && !forPrograms().MatchString(found[0]) && !strings.HasPrefix(line, "remote:") {
				return found[0]
			}
		}
	}
	return ""
}

func isAt(it *payload.Item, address string) bool { return strings.HasSuffix(it.Text, address) }

// flagged returns the value of a flag that is given as "--flag value", "--flag=value" or "-f value"; "" if there is
// none.
func flagged(args []string, flag, short string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, flag+"="); ok {
			return value
		}
		if (arg == flag || arg == short) && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// committedWork returns the subjects of the last commits as one lead.
func (t *talk) committedWork() (one payload.Item, ok bool) {
	var subjects []string
	for _, sp := range t.commits[max(0, len(t.commits)-maxCommits):] {
		it := passage{sp, sp.parts[:1]}.item(payload.CommitRule)
		if slices.Contains(subjects, it.Text) {
			continue
		}
		subjects = append(subjects, it.Text)
		it.Evidence = append(one.Evidence, it.Evidence...)
		one = it
	}
	one.Text, one.Why = strings.Join(subjects, " · "), t.branch
	var marks []string
	if len(subjects) > 0 && t.pushed < one.First().N {
		marks = append(marks, payload.NotPushed)
	}
	if t.unchecked {
		marks = append(marks, payload.HooksSkipped)
	}
	one.Since = strings.Join(marks, "; ")
	return one, len(subjects) > 0
}

// item says what the session broke off at, in the words of what is on record.
func (c *cut) item() (payload.Item, bool) {
	if c == nil {
		return payload.Item{}, false
	}
	quote, why := c.turn.Text, "the client"
	if call := c.call; call != nil {
		what, refused := "call", " refused by the user"
		switch quote = call.With(); {
		case call.Plan != nil:
			what, quote = "plan", strings.TrimLeft(call.Plan.Text, "# \n")
			switch {
			case call.Reason == "":
				refused = " without an approval on record" // which they may give and have the context cleared first
			case text.Agrees(call.Reason):
				refused = " agreed to in words"
			}
			if _, name, in := strings.Cut(call.Plan.File, "/.claude/"); in {
				refused += ", in ~/.claude/" + name
			}
		case ingest.Commits(call.Command):
			what, quote = "commit", cmp.Or(ingest.CommitSubject(call.Command), quote)
		}
		switch {
		case call.Verdict == ingest.Rejected:
			why = what + refused
		case call.Done:
			why = what + " not allowed"
		default:
			why = what + " without a result on record"
		}
	}
	quote, _, _ = strings.Cut(strings.TrimSpace(quote), "\n")
	it := recorded(payload.Lead, payload.CutOffRule, payload.ByAssistant, c.turn, text.Clip(quote, maxCommand), quote)
	it.Why, it.Confidence = why, 1
	return it, it.Text != ""
}

// askedLast returns what the person said last, in however few words, unless it waits and an item says so: of several
// passages the first that orders something. An answer that the report shows as well isn't shown beside it.
func (t *talk) askedLast(items, report []payload.Item) (it payload.Item, ok bool) {
	told := func(it payload.Item) bool { return it.First().Turn == string(t.asked.turn.ID) }
	if t.asked == nil || t.asked == t.waiting && slices.ContainsFunc(items, told) {
		return it, false
	}
	orders := func(p passage) bool { return anyCue(p.run, cueOrder|cueWant) }
	var last passage
	for _, p := range t.asked.passages() {
		if p = p.beyondAll(items); !p.smallTalk() && (!ok || orders(p) && !orders(last)) {
			last, ok = p, true
		}
	}
	if !ok {
		return it, false
	}
	it = last.item(payload.AskedRule)
	it.Since, it.Confidence = t.since(last), typedWeight*t.recency(t.asked)
	shown := func(o payload.Item) bool { return strings.Contains(o.First().Quote, it.Evidence[1].Quote) }
	if last.wonders() && len(it.Evidence) > 1 && slices.ContainsFunc(report, shown) {
		it.Evidence = it.Evidence[:1]
	}
	then := t.asked.answer
	answered := then != nil && then.asksLast() == nil // and isn't asked back
	if answered && len(it.Evidence) == 1 && it.Since == "" && asks(it.Text) {
		it.Since = fmt.Sprint("answered in turn ", then.turn.N)
	}
	return it, true
}
