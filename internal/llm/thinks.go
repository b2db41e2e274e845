package llm

import "recall/internal/text"

// Thinks reports, by its name, whether a model thinks before answering unless told
// otherwise. Thinking is charged and counts towards the answer's token limit, so such a
// model is asked to think little (effort "low") and given ThinkingRoom in addition to the
// answer's tokens.
func Thinks(model string) bool { return thinkingModels().MatchString(bareName(model)) }

// thinkingModels matches Claude since version 5, OpenAI's GPT since 5, and its o series.
var thinkingModels = text.Pattern(`^(claude-[a-z]+-([5-9]|\d\d)(-|$)|gpt-([5-9]|\d\d)(-|$)|o\d)`)

// ThinkingRoom is the number of tokens granted for thinking.
const ThinkingRoom = 8000
