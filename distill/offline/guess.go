package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// What is only supposed to be the cause: "My guess is …, I haven't proven it."

const guessingWords = `(?i)\b(?:explanation|guess|guessing|suspect|suspicion|hunch|theory|hypothesis|bet|betting|assumption|presumably|supposedly|likeliest|most likely|probably|likely|might be|may be|could be|may come|might come|may well|plausible|i think|i believe|i'd say|looks like|smells like|reeks of|sounds like|must be|my money)\b`

var (
	supposes = cue.One(`(?i)\b(?:my|our|a|the|one|best|current|working|first) (?:best |first |own |current |strong |educated |working )?(?:guess|suspicion|hunch|theory|hypothesis|bet)(?: here| now| so far)?(?: is| was|:|,| would be| that)|\b(?:my|our) (?:working )?assumption (?:is|was)\b|\bi(?:'d| would)? (?:strongly |rather |also |still )?(?:suspect|bet|guess)\b|\bi'm (?:guessing|betting)\b|\b(?:the )?(?:likeliest|most likely|most plausible|probable) (?:story|cause|reason|explanation|culprit|suspect)\b|\b(?:one|a|another) (?:possible |likely |plausible )?explanation (?:is|would be|could be|might be)\b|\bmy money(?:'s| is) on\b|^(?:so )?presumably\b|, presumably\b|\b(?:smells|looks|sounds) (?:very |a lot )?like (?:a|an|the)\b`)
	weakly   = cue.One(`(?i)\b(?:might|may|could) (?:well )?(?:be|come from|stem from|be due to)\b|\b(?:presumably|probably|likely)\b`)
	unproven = cue.One(`(?i)\b(?:(?:haven't|have not|can't|cannot|couldn't|could not|didn't|not) (?:yet )?(?:been )?(?:proven?|prove|proof|verif(?:y|ied)|confirm(?:ed)?|reproduced?|check(?:ed)?|test(?:ed)?|isolated?|measured?|sure|tell|see)|no (?:proof|evidence)|untested|speculati\w+|can't be sure|unproven|unverified|unconfirmed|not (?:yet )?(?:certain|sure|proven|verified|confirmed|isolated)|only a guess|just a (?:guess|theory|hunch)|would (?:show|tell|prove|settle|confirm)|to be (?:proven|confirmed|verified|checked)|without (?:a )?proof|pure speculation|never (?:caught|reproduced))\b`)
	notGuess = cue.One(`(?i)\b(?:i guess (?:we|so|it's|that|not|i)|you guess|i bet you|best guess (?:at|for) the (?:name|value)|i suspect (?:you|we) (?:want|need)|if i had to guess|guess what)\b|\b(?:i|we) (?:thought|suspected|guessed)\b`)
	settled  = cue.One(`(?i)\b(?:so that is the cause|that's the cause|isolated|confirmed|proven|you'd win the bet|was right|that was it|it was|ruled out|not the cause|isn't it|red herring|found it|found the (?:cause|culprit|bug)|reproduced|turns out|turned out)\b`)
)

