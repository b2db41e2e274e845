package terminal

import "github.com/atotto/clipboard"

func toClipboard(text string) error { return clipboard.WriteAll(text) }
