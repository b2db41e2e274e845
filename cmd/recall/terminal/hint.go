package terminal

import "recall/hint"

// Errors with the way out of them, as commands name them.
type Hinted = hint.Error

var (
	WithHint = hint.With
	HintOf   = hint.Of
)
