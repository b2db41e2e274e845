package text

// Agrees reports whether a reply begins with yes, in whatever words.
func Agrees(reply string) bool { return agreeing().MatchString(reply) }

// Refuses reports whether a reply begins with no, or disagrees with what was said before it.
func Refuses(reply string) bool { return refusing().MatchString(reply) }

var (
	agreeing = Pattern(`(?i)^\W*(?:yes|yep|yeah|yup|sure|ok|okay|oki|good|great|fine|perfect|right|exactly|correct|` +
		`definitely|of course|do (?:it|that)|go ahead|sounds|please do|agreed|makes sense|ja|genau|gern|oui|sí)\b`)
	refusing = Pattern(`(?i)^\W*(?:hm+,? )?(?:no\b|nope|nah\b|nein\b|non\b|not? (?:that|this|quite|yet|now)|never\b|` +
		`stop\b|wait\b|don['’]?t\b|do not\b|instead\b|undo\b|revert\b|wrong\b|` +
		`that['’]?s (?:not|wrong)|i (?:don['’]?t|disagree|meant))`)
)
