package app

import "github.com/atotto/clipboard"

// toClipboard puts a text on the clipboard.
func toClipboard(text string) error { return clipboard.WriteAll(text) }
