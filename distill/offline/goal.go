package offline

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/distill/offline/cue"
	"recall/ingest"
	"recall/payload"
)

// goals are what goal finds, for which it is asked once.
func goals(t *talk) []payload.Item { return t.goals }

// goal says what the session was to achieve: the first real request with what
// the person said beside it, or the title of the plan that it set out to carry
// out. A look around before the request is not the goal.
func goal(t *talk) []payload.Item {
	if it, ok := planGoal(t.session); ok {
		return []payload.Item{it}
	}
	said := lastTask(t)
	if it, ok := summaryGoal(t); ok && len(said) == len(t.speeches) {
		return []payload.Item{it}
	}
	asks := requests(said)
	if len(asks) == 0 {
		asks = fewWords(said)
	}
	if len(asks) == 0 {
		return nil
	}
	lead := 0
	if asks[0].looking() || asks[0].score < 0.5 {
		for i := 1; i < min(4, len(asks)); i++ {
			if o := &asks[i]; o.change && !leansOn(o.text) && o.outright() && o.sp.mood != objects && o.score > asks[0].score {
				lead = i
				break
			}
		}
	}
	a := asks[lead]
	it := turnItem(payload.Goal, "first-request", payload.ByUser, a.sp.turn, shorten(a.text), a.quote)
	if name := named(t.session, asks); name != "" {
		it.Text = shorten(name + ": " + lowerFirst(a.text))
	}
	if e := pastedError(ownText(a.sp.turn)); e != "" && share(keywords(e), keywords(it.Text)) < 0.8 {
		it.Text = shorten(withError(cutLog(it.Text), e))
	}
	it.About = about(a.raw)
	for i := lead + 1; i < min(lead+4, len(asks)) && goesOn(&a, &asks[i], &it); i++ {
		o := &asks[i]
		it.Text += " Then: " + lowerFirst(o.text)
		it.Evidence = append(it.Evidence, payload.Evidence{Turn: string(o.sp.turn.ID), N: o.sp.turn.N, Quote: o.quote})
		if len(keywords(it.Text)) >= briefGoal {
			break
		}
	}
	return []payload.Item{it}
}

// briefGoal is how many keywords a goal has that needs no more of what was asked for.
const briefGoal = 12

// goesOn tells whether a further request belongs to a brief goal: work asked for
// in so many words, said in full.
func goesOn(first, o *request, it *payload.Item) bool {
	return o.change && !merelyAsks(o.sp) && !whatIf.MatchString(o.sp.text) && o.sp.mood != objects && !objection.MatchString(o.raw) &&
		(politeAsk.MatchString(o.sp.parts[0].Text) || wantsChange.MatchString(o.raw) || suggests.MatchString(o.raw)) &&
		len(keywords(o.text)) >= 4 && len(it.Text)+len(o.text) < maxText && len(keywords(first.text)) < briefGoal
}

// lastTask is what was said from the person's last change of subject on, all
// of it where they never said that they change it.
func lastTask(t *talk) []*speech {
	for i := len(t.speeches) - 1; i > 0; i-- {
		if sp := t.speeches[i]; sp.user && sp.refused == nil && turnsTo.MatchString(sp.text) {
			if r, ok := requestOf(sp); ok && len(keywords(r.text)) >= 3 {
				return t.speeches[i:]
			}
		}
	}
	return t.speeches
}

// turnsTo matches how people open another task.
var turnsTo = cue.One(`(?i)^\W*(?:(?:ok(?:ay)?|no|so|hey|hi|great|good|nice|thanks|thank you|and|now|alright|cool|perfect|done|right)[,:.! ]+)*(?:(?:a |an |on to |onto |for )?(?:completely |totally |very )?(?:different|unrelated|separate|new|another|other|next) (?:thing|topic|task|question|subject|problem|issue)|something (?:else|different)|unrelated(?:ly)?|change of (?:topic|subject)|switching (?:gears|topics?|to)|next up|moving on)\b(?: now| then| though)?\s*[:,.;!—–-]+\s*`)