// guesses makes hypotheses of what is said to be a guess and isn't settled later.
func guesses(t *talk) []payload.Item {
	var out []payload.Item
	visit := func(sp *speech, s *sentence) {
		text := s.straight()
		firm := supposes.MatchString(text)
		open := unproven.MatchString(text)
		proof := s
		for i := max(0, s.Index-1); !open && i < min(s.Index+3, len(sp.parts)); i++ {
			if p := &sp.parts[i]; unproven.MatchString(p.straight()) && p.Block == s.Block {
				open, proof = true, p
			}
		}
		firm = firm && (open || !likeliest.MatchString(text))
		if strings.HasSuffix(s.Raw, "?") || notGuess.MatchString(text) || !open && (!firm || sp.user && !causal.MatchString(text) || !sp.user && !sp.last && !causal.MatchString(text)) || !firm && !(weakly.MatchString(text) && open) || len(s.keys()) < 4 {
			return
		}
		if t.settledSince(sp, s) {
			return
		}
		said := guessLead.ReplaceAllString(s.Text, "")
		if sp.user {
			said = spelled(said)
		}
		it := sp.item(payload.Hypothesis, "guess", s, said)
		b := sp.before(s)
		if n := sp.nextTo(s); n != nil && (few(said, 6) < 6 || strings.HasSuffix(s.Raw, ":")) && len(n.Text) < 200 && n != proof {
			it.Text = shorten(strings.TrimRight(tidy(said), ".:") + ": " + n.Text)
		} else if b != nil && len(b.Text) < 160 && !strings.HasSuffix(b.Raw, "?") && (leansOn(said) || few(said, 8) < 8) && b != proof {
			it.Text = shorten(strings.TrimRight(tidy(b.Text), ".") + ": " + lowerFirst(tidy(said)))
		}
		if q := symptom(sp); q != nil && len(q.Text)+len(it.Text) < maxText && share(q.keys(), keywords(it.Text)) < 0.5 {
			it.Text = shorten(strings.TrimRight(tidy(spelled(q.Text)), ".?") + ": " + lowerFirst(it.Text))
			alsoCite(&it, sp.asks, q)
		}
		if proof != s && len(proof.Text) < 200 {
			it.Why = strings.TrimRight(tidy(proof.Text), ".")
		}
		if it.Why == "" && b != nil && b != proof && len(b.Text) < 200 && !strings.HasSuffix(b.Raw, "?") && !strings.Contains(it.Text, b.Text) {
			it.Why = strings.TrimRight(tidy(b.Text), ".")
		}
		out = append(out, it)
	}
	t.eachClosing(guessing, visit)
	t.eachTyped(guessing, visit)
	return withoutDoubles(out, 2)
}

var likeliest = cue.One(`(?i)\b(?:likeliest|most likely|most plausible|probable)\b`)

var (
	guessLead = cue.One(`(?i)^(?:(?:so|well|and|but)[, ]+)*(?:(?:my|our|the|one) (?:best |first |own |current )?(?:guess|suspicion|hunch|theory|bet|hypothesis|assumption) (?:is|would be|here is)(?: that)?(?: also)?|i(?:'d| would)? (?:strongly )?(?:suspect|bet|guess)(?: that| on)?|the (?:likeliest|most likely) (?:story|cause|explanation|reason)(?: is)?:?|presumably)[,:]?\s+`)
	causal    = cue.One(`(?i)\b(?:because|since|due to|caused?|causes|reason|comes? from|came from|from the|explains?|trigger|culprit|leads? to|behind|so that|by the|why)\b|\bis (?:the|that|redis|a)\b`)
)

// symptom is what the person asked the reason of, where an answer supposes one.
func symptom(sp *speech) *sentence {
	if sp.user || sp.asks == nil || len(sp.parts) > 6 || !asksWhy.MatchString(sp.asks.text) {
		return nil
	}
	for i := range sp.asks.parts {
		if p := &sp.asks.parts[i]; len(p.keys()) >= 4 && !p.Pasted && !sp.asks.foreign(p) && len(p.Text) < 160 {
			return p
		}
	}
	return nil
}

var asksWhy = cue.One(`(?i)\b(?:why|how come|what causes|where does|what is (?:wrong|going on))\b`)

// settledSince tells whether a guess was proven or refuted later in the talk.
func (t *talk) settledSince(after *speech, guess *sentence) bool {
	for _, sp := range t.speeches {
		if sp.exchange < after.exchange || sp == after || sp.exchange == after.exchange && !after.user {
			continue
		}
		if !sp.user && !sp.closing {
			continue
		}
		for i := range sp.parts {
			if s := &sp.parts[i]; i < 4 && settled.MatchString(s.straight()) && (shared(guess.keys(), s.keys()) >= 1 || sp.exchange == after.exchange+1 && i == 0) {
				return true
			}
		}
	}
	return false
}
