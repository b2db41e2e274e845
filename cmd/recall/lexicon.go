package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"recall/index/embed"
	"recall/library"
)

// lexiconFile is where a user's own words for one another may stand, beside
// config.yaml: see embed.ParseGroups.
const lexiconFile = "lexicon.txt"

// useLexicon has searches use the user's own lexicon, if there is one.
func (a *app) useLexicon() error {
	dir := filepath.Dir(a.cfg.own())
	if a.cfg.own() == "" {
		user := thisSystem().user
		if user == "" {
			return nil
		}
		dir = filepath.Join(user, "recall")
	}
	file := filepath.Join(dir, lexiconFile)
	b, err := library.ReadRegular(file, mostOfNote)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("your lexicon: %w", err)
	}
	own, err := embed.ParseGroups(string(b))
	if err != nil {
		return withHint(fmt.Errorf("%s: %w", file, err), `a line is a group of words for one concept: pipeline|conveyor|transporter belt`)
	}
	a.ix.UseLexicon(own)
	return nil
}