// whatIf matches a question that asks for an opinion, not for work.
var whatIf = cue.One(`(?i)^\W*(?:could we|can we|what if|what about|should we|how about|why|would it)\b[^.!]*\?\s*$`)

// merelyAsks tells whether a turn is a question that asks for no work.
func merelyAsks(sp *speech) bool {
	first := &sp.parts[0]
	return strings.HasSuffix(strings.TrimSpace(first.Raw), "?") && !politeAsk.MatchString(first.Text) && !suggests.MatchString(first.Text)
}

func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if w := strings.Fields(s); len(w) == 0 || looksLikeName(w[0]) || w[0] == "I" || strings.HasPrefix(w[0], "I'") || strings.ToUpper(w[0]) == w[0] {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}

// named is the title that the client gave the session, where it is about what
// was asked for and says more than the request; "" if there is none.
func named(s *ingest.Session, asks []request) string {
	title := strings.TrimRight(plain(s.Title), ". ")
	if s.TitleFrom != "ai-title" && s.TitleFrom != "summary" || len(title) > 100 || len(strings.Fields(title)) < 3 {
		return ""
	}
	keys := keywords(title)
	said := ""
	for _, a := range asks {
		said += " " + a.text
	}
	if n := shared(keys, keywords(said)); n == 0 || n < 2 && len(keys) > 4 || share(keys, keywords(shorten(asks[0].text))) > 0.8 {
		return ""
	}
	return title
}

// A request is what one of the person's first words asks for.
type request struct {
	sp     *speech
	text   string
	raw    string
	quote  string
	score  float64
	change bool // it asks that something be made, changed or found, not merely explained
}

// looking tells whether a request merely wants something explained.
func (r *request) looking() bool {
	return !r.change && (understand.MatchString(r.raw) || strings.HasSuffix(strings.TrimSpace(r.sp.text), "?") && len(r.sp.parts) == 1)
}

// outright tells whether it asks for work in so many words, in a turn of its own.
func (r *request) outright() bool {
	return len(r.sp.text) < 800 && (politeAsk.MatchString(r.sp.parts[0].Text) || suggests.MatchString(r.raw) || wantsChange.MatchString(r.raw))
}

// requests reads what the person's opening words ask for, one request a turn,
// pasted output and repetitions left out.
func requests(said []*speech) []request {
	var out []request
	for _, sp := range said {
		if !sp.user || sp.refused != nil || sp.because {
			continue
		}
		if r, ok := requestOf(sp); ok {
			if n := len(out); n > 0 && share(keywords(r.text), keywords(out[n-1].text)) > 0.7 {
				if len(r.text) >= len(out[n-1].text) {
					out[n-1] = r // sent again, worded better
				}
				continue
			}
			out = append(out, r)
		}
		if len(out) == 5 {
			break
		}
	}
	return out
}

// fewWords is the first thing that was asked for where all of it was said in so
// few words that no turn makes a request: "Repair to_f."
func fewWords(said []*speech) []request {
	for _, sp := range said {
		if !sp.user || sp.refused != nil || sp.because {
			continue
		}
		for i := range sp.parts {
			s := &sp.parts[i]
			raw := strings.TrimSpace(s.Raw)
			if sp.foreign(s) || s.Pasted || s.Block == quoted || justAsks.MatchString(raw) || aboutTheWay.MatchString(strings.TrimSpace(s.Text)) || few(s.Text, 1) == 0 {
				continue
			}
			if text := asked(wish(s.Text)); text != "" && len(strings.Fields(text)) > 1 && !greets.MatchString(text) {
				return []request{{sp: sp, text: text, raw: s.Raw, quote: quote(sp.text, s.From, s.To), change: asksForWork(s)}}
			}
		}
	}
	return nil
}

var greets = cue.One(`(?i)^(?:hi|hello|hey|good (?:morning|evening|day)|thanks?|thank you|ping|testing)\b`)

