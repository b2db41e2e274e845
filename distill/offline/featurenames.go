package offline

import "recall/payload"

// What is noted of a statement.
var (
	asSpoken = eachSide("") // by whom

	// where a sentence stands
	asFirst        = eachSide("first")
	asSecond       = eachSide("second")
	asLastSentence = eachSide("last-sentence")
	asSole         = eachSide("sole")
	asFew          = eachSide("few")
	asMany         = eachSide("many")
	asVeryMany     = eachSide("very-many")
	asItem         = eachSide("item")
	asNumbered     = eachSide("numbered")
	asNested       = eachSide("nested")
	asQuotation    = eachSide("quotation")
	asLead         = eachSide("lead")
	asOpens        = eachSide("opens")
	asMidway       = numbered("a:midway")
	asFinal        = numbered("a:final")
	asAnswerWork   = numbered("a:answer-work")
	asAnswerTalk   = numbered("a:answer-talk")
	asRefusal      = numbered("u:refusal")
	asLongTurn     = numbered("u:long-turn")
	asOpening      = numbered("u:opening")
	asLedToWork    = numbered("u:led-to-work")

	// what its words look like
	asShort     = eachSide("short")
	asLong      = eachSide("long")
	asVeryLong  = eachSide("very-long")
	asQuestion  = eachSide("question")
	asColonEnd  = eachSide("colon-end")
	asNoName    = eachSide("no-name")
	asSomeNames = eachSide("some-names")
	asManyNames = eachSide("many-names")
	asDash      = eachSide("dash")
	asPathLead  = eachSide("path-lead")
	asHasWhy    = eachSide("has-why")
	asQuotes    = eachSide("quotes")
	asLogWords  = eachSide("log-words")

	// beside what was asked for
	asDirects         = numbered("u:directs")
	asDirectsWork     = numbered("u:directs-work")
	asDirectsShort    = numbered("u:directs-short")
	asDirectsNamed    = numbered("u:directs-named")
	asAnswersDirectly = numbered("u:answers-directly")
	asPromptShort     = numbered("a:prompt-short")
	asPromptYes       = numbered("a:prompt-yes")
	asPromptNo        = numbered("a:prompt-no")
	asPromptPasted    = numbered("a:prompt-pasted")
	asPromptDirects   = numbered("a:prompt-directs")
	asPromptLooks     = numbered("a:prompt-looks")
	asPromptAsks      = numbered("a:prompt-asks")
	asDidWork         = numbered("a:did-work")
	asDidItem         = numbered("a:did-item")
	asFirstAfterWork  = numbered("a:first-after-work")
	asMicro           = numbered("a:micro")
	asMicroBare       = numbered("a:micro-bare")
	asLeadDid         = numbered("a:lead-did")
	asDetail          = numbered("a:detail")
	asCodeFirst       = numbered("a:code-first")
	asArrow           = numbered("a:arrow")
	asPresentFact     = numbered("a:present-fact")
	asCoversAsk       = numbered("a:covers-ask")
	asCoversDirective = numbered("a:covers-directive")
	asCrowd           = numbered("a:crowd")

	// how it was taken
	asYesOpening       = numbered("u:yes-opening")
	asNoOpening        = numbered("u:no-opening")
	asAnswersQuestion  = numbered("u:answers-question")
	asAnswersOptions   = numbered("u:answers-options")
	asAcceptedThenWork = numbered("a:accepted-then-work")
	asAnsweredThenWork = numbered("a:answered-then-work")
	asAnsweredShort    = numbered("a:answered-short")
	asProposalTaken    = numbered("a:proposal-taken")
	asAccepted         = numbered("a:accepted")
	asObjected         = numbered("a:objected")
	asUnanswered       = numbered("a:unanswered")
	asPicked           = numbered("a:picked")
	asConfirmed        = numbered("a:confirmed")
	asLost             = numbered("a:lost")
	asAsks             = numbered("a:asks")

	// against the rest of the session
	asShortTalk  = eachSide("short-talk")
	asLongTalk   = eachSide("long-talk")
	asLate       = eachSide("late")
	asAskedFor   = eachSide("asked-for")
	asSaidAgain  = eachSide("said-again")
	asTakenUp    = eachSide("taken-up")
	asSaidBefore = eachSide("said-before")
	asReported   = eachSide("reported")
	asCommitted  = eachSide("committed")
	asRare       = eachSide("rare")

	// in a list, in its message
	asReplaces   = eachSide("replaces")
	asQuotesCode = eachSide("quotes-code")
	asListFirst  = eachSide("list-first")
	asReview     = eachSide("review")
	asShortReply = eachSide("short-reply")
	asStartsWork = eachSide("starts-work")
	asListPlace  = eachSide("list-place")
	asListSize   = eachSide("list-size")
	asPlace      = eachSide("place")

	asHeaded = numbered("headed")

	// what follows in its list item
	asMore = func() map[string]sided {
		m := map[string]sided{}
		for _, cue := range []string{"instead", "because", "flawed", "recommend", "fails", "undo"} {
			m[cue] = eachSide("more-" + cue)
		}
		return m
	}()

	// what it states outright
	asSays = func() map[payload.Kind]feature {
		m := map[payload.Kind]feature{}
		for _, kind := range payload.Kinds {
			m[kind] = numbered("says-" + string(kind))
		}
		return m
	}()
)

// What is noted of a file.
var (
	asWritten      = numbered("written")
	asWrittenTwice = numbered("written-twice")
	asWrittenOften = numbered("written-often")
	asCreated      = numbered("created")
	asRefused      = numbered("refused")
	asSaid         = numbered("said")
	asSaidOften    = numbered("said-often")
	asListOfIt     = numbered("list-of-it")
	asTyped        = numbered("typed")
	asInLast       = numbered("in-last")
	asReadOnly     = numbered("read-only")
	asReadOften    = numbered("read-often")
	asReadAndSaid  = numbered("read-and-said")
	asTest         = numbered("test")
	asDoc          = numbered("doc")
	asOutside      = numbered("outside")
	asFewFiles     = numbered("few-files")
	asManyFiles    = numbered("many-files")
	asShare        = numbered("share")
	asLogEdits     = numbered("log-edits")
	asLogMentions  = numbered("log-mentions")
	asRank         = numbered("rank")
)

// What is noted of a statement beside the others, by Beside.
var (
	asCandidates = numbered("candidates")
	asInExchange = numbered("in-exchange")
	asInMessage  = numbered("in-message")
	asLogit      = numbered("logit")
	asRankShare  = numbered("rank-share")
	asRankTalk   = numbered("rank-talk")
	asTalk       = numbered("talk")

	// by its place among those of its exchange, where people only talked and where
	// work was done
	placesOf = [2][3]feature{
		{numbered("first-of-talk"), numbered("second-of-talk"), numbered("third-of-talk")},
		{numbered("first-of-work"), numbered("second-of-work"), numbered("third-of-work")},
	}
)
