//go:build !windows

package app

import (
	"errors"
	"os"
	"os/exec"
	"strings"
)

// clipboards are programs that put what they read on the clipboard; the first one that is there does. They are looked
// for when something is copied, not at each start: a PATH may be long, and on WSL leads through Windows's folders.
var clipboards = [][]string{{"pbcopy"}, {"wl-copy"}, {"xclip", "-in", "-selection", "clipboard"},
	{"xsel", "--input", "--clipboard"}, {"termux-clipboard-set"}, {"clip.exe"}}

func toClipboard(text string) error {
	for _, words := range clipboards {
		if words[0] == "wl-copy" && os.Getenv("WAYLAND_DISPLAY") == "" {
			continue
		}
		if path, err := exec.LookPath(words[0]); err == nil {
			c := exec.Command(path, words[1:]...)
			c.Stdin = strings.NewReader(text)
			return c.Run()
		}
	}
	if os.Getenv("WAYLAND_DISPLAY") != "" {
		return errors.New("wl-copy isn't installed (package wl-clipboard)")
	}
	return errors.New("neither xclip nor xsel is installed")
}