var (
	wantsChange = cue.One(`(?i)\b(?:add|fix|implement|build|creat|writ|mak|chang|updat|renam|mov|remov|replac|refactor|migrat|support|improv|review|set up|setup|convert|port|design|optimi[sz]e|clean ?up|release|deploy|install|debug|integrat|extend|redesign|rewrit|document|generat|organi[sz]e|help me|find out|figure out|propose|suggest|prepare|finish|continue|resolve|handle|test|investigat|analy[sz]|summari[sz]|work on|look at|look into|check|achieve|goal)(?:e|es|ed|ing|s|t)?\b`)
	tellsWrong  = cue.One(`(?i)\b(?:error|broken|fails?|failing|failed|crash|bug|wrong|doesn'?t work|not working|issue|problem|breaks?|hangs?|stuck)\b`)
	justAsks    = cue.One(`(?i)^(?:(?:please )?(?:resume|continue|pick up)(?: (?:with|from))?(?: (?:the|our|my))?(?: (?:last|previous|work|where we left off))*(?: (?:session|work|conversation|task))?|hi|hello|hey|thanks|thank you|ok|yes|no|continue|go on|resume|test|help)\b[\s.!,]*$`)
	understand  = cue.One(`(?i)\b(?:help me understand|explain|what (?:is|are|does)|how does|^why|which data|what value|is there|are there|can you tell|do we|question)\b`)
)

// requestOf reads what a typed turn asks for: its clearest sentence, with
// those beside it as far as there is room.
func requestOf(sp *speech) (request, bool) {
	r := request{sp: sp}
	var use []int
	best := -1
	for i := range sp.parts {
		s := &sp.parts[i]
		if sp.foreign(s) || s.Pasted || justAsks.MatchString(strings.TrimSpace(s.Raw)) || aboutTheWay.MatchString(strings.TrimSpace(s.Text)) || len(keywords(s.Text)) < 2 {
			continue
		}
		use = append(use, i)
		if sc := requestScore(s); best < 0 || sc > r.score {
			r.score, best = sc, len(use)-1
		}
	}
	if best < 0 {
		return r, false
	}
	s := &sp.parts[use[best]]
	r.raw, r.quote = s.Raw, quote(sp.text, s.From, s.To)
	r.change = asksForWork(s)
	from, to := best, best+1
	size := len(s.Text)
	for grown := true; grown; {
		grown = false
		if from > 0 {
			if n := len(sp.parts[use[from-1]].Text); size+n < maxGoal {
				from, size, grown = from-1, size+n+1, true
			}
		}
		if to < len(use) {
			if n := len(sp.parts[use[to]].Text); size+n < maxGoal {
				to, size, grown = to+1, size+n+1, true
			}
		}
	}
	var texts []string
	for _, i := range use[from:to] {
		text := asked(wish(sp.parts[i].Text))
		if text == "" || aboutTheWay.MatchString(text) || len(texts) > 0 && share(keywords(text), keywords(texts[len(texts)-1])) > 0.8 {
			continue
		}
		if n := len(texts); n > 0 && sp.parts[i].Block == listItem {
			joint := "; "
			if !sp.parts[i-1].listed() {
				joint = ": "
			}
			texts[n-1] = strings.TrimRight(texts[n-1], ".: ") + joint + lowerFirst(text)
			continue
		}
		texts = append(texts, text)
		r.raw += " " + sp.parts[i].Raw
	}
	r.text = strings.Join(texts, " ")
	return r, len(keywords(r.text)) >= 2
}

// maxGoal is how long a goal's sentences may be together, in bytes.
const maxGoal = 260

// wish is a typed sentence as a wish: without the words that change the
// subject, and without how to go about it.
func wish(text string) string {
	text = strings.TrimSpace(turnsTo.ReplaceAllString(text, ""))
	if t := howTo.ReplaceAllString(text, ""); len(keywords(t)) >= 3 {
		text = t
	}
	if t := wanting.ReplaceAllString(text, ""); len(keywords(t)) >= 3 {
		text = t
	}
	return spelled(text)
}

