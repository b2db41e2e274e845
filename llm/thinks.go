package llm

import "recall/text"

// Thinks tells by its name whether a model thinks before it answers unless told
// otherwise: what it thinks is paid for and counts among the tokens of its
// answer, so it is asked to think little (effort "low") and given ThinkingRoom
// beside those that the answer may have.
func Thinks(model string) bool { return thinkers().MatchString(bareName(model)) }

// Claude since 5; OpenAI's GPT since 5 and its o series.
var thinkers = text.Pattern(`^(claude-[a-z]+-([5-9]|\d\d)(-|$)|gpt-([5-9]|\d\d)(-|$)|o\d)`)

// ThinkingRoom is how many tokens a model that thinks has to do it.
const ThinkingRoom = 8000