var (
	// how somebody wants to be worked with, at the end of a request or alone
	howTo       = cue.One(`(?i)[,;.]?\s+(?:(?:but |and |so |please |pls )*(?:plan (?:it|this|first)|make a plan(?: first)?|(?:don'?t|do not) (?:write|change|touch) (?:any )?(?:code|anything)(?: yet)?|(?:no|without) code(?: yet)?|ultra ?think|think (?:hard|deeply|about it)|what do you think|wdyt|(?:can|could) you help (?:me|us)(?: (?:with|do) (?:that|this|it))?|let me know|how would you do (?:it|that|this)|(?:and )?commit (?:it|that|this)(?: when done)?|take your time|step by step|ask me (?:if|when) .*))[,;.?!]*\s*(?:pls|please)?[.?!]*$`)
	aboutTheWay = cue.One(`(?i)^(?:please |pls |and |but |so )*(?:plan (?:it|this)\b.{0,40}|make a plan\b.{0,30}|(?:don'?t|do not) (?:write|change|touch) (?:any )?(?:code|anything)\b.{0,10}|ultra ?think|think (?:hard|deeply)|what do you think|wdyt|let me know.{0,30}|how would you do (?:it|that|this)|take your time|go step by step)[.?!]*$`)
	wanting     = cue.One(`(?i)^(?:(?:so|and|hi|hey|ok|now)[, ]+)*(?:i|we)(?:'d| would)? (?:want|like|need|wanna)(?: to| you to)\s+`)
)

// spelled puts right what people type in haste.
func spelled(s string) string {
	if !anyHasty.MatchString(s) {
		return s
	}
	for _, f := range hasty {
		s = f.re.ReplaceAllString(s, f.with)
	}
	return s
}

var hasty = []struct {
	re   *cue.Regexp
	with string
}{
	{cue.One(`(?i)\s+(?:pls|plz)\b`), ""},
	{cue.One(`\b(d|D)ont\b`), "${1}on't"},
	{cue.One(`\b(c|C)ant\b`), "${1}an't"},
	{cue.One(`\b(w|W)ont\b`), "${1}on't"},
	{cue.One(`\b([Dd]oes|[Dd]id|[Ii]s|[Aa]re|[Ww]as|[Ss]hould|[Ww]ould|[Cc]ould|[Hh]as)nt\b`), "${1}n't"},
	{cue.One(`\b([Tt]hat|[Ww]hat|[Tt]here)s\b`), "${1}'s"},
	{cue.One(`\b([Ll])ets\b`), "${1}et's"},
	{cue.One(`(^|[\s(])i('m|'d|'ll|'ve|)([\s,.;)]|$)`), "${1}I${2}${3}"},
	{cue.One(`(^|[.,;:!?(] ?|\b(?:and|but|so|think|if|because|since|when|that|what|where|while|sure) )[Ii]m (an?|the|not|sure|ok|okay|fine|good|happy|done|on|in|at|also|still|just|only|very|really|pretty|quite|so|too|afraid|tired|worried|confused|lost|curious|aware|against|for|with|glad|sorry|here|off|out|back|from|more|\w{2,}ing)\b`), "${1}I'm ${2}"}, // "im" is a word of German, too
	{cue.One(`\?{2,}`), "?"},
	{cue.One(`!{2,}`), "!"},
}

var anyHasty = func() *cue.Set {
	var patterns []string
	for _, f := range hasty {
		patterns = append(patterns, f.re.String())
	}
	return cue.MustCompile(patterns...)
}()

// asked words a request as what is to be done: "can you add X?" is "Add X.".
func asked(text string) string {
	if m := whether.FindStringSubmatch(text); m != nil {
		return "Find out whether " + m[2] + " " + strings.ToLower(m[1]) + " " + m[3] + "."
	}
	text = strings.TrimRight(tidy(text), ". ")
	if t := politeAsk.ReplaceAllString(text, ""); len(strings.Fields(t)) >= 3 && t != text {
		text = strings.TrimRight(t, "? ")
	}
	return tidy(text)
}

var whether = cue.One(`(?i)^(?:\S+, )?(can|could|may|should|do|is|are|does) (we|i|they|it|the \w+) (.{6,}?),? or not\W*$`)

// asksForWork tells a request from a question.
func asksForWork(s *sentence) bool {
	low := strings.ToLower(s.Text)
	if suggests.MatchString(low) && !strings.Contains(low, "understand") {
		return true
	}
	if understand.MatchString(low) {
		return false
	}
	return wantsChange.MatchString(low) || tellsWrong.MatchString(low)
}

var suggests = cue.One(`(?i)\b(?:i wonder|wondering|could we|can we|should we|we should|does it make sense|makes sense|what if|i(?:'d| would) (?:like|suggest|want)|i want|we (?:need|want)|is there a way|how (?:can|could) (?:we|i))\b`)

// requestScore weighs how clearly a sentence asks for work.
func requestScore(s *sentence) float64 {
	low := strings.ToLower(s.Text)
	score := 0.2 * float64(min(5, len(keywords(s.Text))))
	if wantsChange.MatchString(low) {
		score++
	}
	if politeAsk.MatchString(s.Text) || suggests.MatchString(low) {
		score += 0.6
	}
	if tellsWrong.MatchString(low) {
		score += 0.6
	}
	if understand.MatchString(low) {
		score -= 0.8
	}
	if s.Index == 0 {
		score += 0.3
	}
	if len(s.Text) > 400 {
		score -= 0.5
	}
	return score
}

var planTitle = cue.One(`(?m)^\s{0,3}#\s+(.+)$`)

// planGoal is the goal of a session that began by carrying out a plan.
func planGoal(s *ingest.Session) (payload.Item, bool) {
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Abandoned || t.Copied {
			continue
		}
		if t.Kind == ingest.Prompt {
			return payload.Item{}, false // something else was asked for first
		}
		if t.Kind != ingest.PlanTurn {
			continue
		}
		m := planTitle.FindStringSubmatchIndex(t.Text)
		if m == nil {
			return payload.Item{}, false
		}
		title := plain(t.Text[m[2]:m[3]])
		text := title
		for _, p := range []string{"Plan: ", "Implementation Plan: ", "Plan - ", "Plan — "} {
			text = strings.TrimPrefix(text, p)
		}
		it := turnItem(payload.Goal, "plan-title", payload.ByUser, t, tidy(text), quote(t.Text, m[2], m[3]))
		if sum, ok := planSummary(t.Text); ok {
			it.Text = shorten(tidy(text) + " " + plain(sum))
			it.About = about(sum)
		}
		return it, true
	}
	return payload.Item{}, false
}

// planSummary is the first sentence under a plan's goal, summary or context.
func planSummary(plan string) (string, bool) {
	for _, s := range sentences(plan) {
		switch h := strings.ToLower(s.Heading); {
		case strings.Contains(h, "goal"), strings.Contains(h, "summary"), strings.Contains(h, "overview"), strings.Contains(h, "objective"):
			return s.Raw, true
		}
	}
	return "", false
}

// cutLog takes what was logged off the end of a request's words.
func cutLog(text string) string {
	if loc := logStart.FindStringIndex(text); loc != nil && loc[0] > 20 {
		text = text[:loc[0]]
	}
	return strings.TrimRight(text, " .:;,")
}

var logStart = cue.One(`:?\s+(?:\d{4}[-/]\d\d[-/]\d\d\b|\d\d:\d\d:\d\d\b|\[?(?:ERROR|WARN|FATAL|INFO)\b|(?:error|err|msg|level)=|Traceback\b)`)

// withError puts behind a request what the error in it says.
func withError(text, says string) string {
	if strings.HasSuffix(text, "?") {
		return text + " The error: " + says + "."
	}
	return text + ": " + says + "."
}
